"""What is to be marked when a file of answers is scored, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from eyechart.benchmarks.base import Benchmark
from eyechart.errors import UsageError
from eyechart.marking.document import Document
from eyechart.marking.files.answers import AnswerSet, read_answers
from eyechart.marking.files.gold import GoldFiles
from eyechart.marking.rows import ScoredRow
from eyechart.metrics.base import Metric

Missing = Literal["error", "wrong", "skip"]


@dataclass(frozen=True, kw_only=True)
class ScoreRequest:
    """What is to be marked, against what, and how."""

    benchmark: str
    predictions: Path | Mapping[str, str]  # a file, or answers by question id
    files: GoldFiles = field(default_factory=GoldFiles)
    metrics: Sequence[str] = ()
    missing: Missing = "error"
    model: str = ""  # of a file with several models this one; otherwise what to call the model
    seed: int = 0

    @property
    def source(self) -> str:
        """The file's name, as messages and the signature have it."""
        return self.predictions.name if isinstance(self.predictions, Path) else "given"

    def answer_sets(self) -> list[AnswerSet]:
        """Every model's answers."""
        if isinstance(self.predictions, Path):
            return read_answers(self.predictions)
        return [AnswerSet(model="answers", answers={str(key): text for key, text in self.predictions.items()})]


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """A question on which the file's own record of a score is not what its answer gives."""

    sample: str
    metric: str
    recorded: float
    ours: float
    explanation: str


@dataclass(frozen=True, kw_only=True)
class FileResult:
    """One model's answers, marked."""

    model: str
    document: Document
    metrics: Sequence[Metric]
    benchmark: Benchmark
    answers: Mapping[str, str] = field(default_factory=dict)  # these and the rows only where they were asked for,
    rows: Sequence[ScoredRow] = ()  # or the file holds several models
    disagreements: Sequence[Disagreement] = ()
    recorded: Mapping[str, float] = field(default_factory=dict)  # metric → the mean that the file itself records

    def as_json(self) -> dict[str, object]:
        """The score document, with the model's name and what its file recorded."""
        built: dict[str, object] = {**msgspec.to_builtins(self.document), "model": self.model}
        if self.recorded:
            built["recorded"] = {
                "metrics": dict(self.recorded),
                "disagreements": [
                    {"sample": d.sample, "metric": d.metric, "recorded": d.recorded, "value": d.ours}
                    for d in self.disagreements
                ],
            }
        return built


def only_one(results: Sequence[FileResult], name: str) -> FileResult:
    """The one model of a file, where one is needed."""
    if len(results) != 1:
        names = ", ".join(result.model for result in results)
        raise UsageError(f"{name} holds {len(results)} models", why=names, fix="choose one by its name")
    return results[0]
