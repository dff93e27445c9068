"""One multiple-choice question about a scene, worded with its options as SpatialEval's are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eyechart.sources.starter.dice import Dice


class Asked(NamedTuple):
    """A question, its options in the order in which they are shown, and the right one."""

    question: str
    options: tuple[str, ...]
    answer: str

    @property
    def letter(self) -> str:
        """The letter of the right option."""
        return "ABCD"[self.options.index(self.answer)]

    @property
    def words(self) -> str:
        """The question with its options, a line each, and a full stop after the last."""
        lines = [f"{letter}. {option}" for letter, option in zip("ABCD", self.options, strict=False)]
        return f"{self.question} Available options:\n" + "\n".join(lines) + "."


def among(dice: Dice, question: str, answer: str, others: Sequence[str]) -> Asked:
    """A question whose answer is shuffled among three others."""
    return Asked(question, tuple(dice.shuffled([answer, *dice.sample(others, 3)])), answer)


def number(dice: Dice, question: str, answer: int, most: int) -> Asked:
    """A question for a number, among three other numbers."""
    return among(dice, question, str(answer), [str(n) for n in range(most + 1) if n != answer])
