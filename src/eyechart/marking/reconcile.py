"""Where scorers disagree about the same answers, and why."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal

import msgspec

from eyechart.marking.rows import Mark, ScoredRow
from eyechart.metrics.base import Metric
from eyechart.records import Sample


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two scorers: on how many questions they give different marks, and which way."""

    first: str
    second: str
    differ: int
    first_higher: int
    second_higher: int
    one_undefined: int  # one of them has no defined score there


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """One question on which scorers disagree, with what each made of the answer."""

    sample: str
    question: str
    answer: str
    references: list[str]
    values: dict[str, float | None]
    why: dict[str, str]


class Reconciliation(msgspec.Struct, frozen=True, kw_only=True):
    """The whole picture."""

    schema: Literal["eyechart/reconcile@1"] = "eyechart/reconcile@1"
    benchmark: str
    model: str
    n: int  # questions with an answer
    disputed: int  # on which not all scorers give the same mark
    means: dict[str, float | None]
    pairs: list[Pair]
    questions: list[Disputed]  # those on which they are furthest apart


class Reconciler:
    """Collects marked questions one by one; holds counts, and the questions with the widest spread."""

    def __init__(self, metrics: Sequence[Metric], *, keep: int = 10) -> None:
        self.metrics, self.keep = list(metrics), keep
        names = [metric.id for metric in metrics]
        self._counts = {pair: [0, 0, 0] for pair in combinations(names, 2)}
        self._sums = {name: [0, 0.0] for name in names}
        self._widest: list[tuple[float, int, ScoredRow]] = []
        self._disputed = self._n = 0

    def add(self, row: ScoredRow) -> None:
        """Note one question; those without an answer are no matter of dispute."""
        if not row.answered or row.repeat:
            return
        self._n += 1
        marks = {metric.id: row.marks[metric.id] for metric in self.metrics}
        for name, mark in marks.items():
            if mark.value is not None:
                self._sums[name][0] += 1
                self._sums[name][1] += mark.value
        spread = self._compare(marks)
        if spread > 0:
            self._disputed += 1
            entry = (spread, -self._n, row)  # of equal spreads the earlier question is kept
            if len(self._widest) < self.keep:
                heapq.heappush(self._widest, entry)
            elif self.keep:
                heapq.heappushpop(self._widest, entry)

    def _compare(self, marks: dict[str, Mark]) -> float:
        """Count every pair; the widest gap, where an undefined score is as far from a defined one as can be."""
        widest = 0.0
        for (first, second), counts in self._counts.items():
            a, b = marks[first].value, marks[second].value
            if a is None or b is None:
                counts[2] += a is not b
                widest = max(widest, float(a is not b))
            elif abs(a - b) > 1e-9:
                counts[0 if a > b else 1] += 1
                widest = max(widest, abs(a - b))
        return widest

    def result(
        self, benchmark: str, model: str, sample_of: Callable[[str], Sample], answer_of: Callable[[str], str]
    ) -> Reconciliation:
        """The table, and the questions in words."""
        questions = []
        for _, _, row in sorted(self._widest, key=lambda entry: (-entry[0], -entry[1])):
            sample, answer = sample_of(row.sample), answer_of(row.sample)
            questions.append(
                Disputed(
                    sample=row.sample,
                    question=sample.question,
                    answer=answer,
                    references=list(sample.references),
                    values={metric.id: row.marks[metric.id].value for metric in self.metrics},
                    why={metric.id: metric.explain(sample, answer) for metric in self.metrics},
                )
            )
        return Reconciliation(
            benchmark=benchmark,
            model=model,
            n=self._n,
            disputed=self._disputed,
            means={name: total / n if n else None for name, (n, total) in self._sums.items()},
            pairs=[
                Pair(
                    first=first,
                    second=second,
                    differ=sum(counts),
                    first_higher=counts[0],
                    second_higher=counts[1],
                    one_undefined=counts[2],
                )
                for (first, second), counts in self._counts.items()
            ],
            questions=questions,
        )
