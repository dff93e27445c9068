"""VQA accuracy: an answer is as right as the humans who gave it, up to three of ten.

For each human in turn the others are asked: min(1, others who gave this answer / 3); the question's accuracy is the
mean over the humans. With ten humans that is 0, 0.3, 0.6, 0.9 and then 1. What differs between the three published
readings is which strings are normalised before they are compared; see `OFFICIAL`, `NORMALISED` and `PRE2021`.

Tags of a sample that matter here, both optional:

* `record_identity`: one token a human, separated by commas: all of the human's record but the answer, "1,2,3,…" for
  records with distinct answer ids. Without the tag all records are distinct, as in every published file.
* `multiple_choice_answer`: the annotation's majority answer.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from eyechart.metrics.base import Cell, Metric, Sums, percent
from eyechart.metrics.vqa_text import PYTHON_2, PYTHON_3, Dialect
from eyechart.records import Sample, Score

NEEDED = 3  # humans who make an answer right
NO_HUMANS = "official_undefined: the annotation has no answers, and the official program divides by their number"


@dataclass(frozen=True)
class Compared:
    """The strings that are compared in the end: the humans', the prediction's, and by which rule they were made."""

    humans: tuple[str, ...]
    answer: str
    rule: str


def _official(humans: Sequence[str], text: str) -> Compared:
    cleaned = tuple(map(PYTHON_2.clean, humans))
    answer = PYTHON_2.clean(text)
    # Deliberate upstream: answers that are read off a picture keep their spelling where all humans agree on it.
    if len(set(cleaned)) <= 1:
        return Compared(cleaned, answer, "as written: all humans gave the same answer")
    return Compared(
        tuple(map(PYTHON_2.normalise, cleaned)), PYTHON_2.normalise(answer), "normalised: the humans' answers differ"
    )


def _normalised(humans: Sequence[str], text: str) -> Compared:
    cleaned = tuple(map(PYTHON_3.clean, humans))
    answer = PYTHON_3.normalise(PYTHON_3.clean(text))
    return Compared(tuple(map(PYTHON_3.normalise, cleaned)), answer, "normalised always")


def _pre2021(humans: Sequence[str], text: str) -> Compared:
    answer = PYTHON_2.normalise(PYTHON_2.clean(text))
    # The humans' answers were neither cleaned nor put into lower case, and number words stayed words.
    if len(set(humans)) <= 1:
        return Compared(tuple(humans), answer, "prediction normalised, humans as written")
    return Compared(
        tuple(map(PYTHON_2.punctuation, humans)), answer, "prediction normalised, humans without punctuation"
    )


def _mean_in_order(marks: Sequence[float]) -> float:
    """Added up from the left: `sum` of Python 3.12 and later corrects its rounding, the official program does not."""
    total = 0.0
    for mark in marks:
        total += mark
    return total / len(marks)


@dataclass(frozen=True)
class Reading:
    """One published way to mark VQA: which strings are compared, and how the marks are averaged."""

    compare: Callable[[Sequence[str], str], Compared]
    dialect: Dialect
    mean: Callable[[Sequence[float]], float]


OFFICIAL = Reading(_official, PYTHON_2, _mean_in_order)
NORMALISED = Reading(_normalised, PYTHON_3, statistics.mean)
PRE2021 = Reading(_pre2021, PYTHON_2, _mean_in_order)


def marks_by_human(matching: Sequence[bool], records: Sequence[object] | None = None) -> list[float]:
    """For each human: min(1, how many of the other records match / 3).

    The official program takes "other" to mean "not equal as a whole record". Records that carry no distinct answer id
    are therefore set aside together with their equals: `records` says which are equal. None: all are distinct.
    """
    agreeing = sum(matching)
    if records is None:
        return [min(1, (agreeing - match) / NEEDED) for match in matching]
    alike = Counter(record for record, match in zip(records, matching, strict=True) if match)
    return [min(1, (agreeing - alike[record]) / NEEDED) for record in records]


def records_of(sample: Sample, humans: Sequence[str]) -> list[tuple[str, str]] | None:
    """What tells the humans' records apart once the answers have been normalised; None where nothing is equal."""
    identity = sample.tags.get("record_identity")
    if identity is None:
        return None
    tokens = identity.split(",")
    if len(tokens) != len(humans):  # the records hold nothing but the answer
        tokens = [""] * len(humans)
    return list(zip(humans, tokens, strict=True))


def official_percentage(total: float, n: int) -> float:
    """The percentage before rounding, multiplied before it is divided, as the official program does."""
    return 100 * total / n


def fraction_of(percentage: float) -> float:
    """The fraction whose hundredfold rounds, at two places, as this percentage does.

    Dividing by 100 and multiplying again may move a tie such as 51.625 by one unit in the last place.
    """
    fraction = percentage / 100
    wanted = percent_of(percentage)
    while (printed := percent(fraction)) != wanted:
        fraction = math.nextafter(fraction, 0.0 if float(printed) > float(wanted) else 2.0)
    return fraction


def percent_of(percentage: float) -> str:
    """A percentage at two places, ties away from zero: what `round` of Python 2 prints."""
    return str(Decimal(percentage).quantize(Decimal("0.01"), ROUND_HALF_UP))


