"""The contract of a metric: two pure functions, cut where statistics need the cut.

`score` marks one answer. `aggregate` turns *sums over cells* into the numbers that the benchmark prints. A cell is the
finest group whose sums the official formula needs: nothing for a plain mean, the question type for a macro mean, type
and answer for a normalised one. Intervals come from resampling clusters, adding up the sums again and calling
`aggregate` again, so they are honest for macro means, harmonic means and corpus scores alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Protocol, TypeAlias

from eyechart.records import Sample, Score

Cell: TypeAlias = tuple[str, ...]
# (how many answers have a defined score, the sum of their values, then the sums of Score.stats)
Sums: TypeAlias = tuple[float, ...]


class Metric(Protocol):
    """How an answer is marked. Frozen: configuring one makes a new one."""

    id: str  # "wups@0.9", "vqa_enhanced[keywords=word]"
    version: int  # raised whenever any score could change
    upstream: str  # the program whose scores these are, with commit; empty: our own rule
    title: str  # one line for people

    def score(self, sample: Sample, text: str) -> Score:
        """Mark one answer. Never raises on any text; pure."""
        ...

    def wrong(self, sample: Sample) -> Score:
        """The score of a question without any answer, in the reading that counts failures as wrong."""
        return Score(value=0.0)

    def null(self, sample: Sample) -> Score:
        """The score of a null in place of an answer, where the official program has one."""
        return Score(value=None, error="no_answer: the answer is null, and the metrics read text")

    def explain(self, sample: Sample, text: str) -> str:
        """The arithmetic behind the score, for a person."""
        score = self.score(sample, text)
        if score.error:
            return f"no score: {score.error}"
        return f"read as {score.read_as!r} ({score.rule}): {score.value:g}"

    def cell(self, sample: Sample) -> Cell:
        """The finest group whose sums `aggregate` needs."""
        return ()

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        """From sums over cells, in order of first appearance, to numbers.

        "value" is the headline; other keys are "GROUP=NAME" for the tables that the official program prints itself
        ("question_type=object_rel_direction"). Where no number is defined the key is absent.
        """
        return plain_mean(sums)

    def notes(self, sums: Mapping[Cell, Sums]) -> tuple[str, ...]:
        """What a reader of this aggregate must know: where it is defined by our rule and not by the official one."""
        return ()

    def oddity(self, sample: Sample) -> str:
        """What is odd about the question itself ("gold_negative"), so that it is counted; empty: nothing."""
        return ""

    def printed(self, value: float) -> str:
        """The number as the official program prints it."""
        return percent(value)


def plain_mean(sums: Mapping[Cell, Sums]) -> dict[str, float]:
    """The mean over all answers with a defined score."""
    n = sum(cell[0] for cell in sums.values())
    if not n:
        return {}
    total = 0.0
    for cell in sums.values():
        total += cell[1]
    return {"value": total / n}


def percent(value: float, places: int = 2) -> str:
    """A fraction as per cent, ties away from zero as Python 2 and most tables round."""
    return str(Decimal(100.0 * value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
