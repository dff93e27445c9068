"""Two pictures: which thing has moved?"""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import CHOICE, Question, lettered
from eyechart.sources.starter.scene import Scene


def ask(before: Scene, after: Scene, which: int, dice: Dice) -> Question:
    """Four things of the picture to choose from, one of which moved."""
    others = dice.sample([index for index in range(len(before.things)) if index != which], 3)
    order = tuple(dice.shuffled([which, *others]))
    choices, letter = lettered([f"the {before.things[i].words}" for i in order], f"the {after.things[which].words}")
    return Question("Which object has moved from the first picture to the second?", letter, CHOICE, order, choices)
