"""`eyechart serve-builtin`: the models in the box behind an OpenAI-compatible server on this machine."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import sys
from argparse import Namespace

from eyechart import errors
from eyechart.cli.commands import Command
from eyechart.cli.parser import Parser
from eyechart.errors import SetupError, UsageError

FIRST_PORT = 8000
TRIED = 20  # ports, when none was named


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--port", type=int, default=None, metavar="N", help=f"{FIRST_PORT}, or the next free one; 0: any free one"
    )


def serve_builtin(arguments: Namespace) -> int:
    """Listen until Ctrl-C."""
    listener = listen(arguments.port)
    asyncio.run(_serve(listener))
    return errors.OK


def listen(port: int | None) -> socket.socket:
    """A socket on loopback: on the port that was named, or on the first free one of the usual ones."""
    from eyechart.models.builtin.server import HOST

    if port is not None and not 0 <= port < 2**16:
        raise UsageError(f"there is no port {port}", why="ports go from 0 to 65535", fix="--port 8000")
    candidates = range(FIRST_PORT, FIRST_PORT + TRIED) if port is None else [port]
    for candidate in candidates:
        try:
            return socket.create_server((HOST, candidate))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            reason = error.strerror
    named = f"port {port}" if port is not None else f"any of the ports {FIRST_PORT} to {FIRST_PORT + TRIED - 1}"
    raise SetupError(f"cannot listen on {named}", why=str(reason), fix="--port 0 takes any free one")


async def _serve(listener: socket.socket) -> None:
    from aiohttp import web

    from eyechart.models.builtin.server import application

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stopped.set)
    runner = web.AppRunner(application(), access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        host, port = listener.getsockname()
        address = f"http://{host}:{port}/v1"
        sys.stdout.write(f"Serving tiny and tiny-early at {address} (Ctrl-C stops)\n")
        sys.stdout.write(f"Try it: eyechart run starter -m {address}#tiny\n")
        sys.stdout.flush()
        await stopped.wait()
    finally:
        await runner.cleanup()


COMMAND = Command(
    description="The models in the box behind an OpenAI-compatible server, on this machine only.",
    add_arguments=add_arguments,
    run=serve_builtin,
    examples="examples\n  eyechart serve-builtin --port 8000\n  eyechart run starter -m http://127.0.0.1:8000/v1#tiny",
)