@dataclass(frozen=True)
class VqaAccuracy(Metric):
    """Agreement with ten humans, in one of its published readings."""

    id: str
    upstream: str
    title: str
    reading: Reading
    version: int = 1

    def score(self, sample: Sample, text: str) -> Score:
        """The mean over humans of min(1, others who gave this answer / 3)."""
        if not sample.references:
            return Score(value=None, error=NO_HUMANS)
        compared = self.reading.compare(sample.references, text)
        value = float(self.reading.mean(self._marks(sample, compared)))
        read_as = compared.answer if text.strip() else None
        return Score(value=value, read_as=read_as, rule=compared.rule)

    def wrong(self, sample: Sample) -> Score:
        """Zero; a question that nobody can be right about stays without a score."""
        return Score(value=0.0) if sample.references else Score(value=None, error=NO_HUMANS)

    def explain(self, sample: Sample, text: str) -> str:
        """How many humans gave the answer, and the sum over them."""
        if not sample.references:
            return f"no score: {NO_HUMANS}"
        compared = self.reading.compare(sample.references, text)
        marks = self._marks(sample, compared)
        agreeing = sum(human == compared.answer for human in compared.humans)
        terms = [f"{count} × {_thirds(mark)}" for mark, count in Counter(marks).items()]
        value = float(self.reading.mean(marks))
        found = f"{agreeing} of {len(marks)} humans gave {compared.answer!r} ({compared.rule})."
        rule = f"Asking the others of each human in turn, min(1, agreeing / {NEEDED})"
        told = f"{found} {rule}: ({' + '.join(terms)}) / {len(marks)} = {value:.4g}."
        if "record_identity" in sample.tags:
            told += " Equal records are set aside together, as the official program does."
        return told

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        """The mean over questions, kept so that it prints as the official program prints it."""
        return printable_mean(sums)

    def _marks(self, sample: Sample, compared: Compared) -> list[float]:
        matching = [human == compared.answer for human in compared.humans]
        return marks_by_human(matching, records_of(sample, compared.humans))


def printable_mean(sums: Mapping[Cell, Sums]) -> dict[str, float]:
    """The mean over all scored questions, with its printed form safe from the last bit."""
    n, total = 0.0, 0.0
    for cell in sums.values():
        n += cell[0]
        total += cell[1]
    return {"value": fraction_of(official_percentage(total, int(n)))} if n else {}


def _thirds(mark: float) -> str:
    return f"{round(mark * NEEDED)}/{NEEDED}" if 0 < mark < 1 else f"{mark:g}"


@dataclass(frozen=True)
class VqaExact(Metric):
    """The normalised reply equals the normalised majority answer: no partial marks."""

    id: str = "vqa_exact"
    version: int = 1
    upstream: str = ""
    title: str = "exact match with the majority answer after normalisation"

    def score(self, sample: Sample, text: str) -> Score:
        """1 where the two strings are equal."""
        if not sample.references:
            return Score(value=None, error=NO_HUMANS)
        answer = PYTHON_2.normalise(PYTHON_2.clean(text))
        return Score(
            value=float(answer == majority(sample)),
            read_as=answer if text.strip() else None,
            rule="normalised",
        )

    def explain(self, sample: Sample, text: str) -> str:
        """The two strings."""
        score = self.score(sample, text)
        if score.error:
            return f"no score: {score.error}"
        relation = "is" if score.value else "is not"
        return f"{score.read_as or ''!r} {relation} the majority answer {majority(sample)!r}, both normalised."


def majority(sample: Sample) -> str:
    """The answer that most humans gave, normalised; of equals the first. The annotation's own word stands first."""
    named = sample.tags.get("multiple_choice_answer")
    if named is not None:
        return PYTHON_2.normalise(PYTHON_2.clean(named))
    counts = Counter(PYTHON_2.normalise(PYTHON_2.clean(human)) for human in sample.references)
    return counts.most_common(1)[0][0]


def accuracy() -> Metric:
    """Factory of `vqa_accuracy`."""
    return VqaAccuracy(
        id="vqa_accuracy",
        upstream="GT-Vision-Lab/VQA@a013f00 vqaEval.py",
        title="agreement with ten humans; raw comparison where all ten agree",
        reading=OFFICIAL,
    )


def normalised() -> Metric:
    """Factory of `vqa_accuracy_normalised`."""
    return VqaAccuracy(
        id="vqa_accuracy_normalised",
        upstream="EvolvingLMMs-Lab/lmms-eval@75571cf vqav2/utils.py",
        title="agreement with ten humans; always normalised",
        reading=NORMALISED,
    )


def pre2021() -> Metric:
    """Factory of `vqa_accuracy_pre2021`."""
    return VqaAccuracy(
        id="vqa_accuracy_pre2021",
        upstream="GT-Vision-Lab/VQA@a4f1afd vqaEval.py",
        title="agreement with ten humans as marked before March 2021, for comparing with old papers",
        reading=PRE2021,
    )


def exact() -> Metric:
    """Factory of `vqa_exact`."""
    return VqaExact()
