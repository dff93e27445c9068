"""TDIUC's answer key: a comma-separated table that gives each answer a number."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eyechart.errors import InputError

# The published script pools all gold answers outside the key as one answer that nobody can be right about.
OUTSIDE = "-1"


@dataclass(frozen=True)
class AnswerKey:
    """Answer → number, as text. Of duplicate rows the last wins, as in the published script."""

    numbers: Mapping[str, str]
    duplicates: int = 0

    def gold(self, answer: str) -> str:
        """The gold answer's number; `OUTSIDE` where the key lacks it."""
        return self.numbers.get(answer, OUTSIDE)

    def predicted(self, answer: str) -> str | None:
        """The predicted answer's number; None where the key lacks it (there the published script stops)."""
        return self.numbers.get(answer)

    def right(self, gold: str, predicted: str) -> bool:
        """Whether both are in the key under one number."""
        number = self.numbers.get(gold)
        return number is not None and number == self.predicted(predicted)


def parse_answer_key(text: str, name: str) -> AnswerKey:
    """Read `answer,number` rows, without a header. `name` is the file's, for messages."""
    numbers: dict[str, str] = {}
    duplicates = 0
    for line, row in _rows(text, name):
        if not row:
            continue
        if len(row) < 2:
            raise InputError(
                f"{name}:{line}: no comma in {row[0][:60]!r}",
                why="an answer key has one row an answer: answer,number",
                fix="separate answer and number by a comma; put answers that hold a comma into double quotes",
            )
        answer, number = row[0], row[1]
        try:
            value = int(number)
        except ValueError:
            raise InputError(
                f"{name}:{line}: {number[:60]!r} is not a whole number",
                why="the second column of an answer key is the answer's number",
                fix="put answers that hold a comma into double quotes",
            ) from None
        duplicates += answer in numbers
        numbers[answer] = str(value)
    if not numbers:
        raise InputError(f"{name} holds no answers", why="an answer key has one row an answer: answer,number")
    return AnswerKey(numbers, duplicates)


def _rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the number of its last line."""
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    try:
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        raise InputError(f"{name}:{rows.line_num}: not a comma-separated table", why=str(error)) from error
