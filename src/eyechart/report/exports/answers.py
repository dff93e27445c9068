"""A run as the exports see it: questions in published order, each with its answer, its time and its marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from eyechart.benchmarks import Benchmark, get_benchmark
from eyechart.marking.document import Document
from eyechart.marking.stored import read_document, read_rows
from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.prompts import Style, render
from eyechart.records import Failure, Response, Sample, Score
from eyechart.runner.rescore import marked_entries
from eyechart.store import Final, Manifest, RunFolder, read_finals
from eyechart.store.atomic import replacing
from eyechart.store.folder import slug
from eyechart.store.journal import Key


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One question with what became of it."""

    sample: Sample
    final: Final | None  # None: it was not asked

    @property
    def response(self) -> Response | None:
        """The reply, if one arrived."""
        return self.final.response if self.final else None

    @property
    def failure(self) -> Failure | None:
        """The failure, if it ended in one."""
        return self.final.failure if self.final else None

    @property
    def text(self) -> str | None:
        """The reply's words; None where there is none: a failure is never an answer."""
        return self.response.text if self.response else None

    @property
    def seconds(self) -> float | None:
        """How long the reply took."""
        return self.final.timing.total_s if self.final and self.response else None

    @property
    def error(self) -> str:
        """Why there is no reply."""
        if self.response:
            return ""
        return f"{self.failure.kind}: {self.failure.message}" if self.failure else "not asked"

    def mark(self, metric: Metric) -> Score:
        """What a metric makes of it; without a reply, the mark of a wrong answer."""
        return metric.wrong(self.sample) if self.text is None else metric.score(self.sample, self.text)


class RunAnswers:
    """One run, read from its folder; marks are made afresh from the answers, so any metric can be asked for."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.manifest: Manifest = folder.manifest()
        self.benchmark: Benchmark = get_benchmark(self.manifest.benchmark, self.manifest.benchmark_options)
        self._finals = read_finals(folder.journal)
        self.entries = marked_entries(folder, self.manifest, self.benchmark, self._finals)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Answered]:
        """Every question of the run, without pictures."""
        for entry in self.entries:
            sample = self.benchmark.source.fetch(entry, media=False)
            yield Answered(sample=sample, final=self._finals.get(Key(entry.id, self.manifest.control, 0)))

    @cached_property
    def document(self) -> Document:
        """What the tables show."""
        return read_document(self.folder)

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that the run was marked with, the headline first."""
        names = [self.manifest.headline, *self.manifest.metrics]
        return [get_metric(name) for name in dict.fromkeys(names)]

    @property
    def statuses(self) -> dict[str, str]:
        """ok, unreadable, empty, truncated, refusal, failed or missing, by question."""
        return {row.sample: row.status for row in read_rows(self.folder) if row.repeat == 0}

    @property
    def model(self) -> str:
        """The model's name as a key or a part of a file name."""
        name = self.manifest.model
        return slug(name.rpartition("#")[2] or name)

    @property
    def started(self) -> datetime:
        """When the run was first started."""
        if not self.manifest.sessions:
            return datetime.fromtimestamp(0, UTC)
        return datetime.fromisoformat(self.manifest.sessions[0].started)

    @property
    def do_sample(self) -> bool:
        """Whether replies were drawn at a temperature."""
        return bool(self.manifest.sampling.get("temperature"))

    @property
    def max_tokens(self) -> int | None:
        """The longest reply that was asked for."""
        return self.manifest.sampling.get("max_tokens")

    @property
    def first_k(self) -> int | None:
        """How many questions the run was limited to."""
        word, _, number = self.manifest.selection.partition(" ")
        return int(number) if word == "limit" and number.isdigit() else None

    @cached_property
    def _style(self) -> Style:
        """As the run has it: a file of one's own may have changed since, or be elsewhere."""
        return msgspec.convert(self.manifest.prompt, Style)

    def words(self, sample: Sample) -> str:
        """The question as it was put, without its pictures."""
        prompt = render(sample, self._style)
        return "\n".join("".join(p for p in turn.parts if isinstance(p, str)) for turn in prompt.turns)


def told_apart(runs: Sequence[RunAnswers]) -> tuple[str, ...]:
    """The models' names; two runs of one model on the same benchmark also have their short id, so that none is lost."""
    keys = [(run.model, run.benchmark.id) for run in runs]
    return tuple(
        f"{run.model}-{run.folder.short_id}" if keys.count(key) > 1 else run.model
        for run, key in zip(runs, keys, strict=True)
    )


def mean(values: list[float]) -> float:
    """The plain mean; 0 of nothing, as the files that are written here have it."""
    return sum(values) / len(values) if values else 0.0


def write_document(path: Path, value: Any) -> Path:
    """One JSON document as those programs write it: indented by two, other alphabets as they are."""
    import json

    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode())
    return path
