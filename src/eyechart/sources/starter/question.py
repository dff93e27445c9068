"""One question about a scene, with its answer and what the ten annotators may have written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

YES_NO = "yes/no"
NUMBER = "number"
OTHER = "other"
ESTIMATE = "estimate"  # one number, marked by how near the reply comes
CHOICE = "choice"  # a letter

NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")


class Question(NamedTuple):
    """A question whose answer is known because the picture was made for it."""

    text: str
    answer: str
    answer_type: str
    about: tuple[int, ...] = ()  # the things it names, in the order of the words
    choices: Mapping[str, str] = {}
    unit: str = ""  # of an estimate
    variants: tuple[str, ...] = ()  # other ways to write the answer
    mistakes: tuple[str, ...] = ()  # what a hasty person may say


def yes_no(text: str, truth: bool, about: tuple[int, ...] = ()) -> Question:
    """A question that is answered by yes or no."""
    answer, other = ("yes", "no") if truth else ("no", "yes")
    return Question(text, answer, YES_NO, about, variants=(answer.title(), f"{answer}."), mistakes=(other,))


def a(words: str) -> str:
    """The words with "a" or "an" before them."""
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def plural(shape: str) -> str:
    """More than one of a shape."""
    return "crosses" if shape == "cross" else f"{shape}s"


def lettered(options: Sequence[str], right: str) -> tuple[dict[str, str], str]:
    """Options under the letters from A on, and the letter of the right one."""
    choices = dict(zip("ABCDEFGH", options, strict=False))
    return choices, next(letter for letter, option in choices.items() if option == right)
