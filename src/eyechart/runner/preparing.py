"""Work that is done in threads, several pieces to a hop where several wait.

Going to a thread and back costs more than wording a question about a picture that is at hand, and a fast server would
wait for it. So pieces that turn out short go together, as many as wait. Pieces that take long, such as videos, go one
to a thread, and nobody waits behind them.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

Found = TypeVar("Found")

THREADS = 4
TOGETHER = 16  # pieces that one hop takes along at most
LONG_S = 0.002  # how long a hop is meant to take; past it, it comes back and leaves the rest to whoever is free


class Piece(NamedTuple):
    """Something to do, and who waits for it."""

    waiter: asyncio.Future[Any]
    work: Callable[[], Any]


class Done(NamedTuple):
    """What came of a piece."""

    waiter: asyncio.Future[Any]
    found: Any
    error: BaseException | None


class Hop(NamedTuple):
    """What came of going to a thread: the pieces that were done, those that were not begun, and the time."""

    done: list[Done]
    left: list[Piece]
    took_s: float


class Threads:
    """Runs work in a few threads; belongs to one event loop."""

    def __init__(self, count: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="prepare")
        self._idle = count
        self._each_s = LONG_S  # how long a piece took lately
        self._closed = False
        self._waiting: deque[Piece] = deque()

    async def run(self, work: Callable[[], Found]) -> Found:
        """What the work returns or raises."""
        loop = asyncio.get_running_loop()
        piece = Piece(loop.create_future(), work)
        self._waiting.append(piece)
        if self._idle:
            loop.call_soon(self._start)  # behind those who ask in this round of the loop
        found: Found = await piece.waiter
        return found

    def close(self) -> None:
        """What has not begun is not begun any more."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> None:
        """Threads that are free take what waits."""
        while self._idle and self._waiting and not self._closed:
            share = max(1, min(TOGETHER, len(self._waiting), int(LONG_S / self._each_s)))
            taken = [self._waiting.popleft() for _ in range(share)]
            self._idle -= 1
            hop = asyncio.get_running_loop().run_in_executor(self._pool, do, taken)
            hop.add_done_callback(self._back)

    def _back(self, hop: asyncio.Future[Hop]) -> None:
        """Deliver what a hop did; what it did not begin is next."""
        if hop.cancelled():
            return
        done, left, took_s = hop.result()
        each_s = max(took_s / len(done), 1e-6)
        self._each_s = max(each_s, 0.5 * (self._each_s + each_s))  # one long piece is a warning, many short ones a rule
        for waiter, found, error in done:
            if waiter.done():  # cancelled meanwhile
                continue
            if error is None:
                waiter.set_result(found)
            else:
                waiter.set_exception(error)
        self._waiting.extendleft(reversed(left))
        self._idle += 1
        self._start()


def do(pieces: list[Piece]) -> Hop:
    """In a thread: piece after piece, until it has taken long."""
    done: list[Done] = []
    began = now = time.monotonic()
    while len(done) < len(pieces) and (not done or now < began + LONG_S):
        waiter, work = pieces[len(done)]
        try:
            done.append(Done(waiter, None if waiter.cancelled() else work(), None))
        except BaseException as error:  # noqa: BLE001 - whatever it is, whoever waits must hear of it
            done.append(Done(waiter, None, error))
        now = time.monotonic()
    return Hop(done, pieces[len(done) :], now - began)
