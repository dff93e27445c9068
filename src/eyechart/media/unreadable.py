"""The one way in which a picture or a video that cannot be read is reported."""

from __future__ import annotations

from eyechart.errors import ModelError
from eyechart.records import Media


def unreadable(media: Media, why: str) -> ModelError:
    """The failure of a question whose picture or video cannot be read: which one, where, and why."""
    noun = "picture" if media.kind == "image" else "video"
    where = f" ({media.path})" if media.path else ""
    return ModelError("unreadable_media", f"{noun} {media.name!r}{where} cannot be read: {why}")
