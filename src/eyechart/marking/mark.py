"""Marks every question of a benchmark: a stream of samples in, one document out, little held in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from eyechart.benchmarks.base import Benchmark
from eyechart.marking.document import Clusters, Counts, Document
from eyechart.marking.rows import Mark, ScoredRow
from eyechart.marking.status import reply_status
from eyechart.marking.tally import Frame, Tally
from eyechart.metrics.base import Metric
from eyechart.records import Entry, Failure, Outcome, ReplyStatus, Response, Sample, Score

Answered: TypeAlias = Outcome | None  # None: no answer was given
Answers: TypeAlias = Callable[[str], Answered]


def mark(
    benchmark: Benchmark,
    metrics: Sequence[Metric],
    answers: Answers,
    entries: Iterable[Entry],
    *,
    seed: int = 0,
    on_row: Callable[[ScoredRow], None] | None = None,
    missing: Literal["wrong", "skip"] = "wrong",
    variant: str = "",
    repeats: Sequence[Answers] = (),
    signature: str = "",
    answered_by: str = "",
) -> Document:
    """Mark these questions, in the order of `entries`, with every metric; the first one is the headline.

    Failures and missing answers count as wrong in `value` and are left out of `value_left_out`; with missing="skip"
    questions without any answer are in neither. `repeats` are further answers to the same questions: each is a row of
    its own, in the cluster of its question.
    """
    frame, tallies = Frame(benchmark.groups), [Tally(metric) for metric in metrics]
    statuses: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    for entry in entries:
        sample = benchmark.source.fetch(entry, media=False)
        cells = [metric.cell(sample) for metric in metrics]
        for tally in tallies:
            odd = tally.metric.oddity(sample)
            if odd:
                tally.oddities[odd] += 1
        for repeat, given in enumerate((answers, *repeats)):
            answer = given(entry.id)
            scores = _scores(metrics, sample, answer)
            status = _status(answer, scores[0])
            statuses[status] += 1
            if isinstance(answer, Failure):
                failures[answer.kind] += 1
            if answer is not None or missing == "wrong":
                frame.add(sample.cluster_key, sample.tags)
                for tally, score, cell in zip(tallies, scores, cells, strict=True):
                    tally.add(score, cell, answered=isinstance(answer, Response))
            if on_row is not None:
                marks = {m.id: Mark.of(s, c) for m, s, c in zip(metrics, scores, cells, strict=True)}
                on_row(_row(benchmark, sample, answer, status=status, marks=marks, variant=variant, repeat=repeat))
    return Document(
        benchmark=benchmark.id,
        signature=signature,
        answered_by=answered_by,
        headline=metrics[0].id,
        n=_counts(statuses, tallies[0].unreadable),
        failures=dict(failures),
        clusters=Clusters(n=len(frame.clusters.numbers), of=benchmark.cluster),
        seed=seed,
        missing=missing,
        metrics={tally.metric.id: tally.result(frame, seed=seed) for tally in tallies},
    )


def _scores(metrics: Sequence[Metric], sample: Sample, answer: Answered) -> list[Score]:
    if isinstance(answer, Response):
        return [metric.score(sample, answer.text) for metric in metrics]
    return [metric.wrong(sample) for metric in metrics]


def _status(answer: Answered, headline: Score) -> ReplyStatus:
    if isinstance(answer, Response):
        return reply_status(answer, headline)
    return "missing" if answer is None else "failed"


def _row(
    benchmark: Benchmark,
    sample: Sample,
    answer: Answered,
    *,
    status: ReplyStatus,
    marks: dict[str, Mark],
    variant: str,
    repeat: int,
) -> ScoredRow:
    return ScoredRow(
        sample=sample.id,
        variant=variant,
        repeat=repeat,
        cluster=sample.cluster_key,
        tags={group: sample.tags[group] for group in benchmark.groups if group in sample.tags},
        status=status,
        failure=answer.kind if isinstance(answer, Failure) else "",
        marks=marks,
    )


def _counts(statuses: Counter[str], unreadable: int) -> Counts:
    total = sum(statuses.values())
    return Counts(
        total=total,
        answered=total - statuses["missing"] - statuses["failed"],
        missing=statuses["missing"],
        failed=statuses["failed"],
        ok=statuses["ok"],
        unreadable=unreadable,
        empty=statuses["empty"],
        truncated=statuses["truncated"],
        refusal=statuses["refusal"],
    )
