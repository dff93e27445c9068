"""A map with named places: in which direction, which place, how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.spatial.asked import Asked, among, number

if TYPE_CHECKING:
    from PIL.Image import Image

TASK = "spatialmap"
DIRECTIONS = ("Northeast", "Northwest", "Southwest", "Southeast")
_FIRST = (
    "Amber Birch Copper Dapper Ember Fern Ginger Harbour Indigo Juniper Kestrel Lantern Maple Nimbus Orchard Pebble "
    "Quartz River Saffron Thistle Umber Velvet Willow Zephyr"
)
_SECOND = (
    "Bakery|Books|Cafe|Ceramics|Cinema|Clinic|Cycles|Flowers|Gallery|Garage|Gym|Hats|Hotel|Library|Market|Museum|"
    "Music|Pharmacy|Shoes|Tailor|Tea House|Toys|Travel|Yarn"
)
_COUNT = 6
_SIDE = 448  # pixels
_CELLS = 8  # columns and rows of the board; no two places share one, so that every direction is plain


class Place(NamedTuple):
    """A place and its column and row, counted from the lower left."""

    name: str
    x: int
    y: int


def make(dice: Dice) -> tuple[Place, ...]:
    """Six places, no two in one column or one row."""
    firsts, seconds = dice.sample(_FIRST.split(), _COUNT), dice.sample(_SECOND.split("|"), _COUNT)
    names = [f"{first} {second}" for first, second in zip(firsts, seconds, strict=True)]
    columns, rows = dice.sample(range(_CELLS), _COUNT), dice.sample(range(_CELLS), _COUNT)
    return tuple(Place(*place) for place in zip(names, columns, rows, strict=True))


def direction(of: Place, seen_from: Place) -> str:
    """Where one place lies as seen from another."""
    return ("North" if of.y > seen_from.y else "South") + ("east" if of.x > seen_from.x else "west")


def as_text(places: tuple[Place, ...]) -> str:
    """Every place with its direction from all places before it, so that nothing is left to guess."""
    sentences = [f"{places[0].name} is in the map."]
    for number_, place in enumerate(places[1:], 1):
        sentences += [f"{place.name} is to the {direction(place, p)} of {p.name}." for p in places[:number_]]
    return "Consider a map with multiple objects: \n" + " ".join(sentences)


ABOUT_PICTURE = "Consider the map in the picture, with multiple objects. North is up."


def ask(places: tuple[Place, ...], dice: Dice) -> tuple[Asked, ...]:
    """Three questions: a direction, a place, a number."""
    one, other = dice.sample(places, 2)
    where = f"In which direction is {one.name} relative to {other.name}?"
    towards = direction(one, other)
    first = among(dice, where, towards, [name for name in DIRECTIONS if name != towards])
    centre, heading = dice.choice([(p, d) for p in places for d in DIRECTIONS if 1 <= _count(places, p, d) <= 2])
    there = [p.name for p in places if p != centre and direction(p, centre) == heading]
    elsewhere = [p.name for p in places if p != centre and p.name not in there]
    second = among(dice, f"Which object is in the {heading} of {centre.name}?", dice.choice(there), elsewhere)
    centre, heading = dice.choice(places), dice.choice(DIRECTIONS)
    many = f"How many objects are in the {heading} of {centre.name}?"
    return first, second, number(dice, many, _count(places, centre, heading), _COUNT - 1)


def _count(places: tuple[Place, ...], centre: Place, heading: str) -> int:
    return sum(direction(place, centre) == heading for place in places if place != centre)


def paint(places: tuple[Place, ...]) -> Image:
    """A pale board with a dot and a name for every place."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (_SIDE, _SIDE), (238, 240, 228))
    pen, font = ImageDraw.Draw(image), ImageFont.load_default_imagefont()
    pitch = _SIDE // _CELLS
    for line in range(pitch, _SIDE, pitch):
        pen.line((line, 0, line, _SIDE), fill=(222, 226, 210))
        pen.line((0, line, _SIDE, line), fill=(222, 226, 210))
    for place in places:
        x, y = place.x * pitch + pitch // 2, _SIDE - place.y * pitch - pitch // 2
        pen.ellipse((x - 6, y - 16, x + 6, y - 4), fill=(196, 48, 48), outline=(90, 16, 16))
        width = int(pen.textlength(place.name, font=font))
        left = min(max(2, x - width // 2), _SIDE - width - 2)
        pen.text((left, y), place.name, fill=(24, 24, 40), font=font)
    return image
