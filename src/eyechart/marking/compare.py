"""Is one run better than another? Paired on the questions that both answered, under one metric."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import msgspec

from eyechart.errors import InputError, UsageError
from eyechart.marking.rows import Mark, ScoredRow
from eyechart.marking.signature import differences
from eyechart.metrics.base import Cell, Metric
from eyechart.stats.intervals import CellTable, Interval, bootstrap, is_plain_mean, mean_interval
from eyechart.stats.paired import PairedResult, compare_formulas, compare_means, holm
from eyechart.stats.power import questions_needed, smallest_difference

if TYPE_CHECKING:
    from eyechart.stats.intervals import Floats, Indices

ALPHA = 0.05


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the two: its name for people, its signature (first part), and its marked questions."""

    name: str
    rows: Iterable[ScoredRow]
    signature: str = ""
    run: str = ""  # what commands call it, where that is not the name


class SideResult(msgspec.Struct, frozen=True, kw_only=True):
    """One side's score on the shared questions."""

    name: str
    value: float
    printed: str
    ci: tuple[float, float] | None
    unanswered: int  # failures and missing answers, counted wrong


class GroupComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table: the difference within a group; `p_holm` allows for how many lines were looked at."""

    n: int
    difference: float
    ci: tuple[float, float] | None
    p: float
    p_holm: float
    won: int
    lost: int
    same: int


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What the pairs show about the first minus the second."""

    schema: Literal["eyechart/compare@1"] = "eyechart/compare@1"
    metric: str
    first: SideResult
    second: SideResult
    n: int  # pairs
    total: int  # questions of both runs together
    undefined: int  # shared questions without a defined score on one side
    clusters: int
    difference: float
    ci: tuple[float, float] | None
    interval: str
    p: float
    test: str  # the one that gives the verdict
    shown: bool  # p < 0.05
    won: int
    lost: int
    same: int
    questions_needed: int | None  # to see this difference four times in five at this rate of disagreement
    smallest_difference: float | None  # that this many questions show four times in five
    by: dict[str, dict[str, GroupComparison]]
    differs: dict[str, tuple[str, str]]  # fields of the signature that were allowed to differ
    seed: int


def compare(
    first: Side,
    second: Side,
    metric: Metric,
    *,
    across: Collection[str] = (),
    allow_mismatch: bool = False,
    seed: int = 0,
) -> Comparison:
    """Compare two runs; refused where they were asked or marked differently, except in the fields named in `across`."""
    differs = check_comparable(first, second, across=across, allow_mismatch=allow_mismatch)
    pairs = _pair(first, second, metric)
    if not len(pairs.a):
        raise InputError(
            f"{first.name} and {second.name} share no question with a score under {metric.id}",
            why=f"{pairs.total} questions in all, {pairs.undefined} shared without a defined score",
        )
    means = compare_means(pairs.a, pairs.b, pairs.clusters, seed=seed)
    plain = pairs.is_plain(metric)
    if plain:
        difference, interval, p, test = means.difference, means.interval, means.p, means.method
    else:
        difference, interval, p, test = compare_formulas(
            pairs.table("a"), pairs.table("b"), metric.aggregate, seed=seed
        )
    needed, smallest = _power(means, difference, interval, plain=plain)
    return Comparison(
        metric=metric.id,
        first=_side(first.name, pairs, "a", metric, plain=plain, seed=seed),
        second=_side(second.name, pairs, "b", metric, plain=plain, seed=seed),
        n=len(pairs.a),
        total=pairs.total,
        undefined=pairs.undefined,
        clusters=means.clusters,
        difference=difference,
        ci=_bounds(interval),
        interval=interval.method if interval else "",
        p=p,
        test=test,
        shown=p < ALPHA,
        won=means.won,
        lost=means.lost,
        same=means.same,
        questions_needed=needed,
        smallest_difference=smallest,
        by=_tables(pairs, seed),
        differs=differs,
        seed=seed,
    )


