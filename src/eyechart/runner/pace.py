"""How many requests a server bears, found out while it works: grow while throughput rises, step back when it says so.

Time is handed in, so that all of this can be tried on a simulated clock. The words used here: a *level* is a size that
is held for a while; a *stretch* is the time in which it is judged, long enough for about as many answers as there are
slots. Throughput is compared between levels, not latency: a server that batches gets slower with every further
request and is still worth more of them, as long as more answers come out.

    up ⇄ settled ⇄ probing           up: each level a multiple of the one before, until one brings no more
     └─→ down ──→ settled            down: not even the first levels did; look for the smallest that is as good
    a refusal at any time            settled at what the server kept, and slowly back towards it
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Numbers chosen by simulation (bench/adaptive.py), not by principle."""

    start: int = 8
    growth: float = 3.0  # from one level to the next while finding out
    rise: float = 1.6  # how much more a level must bring than the one before, to go on
    stretch: float = 0.8  # answers per slot that a judgement of a level waits for
    sure: int = 32  # answers that a verdict against a level needs at least
    margin: float = 1.3  # queue beside the slots that the server seems to have, so that none runs dry
    cut: float = 0.95  # of what the server kept when it refused more
    deepest_cut: float = 0.35  # of the size before a burst of refusals: they may be about something else
    patience: float = 4.0  # answers per slot until a settled size is tried a little larger; doubles when in vain
    probe: float = 1.5


