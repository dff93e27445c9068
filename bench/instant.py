"""A chat server that answers at once, in a process of its own: what is measured against it is the client alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_BODY = (
    b'{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant",'
    b'"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}'
)
_REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)


class Instant(asyncio.BufferedProtocol):
    """Counts the bytes of a body and answers when all are there.

    All connections read into one buffer: new memory for every read would make the server the slower side, and then it
    is not the client that is measured.
    """

    _buffer = bytearray(2**20)

    def __init__(self) -> None:
        self._head = b""
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> bytearray:
        del sizehint
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._missing:
            self._missing -= nbytes
        else:
            # A head is short; of what came behind it only the length matters.
            self._head += bytes(self._buffer[: min(nbytes, 2**14)])
            head, end, rest = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == b"content-length:")
            self._head, self._missing = b"", length - len(rest) - max(0, nbytes - 2**14)
        if not self._missing:
            self._transport.write(_REPLY)


async def serve() -> None:
    """Listen on a free port and say which."""
    server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def instant_server() -> Iterator[str]:
    """The server's base URL while the block runs."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.terminate()
        process.wait(10)


if __name__ == "__main__":
    asyncio.run(serve())
