"""Columns of marks while they are collected, and the numbers, tables and intervals that they give."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eyechart.marking.document import GroupScore, MetricResult
from eyechart.metrics.base import Cell, Metric, Sums
from eyechart.records import Score
from eyechart.stats.intervals import CellTable, Interval, bootstrap, is_plain_mean, mean_interval

if TYPE_CHECKING:
    from eyechart.stats.intervals import Indices

# Beyond this many questions, a table of a formula that is no mean shows its lines without intervals of their own.
_RESAMPLE_GROUPS = 20_000

UNDEFINED, ANSWERED, UNANSWERED = 0, 1, 2


class Numbers(dict[str, int]):
    """Gives every new name the next number."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class Numbered:
    """Names, numbered in order of first appearance."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self.column = array("i")

    def add(self, name: str) -> None:
        """Note the name of the next question."""
        self.column.append(self.numbers[name])

    def extend(self, names: Sequence[str]) -> None:
        """Note the names of the next questions."""
        self.column.fromlist(list(map(self.numbers.__getitem__, names)))


class Frame:
    """What all metrics share: the cluster and the groups of every question, in data order."""

    def __init__(self, groups: tuple[str, ...]) -> None:
        self.clusters = Numbered()
        self.groups = {group: Numbered() for group in groups}

    def add(self, cluster: str, tags: Mapping[str, str]) -> None:
        """Note the next question."""
        self.clusters.add(cluster)
        for group, names in self.groups.items():
            names.add(tags.get(group, ""))


class Tally:
    """One metric's marks, as columns: some 20 bytes a question."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.cells: dict[Cell, int] = {}
        self.cell = array("i")
        self.state = array("b")
        self.sums = array("d")  # value and stats of one question after another
        self.width = 0
        self.errors: Counter[str] = Counter()
        self.unreadable = 0
        self.oddities: Counter[str] = Counter()

    def add(self, score: Score, cell: Cell, *, answered: bool) -> None:
        """Note the next question's mark."""
        self.cell.append(self.cells.setdefault(cell, len(self.cells)))
        if not self.width:
            self.width = 1 + len(score.stats)
        if score.value is None:
            self.state.append(UNDEFINED)
            self.errors[score.error.partition(":")[0] or "undefined"] += 1
            self.sums.extend([0.0] * self.width)
        else:
            self.state.append(ANSWERED if answered else UNANSWERED)
            self._extend(score)
        if answered and score.read_as is None and not score.error:
            self.unreadable += 1

    def _extend(self, score: Score) -> None:
        given = [score.value or 0.0, *score.stats]
        if len(given) > self.width:
            self._widen(len(given))
        self.sums.extend(given + [0.0] * (self.width - len(given)))

    def _widen(self, width: int) -> None:
        """An undefined or wrong mark without sums came first: fill up what was noted."""
        old = self.sums
        rows = len(old) // self.width
        self.sums = array("d")
        for row in range(rows):
            self.sums.extend(old[row * self.width : (row + 1) * self.width])
            self.sums.extend([0.0] * (width - self.width))
        self.width = width

    def result(self, frame: Frame, *, seed: int) -> MetricResult:
        """The metric's numbers, tables and intervals."""
        return _Sums(self, frame, seed).result()


