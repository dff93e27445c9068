"""What is in a picture: coloured shapes on a ground, laid out so that every question about them has one answer."""

from __future__ import annotations

from typing import NamedTuple

from eyechart.sources.starter.dice import Dice

SIDE = 256  # pictures are square, this many pixels a side
SHAPES = ("circle", "square", "triangle", "star", "heart", "cross", "diamond", "moon")
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black")
PATTERNS = ("plain", "stripes", "columns", "slant", "checks", "dots", "shelf")
GROUNDS = 9  # how many ground colours pixels.py knows
SMALL, LARGE = (14, 17), (27, 31)  # radii in pixels: far enough apart that nobody argues about size
GAP = 12  # pixels between the outlines of two things
CROWD_RADIUS = 5


class Thing(NamedTuple):
    """One shape in the picture."""

    shape: str
    colour: str
    x: int
    y: int
    radius: int
    turn: int = 0  # degrees, a multiple of 5
    tint: tuple[int, int, int] = (0, 0, 0)  # added to the colour, so that no two reds are quite the same

    @property
    def words(self) -> str:
        """How a question names it: colour and shape."""
        return f"{self.colour} {self.shape}"

    @property
    def large(self) -> bool:
        return self.radius >= LARGE[0]


class Ground(NamedTuple):
    """What lies behind the things."""

    colour: int
    pattern: str
    pitch: int
    fade: int  # how much lighter or darker the lower edge is


class Bar(NamedTuple):
    """A scale bar along the lower edge."""

    pixels: int
    centimetres: int


class Scene(NamedTuple):
    """A whole picture, before it is drawn."""

    things: tuple[Thing, ...]
    ground: Ground
    bar: Bar | None = None

    def tally(self, *, shape: str = "", colour: str = "") -> int:
        """How many things have this shape and this colour."""
        return sum(
            thing.shape == (shape or thing.shape) and thing.colour == (colour or thing.colour) for thing in self.things
        )


def table(dice: Dice) -> Scene:
    """Three to seven things, no two alike in both colour and shape."""
    while True:
        scene = _try_table(dice, floor=SIDE - 6)
        if scene is not None:
            return scene


def ruler(dice: Dice) -> Scene:
    """Things above a scale bar."""
    while True:
        scene = _try_table(dice, floor=SIDE - 34)
        if scene is not None:
            return scene._replace(bar=Bar(dice.between(48, 96), dice.choice((10, 20))))


def crowd(dice: Dice) -> Scene:
    """Ten to fifty dots of two colours: too many to count at a glance."""
    ground = _ground(dice)
    colours = dice.sample(COLOURS, 2)
    total = dice.between(10, 50)
    share = dice.between(2, 6)
    things: list[Thing] = []
    while len(things) < total:
        x, y = dice.between(10, SIDE - 11), dice.between(10, SIDE - 11)
        if all((x - dot.x) ** 2 + (y - dot.y) ** 2 >= (2 * CROWD_RADIUS + 5) ** 2 for dot in things):
            colour = colours[0] if dice.below(8) < share else colours[1]
            things.append(Thing("circle", colour, x, y, CROWD_RADIUS, 0, _tint(dice)))
    return Scene(tuple(things), ground)


def pair(dice: Dice) -> tuple[Scene, Scene, int]:
    """The same scene twice; one thing has moved sideways or up and down: the scenes and which thing."""
    while True:
        before = _try_table(dice, floor=SIDE - 6, fewest=4, most=6)
        if before is None:
            continue
        which = dice.below(len(before.things))
        thing = before.things[which]
        others = before.things[:which] + before.things[which + 1 :]
        for _ in range(12):
            along, across = dice.between(56, 130) * dice.choice((-1, 1)), dice.between(-8, 8)
            dx, dy = (along, across) if dice.chance(2) else (across, along)
            moved = thing._replace(x=thing.x + dx, y=thing.y + dy)
            if _inside(moved, SIDE - 6) and all(_apart(moved, other) for other in others):
                after = before._replace(things=(*before.things[:which], moved, *before.things[which + 1 :]))
                return before, after, which


def _try_table(dice: Dice, *, floor: int, fewest: int = 3, most: int = 7) -> Scene | None:
    ground = _ground(dice)
    count = dice.between(fewest, most)
    # Few colours and few shapes a picture, so that things share one or the other and counts go beyond one.
    colours = dice.sample(COLOURS, dice.between(2, 5))
    shapes = dice.sample(SHAPES, dice.between(2, 5))
    looks = [(shape, colour) for shape in shapes for colour in colours]
    if len(looks) < count:
        return None
    things: list[Thing] = []
    for shape, colour in dice.sample(looks, count):
        radius = dice.between(*dice.choice((SMALL, LARGE)))
        turn, tint = 5 * dice.between(-2, 2), _tint(dice)
        for _ in range(30):
            thing = Thing(shape, colour, dice.between(20, SIDE - 21), dice.between(20, SIDE - 21), radius, turn, tint)
            if _inside(thing, floor) and all(_apart(thing, other) for other in things):
                things.append(thing)
                break
        else:
            return None
    return Scene(tuple(things), ground)


def _ground(dice: Dice) -> Ground:
    return Ground(dice.below(GROUNDS), dice.choice(PATTERNS), dice.between(12, 30), dice.between(-14, 14))


def _tint(dice: Dice) -> tuple[int, int, int]:
    return dice.between(-9, 9), dice.between(-9, 9), dice.between(-9, 9)


def _reach(thing: Thing) -> int:
    """How far a thing may stick out from its centre, tips included."""
    return thing.radius * 13 // 10


def _inside(thing: Thing, floor: int) -> bool:
    margin = _reach(thing) + 6
    return margin <= thing.x <= SIDE - 1 - margin and margin <= thing.y <= floor - margin


def _apart(one: Thing, other: Thing) -> bool:
    near = _reach(one) + _reach(other) + GAP
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2 >= near * near
