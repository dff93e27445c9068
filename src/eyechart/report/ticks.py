"""Questions × models with a tick for every right answer: several runs on the same questions, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from eyechart.benchmarks import Benchmark
from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.metrics.vqa_graded import gold_of
from eyechart.report.exports.answers import Answered, RunAnswers, told_apart
from eyechart.report.table import shorten, table

RIGHT, WRONG, NO_REPLY, NOT_ASKED, NO_SCORE = "✓", "✗", "!", "·", "?"
_LEGEND = {RIGHT: "right", WRONG: "wrong", NO_REPLY: "no reply", NOT_ASKED: "not asked", NO_SCORE: "no score defined"}

# Where the headline gives parts of a mark, this one of the benchmark's metrics says right or wrong.
_RIGHT_OR_WRONG = ("vqa_contains", "vsi_binary")
_FIRST_KINDS = ("yes/no", "color", "count", "other")


@dataclass(frozen=True, kw_only=True)
class Ticked:
    """One question with what each run made of it."""

    id: str
    question: str
    gold: str
    group: str
    ticks: Mapping[str, str]  # the run's model → one of the signs


@dataclass(frozen=True, kw_only=True)
class Ticks:
    """All questions of some runs, group by group."""

    metric: str  # what decides; full marks are a tick
    models: tuple[str, ...]
    rows: tuple[Ticked, ...]

    @property
    def groups(self) -> dict[str, list[Ticked]]:
        """The rows of each group, the four kinds of VQA questions in their usual order."""
        found: dict[str, list[Ticked]] = {}
        for row in self.rows:
            found.setdefault(row.group, []).append(row)
        rank = {name: place for place, name in enumerate(_FIRST_KINDS)}
        return dict(sorted(found.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0])))


def ticks_of(runs: Sequence[RunAnswers], by: str = "") -> Ticks:
    """The table of some runs on one benchmark; a question that only some were asked is in it too."""
    refuse_different_questions(runs)
    benchmark = runs[0].benchmark
    name = deciding(benchmark, runs[0].manifest.headline)
    metric, tag = get_metric(name), grouping(benchmark, by)
    models = told_apart(runs)
    rows: dict[str, tuple[Answered, dict[str, str]]] = {}
    for model, run in zip(models, runs, strict=True):
        for answered in run:
            _, signs = rows.setdefault(answered.sample.id, (answered, {}))
            signs[model] = sign(answered, answered.mark(metric).value)
    return Ticks(
        metric=name,
        models=models,
        rows=tuple(
            Ticked(
                id=identity,
                question=answered.sample.question,
                gold=gold_of(answered.sample) or "",
                group=answered.sample.tags.get(tag, "") if tag else "",
                ticks={model: signs.get(model, NOT_ASKED) for model in models},
            )
            for identity, (answered, signs) in rows.items()
        ),
    )


def sign(answered: Answered, value: float | None) -> str:
    """One cell. A failure is no answer, so it is not called a wrong one."""
    if answered.final is None:
        return NOT_ASKED
    if answered.text is None:
        return NO_REPLY
    if value is None:  # test splits have no public answers
        return NO_SCORE
    return RIGHT if value == 1 else WRONG


def deciding(benchmark: Benchmark, headline: str) -> str:
    """The metric that says right or wrong of a question of this benchmark."""
    return next((name for name in _RIGHT_OR_WRONG if name in benchmark.metrics), headline)


def grouping(benchmark: Benchmark, by: str) -> str:
    """The tag by which questions stand together."""
    if by and by not in benchmark.groups:
        raise UsageError(
            f"{benchmark.id} is not grouped by {by!r}", fix=f"one of: {', '.join(benchmark.groups) or 'nothing'}"
        )
    return by or ("kind" if "kind" in benchmark.groups else next(iter(benchmark.groups), ""))


def refuse_different_questions(runs: Sequence[RunAnswers]) -> None:
    """Runs on other questions cannot stand in one table."""
    first = runs[0].manifest
    for run in runs[1:]:
        other = run.manifest
        if (other.benchmark, other.data) != (first.benchmark, first.data):
            raise UsageError(
                f"{runs[0].folder.name} and {run.folder.name} were asked different questions",
                why=f"{first.benchmark} with data={first.data[:4]}, {other.benchmark} with data={other.data[:4]}",
                fix="show runs on the same benchmark and the same data",
            )


def ticks_text(ticks: Ticks, *, at_most: int, markdown: bool = False) -> str:
    """A table for every group, its counts below it, and what the signs mean."""
    lines: list[str] = []
    left = at_most
    for group, rows in ticks.groups.items():
        if left <= 0:
            break
        noun = "question" if len(rows) == 1 else "questions"
        lines.append(f"{'### ' if markdown else ''}{group or 'all'} ({len(rows):,} {noun})")
        lines += [""] if markdown else []
        cells = [
            [row.id, shorten(row.question, 60), shorten(row.gold, 24), *row.ticks.values()]
            for row in islice(rows, left)
        ]
        lines += [
            table(("id", "question", "gold", *ticks.models), [*cells, totals(ticks, rows)], markdown=markdown),
            "",
        ]
        left -= len(cells)
    shown = min(len(ticks.rows), at_most)
    lines.append(f"{shown:,} of {len(ticks.rows):,} questions; full marks by {ticks.metric}: {legend(ticks)}")
    return "\n".join(lines)


def totals(ticks: Ticks, rows: Sequence[Ticked]) -> list[str]:
    """The last row of a group: how many each has right, of those that it was asked."""
    counts = []
    for model in ticks.models:
        asked = [row.ticks[model] for row in rows if row.ticks[model] != NOT_ASKED]
        counts.append(f"{asked.count(RIGHT)}/{len(asked)}")
    return ["", "right", "", *counts]


def legend(ticks: Ticks) -> str:
    """What the signs mean; those that do not occur need no word."""
    seen = {sign for row in ticks.rows for sign in row.ticks.values()} | {RIGHT, WRONG}
    return ", ".join(f"{sign} {words}" for sign, words in _LEGEND.items() if sign in seen)
