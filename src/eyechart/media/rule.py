"""What is done to pictures and videos before they are sent: one frozen value, part of every signature."""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class MediaRule:
    """What is done to pictures and videos before they are sent; part of the signature."""

    max_side: int | None = None  # None: as they are
    frames: int | None = None  # of a video: how many, spread evenly …
    fps: float | None = None  # … or how many a second
    timestamps_s: tuple[float, ...] = ()  # … or exactly when
    native: bool = False  # … or the video itself, for servers that take one

    def __post_init__(self) -> None:
        if self.max_side is not None and self.max_side < 1:
            raise UsageError(f"a longest side of {self.max_side} pixels cannot be", fix="give a whole number from 1 up")
        if self.frames is not None and self.frames < 1:
            raise UsageError(f"{self.frames} frames of a video cannot be", fix="give a whole number from 1 up")
        # Written so that NaN fails too.
        if self.fps is not None and not 0 < self.fps < float("inf"):
            raise UsageError(f"{self.fps} frames a second cannot be", fix="give a number above 0")
        if not all(0 <= time < float("inf") for time in self.timestamps_s):
            raise UsageError(f"{self.timestamps_s} are not times in a video", fix="give seconds from 0 up")
        if sum((self.frames is not None, self.fps is not None, bool(self.timestamps_s), self.native)) > 1:
            raise UsageError(
                "a video is sampled in one way only",
                why="frames, frames a second, timestamps and the native video exclude each other",
                fix="give one of them",
            )

    def __str__(self) -> str:
        parts = [f"side{self.max_side}"] if self.max_side else []
        parts += [f"frames{self.frames}"] if self.frames else []
        parts += [f"fps{self.fps:g}"] if self.fps else []
        parts += ["at" + "+".join(f"{t:g}" for t in self.timestamps_s)] if self.timestamps_s else []
        parts += ["video"] if self.native else []
        return ",".join(parts) or "native"
