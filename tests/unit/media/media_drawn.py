"""Pictures of every odd form, made by Pillow for the tests."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from PIL import Image

from eyechart.records import Media


def gradient(width: int = 120, height: int = 80, mode: str = "RGB") -> Image.Image:
    """A picture whose every corner differs, so that a wrong turn shows."""
    across = Image.linear_gradient("L").rotate(90).resize((width, height))
    down = Image.linear_gradient("L").resize((width, height))
    return Image.merge("RGB", (across, down, Image.new("L", (width, height), 90))).convert(mode)


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    """The picture in a file format."""
    buffer = BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def decoded(data: bytes) -> Image.Image:
    """The picture that was sent, as a server would open it."""
    image = Image.open(BytesIO(data))
    image.load()
    return image


def medium(data: bytes = b"", *, name: str = "photo", path: str = "") -> Media:
    """A picture of a sample."""
    return Media(name=name, data=data, path=path)


def oriented(image: Image.Image, orientation: int, form: str = "JPEG", **options: Any) -> bytes:
    """The picture with EXIF data that says how to turn it."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(image, form, exif=exif.tobytes(), **options)
