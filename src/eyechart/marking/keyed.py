"""TDIUC's answer key in marking: answers become the key's numbers before they are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from eyechart.errors import InputError
from eyechart.marking.matching import Mismatch
from eyechart.marking.official_json import read_bytes
from eyechart.metrics.answer_key import AnswerKey, parse_answer_key
from eyechart.metrics.base import Cell, Metric, Sums
from eyechart.metrics.per_type import PerType
from eyechart.records import Sample, Score


def read_answer_key(path: Path) -> AnswerKey:
    """The key in a file."""
    data = bytes(read_bytes(path))
    try:
        return parse_answer_key(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text", why=str(error), fix="save the file as UTF-8") from error


def refuse_outside(key: AnswerKey, answers: Mapping[str, str], name: str) -> None:
    """An answer that the key lacks stops the official program, and so it does here, with all of them counted."""
    outside = [f"{answer!r} (question {identity})" for identity, answer in answers.items() if not known(key, answer)]
    if outside:
        raise InputError(
            f"answers outside the answer key {name}: {Mismatch.of(outside)}",
            why="the key must hold every answer that is given; the official program stops there",
            fix="add them to the key, or leave --answer-key out: answers are then compared letter for letter",
        )


def known(key: AnswerKey, answer: str) -> bool:
    """Whether the key has a number for this answer."""
    return key.predicted(answer) is not None


@dataclass(frozen=True)
class Keyed(Metric):
    """A metric over the key's numbers: two answers with one number are equal."""

    metric: PerType
    key: AnswerKey

    @property
    def id(self) -> str:  # type: ignore[override]
        return self.metric.id

    @property
    def version(self) -> int:  # type: ignore[override]
        return self.metric.version

    @property
    def upstream(self) -> str:  # type: ignore[override]
        return self.metric.upstream

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{self.metric.title}, through the answer key"

    def _numbered(self, sample: Sample) -> Sample:
        return msgspec.structs.replace(sample, references=tuple(self.key.gold(gold) for gold in sample.references))

    def score(self, sample: Sample, text: str) -> Score:
        number = self.key.predicted(text) or ""
        score = self.metric.score(self._numbered(sample), number)
        return msgspec.structs.replace(score, read_as=text or None, rule=f"number {number or 'none'} of the key")

    def wrong(self, sample: Sample) -> Score:
        return self.metric.wrong(sample)

    def cell(self, sample: Sample) -> Cell:
        return self.metric.cell(self._numbered(sample))

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        return self.metric.aggregate(sums)

    def printed(self, value: float) -> str:
        return self.metric.printed(value)


def keyed(metric: Metric, key: AnswerKey) -> Metric:
    """The metric over the key's numbers, where it is one that the key belongs to."""
    return Keyed(metric, key) if isinstance(metric, PerType) else metric
