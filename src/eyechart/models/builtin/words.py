"""From a question to the words that the tiny model knows, and from its pieces back to an answer.

The model reads the question and the options. Lines that only say how to answer are passed over, as are the marks
between words. A word that it has never met makes the question one that it cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

UNKNOWN = "unknown"
ANSWER, END = "<answer>", "<end>"
LETTERS = "ABCDEFGH"

_OPTION = re.compile(r"\(?([A-H])[.):]\s+(.*)")
_FORM_ONLY = ("answer", "please")  # "Answer with the option's letter …", "Please select …"
_HEADING = re.compile(r"(question|options)\s*:\s*", re.IGNORECASE)
_PIECE = re.compile(r"[^\W\d_]+|\d|[^\s.,?!:;'\"()]")
_SPELLING = {"color": "colour", "center": "centre"}


def option(letter: str) -> str:
    """The piece that stands for an option's letter, in the question and as an answer."""
    return f"<{letter}>"


def pieces(text: str) -> list[str]:
    """The question as the model reads it: lower-case words, single digits, option letters."""
    found: list[str] = []
    for raw in text.splitlines():
        line = _HEADING.sub("", raw.strip(), count=1)
        if line.casefold().startswith(_FORM_ONLY):
            continue
        choice = _OPTION.fullmatch(line)
        if choice:
            found.append(option(choice[1]))
            line = choice[2]
        found += [_SPELLING.get(piece, piece) for piece in _PIECE.findall(line.lower())]
    return found


def answer_pieces(answer: str) -> list[str]:
    """An answer as the model writes it."""
    if len(answer) == 1 and answer in LETTERS:
        return [option(answer)]
    return list(answer) if answer.isdigit() else answer.split()


def answer_text(written: Iterable[str]) -> str:
    """What the model wrote, as people write it: digits joined, letters bare."""
    text = ""
    for piece in written:
        bare = piece.strip("<>")
        text += bare if not text or (text[-1].isdigit() and bare.isdigit()) else f" {bare}"
    return text or UNKNOWN
