"""Opening any picture file with Pillow, safely: known formats only, an explicit size limit, clear refusals."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from eyechart.media.unreadable import unreadable
from eyechart.records import Media

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

# Decoded, a picture of this size takes 384 MB; the largest phone cameras (108 megapixels) stay below.
MAX_PIXELS = 128_000_000

# Where Pillow reads a format: the classes are named, so that a file can choose neither an exotic reader (PostScript
# runs a program) nor Pillow's process-wide warning for large pictures.
_READERS = (
    (0, b"\xff\xd8\xff", "PIL.JpegImagePlugin:JpegImageFile"),
    (0, b"\x89PNG\r\n\x1a\n", "PIL.PngImagePlugin:PngImageFile"),
    (8, b"WEBP", "PIL.WebPImagePlugin:WebPImageFile"),
    (0, b"GIF87a", "PIL.GifImagePlugin:GifImageFile"),
    (0, b"GIF89a", "PIL.GifImagePlugin:GifImageFile"),
    (0, b"BM", "PIL.BmpImagePlugin:BmpImageFile"),
    (0, b"II*\0", "PIL.TiffImagePlugin:TiffImageFile"),
    (0, b"MM\0*", "PIL.TiffImagePlugin:TiffImageFile"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n", "PIL.Jpeg2KImagePlugin:Jpeg2KImageFile"),
    (0, b"\xff\x4f\xff\x51", "PIL.Jpeg2KImagePlugin:Jpeg2KImageFile"),
    (4, b"ftypavif", "PIL.AvifImagePlugin:AvifImageFile"),
    (4, b"ftypavis", "PIL.AvifImagePlugin:AvifImageFile"),
)

# What people put where a picture should be, and what would have been seen had it been sent.
_IMPOSTORS = (
    (b"<!doctype html", "it is a web page"),
    (b"<html", "it is a web page"),
    (b"<svg", "it is an SVG drawing: convert it to PNG first"),
    (b"<?xml", "it is an XML file"),
    (b"version https://git-lfs", "it is a Git LFS pointer: run `git lfs pull` in its folder"),
    (b"{", "it is JSON text"),
    (b"pk\x03\x04", "it is a zip archive"),
    (b"%pdf", "it is a PDF"),
)


def open_picture(media: Media, data: bytes) -> ImageFile:
    """The picture in these bytes, its header read and its size checked, not yet decoded."""
    from io import BytesIO

    target = next((reader for at, magic, reader in _READERS if data[at : at + len(magic)] == magic), None)
    if target is None:
        raise unreadable(media, _why_not_a_picture(data))
    module, _, name = target.partition(":")
    with readable(media):
        image: ImageFile = getattr(import_module(module), name)(BytesIO(data))
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise unreadable(media, f"{width} × {height} pixels are more than {MAX_PIXELS:,}")
    return image


@contextmanager
def readable(media: Media) -> Iterator[None]:
    """Turn what Pillow raises for a damaged file into the failure of the question."""
    from PIL.Image import DecompressionBombError

    try:
        yield
    # Pillow reports damage by whatever the format's reader stumbled over.
    except (
        OSError,
        SyntaxError,
        ValueError,
        TypeError,
        IndexError,
        KeyError,
        EOFError,
        AttributeError,
        ArithmeticError,
        AssertionError,
        NotImplementedError,
        RuntimeError,
        ImportError,  # a Pillow built without this format
        Warning,  # where warnings are made errors
        struct.error,
        zlib.error,
        DecompressionBombError,
    ) as error:
        raise unreadable(
            media, str(error).strip().splitlines()[0] if str(error).strip() else "it is damaged"
        ) from error
    except MemoryError as error:
        raise unreadable(media, "decoding it needs more memory than there is") from error


def _why_not_a_picture(data: bytes) -> str:
    if not data:
        return "it is empty (0 bytes)"
    start = data[:64].lstrip().lower()
    for mark, why in _IMPOSTORS:
        if start.startswith(mark):
            return why
    return f"it is not a picture of a known format (starts with {data[:12]!r})"
