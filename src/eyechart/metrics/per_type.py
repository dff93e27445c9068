"""TDIUC's accuracies: plain, and means over question types that no frequent type can dominate.

An answer is right if it equals the gold answer, letter for letter; there is no text processing at all. With an answer
key (`eyechart.metrics.answer_key`) both become the key's numbers first, and two answers that share a number are equal.

* MPT: the mean over question types of the type's accuracy, arithmetic or harmonic.
* N-MPT: within a type the mean over its distinct gold answers of each answer's accuracy, then the mean over types.

The published script adds 1e-10 per cent to each type's accuracy, so that the harmonic mean of a zero exists: option
`eps=1e-10`. Without it a type at zero makes the harmonic mean zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eyechart.errors import UsageError
from eyechart.metrics.base import Cell, Metric, Sums
from eyechart.records import Sample, Score

UPSTREAM = "aioz-ai/ICCV19_VQA-CTI@e1f93d3 evaluate_TDIUC.py"
NO_GOLD = "official_undefined: the question has no gold answer"

Mean = Literal["plain", "arithmetic", "harmonic"]


@dataclass(frozen=True)
class PerType(Metric):
    """Equality with the gold answer, averaged plainly or over question types."""

    id: str
    title: str
    mean: Mean
    normalised: bool = False  # within a type, average over distinct gold answers first
    eps: float = 0.0  # added to each type's accuracy in per cent
    upstream: str = UPSTREAM
    version: int = 1

    def score(self, sample: Sample, text: str) -> Score:
        """1 where the answer is the gold answer, letter for letter."""
        if not sample.references:
            return Score(value=None, error=NO_GOLD)
        return Score(value=float(text == sample.references[0]), read_as=text or None, rule="whole reply, unchanged")

    def explain(self, sample: Sample, text: str) -> str:
        """The two strings, and where the mark goes."""
        score = self.score(sample, text)
        if score.error:
            return f"no score: {score.error}"
        relation = "equals" if score.value else "differs from"
        counts = "" if self.mean == "plain" else f"; it counts within type {question_type(sample)!r}"
        return f"{text!r} {relation} the gold answer {sample.references[0]!r}, letter for letter{counts}."

    def cell(self, sample: Sample) -> Cell:
        """Question type and gold answer."""
        return question_type(sample), sample.references[0] if sample.references else ""

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        """The headline and each type's accuracy (normalised where the metric is)."""
        by_type: dict[str, list[Sums]] = {}
        for cell, cell_sums in sums.items():
            if cell_sums[0]:
                by_type.setdefault(cell[0], []).append(cell_sums)
        if not by_type:
            return {}
        types = {name: self._accuracy(cells) for name, cells in by_type.items()}
        if self.mean == "plain":
            value = _rate([cell for cells in by_type.values() for cell in cells])
        else:
            percentages = [100 * accuracy + self.eps for accuracy in types.values()]
            value = (_arithmetic(percentages) if self.mean == "arithmetic" else _harmonic(percentages)) / 100
        return {"value": value, **{f"question_type={name}": accuracy for name, accuracy in types.items()}}

    def printed(self, value: float) -> str:
        """Per cent at two places, as `%.2f` writes them."""
        return f"{100 * value:.2f}"

    def _accuracy(self, cells: Sequence[Sums]) -> float:
        if not self.normalised:
            return _rate(cells)
        return math.fsum(cell[1] / cell[0] for cell in cells) / len(cells)


def question_type(sample: Sample) -> str:
    """The sample's question type; questions without one form a type of their own."""
    return sample.tags.get("question_type", "")


def _rate(cells: Sequence[Sums]) -> float:
    return math.fsum(cell[1] for cell in cells) / math.fsum(cell[0] for cell in cells)


def _arithmetic(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _harmonic(values: Sequence[float]) -> float:
    if any(value <= 0 for value in values):
        return 0.0
    return len(values) / math.fsum(1 / value for value in values)


def _eps(text: str) -> float:
    try:
        eps = float(text)
    except ValueError:
        eps = math.nan
    if not 0 <= eps < 1:
        raise UsageError(f"cannot add eps={text} to an accuracy", fix="a small number of per cent, such as eps=1e-10")
    return eps


def _family(name: str, title: str, mean: Mean, *, normalised: bool, eps: str) -> Metric:
    number = _eps(eps)
    return PerType(
        id=f"{name}[eps={eps}]" if number else name, title=title, mean=mean, normalised=normalised, eps=number
    )


def accuracy() -> Metric:
    """Factory of `accuracy`."""
    return PerType(id="accuracy", title="share of answers that equal the gold answer", mean="plain")


def mpt_arithmetic(eps: str = "0") -> Metric:
    """Factory of `mpt_arithmetic`; option `eps=1e-10` is the published script."""
    return _family("mpt_arithmetic", "mean over question types", "arithmetic", normalised=False, eps=eps)


def mpt_harmonic(eps: str = "0") -> Metric:
    """Factory of `mpt_harmonic`; option `eps=1e-10` is the published script."""
    return _family("mpt_harmonic", "harmonic mean over question types", "harmonic", normalised=False, eps=eps)


def nmpt_arithmetic(eps: str = "0") -> Metric:
    """Factory of `nmpt_arithmetic`; option `eps=1e-10` is the published script."""
    title = "mean over question types of the mean over gold answers"
    return _family("nmpt_arithmetic", title, "arithmetic", normalised=True, eps=eps)


def nmpt_harmonic(eps: str = "0") -> Metric:
    """Factory of `nmpt_harmonic`; option `eps=1e-10` is the published script."""
    title = "harmonic mean over question types of the mean over gold answers"
    return _family("nmpt_harmonic", title, "harmonic", normalised=True, eps=eps)
