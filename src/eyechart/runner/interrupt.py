"""Ctrl-C as a request to the loop, where the loop runs in the main thread; elsewhere nothing changes."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def on_interrupt(handle: Callable[[], None]) -> Iterator[None]:
    """While inside, SIGINT and SIGTERM call `handle` in the running loop."""
    loop = asyncio.get_running_loop()
    # Only the main thread may own signals; a run that a notebook started in a thread is interrupted by the notebook.
    signals = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    for number in signals:
        loop.add_signal_handler(number, handle)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
