"""Metrics for anybody's own data: exact match, choice letter, number within tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.metrics.base import Metric
from eyechart.records import Sample, Score


@dataclass(frozen=True)
class Exact(Metric):
    """The reply equals a reference once case and outer white space are folded."""

    id: str = "exact"
    version: int = 1
    upstream: str = ""
    title: str = "exact match, case and outer spaces ignored"

    def score(self, sample: Sample, text: str) -> Score:
        read = text.strip().casefold()
        hit = any(read == reference.strip().casefold() for reference in sample.references)
        return Score(value=float(hit), read_as=read or None, rule="whole reply")


def exact() -> Metric:
    """Factory of `exact`."""
    return Exact()
