"""Slots: handed out in order, given back always, and none while the server asks for patience."""

from __future__ import annotations

import asyncio

import pytest

from eyechart.runner.limits import AdaptiveLimit, FixedLimit, Slots


async def hold(limit: Slots, seconds: float, peak: list[int]) -> None:
    """Take a slot, work, give it back."""
    await limit.acquire()
    peak.append(limit.in_flight)
    await asyncio.sleep(seconds)
    limit.release(ok=True, latency_s=seconds)


def test_never_more_than_the_size() -> None:
    """Fifty tasks on four slots: four at once, never five."""

    async def run() -> tuple[list[int], int]:
        limit, peak = FixedLimit(4), list[int]()
        await asyncio.gather(*(hold(limit, 0.001, peak) for _ in range(50)))
        return peak, limit.in_flight

    peak, left = asyncio.run(run())
    assert (max(peak), len(peak), left) == (4, 50, 0)


def test_a_cancelled_wait_costs_no_slot() -> None:
    """Whoever stops waiting, even in the moment of being served, leaves the slot to the next one."""

    async def run() -> int:
        limit = FixedLimit(1)
        await limit.acquire()
        waiting = [asyncio.create_task(limit.acquire()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limit.release(ok=True, latency_s=0.0)  # hands the slot to the second …
        waiting[1].cancel()  # … which goes before it can take it
        await asyncio.wait_for(waiting[2], 1)
        limit.release(ok=True, latency_s=0.0)
        return limit.in_flight

    assert asyncio.run(run()) == 0


@pytest.mark.parametrize("limit_of", [lambda: FixedLimit(8), AdaptiveLimit], ids=["fixed", "adaptive"])
def test_everybody_waits_while_the_server_asks_for_patience(limit_of: type[Slots]) -> None:
    """Retry-After holds for the whole server: a slot asked for in that time comes afterwards."""

    async def run() -> float:
        limit, loop = limit_of(), asyncio.get_running_loop()
        await limit.acquire()
        limit.release(ok=False, latency_s=0.0, retry_after_s=0.1, overload="refused")
        began = loop.time()
        await limit.acquire()
        return loop.time() - began

    assert asyncio.run(run()) >= 0.099
