"""`starter`: each question of the bundled benchmark is marked by the rule of its kind.

Ten annotators: official VQA accuracy. A number to estimate: mean relative accuracy. Options: the letter. All three lie
between 0 and 1, and the headline is their plain mean over questions.
"""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.metrics.base import Metric
from eyechart.records import Sample, Score


@dataclass(frozen=True)
class _Annotators(Metric):
    """Agreement with ten people, of whom three are enough."""

    id: str = "annotators"
    version: int = 1
    upstream: str = ""
    title: str = "agreement with the annotators"

    def score(self, sample: Sample, text: str) -> Score:
        read = text.strip().rstrip(".").casefold()
        agree = sum(read == answer.strip().rstrip(".").casefold() for answer in sample.references)
        return Score(
            value=min(1.0, max(0, agree - 1) / 3 if agree < 4 else 1.0), read_as=read or None, rule="whole reply"
        )


@dataclass(frozen=True)
class _Estimate(Metric):
    """The share of ten tolerances that an estimate stays within."""

    id: str = "estimate"
    version: int = 1
    upstream: str = ""
    title: str = "mean relative accuracy"

    def score(self, sample: Sample, text: str) -> Score:
        words = text.split()
        read = words[0].rstrip(".") if words else ""
        if not read.isdigit():
            return Score(value=0.0)
        error = abs(int(read) - int(sample.references[0])) / int(sample.references[0])
        return Score(value=sum(error <= tenth / 20 for tenth in range(1, 11)) / 10, read_as=read, rule="first word")


@dataclass(frozen=True)
class _Letter(Metric):
    """The letter that a reply begins with."""

    id: str = "letter"
    version: int = 1
    upstream: str = ""
    title: str = "choice letter"

    def score(self, sample: Sample, text: str) -> Score:
        read = text.strip()[:1]
        return Score(value=float(read in sample.references), read_as=read or None, rule="first letter")


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
    return Starter(annotators=_Annotators(), estimate=_Estimate(), letter=_Letter())
