"""How many dots, when there are too many to count at a glance?"""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import ESTIMATE, Question
from eyechart.sources.starter.scene import Scene


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A question for the number of dots, all or those of one colour."""
    if dice.chance(2):
        return Question("How many dots are in the picture?", str(len(scene.things)), ESTIMATE, unit="count")
    colour = dice.choice(sorted({thing.colour for thing in scene.things}))
    return Question(f"How many {colour} dots are there?", str(scene.tally(colour=colour)), ESTIMATE, unit="count")
