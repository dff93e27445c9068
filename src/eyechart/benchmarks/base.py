"""The contract of a benchmark: what is asked, how it is put, how it is marked and grouped. No metric code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eyechart.media.rule import MediaRule
from eyechart.records import Sampling
from eyechart.sources.base import Source

__all__ = ["Benchmark", "MediaRule"]


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One benchmark, or a part of one, ready to be asked."""

    name: str  # "vsibench"
    part: str = ""  # "debiased": what follows the first colon
    title: str
    about: str  # one sentence for people
    source: Source
    metrics: tuple[str, ...]  # the headline first
    official: int = 1  # so many of them the official program prints: they are marked however many questions there are
    style: str  # the prompt style by default: "short.v1"
    groups: tuple[str, ...] = ()  # tags by which results are broken down
    sampling: Sampling = field(default_factory=Sampling)
    media: MediaRule = field(default_factory=MediaRule)
    method: str = "direct"
    modality: str = "image"
    size: str = ""  # "214,354 questions, 6.6 GB"
    licence: str = ""
    home: str = ""  # where the data come from: hub id and revision, or a page
    cluster: str = "picture"  # what questions share: the noun for reports
    options: Mapping[str, str] = field(default_factory=dict)  # what, with the id, names the same benchmark again
    note: str = ""  # what has to be said aloud before it is run: how own data were read, what is not there yet

    @property
    def id(self) -> str:
        """The name with its part, as it is typed: `vsibench:debiased`."""
        return f"{self.name}:{self.part}" if self.part else self.name

    @property
    def headline(self) -> str:
        """The metric whose value is the score."""
        return self.metrics[0]
