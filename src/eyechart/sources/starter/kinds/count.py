"""How many are there? Of a shape, of a colour, or of all things; none counts too."""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import NUMBER, NUMBER_WORDS, Question, plural
from eyechart.sources.starter.scene import COLOURS, SHAPES, Scene


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A question for a number; every number that some question has for an answer is as likely."""
    if dice.chance(5):
        return _question("How many objects are in the picture?", len(scene.things))
    by_answer: dict[int, list[str]] = {}
    for shape in SHAPES:
        by_answer.setdefault(scene.tally(shape=shape), []).append(f"How many {plural(shape)} are there?")
    for colour in COLOURS:
        by_answer.setdefault(scene.tally(colour=colour), []).append(f"How many {colour} objects are there?")
    answer = dice.choice(sorted(by_answer))
    return _question(dice.choice(by_answer[answer]), answer)


def _question(text: str, answer: int) -> Question:
    mistakes = (str(answer + 1), str(abs(answer - 1)))
    return Question(text, str(answer), NUMBER, variants=(NUMBER_WORDS[answer],), mistakes=mistakes)
