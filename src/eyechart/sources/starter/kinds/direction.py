"""Two pictures: which way has the thing moved?"""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import CHOICE, Question, lettered
from eyechart.sources.starter.scene import Scene


def ask(before: Scene, after: Scene, which: int, dice: Dice) -> Question:
    """Left, right, up or down, in any order."""
    dx = after.things[which].x - before.things[which].x
    dy = after.things[which].y - before.things[which].y
    way = ("left" if dx < 0 else "right") if abs(dx) > abs(dy) else ("up" if dy < 0 else "down")
    choices, letter = lettered(dice.shuffled(["left", "right", "up", "down"]), way)
    text = "One object has moved from the first picture to the second. Which way did it move?"
    return Question(text, letter, CHOICE, (), choices)
