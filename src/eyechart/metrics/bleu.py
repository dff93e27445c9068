"""BLEU-1: the share of an answer's words that a reference has, cut where the answer is shorter than it.

Words are what stands between white space, case and punctuation included.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eyechart.metrics.base import Cell, Metric, Sums
from eyechart.records import Sample, Score


class Counts(NamedTuple):
    """What BLEU-1 is computed from, for one answer or added up over many."""

    matches: float
    denominator: float  # words of the answer, at least one an answer: NLTK avoids dividing by zero so. Kept: parity.
    words: float
    reference_words: float

    @property
    def brevity(self) -> float:
        """The factor for answers that are shorter than their references."""
        if self.words > self.reference_words:
            return 1.0
        return math.exp(1.0 - self.reference_words / self.words) if self.words else 0.0

    @property
    def bleu(self) -> float:
        """Precision times brevity."""
        return self.brevity * self.matches / self.denominator if self.matches else 0.0


def count(answer: str, references: Sequence[str]) -> Counts:
    """Clipped matches and lengths; there is at least one reference."""
    words = answer.split()
    ceiling: Counter[str] = Counter()
    lengths = []
    for reference in references:
        theirs = reference.split()
        lengths.append(len(theirs))
        ceiling |= Counter(theirs)
    matches = sum(min(n, ceiling[word]) for word, n in Counter(words).items())
    # The length nearest to the answer's; of two that are equally near, the shorter one.
    nearest = min(lengths, key=lambda length: (abs(length - len(words)), length))
    return Counts(matches, max(1, len(words)), len(words), nearest)


@dataclass(frozen=True)
class Bleu1(Metric):
    """BLEU-1 of each answer; the number of a data set is their mean, or, for the corpus form, BLEU-1 of all counts."""

    corpus: bool
    id: str
    title: str
    version: int = 1
    upstream: str = "NLTK 3.10.4 bleu_score, weights (1,)"

    def score(self, sample: Sample, text: str) -> Score:
        if not sample.references:
            return Score(value=None, error="no_reference: there is nothing to compare with")
        counts = count(text, sample.references)
        read = " ".join(text.split())
        stats = tuple(float(n) for n in counts) if self.corpus else ()
        return Score(value=counts.bleu, read_as=read or None, rule=f"{counts.words} words", stats=stats)

    def wrong(self, sample: Sample) -> Score:
        # For the corpus form a missing answer is an empty one: its reference still counts towards the length.
        return self.score(sample, "")

    def explain(self, sample: Sample, text: str) -> str:
        score = self.score(sample, text)
        if score.value is None:
            return f"no score: {score.error}"
        counts = count(text, sample.references)
        how = "no cut" if counts.brevity == 1.0 else f"exp(1 - {counts.reference_words}/{counts.words})"
        if not counts.words:
            return "the answer has no words: 0"
        return (
            f"{counts.matches} of {counts.words} words found; nearest reference has {counts.reference_words}: {how}; "
            f"{counts.matches}/{counts.words} × {counts.brevity:.6g} = {score.value:.6g}"
        )

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        if not self.corpus:
            return super().aggregate(sums)
        if not sum(cell[0] for cell in sums.values()):
            return {}
        columns = zip(*(cell[2:6] for cell in sums.values()), strict=True)
        return {"value": Counts(*(math.fsum(column) for column in columns)).bleu}


def bleu1() -> Metric:
    """Factory of `bleu1`: the mean over answers."""
    return Bleu1(corpus=False, id="bleu1", title="BLEU-1 with brevity penalty, mean over answers")


def bleu1_corpus() -> Metric:
    """Factory of `bleu1_corpus`: matches and lengths added up over all answers first."""
    return Bleu1(corpus=True, id="bleu1_corpus", title="BLEU-1 with brevity penalty, over all answers together")
