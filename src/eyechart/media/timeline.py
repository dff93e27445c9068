"""Which frames a video has, and which of them a rule asks for: read from the packets, without decoding."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.errors import UsageError
from eyechart.media.rule import MediaRule

# More than any model takes; a slip such as 30 frames a second of a film must not fill the memory.
MAX_FRAMES = 2048

# How many frames could be decoded in the time that going to another place takes.
SEEK_COST = 8


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The frames of a video in the order in which they are shown."""

    pts: tuple[int, ...]  # when each is shown, in ticks of the file's own clock; empty where packets do not say
    keys: tuple[tuple[int, int], ...] = ()  # frames that need no other to be decoded: (when shown, when decoded)
    times_s: tuple[float, ...]  # when each is shown, in seconds after the first
    end_s: float  # when the last one ends

    @property
    def count(self) -> int:
        """How many frames there are."""
        return len(self.times_s)


class OutOfRange(ValueError):
    """A rule asks for what the video does not have."""


def choose_frames(timeline: Timeline, rule: MediaRule) -> tuple[int, ...]:
    """The indices of the frames that a rule asks for, in the order in which they are sent."""
    if rule.frames is not None:
        _check_count(min(rule.frames, timeline.count))
        return spread_evenly(timeline.count, rule.frames)
    if rule.fps is not None:
        _check_count(int(timeline.end_s * rule.fps))
        shown = (frame_at(timeline, tick / rule.fps) for tick in range(int(timeline.end_s * rule.fps) + 1))
        # A rate above the video's own shows no frame twice; the tick at the very end shows none.
        return tuple(dict.fromkeys(index for index in shown if index is not None))
    if rule.timestamps_s:
        _check_count(len(rule.timestamps_s))
        asked = [(time, frame_at(timeline, time)) for time in rule.timestamps_s]
        beyond = [time for time, index in asked if index is None]
        if beyond:
            raise OutOfRange(f"a frame at {beyond[0]:g} s is asked for, and it ends at {timeline.end_s:.3f} s")
        return tuple(index for _, index in asked if index is not None)
    raise UsageError(
        "nothing says which frames of a video to send",
        why="the rule for media names neither frames nor frames a second, timestamps or the native video",
        fix="give the number of frames, for example 16",
    )


def spread_evenly(total: int, count: int) -> tuple[int, ...]:
    """`count` of `total` frames from the first to the last: all of them where there are no more."""
    import numpy as np

    if count >= total:
        return tuple(range(total))
    # The formula of the published evaluations, down to how numpy rounds a quotient before the fraction is cut off.
    return tuple(np.linspace(0, total - 1, count, dtype=int).tolist())


def frame_at(timeline: Timeline, time_s: float) -> int | None:
    """The frame that is on the screen at this time, or None after the end."""
    if time_s >= timeline.end_s:
        return None
    # A microsecond of grace: times are quotients of whole numbers and may fall just short of a frame's own.
    return max(0, bisect_right(timeline.times_s, time_s + 1e-6) - 1)


def plan_reading(timeline: Timeline, indices: Sequence[int]) -> list[tuple[tuple[int, int] | None, list[int]]]:
    """How to reach the frames at least cost: stretches of (key frame to seek to, or None to read on; ticks wanted).

    Going on to a frame costs decoding all that lie between, seeking costs decoding from the key frame before it.
    """
    ticks = [timeline.pts[index] for index in sorted(set(indices))]
    shown = [key for key, _ in timeline.keys]
    plan: list[tuple[tuple[int, int] | None, list[int]]] = [(None, [])]
    here = 0  # the index of the next frame that decoding would give
    for tick in ticks:
        key = bisect_right(shown, tick) - 1
        key_index = bisect_right(timeline.pts, shown[key]) - 1 if key >= 0 else 0
        if key_index > here + SEEK_COST:
            plan.append((timeline.keys[key], []))
        plan[-1][1].append(tick)
        here = bisect_right(timeline.pts, tick)
    return [stretch for stretch in plan if stretch[1]]


def _check_count(count: int) -> None:
    if count > MAX_FRAMES:
        raise OutOfRange(f"{count:,} frames are asked for, more than {MAX_FRAMES:,}")
