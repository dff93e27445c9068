"""WUPS: an answer counts by how close in meaning its words come to the reference's, after Malinowski and Fritz.

An answer is a set of items separated by commas. Two items are worth 1 if they are written alike, else the best
Wu-Palmer similarity of their noun senses, cut to a tenth where it stays below the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from eyechart.errors import UsageError
from eyechart.metrics.base import Metric
from eyechart.metrics.wordnet import wordnet
from eyechart.metrics.wu_palmer import closest
from eyechart.records import Sample, Score

EXACT = -1.0  # the official program's threshold for "no similarity at all: written alike or not"
_DOWN_WEIGHT = 0.1
_SHOWN = 12  # items that an explanation spells out

Compare = Callable[[str, str], float]


def items(text: str) -> list[str]:
    """The items of an answer. Nothing is dropped: an empty text is one empty item, "a,a" is two items."""
    return [item.strip() for item in text.split(",")]


def item_score(left: str, right: str, threshold: float) -> float:
    """What one item is worth against another."""
    if left == right:  # before any folding of case: "Sofa" and "couch" go through WordNet, "sofa" and "sofa" do not
        return 1.0
    if threshold == EXACT:
        return 0.0
    kinship = closest(left, right)
    if kinship is None:
        return 0.0
    # Strictly below: "two" and "three" are 0.9 alike, and count in full at a threshold of 0.9.
    return kinship.similarity * (_DOWN_WEIGHT if kinship.similarity < threshold else 1.0)


def both_ways(reference: Sequence[str], answer: Sequence[str], compare: Compare) -> tuple[float, float]:
    """The product of each reference item's best counterpart in the answer, and the same the other way round."""
    return _covered(reference, answer, compare), _covered(answer, reference, compare)


def _covered(wanted: Sequence[str], given: Sequence[str], compare: Compare) -> float:
    counterparts = dict.fromkeys(given)  # repeats change no maximum
    best = {item: max(compare(item, other) for other in counterparts) for item in dict.fromkeys(wanted)}
    return math.prod(best[item] for item in wanted)


@dataclass(frozen=True)
class Wups(Metric):
    """The smaller of the two products, for the reference that fits best or as the mean over references."""

    threshold: float
    consensus: str
    id: str
    version: int = 1
    upstream: str = "calculate_wups.py (bupt-cist/vqa-playground-pytorch@91218a1e) on NLTK 3.10.4 and WordNet 3.0"
    title: str = "similarity of nouns in WordNet, item by item"

    def score(self, sample: Sample, text: str) -> Score:
        if not sample.references:
            return Score(value=None, error="no_reference: there is nothing to compare with")
        answer = items(text)
        compare = partial(item_score, threshold=self.threshold)
        each = [min(both_ways(items(reference), answer, compare)) for reference in dict.fromkeys(sample.references)]
        if self.consensus == "average":
            by_reference = dict(zip(dict.fromkeys(sample.references), each, strict=True))
            value = math.fsum(by_reference[reference] for reference in sample.references) / len(sample.references)
        else:
            value = max(each)
        rule = "one item" if len(answer) == 1 else f"{len(answer)} items, split at commas"
        return Score(value=value, read_as=", ".join(answer) if any(answer) else None, rule=rule)

    def wrong(self, sample: Sample) -> Score:
        return Score(value=0.0) if sample.references else self.score(sample, "")

    def explain(self, sample: Sample, text: str) -> str:
        score = self.score(sample, text)
        if score.value is None:
            return f"no score: {score.error}"
        lines = []
        for reference in dict.fromkeys(sample.references):
            lines += self._against(reference, text)
        if len(sample.references) > 1:
            how = "mean over" if self.consensus == "average" else "best of"
            lines.append(f"{how} {len(sample.references)} references: {score.value:.6g}")
        return "\n".join(lines)

    def _against(self, reference: str, text: str) -> list[str]:
        """The arithmetic for one reference, both ways."""
        wanted, answer = items(reference), items(text)
        compare = partial(item_score, threshold=self.threshold)
        lines = []
        products = both_ways(wanted, answer, compare)
        for side, ours, theirs, product in (
            ("reference → answer", wanted, answer, products[0]),
            ("answer → reference", answer, wanted, products[1]),
        ):
            best = [max(theirs, key=partial(compare, item)) for item in ours[:_SHOWN]]
            lines += [self._pair(item, other) for item, other in zip(ours, best, strict=False)]
            if len(ours) > _SHOWN:
                lines.append(f"… and {len(ours) - _SHOWN} more items")
            lines.append(f"{side}: product {product:.6g}")
        lines.append(f"the smaller product counts: {min(products):.6g}")
        return lines

    def _pair(self, left: str, right: str) -> str:
        """What two items are worth, in words."""
        value = item_score(left, right, self.threshold)
        head = f"{left!r} and {right!r}: "
        if left == right:
            return f"{head}written alike, 1"
        if self.threshold == EXACT:
            return f"{head}written differently, 0"
        kinship = closest(left, right)
        if kinship is None:
            without = " and ".join(repr(item) for item in (left, right) if not wordnet().synsets(item, "noun"))
            return f"{head}no noun sense of {without} in WordNet, 0"
        name = wordnet().noun_name
        found = f"{name(kinship.left)} and {name(kinship.right)} meet in {name(kinship.ancestor)}"
        if kinship.similarity < self.threshold:
            return f"{head}{found}, {kinship.similarity:.6g} < {self.threshold:g}, so a tenth: {value:.6g}"
        return f"{head}{found}, {value:.6g}"

    def printed(self, value: float) -> str:
        # The official program prints with "%2.2f", which rounds the binary number, not its decimal spelling.
        return f"{100.0 * value:2.2f}"


def wups(at: str = "0.9", consensus: str = "min") -> Metric:
    """Factory of `wups@T`; several references: `min` (the best one counts) or `average`, as their authors call them."""
    try:
        threshold = float(at)
    except ValueError:
        threshold = math.nan
    if not (0.0 <= threshold <= 1.0 or threshold == EXACT):
        raise UsageError(
            f"wups takes no threshold {at!r}",
            why="a threshold lies between 0 and 1; -1 stands for exact match",
            fix="wups@0.9 or wups@0.0",
        )
    if consensus not in ("min", "average"):
        raise UsageError(f"wups knows no consensus {consensus!r}", fix="consensus=min or consensus=average")
    name = f"wups@{-1 if threshold == EXACT else threshold}"
    return Wups(threshold, consensus, id=name if consensus == "min" else f"{name}[consensus={consensus}]")
