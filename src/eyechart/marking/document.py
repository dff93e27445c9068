"""The result of marking, as one JSON document: `eyechart/score@1`."""

from __future__ import annotations

from typing import Literal

import msgspec


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What all parts of the document share: every field is written, also where it is zero."""


class Counts(Part, frozen=True, kw_only=True):
    """What became of every question: total = answered + missing + failed."""

    total: int
    answered: int  # a reply arrived, readable or not
    missing: int  # no answer was given
    failed: int  # the model ended in a failure
    # Of the answered; a reply may be in several of these:
    unreadable: int  # the headline found no answer in it, for whatever reason
    ok: int
    empty: int
    truncated: int
    refusal: int


class Clusters(Part, frozen=True, kw_only=True):
    """What intervals resample: questions about one picture are not independent."""

    n: int
    of: str  # "picture", "scene" …


class GroupScore(Part, frozen=True, kw_only=True):
    """One line of a table."""

    value: float | None
    printed: str
    n: int  # questions with a defined score
    ci: tuple[float, float] | None = None
    unanswered: int = 0  # of them, without an answer: counted wrong


class MetricResult(Part, frozen=True, kw_only=True):
    """What one metric says."""

    value: float | None  # failures and missing answers counted wrong; None: no number is defined
    value_left_out: float | None  # failures and missing answers left out
    printed: str  # as the official program prints it
    ci: tuple[float, float] | None  # 95 %
    interval: str  # the method that found it
    n: int  # questions with a defined score
    undefined: int  # questions on which this metric has no defined score: in no mean
    errors: dict[str, int]  # why, with counts
    unreadable: int  # replies in which this metric found no answer
    by: dict[str, dict[str, GroupScore]]
    oddities: dict[str, int] = {}  # what is odd about questions themselves, with counts: gold_negative
    notes: list[str] = []  # where the number is defined by our rule and not by the official one


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one marking."""

    schema: Literal["eyechart/score@1"] = "eyechart/score@1"
    benchmark: str
    signature: str
    answered_by: str = ""  # the second part of the signature
    headline: str
    n: Counts
    failures: dict[str, int] = {}  # kinds, with counts
    clusters: Clusters
    seed: int = 0
    missing: Literal["wrong", "skip"] = "wrong"  # what was done with questions without an answer
    notes: list[str] = []  # what else must be known: answers that were left aside, ids that came twice
    metrics: dict[str, MetricResult]

    @property
    def result(self) -> MetricResult:
        """The headline's result."""
        return self.metrics[self.headline]
