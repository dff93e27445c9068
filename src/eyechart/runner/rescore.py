"""Marks a run again: other metrics or a newer version of them, no model calls; old scores are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from eyechart.benchmarks import Benchmark, get_benchmark
from eyechart.errors import InputError
from eyechart.marking.mark import mark
from eyechart.marking.rows import ScoredRow
from eyechart.marking.signature import marked_again
from eyechart.marking.stored import read_rows
from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.records import Entry
from eyechart.runner.finish import Result, answers_of, totals
from eyechart.store import Final, Manifest, RunFolder, read_finals
from eyechart.store.atomic import write_json
from eyechart.store.journal import Key
from eyechart.store.lock import locked


@dataclass(frozen=True, kw_only=True)
class Rescored:
    """The new scores, and what moved under the headline."""

    result: Result
    marked_before: bool
    changed: int  # questions whose mark moved


def rescore(folder: RunFolder, wanted: Sequence[str] = ()) -> Rescored:
    """Mark what the journal holds with the metrics that the run has and those that are wanted beside them."""
    with locked(folder.path):
        manifest = folder.manifest()
        benchmark = get_benchmark(manifest.benchmark, manifest.benchmark_options)
        finals = read_finals(folder.journal)
        entries = marked_entries(folder, manifest, benchmark, finals)
        metrics = metrics_again(benchmark, manifest, wanted)
        return _mark_again(folder, manifest, benchmark, metrics, entries=entries, finals=finals)


def metrics_again(benchmark: Benchmark, manifest: Manifest, wanted: Sequence[str]) -> list[Metric]:
    """The headline first, those that the run was marked with, then those that are new."""
    names = [manifest.headline, *manifest.metrics]
    names += [name for word in wanted for name in (benchmark.metrics if word == "all" else (word,))]
    return list({metric.id: metric for metric in map(get_metric, dict.fromkeys(names))}.values())


def marked_entries(
    folder: RunFolder, manifest: Manifest, benchmark: Benchmark, finals: dict[Key, Final]
) -> list[Entry]:
    """The questions of the run, in data order: those that were marked before, or all that were asked."""
    index = benchmark.source.index()
    if index.data != manifest.data:
        raise InputError(
            f"the data of {benchmark.id} are not those of run {folder.name}",
            why=f"the run was made on {manifest.data[:4]}, here are {index.data[:4]}",
            fix="name the files that the run was made on, or run again",
        )
    ids = {sample for sample, _ in values_of(folder, manifest.headline)} or {key.sample for key in finals}
    return [entry for entry in index.entries if entry.id in ids]


def _mark_again(
    folder: RunFolder,
    manifest: Manifest,
    benchmark: Benchmark,
    metrics: list[Metric],
    *,
    entries: list[Entry],
    finals: dict[Key, Final],
) -> Rescored:
    headline = metrics[0].id
    old = values_of(folder, headline)
    first, *further = (answers_of(finals, manifest.control, repeat) for repeat in range(manifest.repeats))
    encoder = msgspec.json.Encoder()
    changed = 0
    with folder.new_scores() as file:

        def write(row: ScoredRow) -> None:
            nonlocal changed
            file.write(encoder.encode(row) + b"\n")
            before = old.get((row.sample, row.repeat))
            changed += bool(old) and before != row.marks[headline].value

        document = mark(
            benchmark,
            metrics,
            first,
            entries,
            seed=manifest.seed,
            on_row=write,
            variant=manifest.control,
            repeats=further,
            signature=marked_again(manifest.signature, (entry.id for entry in entries), metrics[0]),
            answered_by=manifest.answered_by,
        )
    spent, took = totals(finals, 0.0)
    result = Result(folder=folder, model=manifest.model, document=document, cost=spent, time=took)
    write_json(folder.summary, result.as_json())
    return Rescored(result=result, marked_before=bool(old), changed=changed)


def values_of(folder: RunFolder, metric: str) -> dict[tuple[str, int], float | None]:
    """The marks of a metric as they stand in the folder; none where they are damaged, for they are derived."""
    if not folder.scores.exists():
        return {}
    try:
        return {(row.sample, row.repeat): row.marks[metric].value for row in read_rows(folder) if metric in row.marks}
    except InputError:
        return {}
