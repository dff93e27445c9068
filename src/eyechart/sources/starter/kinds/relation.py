"""Where is one thing as seen from another: left, right, above, below?"""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import Question, yes_no
from eyechart.sources.starter.scene import Scene, Thing

CLEAR = 28  # pixels between two centres before anybody would call it left or above
_OPPOSITE = {"to the left of": "to the right of", "above": "below"}
_OPPOSITE |= {after: before for before, after in _OPPOSITE.items()}


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A yes/no question about two things that clearly lie so, or clearly the other way round."""
    truth = dice.chance(2)
    first, second = dice.sample(range(len(scene.things)), 2)
    one, other = scene.things[first], scene.things[second]
    ways = _ways(one, other)
    if not ways:
        return None
    way = dice.choice(ways)
    words = way if truth else _OPPOSITE[way]
    return yes_no(f"Is the {one.words} {words} the {other.words}?", truth, (first, second))


def _ways(one: Thing, other: Thing) -> list[str]:
    ways = []
    if abs(one.x - other.x) >= CLEAR:
        ways.append("to the left of" if one.x < other.x else "to the right of")
    if abs(one.y - other.y) >= CLEAR:
        ways.append("above" if one.y < other.y else "below")
    return ways
