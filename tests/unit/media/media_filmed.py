"""Videos made by PyAV for the tests: every frame shows its own number as black and white squares."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO
from pathlib import Path

import av
import numpy as np
from PIL import Image

from eyechart.records import Media

BITS, SQUARE = 12, 16
WIDTH, HEIGHT = BITS * SQUARE, 3 * SQUARE


def drawn_number(number: int) -> np.ndarray:
    """A frame whose lower row of squares is its number in binary; above, something that moves."""
    frame = np.full((HEIGHT, WIDTH, 3), 128, dtype=np.uint8)
    at = (number * 3) % (WIDTH - 20)
    frame[2:22, at : at + 20] = (220, 40, 40)
    for bit in range(BITS):
        frame[2 * SQUARE :, bit * SQUARE : (bit + 1) * SQUARE] = 255 if number >> bit & 1 else 0
    return frame


def read_number(data: bytes) -> int:
    """The number that a frame shows."""
    pixels = np.asarray(Image.open(BytesIO(data)).convert("L").resize((WIDTH, HEIGHT)))
    row = pixels[HEIGHT - SQUARE // 2, SQUARE // 2 :: SQUARE]
    return sum(1 << bit for bit, value in enumerate(row) if value > 127)


def film(
    path: Path,
    count: int,
    *,
    codec: str = "libx264",
    rate: int | Fraction = 30,
    gap: int = 12,
    ticks: list[int] | None = None,
    rotation: int = 0,
    options: dict[str, str] | None = None,
) -> Media:
    """Write a video of `count` numbered frames with a key frame at least every `gap`, and return it."""
    # The table of contents first, as on the web: then a file cut short still opens.
    layout = {"movflags": "faststart"} if path.suffix == ".mp4" else {}
    with av.open(str(path), "w", options=layout) as container:
        stream = container.add_stream(codec, rate=rate)
        stream.width, stream.height, stream.gop_size = WIDTH, HEIGHT, gap
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        stream.options = options or {}
        if rotation:
            stream.set_display_rotation(rotation)
        container.start_encoding()  # writes the header, even where no frame follows
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(drawn_number(number), format="rgb24")
            if ticks is not None:
                frame.pts, frame.time_base = ticks[number], Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return Media(name=path.stem, kind="video", path=str(path))
