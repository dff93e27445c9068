"""A maze with a way marked through it: right turns, all turns, where the exit lies."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.spatial.asked import Asked, number

if TYPE_CHECKING:
    from PIL.Image import Image

TASK = "mazenav"
Cell: TypeAlias = tuple[int, int]  # row, column
_SIZE = 9  # characters a side, walls included
_BLOCK = 40  # pixels
_STEPS: tuple[Cell, ...] = ((-1, 0), (0, 1), (1, 0), (0, -1))  # up, right, down, left: each a right turn from the last
_COLOURS = {"#": (0, 0, 0), " ": (255, 255, 255), "X": (66, 120, 245), "S": (60, 170, 80), "E": (214, 50, 50)}

_RELATIONS = {
    (-1, 0): "directly above the starting point (S), with no horizontal displacement",
    (1, 0): "directly below the starting point (S), with no horizontal displacement",
    (0, -1): "directly to the left of the starting point (S), with no vertical displacement",
    (0, 1): "directly to the right of the starting point (S), with no vertical displacement",
    (-1, -1): "to the top left of the starting point (S)",
    (-1, 1): "to the top right of the starting point (S)",
    (1, -1): "to the bottom left of the starting point (S)",
    (1, 1): "to the bottom right of the starting point (S)",
}


class Maze(NamedTuple):
    """The walls as characters, and the way from start to exit."""

    rows: tuple[str, ...]
    way: tuple[Cell, ...]

    @property
    def turns(self) -> tuple[int, int]:
        """Right turns and all turns of somebody who walks the way."""
        steps = [_STEPS.index((b[0] - a[0], b[1] - a[1])) for a, b in pairwise(self.way)]
        changes = [(after - before) % 4 for before, after in pairwise(steps)]
        return changes.count(1), len(changes) - changes.count(0)


def make(dice: Dice) -> Maze:
    """A maze without loops, so that the way is the only one; short ones are drawn again."""
    while True:
        open_cells = _carved(dice)
        rooms = sorted(cell for cell in open_cells if cell[0] % 2 and cell[1] % 2)
        start, end = dice.sample(rooms, 2)
        way = _way(open_cells, start, end)
        maze = Maze(_drawn(open_cells, way), way)
        if len(way) >= 5 and maze.turns[1] <= 9:
            return maze


def _carved(dice: Dice) -> set[Cell]:
    """Rooms at odd rows and columns, joined by a walk that turns back only where it must."""
    trail: list[Cell] = [(1 + 2 * dice.below(_SIZE // 2), 1 + 2 * dice.below(_SIZE // 2))]
    cells = set(trail)
    while trail:
        row, column = trail[-1]
        ways = [(2 * a, 2 * b) for a, b in _STEPS if _free((row + 2 * a, column + 2 * b), cells)]
        if not ways:
            trail.pop()
            continue
        down, along = dice.choice(ways)
        cells |= {(row + down // 2, column + along // 2), (row + down, column + along)}
        trail.append((row + down, column + along))
    return cells


def _free(cell: Cell, cells: set[Cell]) -> bool:
    return 0 < cell[0] < _SIZE - 1 and 0 < cell[1] < _SIZE - 1 and cell not in cells


def _way(cells: set[Cell], start: Cell, end: Cell) -> tuple[Cell, ...]:
    """The only way between two cells."""
    ways: list[tuple[Cell, ...]] = [(start,)]
    for way in ways:
        if way[-1] == end:
            return way
        row, column = way[-1]
        ways += [(*way, (row + a, column + b)) for a, b in _STEPS if (row + a, column + b) in cells - set(way)]
    raise AssertionError("a maze without loops joins all its rooms")


def _drawn(cells: set[Cell], way: tuple[Cell, ...]) -> tuple[str, ...]:
    marks = dict.fromkeys(way, "X") | {way[0]: "S", way[-1]: "E"}
    return tuple(
        "".join(marks.get((row, column), " " if (row, column) in cells else "#") for column in range(_SIZE))
        for row in range(_SIZE)
    )


_MOVES = (
    "with movement permitted in the four cardinal directions (up, down, left, right). A right turn is a change of "
    "direction from up to right, right to down, down to left, or left to up."
)


def as_text(maze: Maze) -> str:
    """The maze in characters, with what they mean."""
    return (
        "Consider the maze below, where the symbols have the following meanings: # represents walls which are "
        "impassable barriers, spaces represent open paths which are navigable but not part of the way, S denotes the "
        "starting point, E denotes the exit, and X marks the path from S to E. The objective is to navigate from S to "
        f"E following the path marked by X, {_MOVES}\n\n" + "\n".join(maze.rows)
    )


ABOUT_PICTURE = (
    "Consider the maze in the picture, made of colored blocks: a green block marks the starting point (S), a red block "
    "the exit (E), black blocks are impassable walls, white blocks are navigable paths, and blue blocks mark the path "
    f"from S to E. The objective is to navigate from S to E following the blue path, {_MOVES}"
)


def ask(maze: Maze, dice: Dice) -> tuple[Asked, ...]:
    """Three questions: right turns, all turns, where the exit is."""
    right, total = maze.turns
    path = "in the provided path from S to E?"
    first = number(dice, f"How many right turns are there {path}", right, 9)
    second = number(dice, f"How many total turns are there {path}", total, 9)
    start, end = maze.way[0], maze.way[-1]
    truth = (_sign(end[0] - start[0]), _sign(end[1] - start[1]))
    said = truth if dice.chance(2) else dice.choice([relation for relation in _RELATIONS if relation != truth])
    third = Asked(f"Is the exit (E) {_RELATIONS[said]}?", ("Yes", "No"), "Yes" if said == truth else "No")
    return first, second, third


def _sign(number_: int) -> int:
    return (number_ > 0) - (number_ < 0)


def paint(maze: Maze) -> Image:
    """The maze in blocks of its colours."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (_SIZE * _BLOCK, _SIZE * _BLOCK))
    pen = ImageDraw.Draw(image)
    for row, line in enumerate(maze.rows):
        for column, mark in enumerate(line):
            left, top = column * _BLOCK, row * _BLOCK
            pen.rectangle(
                (left, top, left + _BLOCK - 1, top + _BLOCK - 1), fill=_COLOURS[mark], outline=(120, 120, 120)
            )
    return image
