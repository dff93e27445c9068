"""A grid of animals: how many of one, which stands where."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.spatial.asked import Asked, among, number

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

TASK = "spatialgrid"
ANIMALS = ("cat", "dog", "elephant", "giraffe", "rabbit")
Grid: TypeAlias = tuple[tuple[str, ...], ...]
_SIZE = 5
_BLOCK = 80  # pixels
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def make(dice: Dice) -> Grid:
    """Five rows of five animals."""
    return tuple(tuple(dice.choice(ANIMALS) for _ in range(_SIZE)) for _ in range(_SIZE))


def as_text(grid: Grid) -> str:
    """The grid in words, cells apart by bars."""
    rows = "\n".join(" | ".join(row) for row in grid)
    return f"Consider a {_SIZE}x{_SIZE} grid with animals from {list(ANIMALS)}:\n{rows}"


ABOUT_PICTURE = f"Consider the {_SIZE}x{_SIZE} grid in the picture, with animals from {list(ANIMALS)}."


def ask(grid: Grid, dice: Dice) -> tuple[Asked, ...]:
    """Three questions: a number, the corner, another block."""
    animal = dice.choice(ANIMALS)
    count = sum(row.count(animal) for row in grid)
    first = number(dice, f"How many blocks contain {animal}?", count, max(9, count))
    corner = "top-left corner (the first row and the first column)"
    second = _which(dice, f"located at the {corner} of the grid?", grid[0][0])
    row, column = dice.below(_SIZE), dice.between(1, _SIZE - 1)
    place = f"located at the {_ORDINALS[row]} row, {_ORDINALS[column]} column of the grid?"
    return first, second, _which(dice, place, grid[row][column])


def _which(dice: Dice, place: str, animal: str) -> Asked:
    return among(
        dice, f"What is the animal of the block {place}", animal, [other for other in ANIMALS if other != animal]
    )


def paint(grid: Grid) -> Image:
    """A face or a figure in every block, drawn large and made smaller so that edges are smooth."""
    from PIL import Image, ImageDraw

    scale = 3
    image = Image.new("RGB", (_SIZE * _BLOCK * scale, _SIZE * _BLOCK * scale), (250, 248, 240))
    pen = ImageDraw.Draw(image)
    for row, animals in enumerate(grid):
        for column, animal in enumerate(animals):
            _DRAWN[animal](Brush(pen, column * _BLOCK * scale, row * _BLOCK * scale, scale))
    for line in range(_SIZE + 1):
        at = min(line * _BLOCK * scale, image.width - scale)
        pen.line((at, 0, at, image.height), fill=(90, 90, 90), width=scale)
        pen.line((0, at, image.width, at), fill=(90, 90, 90), width=scale)
    return image.resize((_SIZE * _BLOCK, _SIZE * _BLOCK), Image.Resampling.BOX)


class Brush:
    """Draws in one block, whose corners are (0, 0) and (80, 80)."""

    def __init__(self, pen: ImageDraw, left: int, top: int, scale: int) -> None:
        self._pen, self._left, self._top, self._scale = pen, left, top, scale

    def _points(self, numbers: tuple[int, ...]) -> list[int]:
        corners = (self._left, self._top)
        return [corners[place % 2] + self._scale * number_ for place, number_ in enumerate(numbers)]

    def oval(self, colour: tuple[int, int, int], *box: int) -> None:
        self._pen.ellipse(self._points(box), fill=colour)

    def shape(self, colour: tuple[int, int, int], *points: int) -> None:
        self._pen.polygon(self._points(points), fill=colour)

    def eyes(self, y: int, left: int = 32, right: int = 48) -> None:
        for x in (left, right):
            self.oval((20, 20, 20), x - 3, y - 3, x + 3, y + 3)


def _cat(brush: Brush) -> None:
    fur, dark = (242, 160, 70), (180, 100, 30)
    brush.shape(fur, 16, 36, 18, 8, 40, 26)
    brush.shape(fur, 64, 36, 62, 8, 40, 26)
    brush.oval(fur, 14, 20, 66, 70)
    brush.eyes(42)
    brush.shape((200, 80, 90), 36, 52, 44, 52, 40, 57)
    for y in (50, 56):
        brush.shape(dark, 4, y - 1, 28, y + 1, 28, y + 2)
        brush.shape(dark, 76, y - 1, 52, y + 1, 52, y + 2)


def _dog(brush: Brush) -> None:
    fur, ear = (176, 120, 72), (96, 58, 30)
    brush.oval(fur, 16, 14, 64, 68)
    brush.oval(ear, 6, 18, 24, 58)
    brush.oval(ear, 56, 18, 74, 58)
    brush.oval((224, 190, 150), 28, 44, 52, 70)
    brush.eyes(36)
    brush.oval((20, 20, 20), 34, 46, 46, 55)
    brush.oval((220, 90, 110), 36, 62, 44, 76)


def _elephant(brush: Brush) -> None:
    skin, inside = (140, 148, 160), (196, 170, 176)
    for left, right in ((2, 32), (48, 78)):
        brush.oval(skin, left, 12, right, 58)
        brush.oval(inside, left + 6, 20, right - 6, 50)
    brush.oval(skin, 20, 12, 60, 56)
    brush.shape(skin, 33, 44, 47, 44, 45, 74, 53, 74, 53, 79, 37, 79)
    brush.shape((250, 250, 240), 29, 50, 33, 48, 31, 66)
    brush.shape((250, 250, 240), 51, 50, 47, 48, 49, 62)
    brush.eyes(34)


def _giraffe(brush: Brush) -> None:
    skin, spot = (244, 204, 96), (166, 100, 40)
    brush.shape(skin, 32, 34, 48, 34, 56, 80, 26, 80)
    brush.shape(spot, 35, 4, 38, 4, 38, 18, 35, 18)
    brush.shape(spot, 44, 4, 47, 4, 47, 18, 44, 18)
    brush.oval(skin, 28, 12, 54, 40)
    brush.oval(skin, 18, 16, 32, 24)
    brush.oval(skin, 50, 16, 64, 24)
    brush.oval((252, 226, 160), 31, 28, 51, 44)
    brush.eyes(22, 35, 47)
    for x, y in ((36, 48), (44, 56), (33, 64), (46, 70), (38, 74)):
        brush.oval(spot, x - 4, y - 4, x + 4, y + 4)


def _rabbit(brush: Brush) -> None:
    fur, inside = (226, 222, 228), (240, 170, 184)
    for left, right in ((22, 36), (44, 58)):
        brush.oval(fur, left, 0, right, 40)
        brush.oval(inside, left + 4, 6, right - 4, 34)
    brush.oval(fur, 16, 30, 64, 76)
    brush.eyes(48)
    brush.shape(inside, 36, 56, 44, 56, 40, 61)
    brush.shape((255, 255, 255), 36, 64, 44, 64, 44, 72, 36, 72)


_DRAWN: dict[str, Callable[[Brush], None]] = {
    "cat": _cat,
    "dog": _dog,
    "elephant": _elephant,
    "giraffe": _giraffe,
    "rabbit": _rabbit,
}
