"""The Python interface: the same words as on the command line, results as objects.

import eyechart

run = eyechart.run("starter", "baseline:majority", limit=20)
run.score, run.interval      # 0.42, (0.31, 0.54)
print(run.table())
print(eyechart.compare(run, "runs/20261118-190612_starter_tiny"))
"""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from eyechart.marking.compare import Comparison
from eyechart.marking.document import Document
from eyechart.marking.file_result import FileResult, ScoreRequest, only_one
from eyechart.marking.files.gold import GoldFiles
from eyechart.marking.rows import ScoredRow
from eyechart.marking.score_file import score_file
from eyechart.marking.stored import read_document, read_rows
from eyechart.records import Exchange
from eyechart.report.result import part_of, result_text
from eyechart.report.verdict import verdict
from eyechart.runner.finish import finish
from eyechart.runner.plan import Selection
from eyechart.runner.session import ask
from eyechart.runner.settle import settle
from eyechart.runner.spec import RunSpec
from eyechart.runner.versus import Allowed, compare_runs
from eyechart.runner.watch import Watch
from eyechart.store import Manifest, RunFolder, read_exchanges
from eyechart.store import open_run as find_run


class Scored(ABC):
    """What a run and a file of answers have in common once they are marked."""

    @property
    @abstractmethod
    def document(self) -> Document:
        """Everything that was marked."""

    @property
    def score(self) -> float | None:
        """The headline, as a fraction; questions without an answer are counted wrong."""
        return self.document.result.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval."""
        return self.document.result.ci

    def table(self, *, by: str = "", markdown: bool = False) -> str:
        """The table that the command line prints."""
        return result_text(self.document, by=by, markdown=markdown, stamp=self._stamp)

    @property
    def _stamp(self) -> str:
        """What has to be said before the number is read."""
        return ""

    def _repr_html_(self) -> str:
        # Notebooks show this; all text is escaped, since names and replies are not ours.
        return f"<pre>{html.escape(self.table())}</pre>"


@dataclass(frozen=True)
class Run(Scored):
    """A run on disk: its score, its table, its questions."""

    folder: RunFolder
    interrupted: bool = field(default=False, compare=False)

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder.path

    @property
    def manifest(self) -> Manifest:
        """How it was made."""
        return self.folder.manifest()

    @property
    def document(self) -> Document:
        """Everything that was marked."""
        return read_document(self.folder)

    @property
    def _stamp(self) -> str:
        return part_of(self.manifest, self.document)

    def rows(self) -> Iterator[ScoredRow]:
        """One row per question, in data order."""
        return read_rows(self.folder)

    def exchanges(self) -> Iterator[Exchange]:
        """Prompts and replies, in the order in which they ended."""
        return read_exchanges(self.folder.journal)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


@dataclass(frozen=True)
class Verdict:
    """A comparison of two runs; printed, it is the sentence."""

    comparison: Comparison

    @property
    def difference(self) -> float:
        """The first minus the second, as a fraction."""
        return self.comparison.difference

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval."""
        return self.comparison.ci

    @property
    def shown(self) -> bool:
        """Whether the data show a difference at all."""
        return self.comparison.shown

    def __str__(self) -> str:
        return verdict(self.comparison)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def run(
    benchmark: str,
    model: str,
    *,
    options: Mapping[str, Any] | None = None,
    model_args: Mapping[str, Any] | None = None,
    gen: Mapping[str, Any] | None = None,
    retry_truncated: bool = False,
    media: Mapping[str, Any] | None = None,
    prompt: str = "",
    control: str = "",
    limit: int | str = "",
    sample: int = 0,
    ids: str | Sequence[str] = (),
    filter: Mapping[str, str] | None = None,  # noqa: A002 - the command line's word
    seed: int = 0,
    repeats: int = 1,
    concurrency: int | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    metrics: str | Sequence[str] = (),
    runs: str | Path = "runs",
    fresh: bool = False,
    resume: str | Path | Run = "",
    retry: str | Sequence[str] = (),
    watch: Watch | None = None,
) -> Run:
    """Put a benchmark to a model, mark the answers, return the run. The same call again continues or re-reads it."""
    settled = settle(
        RunSpec(
            benchmark=benchmark,
            model=model,
            benchmark_options=texts(options),
            model_args=texts(model_args),
            metrics=words(metrics),
            style=prompt,
            gen=texts(gen),
            retry_truncated=retry_truncated,
            media=texts(media),
            control=control,
            selection=Selection(limit=str(limit), sample=sample, ids=words(ids), where=tuple(texts(filter).items())),
            seed=seed,
            repeats=repeats,
            concurrency=concurrency,
            timeout_s=timeout,
            tries=1 + retries,
            runs=Path(runs),
            fresh=fresh,
            resume=str(resume.path if isinstance(resume, Run) else resume),
            retry=frozenset(words(retry)),
            command="eyechart.run(…)",
        )
    )
    asked = ask(settled, watch or Watch())
    if not asked.interrupted:
        finish(settled, asked.folder, asked.seconds)
    return Run(asked.folder, asked.interrupted)


def open_run(which: str | Path | Run, runs: str | Path = "runs") -> Run:
    """The run with this path, name or four-letter id."""
    return which if isinstance(which, Run) else Run(find_run(which, Path(runs)))


def compare(
    first: str | Path | Run,
    second: str | Path | Run,
    *,
    metric: str = "",
    across: str | Sequence[str] = (),
    allow_mismatch: bool = False,
    runs: str | Path = "runs",
) -> Verdict:
    """Is the first run better than the second? Paired on shared questions; refused where they may not be compared."""
    comparison = compare_runs(
        open_run(first, runs).folder,
        open_run(second, runs).folder,
        metric=metric,
        allowed=Allowed(fields=words(across), anything=allow_mismatch),
    )
    return Verdict(comparison)


@dataclass(frozen=True)
class Marked(Scored):
    """A file of answers, marked."""

    result: FileResult

    @property
    def document(self) -> Document:
        """Everything that was marked."""
        return self.result.document

    def __repr__(self) -> str:
        return f"Marked({self.result.model!r}, {self.document.headline}={self.document.result.printed})"


def score(
    benchmark: str,
    predictions: str | Path | Mapping[Any, str],
    *,
    questions: str | Path | None = None,
    annotations: str | Path | None = None,
    data: str | Path | None = None,
    answer_key: str | Path | None = None,
    metrics: str | Sequence[str] = (),
    missing: Literal["error", "wrong", "skip"] = "error",
    model: str = "",
    seed: int = 0,
) -> Marked:
    """Mark a file of answers, or answers by question id, as `eyechart score` does."""
    request = ScoreRequest(
        benchmark=benchmark,
        predictions=predictions if isinstance(predictions, Mapping) else Path(predictions),
        files=GoldFiles(
            questions=Path(questions) if questions else None,
            annotations=Path(annotations) if annotations else None,
            data=Path(data) if data else None,
            answer_key=Path(answer_key) if answer_key else None,
        ),
        metrics=words(metrics),
        missing=missing,
        model=model,
        seed=seed,
    )
    return Marked(only_one(score_file(request), request.source))


def words(given: str | Sequence[str]) -> tuple[str, ...]:
    """One word is a list of one, not of its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


def texts(given: Mapping[str, Any] | None) -> dict[str, str]:
    """Options as the words that the command line would have."""
    shown = {name: str(value) for name, value in (given or {}).items()}
    return {name: text.lower() if text in ("True", "False") else text for name, text in shown.items()}
