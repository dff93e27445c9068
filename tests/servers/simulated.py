"""A simulated model server on a simulated clock: slots, a queue of limited length, 429 above it.

Nothing here sleeps: when every task waits, the clock jumps to the next timer. A run of an hour takes seconds, gives
the same numbers every time, and the machine's own load cannot be heard in it.
"""

from __future__ import annotations

import asyncio
import heapq
import selectors
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, TypeVar

from eyechart.errors import ModelError
from eyechart.records import Response

T = TypeVar("T")


class _JumpingSelector(selectors.SelectSelector):
    """Waits for nothing: tells the loop's clock to jump instead."""

    def __init__(self) -> None:
        super().__init__()
        self.jump: Callable[[float], None] = lambda seconds: None

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("every task waits, and no timer is set")
        if timeout > 0:
            self.jump(timeout)
        return super().select(0)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only where nothing else is to be done."""

    def __init__(self) -> None:
        self._now = 0.0
        selector = _JumpingSelector()
        super().__init__(selector)
        selector.jump = self._jump
        self._clock_resolution = 1e-9

    def _jump(self, seconds: float) -> None:
        self._now += seconds

    def time(self) -> float:
        return self._now


def simulate(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on a simulated clock."""
    loop = SimulatedLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()


class SimulatedServer:
    """So many slots, a queue, and an answer time drawn from a log-normal distribution per question."""

    def __init__(
        self,
        *,
        slots: int,
        queue: int,
        seed: int = 0,
        mean_s: float = 2.0,
        sigma: float = 0.7,
        retry_after_s: float | None = 1.0,
    ) -> None:
        self._seed = seed
        self._mu_scale = mean_s / 2.718281828 ** (sigma**2 / 2)
        self._sigma = sigma
        self._slots, self._queue = slots, queue
        self._retry_after_s = retry_after_s
        self._busy = 0
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._arrivals = 0
        self._needs: dict[int, float] = {}
        self.refused = 0

    def service_s(self, question: int) -> float:
        """How long this question takes in a slot, whoever asks when."""
        if question not in self._needs:
            self._needs[question] = self._mu_scale * Random(f"{self._seed}/{question}").lognormvariate(0, self._sigma)
        return self._needs[question]

    async def ask(self, question: int) -> Response:
        """One request."""
        if self._busy >= self._slots and len(self._waiting) >= self._queue:
            self.refused += 1
            await asyncio.sleep(0.01)
            raise ModelError("rate_limited", "429", retryable=True, retry_after_s=self._retry_after_s)
        if self._busy >= self._slots:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._arrivals += 1
            heapq.heappush(self._waiting, (self._arrivals, turn))
            await turn
        else:
            self._busy += 1
        try:
            await asyncio.sleep(self.service_s(question))
        finally:
            if self._waiting:
                heapq.heappop(self._waiting)[1].set_result(None)
            else:
                self._busy -= 1
        return Response(text="yes")
