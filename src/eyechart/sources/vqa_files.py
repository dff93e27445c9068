"""The official VQA files read together: questions, the humans' answers, and the picture's name.

VQA v2 wraps its lists in an object, VQA-CP publishes them bare, TDIUC uses the same fields; all may be gzipped. Both
files are mapped; what stays in memory is where each question and its annotation stand.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from eyechart.errors import InputError
from eyechart.records import UNDECODABLE
from eyechart.sources.rows import Row, require
from eyechart.sources.textfile import TextTable


class _HasId(msgspec.Struct):
    question_id: int | str


class VqaFiles:
    """Questions joined to their annotations by `question_id`; a test split has no annotations."""

    def __init__(self, questions: Path, annotations: Path | None = None) -> None:
        self._questions = json_list(questions)
        require(self._questions.columns, ("question_id", "image_id", "question"), where=self._questions.name)
        self.name, self.columns = self._questions.name, self._questions.columns
        self._annotations: TextTable | None = None
        self._annotation_of = array("q")
        if annotations is not None:
            self._annotations = json_list(annotations)
            require(self._annotations.columns, ("question_id", "answers"), where=self._annotations.name)
            self.columns = tuple(dict.fromkeys((*self.columns, *self._annotations.columns)))
            self._annotation_of = array("q", joined(self._questions, self._annotations))

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every question with its annotation, in the order of the questions file."""
        for locator in range(len(self._questions)):
            yield locator, 0, self.row(locator)

    def row(self, locator: int, *, pictures: bool = True) -> Row:
        """One question with its annotation; the question's own fields win."""
        question = self._questions.row(locator)
        if self._annotations is None:
            return question
        return {**self._annotations.row(self._annotation_of[locator]), **question}


def json_list(path: Path) -> TextTable:
    """A JSON file whose name may say nothing: the official programs read any name as JSON."""
    return TextTable(path, kind=".json")


def joined(questions: TextTable, annotations: TextTable) -> Sequence[int]:
    """For each question the place of its annotation; ids must match one to one, as the official program demands."""
    asked, answered = ids(questions), ids(annotations)
    if asked == answered:
        return range(len(asked))
    places = {identity: place for place, identity in enumerate(answered)}
    if len(places) != len(answered):
        raise InputError(
            f"{annotations.name} annotates a question twice",
            why=f"{len(answered) - len(places)} of {len(answered)} annotations repeat a question_id",
        )
    missing = [identity for identity in asked if identity not in places]
    if missing:
        raise InputError(
            f"{len(missing)} of {len(asked)} questions have no annotation in {annotations.name}",
            why=f"for example {', '.join(map(str, missing[:3]))}",
            fix="questions and annotations must be of the same split",
        )
    return [places[identity] for identity in asked]


def ids(table: TextTable) -> list[int | str]:
    """The question ids of a file, in its order."""
    decoder = msgspec.json.Decoder(_HasId)
    try:
        return [decoder.decode(table.raw(place)).question_id for place in range(len(table))]
    except UNDECODABLE as error:
        raise InputError(f"{table.name} has an entry without a usable question_id", why=str(error)) from error
