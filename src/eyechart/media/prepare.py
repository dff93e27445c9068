"""Making media ready to send: bytes, size and a record of every change.

A picture that needs no change is passed through byte for byte, without being decoded. Safe to call from many threads:
nothing is shared and no setting of Pillow is touched.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from eyechart.media.decode import MAX_PIXELS, open_picture, readable
from eyechart.media.files import content_hash, read_media
from eyechart.media.frame_cache import FrameCache
from eyechart.media.header import Header, read_header
from eyechart.media.pixels import encode, fit, flatten, to_eight_bits
from eyechart.media.rule import MediaRule
from eyechart.media.unreadable import unreadable
from eyechart.media.video import sample_video, whole_video
from eyechart.records import Media, Picture

if TYPE_CHECKING:
    from PIL.Image import Image, Transpose
    from PIL.ImageFile import ImageFile

_MIME = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}

# JPEG is decoded at 1/2, 1/4 or 1/8 while that stays this much larger than the size wanted; LANCZOS does the rest.
_DRAFT_MARGIN = 1.5

_ORIENTATION = 0x0112  # the EXIF tag


def prepare(media: Media, rule: MediaRule, frames: FrameCache | None = None) -> tuple[Picture, ...]:
    """What is sent for one picture or video: a picture gives one, a video several, all with the medium's own name.

    A medium that is only a URL gives none: the server fetches it itself. What cannot be read raises ModelError of kind
    `unreadable_media`. Frames of videos are kept on disk in `frames`, by default in the user's cache folder.
    """
    if media.url and not media.data and not media.path:
        return ()
    if media.kind == "video":
        return prepare_video(media, rule, frames or FrameCache())
    return (prepare_picture(media, read_media(media), rule),)


def prepare_video(media: Media, rule: MediaRule, frames: FrameCache) -> tuple[Picture, ...]:
    """A video's frames, from disk where they have been sampled before; or the video itself where the rule says so."""
    if rule.native:
        return (whole_video(media),)
    video = content_hash(media)
    pictures = frames.get(video, rule, media.name)
    if pictures is None:
        pictures = sample_video(media, rule)
        frames.put(video, rule, pictures)
    return pictures


def prepare_picture(media: Media, data: bytes, rule: MediaRule) -> Picture:
    """One picture from its encoded bytes, untouched where the rule and its own form allow it."""
    header = read_header(data)
    if header is not None and header.width * header.height > MAX_PIXELS:
        raise unreadable(media, f"{header.width} × {header.height} pixels are more than {MAX_PIXELS:,}")
    if header is not None and header.complete and _may_pass(header, rule) and not header.alpha:
        return _untouched(media, data, header)
    image = open_picture(media, data)
    with readable(media):
        changed, original, changes = _change(image, header, rule)
        if not changes and header is not None:
            return _untouched(media, data, header)  # fully opaque, or whole but for its end mark
        lossless = header.lossless if header is not None else image.format != "AVIF"
        encoded, mime = encode(changed, lossless=lossless)
    return Picture(
        name=media.name,
        data=encoded,
        mime=mime,
        width=changed.width,
        height=changed.height,
        sha256=sha256(encoded).hexdigest(),
        original_width=original[0],
        original_height=original[1],
        changes=tuple(changes),
    )


def _may_pass(header: Header, rule: MediaRule) -> bool:
    return (
        fit(header.width, header.height, rule.max_side) == (header.width, header.height)
        and header.orientation == 1
        and header.bits == 8
        and not header.cmyk
        and not header.animated
    )


def _untouched(media: Media, data: bytes, header: Header) -> Picture:
    return Picture(
        name=media.name,
        data=data,
        mime=_MIME[header.format],
        width=header.width,
        height=header.height,
        sha256=sha256(data).hexdigest(),
        original_width=header.width,
        original_height=header.height,
    )


def _change(image: ImageFile, header: Header | None, rule: MediaRule) -> tuple[Image, tuple[int, int], list[str]]:
    """The decoded picture as it will be sent, its upright size before, and what was done to it, in order."""
    from PIL.Image import Resampling

    changes = [] if header is not None else [f"converted from {image.format}"]
    pages: int = getattr(image, "n_frames", 1)
    if pages > 1:
        changes.append(f"first of {pages} frames")
    if header is not None and header.bits > 8 and not image.mode.startswith("I"):
        changes.append(f"converted from {header.bits} bits")  # Pillow does it while reading
    orientation = header.orientation if header is not None else image.getexif().get(_ORIENTATION, 1)
    original, size = image.size, fit(*image.size, rule.max_side)
    if size != original:
        image.draft(None, (round(size[0] * _DRAFT_MARGIN), round(size[1] * _DRAFT_MARGIN)))
    image.load()
    ready = to_eight_bits(flatten(image, changes), changes)
    if ready.size != size:
        ready = ready.resize(size, Resampling.LANCZOS, reducing_gap=3.0)
    if size != original:
        changes.append("resized")
    turn = _turns().get(orientation)
    if turn is not None:
        changes.append("oriented")
        if image.format != "TIFF":  # Pillow turns TIFF by itself while reading
            ready = ready.transpose(turn)
            original = (original[1], original[0]) if orientation >= 5 else original
    return ready, original, changes


def _turns() -> dict[int, Transpose]:
    """What makes each EXIF orientation upright."""
    from PIL.Image import Transpose

    return {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
