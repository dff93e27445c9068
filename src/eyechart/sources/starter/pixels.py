"""From a scene to pixels, in whole numbers only: the same picture on every machine and with every library version.

Nothing here leans on a drawing library. Shapes are filled by point tests on a grid four times as fine as the pixels;
each finished outline is kept and pasted again wherever the same shape, size and turn comes back.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from eyechart.sources.starter.scene import SIDE, Bar, Ground, Scene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels: TypeAlias = NDArray[np.uint8]
    Grid: TypeAlias = NDArray[np.int16]  # wide enough for 255 × 80, the largest product below
    Points: TypeAlias = NDArray[np.int32]

RGB: TypeAlias = tuple[int, int, int]

PAINT: dict[str, RGB] = {
    "red": (218, 38, 44),
    "orange": (243, 136, 28),
    "yellow": (248, 212, 44),
    "green": (46, 160, 72),
    "blue": (42, 96, 216),
    "purple": (126, 54, 172),
    "pink": (244, 138, 190),
    "black": (34, 34, 40),
}
GROUND: tuple[RGB, ...] = (
    (250, 243, 228),  # cream
    (226, 242, 231),  # mint
    (221, 235, 247),  # sky
    (236, 230, 246),  # lavender
    (252, 231, 219),  # peach
    (232, 232, 229),  # paper
    (238, 226, 202),  # sand
    (104, 116, 132),  # slate
    (92, 122, 116),  # pine
)
RIM: RGB = (255, 255, 255)
INK: RGB = (40, 40, 44)

# Outlines in thousandths of the radius; sizes are chosen so that the shapes cover about the same area.
OUTLINES: dict[str, tuple[tuple[int, int], ...]] = {
    "square": ((-870, -870), (870, -870), (870, 870), (-870, 870)),
    "triangle": ((0, -1000), (1040, 800), (-1040, 800)),
    "star": (
        (0, -1240), (323, -445), (1179, -383), (523, 170), (729, 1003),
        (0, 550), (-729, 1003), (-523, 170), (-1179, -383), (-323, -445),
    ),
    "heart": ((0, -760), (920, 160), (0, 1080), (-920, 160)),
    "cross": (
        (-340, -1050), (340, -1050), (340, -340), (1050, -340), (1050, 340), (340, 340),
        (340, 1050), (-340, 1050), (-340, 340), (-1050, 340), (-1050, -340), (-340, -340),
    ),
    "diamond": ((0, -1230), (800, 0), (0, 1230), (-800, 0)),
}  # fmt: skip
# Discs that belong to a shape: centre x, centre y, radius.
DISCS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "circle": ((0, 0, 1000),),
    "moon": ((90, 0, 1150),),
    "heart": ((-460, -300, 651), (460, -300, 651)),
}
# And discs that are cut out of it.
HOLES: dict[str, tuple[tuple[int, int, int], ...]] = {"moon": ((710, -180, 880),)}
# 4096 × sine of 0, 5, 10 degrees, and cosine likewise.
SINE = {0: 0, 5: 357, 10: 711}
COSINE = {0: 4096, 5: 4080, 10: 4034}

# The scale bar's label, seven rows of five dots a letter.
GLYPHS = {
    "0": "01110 10001 10001 10001 10001 10001 01110",
    "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00110 01000 10000 11111",
    "c": "00000 00000 01110 10000 10000 10000 01110",
    "m": "00000 00000 11010 10101 10101 10101 10101",
    " ": "00000 00000 00000 00000 00000 00000 00000",
}


def draw(scene: Scene) -> Pixels:
    """The picture as an array of SIDE × SIDE × 3 bytes."""
    import numpy as np

    canvas = _ground(scene.ground)
    for thing in scene.things:
        rim = 3 if thing.radius > 8 else 1
        shadow = _outline(thing.shape, thing.radius, thing.turn, rim)
        _darken(canvas, shadow, thing.x + rim // 2 + 1, thing.y + rim)
        _paste(canvas, shadow, thing.x, thing.y, RIM)
        red, green, blue = (
            min(255, max(0, base + add)) for base, add in zip(PAINT[thing.colour], thing.tint, strict=True)
        )
        _paste(canvas, _outline(thing.shape, thing.radius, thing.turn, 0), thing.x, thing.y, (red, green, blue))
    if scene.bar is not None:
        _draw_bar(canvas, scene.bar)
    return canvas.astype(np.uint8)


def png(pixels: Pixels) -> bytes:
    """The picture as a PNG file."""
    from io import BytesIO

    from PIL import Image

    file = BytesIO()
    Image.fromarray(pixels, "RGB").save(file, "PNG", compress_level=3)
    return file.getvalue()


def _ground(look: Ground) -> Grid:
    """What lies behind everything: a colour, a faint pattern, a fade from top to bottom."""
    import numpy as np

    base = np.array(GROUND[look.colour], dtype=np.int16)
    fade = np.arange(SIDE) * look.fade // SIDE
    shade = fade[:, None].astype(np.int16) - 6 * _pattern(look.pattern, look.pitch)
    ground: Grid = np.minimum(shade[:, :, None] + base, 255)
    return ground


@lru_cache(maxsize=160)
def _pattern(pattern: str, pitch: int) -> Grid:
    """Where the pattern is darker, and by how many steps."""
    import numpy as np

    y, x = np.mgrid[0:SIDE, 0:SIDE]
    steps = {
        "plain": np.zeros_like(x),
        "stripes": y // pitch % 2,
        "columns": x // pitch % 2,
        "slant": (x + y) // pitch % 2,
        "checks": (x // pitch + y // pitch) % 2,
        "dots": (x % pitch - pitch // 2) ** 2 + (y % pitch - pitch // 2) ** 2 <= pitch * pitch // 16,
        "shelf": 2 * (y > SIDE * 5 // 8),
    }[pattern]
    darker: Grid = steps.astype(np.int16)
    return darker


@lru_cache(maxsize=1024)
def _outline(shape: str, radius: int, turn: int, grow: int) -> Grid:
    """How much of each pixel a shape covers, in sixteenths, on a square patch around its centre."""
    import numpy as np

    reach = (radius + grow) * 13 // 10 + 2
    size = 2 * reach + 1
    # In eighths of a pixel; sample points are odd and corners even, so that no point lies level with a corner.
    axis = (np.arange(4 * size, dtype=np.int32) * 2 + 1) - 8 * reach - 4
    x, y = axis[None, :], axis[:, None]
    scale = 8 * (radius + grow)
    inside = np.zeros((4 * size, 4 * size), dtype=bool)
    if shape in OUTLINES:
        inside = _polygon([_turned(px * scale, py * scale, turn) for px, py in OUTLINES[shape]], x, y)
    for cx, cy, r in DISCS.get(shape, ()):
        inside |= _disc(_turned(cx * scale, cy * scale, turn), r * scale // 1000, x, y)
    for cx, cy, r in HOLES.get(shape, ()):
        # The rim grows into a hole: the hole stays where it is and shrinks.
        centre = _turned(cx * 8 * radius, cy * 8 * radius, turn)
        inside &= ~_disc(centre, r * 8 * radius // 1000 - 8 * grow, x, y)
    covered: Grid = inside.reshape(size, 4, size, 4).sum(axis=(1, 3), dtype=np.int16)
    return covered


def _turned(x_thousandths: int, y_thousandths: int, turn: int) -> tuple[int, int]:
    """A point turned by a multiple of 5 degrees, in even eighths of a pixel."""
    sine = SINE[abs(turn)] * (1 if turn >= 0 else -1)
    cosine = COSINE[abs(turn)]
    x = (x_thousandths * cosine - y_thousandths * sine) // (4096 * 2000)
    y = (x_thousandths * sine + y_thousandths * cosine) // (4096 * 2000)
    return 2 * x, 2 * y


def _disc(centre: tuple[int, int], radius: int, x: Points, y: Points) -> NDArray[np.bool_]:
    """Which points lie inside a circle."""
    return (x - centre[0]) ** 2 + (y - centre[1]) ** 2 <= radius * radius


def _polygon(corners: list[tuple[int, int]], x: Points, y: Points) -> NDArray[np.bool_]:
    """Which points lie inside, by counting the edges to one side of them."""
    import numpy as np

    inside = np.zeros((y.shape[0], x.shape[1]), dtype=bool)
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
        spans = (y1 > y) != (y2 > y)
        side = (x - x1) * (y2 - y1) - (x2 - x1) * (y - y1)
        inside ^= spans & ((side < 0) if y2 > y1 else (side > 0))
    return inside


def _window(canvas: Grid, patch: Grid, x: int, y: int) -> tuple[Grid, Grid]:
    """The part of the canvas that a patch around (x, y) falls on, and the part of the patch that falls on it."""
    reach = patch.shape[0] // 2
    top, left = max(0, y - reach), max(0, x - reach)
    bottom, right = min(SIDE, y + reach + 1), min(SIDE, x + reach + 1)
    cut = patch[top - y + reach : bottom - y + reach, left - x + reach : right - x + reach]
    return canvas[top:bottom, left:right], cut[:, :, None]


def _paste(canvas: Grid, patch: Grid, x: int, y: int, paint: RGB) -> None:
    import numpy as np

    under, cover = _window(canvas, patch, x, y)
    under[:] = (under * (16 - cover) + np.array(paint, dtype=np.int16) * cover + 8) // 16


def _darken(canvas: Grid, patch: Grid, x: int, y: int) -> None:
    under, cover = _window(canvas, patch, x, y)
    under[:] = under * (80 - cover) // 80


def _draw_bar(canvas: Grid, bar: Bar) -> None:
    """A bar with end ticks and its length beside it, on a white label."""
    import numpy as np

    text = f"{bar.centimetres} cm"
    letters = np.concatenate([_glyph(letter) for letter in text], axis=1).repeat(2, axis=0).repeat(2, axis=1)
    height, width = letters.shape
    left, right, y = 13, 13 + bar.pixels, SIDE - 14
    canvas[y - 9 : y + 10, left - 6 : right + width + 14] = RIM
    canvas[y - 1 : y + 2, left:right] = INK
    canvas[y - 5 : y + 6, left - 1 : left + 1] = INK
    canvas[y - 5 : y + 6, right - 1 : right + 1] = INK
    canvas[y - 7 : y - 7 + height, right + 9 : right + 9 + width][letters] = INK


def _glyph(letter: str) -> NDArray[np.bool_]:
    import numpy as np

    rows = [[dot == "1" for dot in row + "0"] for row in GLYPHS[letter].split()]
    return np.array(rows, dtype=bool)
