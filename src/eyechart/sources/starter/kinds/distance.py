"""How far apart are they? Estimated against a scale bar."""

from __future__ import annotations

from math import isqrt

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import ESTIMATE, Question
from eyechart.sources.starter.scene import Scene

NEAREST = 60  # pixels: below that, whole centimetres would be too coarse


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A question for whole centimetres between two centres."""
    if scene.bar is None:
        return None
    first, second = dice.sample(range(len(scene.things)), 2)
    one, other = scene.things[first], scene.things[second]
    squared = (one.x - other.x) ** 2 + (one.y - other.y) ** 2
    if squared < NEAREST * NEAREST:
        return None
    # isqrt of a hundredfold keeps one more digit before the rounding to whole centimetres.
    tenths = isqrt(100 * squared)
    centimetres = (2 * tenths * scene.bar.centimetres + 10 * scene.bar.pixels) // (20 * scene.bar.pixels)
    text = (
        f"The bar at the bottom is {scene.bar.centimetres} cm long. "
        f"How far is it from the centre of the {one.words} to the centre of the {other.words}, in cm?"
    )
    return Question(text, str(centimetres), ESTIMATE, (first, second), unit="cm")