def check_comparable(
    first: Side, second: Side, *, across: Collection[str] = (), allow_mismatch: bool = False
) -> dict[str, tuple[str, str]]:
    """The fields of the signatures that differ, all of them allowed; or an error that names one that is not."""
    if not (first.signature and second.signature):
        return {}
    differs = differences(first.signature, second.signature)
    for name, (one, other) in differs.items():
        if name not in across and not allow_mismatch:
            raise UsageError(
                f"these runs may not be compared: {name} differs",
                why=f"{first.name} has {name}={one or '(nothing)'}, {second.name} has {name}={other or '(nothing)'}",
                fix=f"--across {name} if that is what you compare, or --allow-mismatch to compare whatever differs",
            )
    return differs


# ── pairs as columns ──────────────────────────────────────────────────────────


@dataclass(kw_only=True)
class _Column:
    """One side's marks, in its own order; a few dozen bytes a question."""

    place: dict[tuple[str, int], int] = field(default_factory=dict)
    values: array[float] = field(default_factory=lambda: array("d"))
    unanswered: bytearray = field(default_factory=bytearray)
    cells: list[Cell] = field(default_factory=list)
    stats: list[tuple[float, ...]] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    groups: list[tuple[tuple[str, str], ...]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class _Pairs:
    """Both sides on the shared questions, in the first one's order."""

    a: Floats
    b: Floats
    unanswered: dict[str, int]
    clusters: Indices
    cells: dict[str, list[Cell]]
    stats: dict[str, list[tuple[float, ...]]]
    groups: list[tuple[tuple[str, str], ...]]
    total: int
    undefined: int

    def is_plain(self, metric: Metric) -> bool:
        """Whether the metric is the mean of its marks on these questions."""
        for side in ("a", "b"):
            table = self.table(side)
            sums = dict(zip(table.keys, map(tuple, table.totals().tolist()), strict=True))
            if not is_plain_mean({key: cell for key, cell in sums.items() if cell[0] > 0}, metric.aggregate):
                return False
        return True

    def table(self, side: str) -> CellTable:
        """Sums per cluster and cell; both sides number the same cells."""
        import numpy as np

        numbers: dict[Cell, int] = {}
        for cell in (*self.cells["a"], *self.cells["b"]):
            numbers.setdefault(cell, len(numbers))
        width = max(len(further) for further in (*self.stats["a"], *self.stats["b"]))
        rows = np.zeros((len(self.a), 2 + width))
        rows[:, 0], rows[:, 1] = 1.0, self.a if side == "a" else self.b
        for i, further in enumerate(self.stats[side] if width else ()):
            rows[i, 2 : 2 + len(further)] = further
        place = np.array([numbers[cell] for cell in self.cells[side]], dtype=np.int64)
        return CellTable.build(tuple(numbers), int(self.clusters.max()) + 1, self.clusters, place, rows)


def _pair(first: Side, second: Side, metric: Metric) -> _Pairs:
    import numpy as np

    one, other = (_column(side, metric) for side in (first, second))
    shared = [key for key in one.place if key in other.place]
    at = np.array([one.place[key] for key in shared], dtype=np.int64)
    there = np.array([other.place[key] for key in shared], dtype=np.int64)
    a = np.array(one.values, dtype=float)[at]
    b = np.array(other.values, dtype=float)[there]
    known = ~(np.isnan(a) | np.isnan(b))
    at, there, a, b = at[known], there[known], a[known], b[known]
    numbers: dict[str, int] = {}
    clusters = [numbers.setdefault(one.clusters[i], len(numbers)) for i in at.tolist()]
    return _Pairs(
        a=a,
        b=b,
        unanswered={
            "a": sum(one.unanswered[i] for i in at.tolist()),
            "b": sum(other.unanswered[i] for i in there.tolist()),
        },
        clusters=np.array(clusters, dtype=np.int64),
        cells={"a": [one.cells[i] for i in at.tolist()], "b": [other.cells[i] for i in there.tolist()]},
        stats={"a": [one.stats[i] for i in at.tolist()], "b": [other.stats[i] for i in there.tolist()]},
        groups=[one.groups[i] for i in at.tolist()],
        total=len(one.place) + len(other.place) - len(shared),
        undefined=int((~known).sum()),
    )


def _column(side: Side, metric: Metric) -> _Column:
    column = _Column()
    seen: dict[str, int] = {}
    # The same few cells, groups and clusters come again and again: one copy of each is enough.
    once: dict[object, object] = {}
    for row in side.rows:
        # The k-th line of a question is paired with the k-th line of the other side: repeats, and a control's variant.
        seen[row.sample] = repeat = seen.get(row.sample, -1) + 1
        mark = _mark_of(row, metric, side)
        column.place[row.sample, repeat] = len(column.values)
        column.values.append(float("nan") if mark.value is None else mark.value)
        column.unanswered.append(not row.answered)
        groups = tuple(row.tags.items())
        column.cells.append(once.setdefault(mark.cell, mark.cell))  # type: ignore[arg-type]
        column.groups.append(once.setdefault(groups, groups))  # type: ignore[arg-type]
        column.stats.append(mark.stats)
        column.clusters.append(row.cluster or row.sample)
    return column


def _mark_of(row: ScoredRow, metric: Metric, side: Side) -> Mark:
    mark = row.marks.get(metric.id)
    if mark is None:
        raise UsageError(
            f"{side.name} was not marked with {metric.id}",
            why=f"its scores hold {', '.join(row.marks)}",
            fix=f"eyechart rescore {side.run or side.name} --metric {metric.id}",
        )
    return mark


# ── numbers ───────────────────────────────────────────────────────────────────


def _bounds(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)


def _side(name: str, pairs: _Pairs, side: str, metric: Metric, *, plain: bool, seed: int) -> SideResult:
    if plain:
        values = pairs.a if side == "a" else pairs.b
        value, interval = float(values.mean()), mean_interval(values, pairs.clusters)
    else:
        table = pairs.table(side)
        value = table.numbers(metric.aggregate)["value"]
        interval = bootstrap(table, metric.aggregate, seed=seed).get("value")
    return SideResult(
        name=name,
        value=value,
        printed=metric.printed(value),
        ci=_bounds(interval),
        unanswered=pairs.unanswered[side],
    )


def _power(
    means: PairedResult, difference: float, interval: Interval | None, *, plain: bool
) -> tuple[int | None, float | None]:
    """How many questions would show this difference, and which difference this many show."""
    square, effect = means.mean_square, means.design_effect
    if not plain:
        # Any formula: the interval says what n questions are worth, as if they had so much spread.
        if interval is None or interval.high <= interval.low:
            return None, None
        error = (interval.high - interval.low) / (2 * 1.959964)
        square, effect = error * error * means.n + difference * difference, 1.0
    return (
        questions_needed(difference, square, design_effect=effect),
        smallest_difference(means.n, square, design_effect=effect),
    )


def _tables(pairs: _Pairs, seed: int) -> dict[str, dict[str, GroupComparison]]:
    """For each tag the differences of the plain means within its groups, with Holm's correction within the table."""
    import numpy as np

    members: dict[str, dict[str, list[int]]] = {}
    for i, groups in enumerate(pairs.groups):
        for tag, name in groups:
            members.setdefault(tag, {}).setdefault(name, []).append(i)
    tables = {}
    for tag, names in members.items():
        results = []
        for places in names.values():
            kept = np.array(places)
            _, clusters = np.unique(pairs.clusters[kept], return_inverse=True)
            results.append(compare_means(pairs.a[kept], pairs.b[kept], clusters, seed=seed))
        adjusted = holm([result.p for result in results])
        tables[tag] = dict(zip(names, _lines(results, adjusted), strict=True))
    return tables


def _lines(results: list[PairedResult], adjusted: list[float]) -> Iterator[GroupComparison]:
    for result, p_holm in zip(results, adjusted, strict=True):
        yield GroupComparison(
            n=result.n,
            difference=result.difference,
            ci=_bounds(result.interval),
            p=result.p,
            p_holm=p_holm,
            won=result.won,
            lost=result.lost,
            same=result.same,
        )