class Pace:
    """The number of slots, moved by what happens to the requests in them."""

    def __init__(
        self,
        *,
        ceiling: int = 1024,
        start: int | None = None,
        timeout_s: float = math.inf,
        tuning: Tuning | None = None,
    ) -> None:
        self._tuning = tuning or Tuning()
        self._timeout_s = timeout_s  # of one request
        self._ceiling = float(ceiling)
        self._size = float(min(ceiling, start or self._tuning.start))
        self._phase: Literal["up", "down", "settled", "probing"] = "up" if self._size < ceiling else "settled"
        self._before = (0.0, 0.0)  # the level before this one, or the one that a probe started from: size, throughput
        self._doubted = False  # this level looked useless once
        self._patience = self._tuning.patience
        self._refused_at = math.inf  # what the server held when it last refused more
        self._burst_from = (-math.inf, self._size)  # when the last burst of refusals began, and the size it met
        self._began: float | None = None  # of this stretch
        self._answers = 0
        self._wanted = True  # somebody waited for a slot all through this stretch
        self._silent = 0  # requests that ran into the time limit lately
        self._calm = 0  # answers since the size last moved or somebody was refused

    @property
    def size(self) -> int:
        """How many slots there are now."""
        return max(1, int(self._size))

    def started(self, now: float) -> None:
        """A slot was taken."""
        if self._began is None:
            self._began = now

    def answered(self, now: float, *, waiting: bool) -> None:
        """A slot came back with an answer; `waiting` says whether somebody wants it at once."""
        if not waiting:
            self._wanted = False
        self._answers += 1
        self._calm += 1
        if self._answers >= self._needed():
            self._judge(now)
        elif self._refused_at < math.inf and self._phase == "settled":
            self._creep_back()
        if self._calm >= self._size:
            self._silent = 0

    def overloaded(self, now: float, *, sent_at: float, held: int, refused: bool) -> None:
        """A slot came back because the server had too much to do; it still holds so many requests.

        A burst of refusals is one event: each of them tells a little better what the server keeps. Silence (a time
        limit that passed) tells nothing of the sort: one in ten requests may hang for reasons of its own, more of them
        cost a part of the size.
        """
        if not refused:
            self._silent += 1
            if self._silent < max(2.0, 0.1 * self._size):
                return
        began, met = self._burst_from
        if sent_at > began:
            began, met = self._burst_from = (now, self._size)
            self._refused_at = math.inf
        kept = float(held) if refused else 0.7 * met
        kept = max(kept, self._tuning.deepest_cut * met, 1.0)
        if kept < self._refused_at:
            self._refused_at = kept
            self._size = max(1.0, min(self._size, self._tuning.cut * kept))
        self._calm = self._silent = 0
        self._settle(now)

    def _creep_back(self) -> None:
        """Towards what the server bore before by one slot in twenty, and past it one by one.

        Refusals may have been about something else than our number: then the way down must not be a way of no return.
        """
        borne = self._tuning.cut * self._refused_at
        if self._size < borne and self._calm >= self._size:
            self._calm = 0
            self._resize(min(self._size + max(1.0, 0.05 * self._size), borne))
        elif self._calm >= 2 * self._size:
            self._calm = 0
            self._resize(self._size + 1.0)
            self._refused_at = max(self._refused_at, self._size)

    def _needed(self) -> float:
        tuning = self._tuning
        if self._phase == "settled":
            return max(tuning.sure, self._patience * self._size)
        if self._phase == "probing":
            return max(tuning.sure, 3 * self._size)
        if self._phase == "down" or self._doubted:
            return max(tuning.sure, tuning.stretch * self._size)
        if not self._before[0]:
            return max(2.0, 0.5 * self._size)  # all of the first level start together: half of them show the pace
        return tuning.stretch * self._size

    def _judge(self, now: float) -> None:
        rate = self._answers / max(now - (self._began if self._began is not None else now), 1e-9)
        if not self._wanted:
            pass  # the questions came too slowly to fill the slots: nothing was learnt about the server
        elif self._phase == "up":
            self._judge_level(now, rate)
        elif self._phase == "down":
            self._judge_descent(now, rate)
        elif self._phase == "settled":
            self._try_larger(rate)
        else:
            self._judge_probe(now, rate)
        self._restart(now)

    def _judge_level(self, now: float, rate: float) -> None:
        tuning, (below, rate_below) = self._tuning, self._before
        if rate >= tuning.rise * rate_below:
            self._go_up(now, rate)
        elif not self._doubted:
            self._doubted = True  # chance alone does this now and then: look again before giving up
        elif below <= tuning.start and rate < 1.2 * rate_below:
            self._phase = "down"  # the server may have fewer slots than we began with
            self._before = (below, max(rate, rate_below))
            self._resize(below)
        else:
            seems = below * max(1.0, rate / rate_below)
            self._resize(min(self._size, tuning.margin * seems))
            self._settle(now)

    def _go_up(self, now: float, rate: float) -> None:
        self._phase, self._before, self._doubted = "up", (self._size, rate), False
        if self._size >= self._ceiling:
            self._settle(now)
        self._resize(min(self._size * self._tuning.growth, self._bearable(rate)))

    def _judge_descent(self, now: float, rate: float) -> None:
        if rate >= 0.85 * self._before[1] and self._size > 1:
            self._resize(self._size / 2)
        else:
            if self._size > 1 or rate < 0.85 * self._before[1]:
                self._resize(self._size * 2)
            self._settle(now)

    def _try_larger(self, rate: float) -> None:
        size = min(
            self._ceiling, self._size * self._tuning.probe, self._tuning.cut * self._refused_at, self._bearable(rate)
        )
        self._refused_at *= 1.25  # servers change: what was refused once may be welcome later
        if size >= self._size + 1:
            self._before, self._phase = (self._size, rate), "probing"
            self._resize(size)

    def _judge_probe(self, now: float, rate: float) -> None:
        size, rate_before = self._before
        if rate < rate_before * (1 + 0.4 * (self._size / size - 1)):
            self._resize(size)
            self._patience *= 2
            self._settle(now)
        else:
            # It was settled too low: find out anew from here.
            self._patience = self._tuning.patience
            self._go_up(now, rate)

    def _bearable(self, rate: float) -> float:
        """The size at which nobody waits past half the time limit, even if a larger one brings nothing more."""
        return max(self._size, 0.5 * self._timeout_s * rate)

    def _settle(self, now: float) -> None:
        self._phase, self._doubted = "settled", False
        self._restart(now)

    def _resize(self, size: float) -> None:
        self._size = min(self._ceiling, max(1.0, size))

    def _restart(self, now: float) -> None:
        self._began = now
        self._answers = 0
        self._wanted = True
