"""How many requests a server bears, found out while it works: grow while throughput rises, step back when it says so.

Time is handed in, so that all of this can be tried on a simulated clock. The words used here: a *level* is a size that
is held for a while; a *stretch* is the time in which it is judged, long enough for about as many answers as there are
slots. Throughput is compared between levels, not latency: a server that batches gets slower with every further
request and is still worth more of them, as long as more answers come out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The few numbers that were chosen by simulation (bench/adaptive.py), not by principle."""

    start: int = 8
    growth: float = 2.0  # from one level to the next while finding out
    rise: float = 1.35  # throughput must rise by this much for a level that doubles to have been worth it
    stretch: float = 1.0  # answers per slot that a judgement waits for
    margin: float = 0.75  # of the level that brought no more: slots in use plus a queue that keeps them busy
    cut: float = 0.95  # of what the server held when it refused more
    probe_after: float = 12.0  # answers per slot until a settled size is tried a little larger
    probe: float = 1.5


class Pace:
    """The number of slots, moved by what happens to the requests in them."""

    def __init__(self, *, ceiling: int = 1024, start: int | None = None, tuning: Tuning | None = None) -> None:
        self._tuning = tuning or Tuning()
        self._ceiling = ceiling
        self._size = float(min(ceiling, start or self._tuning.start))
        self._phase: Literal["up", "down", "settled", "probing"] = "up" if self._size < ceiling else "settled"
        self._below: tuple[float, float] | None = None  # the level before this one: size, throughput
        self._doubted = False  # this level looked useless once
        self._refused_at = float("inf")  # what the server held when it last refused more
        self._cut_at = float("-inf")
        self._patience = self._tuning.probe_after
        self._settled_rate = 0.0
        self._began: float | None = None
        self._answers = 0
        self._wanted = True  # somebody waited for a slot all through this stretch

    @property
    def size(self) -> int:
        """How many slots there are now."""
        return max(1, int(self._size))

    def started(self, now: float, in_flight: int) -> None:
        """A slot was taken."""
        del in_flight
        if self._began is None:
            self._began = now

    def answered(self, now: float, latency_s: float, *, waiting: bool) -> None:
        """A slot came back with an answer; `waiting` says whether somebody wants it at once."""
        del latency_s
        if not waiting:
            self._wanted = False
        self._answers += 1
        if self._answers >= self._needed():
            self._judge(now)

    def overloaded(self, now: float, latency_s: float, *, in_flight: int) -> None:
        """A slot came back because the server had too much to do; this many are still with it."""
        sent_at = now - latency_s
        # What the server kept is what it holds; only the refusals of one burst tell so, later ones tell of the pause.
        held = max(1.0, float(in_flight))
        if sent_at > self._cut_at:
            self._cut_at = now
            self._refused_at = held
            self._size = max(1.0, min(self._size, held) * self._tuning.cut)
        elif held < self._refused_at and now - self._cut_at <= latency_s:
            self._refused_at = held
            self._size = max(1.0, min(self._size, held * self._tuning.cut))
        self._settle(now)

    def _needed(self) -> float:
        if self._phase == "settled":
            return self._patience * self._size
        if self._phase == "probing":
            return 3 * self._size
        if self._below is None:
            return max(2.0, 0.5 * self._size)
        return self._tuning.stretch * self._size

    def _judge(self, now: float) -> None:
        began = self._began if self._began is not None else now
        rate = self._answers / max(now - began, 1e-9)
        if not self._wanted:
            # The questions came too slowly to fill the slots: nothing was learnt about the server.
            self._restart(now)
            return
        if self._phase == "up":
            self._judge_level(now, rate)
        elif self._phase == "down":
            self._judge_descent(now, rate)
        elif self._phase == "settled":
            self._settled_rate = rate
            self._try_larger(now)
        else:
            self._judge_probe(now, rate)

    def _judge_level(self, now: float, rate: float) -> None:
        tuning = self._tuning
        if self._below is None or rate >= tuning.rise * self._below[1]:
            self._below = (self._size, rate)
            self._doubted = False
            self._size = min(float(self._ceiling), self._size * tuning.growth)
            if self._size <= self._below[0]:
                self._settle(now)
            self._restart(now)
        elif not self._doubted:
            self._doubted = True
            self._restart(now)
        elif self._below[0] <= tuning.start:
            # Not even twice the first guess was of use: the server may have a single slot.
            self._phase, self._size = "down", self._below[0]
            self._settled_rate = rate
            self._restart(now)
        else:
            self._size = max(self._below[0], tuning.margin * self._size)
            self._settle(now)

    def _judge_descent(self, now: float, rate: float) -> None:
        if rate >= 0.85 * self._settled_rate and self._size > 1:
            self._size = max(1.0, self._size / 2)
            self._restart(now)
        else:
            self._size *= 2
            self._settle(now)

    def _try_larger(self, now: float) -> None:
        if self._size >= self._ceiling:
            self._restart(now)
            return
        self._below = (self._size, self._settled_rate)
        self._phase = "probing"
        self._size = min(float(self._ceiling), self._size * self._tuning.probe)
        self._restart(now)

    def _judge_probe(self, now: float, rate: float) -> None:
        below, before = self._below or (self._size, rate)
        if rate < before * (1 + 0.4 * (self._size / below - 1)):
            self._size = below
            self._patience *= 2
        self._settle(now)

    def _settle(self, now: float) -> None:
        self._phase = "settled"
        self._restart(now)

    def _restart(self, now: float) -> None:
        self._began = now
        self._answers = 0
        self._wanted = True
