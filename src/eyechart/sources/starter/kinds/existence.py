"""Is it there? Half of the pictures have it; where they do not, something else has its colour or its shape."""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import Question, a, yes_no
from eyechart.sources.starter.scene import COLOURS, SHAPES, Scene


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A yes/no question about one thing, or one that is missing."""
    truth = dice.chance(2)
    if dice.chance(4):
        shape = _pick(dice, SHAPES, {thing.shape for thing in scene.things}, truth)
        return yes_no(f"Is there {a(shape)} in the picture?", truth)
    if dice.chance(4):
        colour = _pick(dice, COLOURS, {thing.colour for thing in scene.things}, truth)
        return yes_no(f"Is anything in the picture {colour}?", truth)
    words = dice.choice(scene.things).words if truth else _missing(scene, dice)
    return yes_no(dice.choice((f"Is there {a(words)} in the picture?", f"Can you see {a(words)}?")), truth)


def _pick(dice: Dice, names: tuple[str, ...], present: set[str], truth: bool) -> str:
    return dice.choice([name for name in names if (name in present) == truth])


def _missing(scene: Scene, dice: Dice) -> str:
    """Colour and shape of nothing here: each is mostly that of something here, so that both have to be looked at."""
    looks = {(thing.colour, thing.shape) for thing in scene.things}
    while True:
        colour = dice.choice(COLOURS) if dice.chance(4) else dice.choice(scene.things).colour
        shape = dice.choice(SHAPES) if dice.chance(4) else dice.choice(scene.things).shape
        if (colour, shape) not in looks:
            return f"{colour} {shape}"
