"""How many requests are under way at once: as many as were asked for, or as many as the server turns out to bear."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal, Protocol, TypeAlias

from eyechart.runner.pace import Pace

# The server refused a request because it had too many, or let one wait until its time was up.
Overload: TypeAlias = Literal["refused", "silent"]

# A server that asks for more is not waited for: its questions are left for a later start (see RetryPolicy).
LONGEST_PAUSE_S = 300.0

# As many as a server of many GPUs bears; nobody has to ask for fewer.
CEILING = 1024


class Limit(Protocol):
    """Hands out slots. A request holds one only while it is with the server, never while it waits to try again."""

    @property
    def size(self) -> int:
        """How many slots there are now."""
        ...

    async def acquire(self) -> None:
        """Wait for a slot."""
        ...

    def release(
        self, *, ok: bool, latency_s: float, retry_after_s: float | None = None, overload: Overload | None = None
    ) -> None:
        """Give the slot back and say how it went: what the server asked for, and whether it had too much to do."""
        ...


class Slots(Limit):
    """Slots in the order of asking; while the server has asked for patience, none is handed out."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._paused_until = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def size(self) -> int:
        return self._pace.size

    @property
    def in_flight(self) -> int:
        """How many slots are taken."""
        return self._in_flight

    async def acquire(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._waiting and self._in_flight < self._pace.size and loop.time() >= self._paused_until:
            self._in_flight += 1
            self._pace.started(loop.time())
            return
        slot: asyncio.Future[None] = loop.create_future()
        self._waiting.append(slot)
        self._hand_out()
        try:
            await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled():
                # The slot came in the moment in which its owner went: it goes to the next one.
                self._in_flight -= 1
                self._hand_out()
            raise

    def release(
        self, *, ok: bool, latency_s: float, retry_after_s: float | None = None, overload: Overload | None = None
    ) -> None:
        now = asyncio.get_running_loop().time()
        self._in_flight -= 1
        if ok:
            self._pace.answered(now, waiting=bool(self._waiting))
        elif overload is not None:
            self._pace.overloaded(now, sent_at=now - latency_s, held=self._in_flight, refused=overload == "refused")
        if retry_after_s is not None:
            self._paused_until = max(self._paused_until, now + min(retry_after_s, LONGEST_PAUSE_S))
        self._hand_out()

    def _hand_out(self) -> None:
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        if now < self._paused_until:
            if self._alarm is None or self._alarm.cancelled() or self._alarm.when() < self._paused_until:
                if self._alarm is not None:
                    self._alarm.cancel()
                self._alarm = loop.call_at(self._paused_until, self._hand_out)
            return
        while self._waiting and self._in_flight < self._pace.size:
            slot = self._waiting.popleft()
            if not slot.done():
                self._in_flight += 1
                self._pace.started(now)
                slot.set_result(None)


class AdaptiveLimit(Slots):
    """As many slots as the server turns out to bear, up to a ceiling."""

    def __init__(self, ceiling: int = CEILING, *, timeout_s: float = 120.0) -> None:
        super().__init__(Pace(ceiling=ceiling, timeout_s=timeout_s))


class FixedLimit(Slots):
    """As many slots as were asked for; fewer for a while when the server refuses that many."""

    def __init__(self, size: int) -> None:
        super().__init__(Pace(ceiling=size, start=size))