class _Sums:
    """The columns of one metric as numpy arrays: questions without a defined score are gone."""

    def __init__(self, tally: Tally, frame: Frame, seed: int) -> None:
        import numpy as np

        self.tally, self.metric, self.seed = tally, tally.metric, seed
        state = np.frombuffer(tally.state, dtype=np.int8) if tally.state else np.zeros(0, np.int8)
        kept = state != UNDEFINED
        self.undefined = int((~kept).sum())
        self.answered = state[kept] == ANSWERED
        self.cell = np.array(tally.cell, dtype=np.int64)[kept]
        self.cluster = np.array(frame.clusters.column, dtype=np.int64)[kept]
        values = np.array(tally.sums, dtype=float).reshape(len(state), max(1, tally.width))[kept]
        self.rows = np.concatenate([np.ones((len(values), 1)), values], axis=1)
        self.keys = tuple(tally.cells)
        self.groups = {
            group: (list(names.numbers), np.array(names.column, dtype=np.int64)[kept])
            for group, names in frame.groups.items()
            if set(names.numbers) != {""}
        }

    def result(self) -> MetricResult:
        import numpy as np

        everything = np.arange(len(self.rows))
        sums = self.sums(everything)
        numbers = dict(self.metric.aggregate(sums))
        intervals = self.intervals(everything, numbers, sums)
        value, interval = numbers.get("value"), intervals.get("value")
        return MetricResult(
            value=value,
            value_left_out=self.numbers(np.flatnonzero(self.answered)).get("value"),
            printed="" if value is None else self.metric.printed(value),
            ci=None if interval is None else (interval.low, interval.high),
            interval="" if interval is None else interval.method,
            n=len(self.rows),
            undefined=self.undefined,
            errors=dict(self.tally.errors),
            unreadable=self.tally.unreadable,
            oddities=dict(self.tally.oddities),
            notes=list(self.metric.notes(sums)),
            by=self.tables(numbers, intervals),
        )

    def numbers(self, kept: Indices) -> dict[str, float]:
        """What the metric's own formula makes of these questions, summed in data order."""
        return dict(self.metric.aggregate(self.sums(kept)))

    def sums(self, kept: Indices) -> dict[Cell, Sums]:
        """Sums per cell; cells without a defined score are left out."""
        import numpy as np

        cell, rows = self.cell[kept], self.rows[kept]
        columns = [
            np.bincount(cell, weights=rows[:, s], minlength=len(self.keys)).tolist() for s in range(rows.shape[1])
        ]
        return {key: tuple(c[i] for c in columns) for i, key in enumerate(self.keys) if columns[0][i] > 0}

    def intervals(
        self, kept: Indices, numbers: Mapping[str, float], sums: Mapping[Cell, Sums], *, resample: bool = True
    ) -> dict[str, Interval]:
        """Closed form where the formula is the plain mean of these questions, else from resampled clusters."""
        import numpy as np

        if "value" not in numbers:
            return {}
        rows = self.rows[kept]
        if is_plain_mean(sums, self.metric.aggregate):
            found = mean_interval(rows[:, 1], self.cluster[kept])
            return {} if found is None else {"value": found}
        if not resample:
            return {}
        _, clusters = np.unique(self.cluster[kept], return_inverse=True)
        table = CellTable.build(self.keys, int(clusters.max()) + 1, clusters, self.cell[kept], rows)
        return bootstrap(table, self.metric.aggregate, seed=self.seed)

    def tables(
        self, numbers: Mapping[str, float], intervals: Mapping[str, Interval]
    ) -> dict[str, dict[str, GroupScore]]:
        """One table per group; where the metric gives a table itself, that is the one."""
        tables = {group: self.table(*names) for group, names in self.groups.items()}
        own: dict[str, dict[str, float]] = {}
        for key, value in numbers.items():
            group, equals, name = key.partition("=")
            if equals:
                own.setdefault(group, {})[name] = value
        for group, lines in own.items():
            tables[group] = self.own_table(group, lines, tables.get(group, {}), intervals)
        return tables

    def table(self, names: list[str], column: Indices) -> dict[str, GroupScore]:
        """The metric's formula on each group by itself."""
        import numpy as np

        lines = {}
        resample = len(self.rows) <= _RESAMPLE_GROUPS
        # Sorted once, so that a table takes as long as its rows, however many lines it has.
        ends = np.cumsum(np.bincount(column, minlength=len(names)))
        # Short numbers are sorted digit by digit, in a fraction of the time.
        places = np.argsort(column.astype(np.int16) if len(names) < 1 << 15 else column, kind="stable")
        for name, end, size in zip(names, ends.tolist(), np.diff(ends, prepend=0).tolist(), strict=True):
            kept = places[end - size : end]
            sums = self.sums(kept)
            numbers = {key: value for key, value in self.metric.aggregate(sums).items() if key == "value"}
            interval = self.intervals(kept, numbers, sums, resample=resample).get("value")
            lines[name or "(none)"] = self.line(numbers.get("value"), interval, kept)
        return lines

    def own_table(
        self,
        group: str,
        lines: Mapping[str, float],
        by_tag: Mapping[str, GroupScore],
        intervals: Mapping[str, Interval],
    ) -> dict[str, GroupScore]:
        """The table that the official program prints: a line that no tag has merges the tags that have no line."""
        import numpy as np

        names, column = self.groups.get(group, ([], np.zeros(len(self.rows), dtype=np.int64) - 1))
        merged = np.isin(column, [number for number, name in enumerate(names) if name not in lines])
        table = {}
        for name, value in lines.items():
            kept = np.flatnonzero(column == names.index(name) if name in names else merged)
            # A line that is a tag of its own has its own interval, or none where one question says nothing.
            known = by_tag[name].ci if name in by_tag else None
            interval = Interval(*known, "") if known else None if name in by_tag else intervals.get(f"{group}={name}")
            table[name] = self.line(value, interval, kept)
        return table

    def line(self, value: float | None, interval: Interval | None, kept: Indices) -> GroupScore:
        """One line with its counts."""
        return GroupScore(
            value=value,
            printed="" if value is None else self.metric.printed(value),
            n=len(kept),
            ci=None if interval is None else (interval.low, interval.high),
            unanswered=int((~self.answered[kept]).sum()),
        )
