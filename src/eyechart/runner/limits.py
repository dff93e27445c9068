"""How many requests are under way at once."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Limit(Protocol):
    """Hands out slots. A request holds one only while it is with the server, never while it waits to try again."""

    @property
    def size(self) -> int:
        """How many slots there are now."""
        ...

    async def acquire(self) -> None:
        """Wait for a slot."""
        ...

    def release(self, *, ok: bool, latency_s: float, retry_after_s: float | None = None) -> None:
        """Give the slot back and say how it went; `retry_after_s` is set when the server asked for patience."""
        ...


class FixedLimit(Limit):
    """Always the same number of slots."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._slots = asyncio.Semaphore(size)

    @property
    def size(self) -> int:
        return self._size

    async def acquire(self) -> None:
        await self._slots.acquire()

    def release(self, *, ok: bool, latency_s: float, retry_after_s: float | None = None) -> None:
        self._slots.release()
