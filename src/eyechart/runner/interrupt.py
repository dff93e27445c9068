"""Ctrl-C as a request to the loop: by signal in the main thread, elsewhere by whoever waits for the run."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Interrupts:
    """The way from whoever wants a run to stop to the loop that runs it, also from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._early = 0  # asked for before the loop was there
        self._send: Callable[[], object] | None = None

    def send(self) -> None:
        """Ask the loop to stop, from any thread."""
        with self._lock:
            if self._send is None:
                self._early += 1
            else:
                self._send()

    @contextmanager
    def call(self, handle: Callable[[], None]) -> Iterator[None]:
        """While inside, `send`, SIGINT and SIGTERM call `handle` in the running loop."""
        loop = asyncio.get_running_loop()
        # Only the main thread may own signals; a run in another thread is told by `send`.
        main = threading.current_thread() is threading.main_thread()
        signals = (signal.SIGINT, signal.SIGTERM) if main else ()
        for number in signals:
            loop.add_signal_handler(number, handle)
        with self._lock:
            self._send = lambda: loop.call_soon_threadsafe(handle)
            early, self._early = self._early, 0
        for _ in range(early):
            handle()
        try:
            yield
        finally:
            with self._lock:
                self._send = None
            for number in signals:
                loop.remove_signal_handler(number)
