"""METEOR of 2005 to 2007: words matched by form, stem or meaning, then a penalty for matches out of order.

Scores are those of NLTK's `meteor_score` on words between white space. It is not METEOR 1.5 (the Java program), which
has paraphrases and other parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from eyechart.metrics.base import Metric
from eyechart.metrics.porter import stem
from eyechart.metrics.wordnet import LONGEST, wordnet
from eyechart.records import Sample, Score

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
_SHOWN = 30  # matches that an explanation spells out

Words = dict[int, str]  # place in the sentence → word, in order of place


class Match(NamedTuple):
    """One word of the answer and the word of the reference it was matched with."""

    answer: int
    reference: int
    how: str


class Alignment(NamedTuple):
    """All matches of an answer with one reference, and what follows from them."""

    matches: list[Match]  # in the order of the answer
    n_answer: int
    n_reference: int
    chunks: int
    precision: float
    recall: float
    fmean: float
    penalty: float
    value: float


def align(answer: str, reference: str) -> Alignment:
    """Match two texts, greedily in three passes, and score the result."""
    ours, theirs = answer.lower().split(), reference.lower().split()
    left, right = dict(enumerate(ours)), dict(enumerate(theirs))
    matches = _match_equal(left, right, "same word")
    if left and right:
        left = {place: stem(word) for place, word in left.items()}
        right = {place: stem(word) for place, word in right.items()}
        matches += _match_equal(left, right, "same stem")
        # The stems, not the words, are looked up: car and automobile do not match, sofa and couch do. Kept: parity.
        matches += _match_synonyms(left, right)
    return _scored(sorted(matches), len(ours), len(theirs))


def _match_equal(left: Words, right: Words, how: str) -> list[Match]:
    """Match equal words from the end backwards, each with the last free one; what matched leaves both sides."""
    if not left or not right:
        return []
    free = _places(right)
    matches = []
    for place in reversed(tuple(left)):
        places = free.get(left[place])
        if places:
            other = places.pop()
            matches.append(Match(place, other, how))
            del left[place], right[other]
    return matches


def _match_synonyms(left: Words, right: Words) -> list[Match]:
    """Match words of which one is a synonym of the other, again from the end, with the last free one that fits."""
    if not left or not right:
        return []
    free = _places(right)
    wanted = set(free)
    matches = []
    for place in reversed(tuple(left)):
        found = synonyms(left[place]) & wanted
        if not found:
            continue
        word = max(found, key=lambda candidate: free[candidate][-1])
        matches.append(Match(place, free[word].pop(), "synonym"))
        if not free[word]:
            wanted.remove(word)
    return matches


def _places(words: Words) -> dict[str, list[int]]:
    """Word → its places, in order."""
    places: dict[str, list[int]] = {}
    for place, word in words.items():
        places.setdefault(word, []).append(place)
    return places


def synonyms(word: str) -> frozenset[str]:
    """The words that share a sense with this one in WordNet."""
    return _synonyms(word) if len(word) <= LONGEST else frozenset()


@lru_cache(maxsize=1 << 16)
def _synonyms(word: str) -> frozenset[str]:
    return wordnet().synonyms(word)


def _scored(matches: list[Match], n_answer: int, n_reference: int) -> Alignment:
    n = len(matches)
    if not n:
        return Alignment(matches, n_answer, n_reference, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chunks = 1 + sum(b.answer != a.answer + 1 or b.reference != a.reference + 1 for a, b in pairwise(matches))
    precision, recall = n / n_answer, n / n_reference
    fmean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    penalty = GAMMA * (chunks / n) ** BETA
    value = (1 - penalty) * fmean
    return Alignment(matches, n_answer, n_reference, chunks, precision, recall, fmean, penalty, value)


@dataclass(frozen=True)
class Meteor(Metric):
    """The best METEOR over the references."""

    id: str = "meteor"
    version: int = 1
    upstream: str = "NLTK 3.10.4 meteor_score (alpha 0.9, beta 3, gamma 0.5) on WordNet 3.0"
    title: str = "METEOR of 2005: words, stems, synonyms, order"

    def score(self, sample: Sample, text: str) -> Score:
        if not sample.references:
            return Score(value=None, error="no_reference: there is nothing to compare with")
        value = max(align(text, reference).value for reference in sample.references)
        return Score(value=value, read_as=" ".join(text.lower().split()) or None, rule="words in lower case")

    def wrong(self, sample: Sample) -> Score:
        return Score(value=0.0) if sample.references else self.score(sample, "")

    def explain(self, sample: Sample, text: str) -> str:
        if not sample.references:
            return f"no score: {self.score(sample, text).error}"
        alignments: Mapping[str, Alignment] = {reference: align(text, reference) for reference in sample.references}
        reference = max(alignments, key=lambda candidate: alignments[candidate].value)
        found = alignments[reference]
        if not found.matches:
            return "no word of the answer matches one of a reference: 0"
        ours, theirs = text.lower().split(), reference.lower().split()
        lines = [f"{ours[m.answer]!r} = {theirs[m.reference]!r} ({m.how})" for m in found.matches[:_SHOWN]]
        if len(found.matches) > _SHOWN:
            lines.append(f"… and {len(found.matches) - _SHOWN} more matches")
        n = len(found.matches)
        lines += [
            f"precision {n}/{found.n_answer}, recall {n}/{found.n_reference}, F = PR/(0.9P + 0.1R) = {found.fmean:.6g}",
            f"{found.chunks} of {n} stretches in order: penalty 0.5 × ({found.chunks}/{n})³ = {found.penalty:.6g}",
            f"(1 - {found.penalty:.6g}) × {found.fmean:.6g} = {found.value:.6g}",
        ]
        if len(alignments) > 1:
            lines.append(f"against the best of {len(alignments)} references: {reference!r}")
        return "\n".join(lines)


def meteor() -> Metric:
    """Factory of `meteor`."""
    return Meteor()
