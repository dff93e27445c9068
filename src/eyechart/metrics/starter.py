"""`starter`: each question of the bundled benchmark is marked by the rule of its kind.

Ten annotators: official VQA accuracy. A number to estimate: mean relative accuracy. Options: the letter. All three lie
between 0 and 1, and the headline is their plain mean over questions.
"""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.metrics.base import Metric
from eyechart.metrics.general import choice
from eyechart.metrics.relative import mra
from eyechart.metrics.vqa import accuracy
from eyechart.records import Sample, Score


@dataclass(frozen=True)
class Starter(Metric):
    """Marks by the sample's kind: letters where there are options, nearness for estimates, else ten annotators."""

    annotators: Metric
    estimate: Metric
    letter: Metric
    id: str = "starter"
    version: int = 1
    upstream: str = ""
    title: str = "VQA accuracy, mean relative accuracy or choice letter, by the question's kind"

    def score(self, sample: Sample, text: str) -> Score:
        return self._metric(sample).score(sample, text)

    def wrong(self, sample: Sample) -> Score:
        return self._metric(sample).wrong(sample)

    def explain(self, sample: Sample, text: str) -> str:
        metric = self._metric(sample)
        return f"{metric.id}: {metric.explain(sample, text)}"

    def _metric(self, sample: Sample) -> Metric:
        if sample.choices:
            return self.letter
        return self.estimate if sample.tags.get("answer_type") == "estimate" else self.annotators


def starter() -> Metric:
    """Factory of `starter`."""
    return Starter(annotators=accuracy(), estimate=mra(), letter=choice())
