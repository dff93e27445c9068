"""From whatever a picture file holds to eight-bit grey or colour: every step is named in the list of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image


def fit(width: int, height: int, max_side: int | None) -> tuple[int, int]:
    """The size that keeps the shape and whose longer side is at most `max_side`; small pictures stay as they are."""
    longest = max(width, height)
    if max_side is None or longest <= max_side:
        return width, height
    # In whole numbers, half rounded up: the same on every machine.
    return tuple(max(1, (2 * side * max_side + longest) // (2 * longest)) for side in (width, height))  # type: ignore[return-value]


def flatten(image: Image, changes: list[str]) -> Image:
    """The picture without transparency: on white, as a page would show it."""
    from PIL import Image as Pillow

    if not (image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info):
        return image
    # By way of RGBA, which knows palette entries and single colours that are transparent as well.
    colour = image.convert("RGBA")
    alpha = colour.getchannel("A")
    if alpha.getextrema() == (255, 255):
        return colour.convert("RGB")
    white = Pillow.new("RGB", colour.size, (255, 255, 255))
    white.paste(colour, mask=alpha)
    changes.append("transparency on white")
    return white


def to_eight_bits(image: Image, changes: list[str]) -> Image:
    """The picture as mode L or RGB."""
    if image.mode in ("L", "RGB"):
        return image
    if image.mode.startswith("I;16"):
        changes.append("converted from 16 bits")
        return _from_numbers(image, shift=8)
    if image.mode in ("I", "F"):
        # Such files have no fixed white: depth maps and measurements. The darkest becomes black, the brightest white.
        changes.append(f"stretched from mode {image.mode}")
        return _from_numbers(image, shift=None)
    if image.mode == "1":
        return image.convert("L")
    if image.mode not in ("P", "RGBX"):
        changes.append(f"converted from {image.mode}")
    return image.convert("RGB")


def _from_numbers(image: Image, *, shift: int | None) -> Image:
    import numpy as np
    from PIL import Image as Pillow

    values = np.asarray(image)
    if shift is not None:
        # Pillow's own conversion cuts at 255 and turns most such pictures white.
        return Pillow.fromarray((values >> shift).astype(np.uint8))
    values = np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    scale = 255.0 / (high - low) if high > low else 0.0
    return Pillow.fromarray(np.rint((values - low) * scale).astype(np.uint8))


def encode(image: Image, *, lossless: bool, fine_colour: bool = True) -> tuple[bytes, str]:
    """The picture as bytes ready to send, and their type: PNG if nothing may be lost, otherwise a fine JPEG."""
    from io import BytesIO

    buffer = BytesIO()
    # Only the pixels: EXIF, comments and colour profiles of the source describe what is no longer there.
    image.info = {}
    if lossless:
        image.save(buffer, "PNG", compress_level=4)
        return buffer.getvalue(), "image/png"
    # Colour at full resolution where the source has it: small coloured things are what many questions ask about.
    image.save(buffer, "JPEG", quality=95, subsampling=0 if fine_colour else 2)
    return buffer.getvalue(), "image/jpeg"
