"""How sure a score is: intervals that respect that questions about one picture are not independent.

Three methods, each named in what it returns. `wilson` for a share of single questions; `clustered_mean` in closed form
for plain means; `bootstrap` for everything else: it draws whole clusters again, adds up their sums per cell, and calls
the score's own formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eyechart.stats.quantiles import normal_quantile, student_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[Any]
    Indices: TypeAlias = NDArray[Any]

LEVEL = 0.95
RESAMPLES = 1000

WILSON = "Wilson"
CLUSTERED = "cluster-robust t"
WILSON_CLUSTERS = "Wilson over clusters"
BOOTSTRAP = "cluster bootstrap"

NO_SPREAD = 1e-12  # what rounding leaves between clusters whose means are equal

# Up to this many numbers the clusters' sums are kept as one dense table, which multiplies faster.
_DENSE = 8_000_000
_TOGETHER = 1_000_000  # weights of draws that are multiplied together


class Interval(NamedTuple):
    """A range that holds the true value 95 times in 100, and the method that found it."""

    low: float
    high: float
    method: str


def wilson(successes: float, n: float, *, level: float = LEVEL, method: str = WILSON) -> Interval | None:
    """Wilson's interval for a share; None where there is nothing to count."""
    if n <= 0:
        return None
    z = normal_quantile(0.5 + level / 2.0)
    share = successes / n
    centre = share + z * z / (2.0 * n)
    spread = z * math.sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n))
    scale = 1.0 + z * z / n
    # Rounding must not push the bound past the share itself when all or none succeed.
    low = 0.0 if successes == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if successes == n else min(1.0, (centre + spread) / scale)
    return Interval(low, high, method)


def clustered_mean(
    totals: Floats, counts: Floats, *, level: float = LEVEL, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> Interval | None:
    """The interval of a mean from each cluster's total and count; None where one cluster is all there is.

    The mean is a ratio of sums, so its variance comes from the clusters' residuals (the sandwich with C/(C−1)), with
    Student's t on C−1 degrees of freedom.
    """
    kept = counts > 0
    totals, counts = totals[kept], counts[kept]
    clusters, n = len(counts), float(counts.sum())
    if n <= 0:
        return None
    mean = float(totals.sum()) / n
    if bounds is not None and (mean <= bounds[0] or mean >= bounds[1]):
        # All wrong or all right: no spread is seen, which is not the same as being sure.
        width = bounds[1] - bounds[0]
        found = wilson(clusters * (mean - bounds[0]) / width, clusters, level=level, method=WILSON_CLUSTERS)
        assert found is not None  # noqa: S101 - clusters > 0 holds where n > 0
        return Interval(bounds[0] + width * found.low, bounds[0] + width * found.high, found.method)
    if clusters < 2:
        return None
    residuals = totals - mean * counts
    # Not by np.dot: its last digit depends on the machine, and its threads cost more than they save here.
    error = math.sqrt(clusters / (clusters - 1.0) * float((residuals * residuals).sum())) / n
    reach = student_quantile(0.5 + level / 2.0, clusters - 1) * error
    low, high = mean - reach, mean + reach
    if bounds is not None:
        low, high = max(bounds[0], low), min(bounds[1], high)
    return Interval(low, high, CLUSTERED)


def mean_interval(values: Floats, clusters: Indices, *, level: float = LEVEL) -> Interval | None:
    """The interval of the mean of these values: Wilson where each is 0 or 1 and alone in its cluster, else clustered.

    `clusters` numbers the cluster of each value from 0.
    """
    import numpy as np

    if not len(values):
        return None
    counts = np.bincount(clusters)
    if counts.max() <= 1 and bool(np.all((values == 0.0) | (values == 1.0))):
        return wilson(float(values.sum()), float(len(values)), level=level)
    totals = np.bincount(clusters, weights=values)
    inside = float(values.min()) >= 0.0 and float(values.max()) <= 1.0
    found = clustered_mean(totals, counts.astype(float), level=level, bounds=(0.0, 1.0) if inside else None)
    if inside and found is not None and found.high - found.low < NO_SPREAD:
        # A few clusters that happen to agree are not certainty.
        used = int((counts > 0).sum())
        return wilson(used * float(values.mean()), used, level=level, method=WILSON_CLUSTERS)
    return found


# ── any other formula ─────────────────────────────────────────────────────────

Key: TypeAlias = tuple[str, ...]
Aggregate: TypeAlias = Callable[[Mapping[Key, tuple[float, ...]]], Mapping[str, float]]


@dataclass(frozen=True)
class CellTable:
    """Sums per cluster and cell: all that a score's formula and its interval need."""

    keys: tuple[Key, ...]  # the cells, in order of first appearance
    clusters: int
    cluster: Indices  # for each row: which cluster …
    cell: Indices  # … and which cell …
    sums: Floats  # … and its sums: how many, their total, then further ones

    @classmethod
    def build(cls, keys: Sequence[Key], clusters: int, cluster: Indices, cell: Indices, rows: Floats) -> CellTable:
        """Add up rows that share cluster and cell."""
        import numpy as np

        code = cluster.astype(np.int64) * max(1, len(keys)) + cell
        unique, place = np.unique(code, return_inverse=True)
        columns = [np.bincount(place, weights=rows[:, s], minlength=len(unique)) for s in range(rows.shape[1])]
        sums = np.stack(columns, axis=1) if len(unique) else np.zeros((0, rows.shape[1]))
        return cls(tuple(keys), clusters, unique // max(1, len(keys)), unique % max(1, len(keys)), sums)

    def totals(self, weights: Floats | None = None) -> Floats:
        """Sums per cell, each cluster counted as often as its weight says."""
        import numpy as np

        sums = self.sums if weights is None else self.sums * weights[self.cluster][:, None]
        columns = [np.bincount(self.cell, weights=sums[:, s], minlength=len(self.keys)) for s in range(sums.shape[1])]
        return np.stack(columns, axis=1)

    def numbers(self, aggregate: Aggregate, totals: Floats | None = None) -> dict[str, float]:
        """What the formula makes of the sums; cells without any count are left out."""
        rows = (self.totals() if totals is None else totals).tolist()
        return dict(aggregate({key: tuple(row) for key, row in zip(self.keys, rows, strict=True) if row[0] > 0}))


def is_plain_mean(sums: Mapping[Key, tuple[float, ...]], aggregate: Aggregate) -> bool:
    """Whether the formula is the mean over all these questions, in whatever way it is written.

    Tried out on the sums themselves and on changed ones, which moves any other mean.
    """
    for step in (0, 1, 2):
        changed = {}
        for place, (key, (n, total, *further)) in enumerate(sums.items()):
            weight = 1.0 + step * (place % 3)
            # Weights and means change differently, so that cells that happen to be equal are told apart.
            changed[key] = (weight * n, weight * total / (1.0 + step * (place % 2)), *(weight * x for x in further))
        count = sum(cell[0] for cell in changed.values())
        value = aggregate(changed).get("value")
        if not count or value is None or abs(value - sum(cell[1] for cell in changed.values()) / count) > 1e-9:
            return False
    return True


def bootstrap(
    table: CellTable, aggregate: Aggregate, *, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> dict[str, Interval]:
    """Percentile intervals of all numbers that the formula gives, from drawing whole clusters again.

    A number that fewer than half of the draws define has no interval. Nor has one that every draw gives alike, which
    is not the same as being sure; only where all answers are right, or all wrong, it is Wilson's over clusters.
    """
    import numpy as np

    if table.clusters < 2 or not len(table.sums):
        return {}
    found: dict[str, list[float]] = {}
    for totals in resampled_totals(table, np.random.default_rng(seed), resamples):
        for name, value in table.numbers(aggregate, totals).items():
            found.setdefault(name, []).append(value)
    tail = (1.0 - level) / 2.0
    intervals = {}
    for name, values in found.items():
        if len(values) * 2 >= resamples:
            low, high = np.quantile(np.asarray(values), [tail, 1.0 - tail])
            if high - low >= NO_SPREAD:
                intervals[name] = Interval(float(low), float(high), BOOTSTRAP)
    if "value" in found and "value" not in intervals:
        n, total = float(table.sums[:, 0].sum()), float(table.sums[:, 1].sum())
        unanimous = wilson(table.clusters * total / n, table.clusters, level=level, method=WILSON_CLUSTERS)
        if unanimous is not None and (total <= 0.0 or total >= n):
            intervals["value"] = unanimous
    return intervals


def resampled_totals(table: CellTable, rng: Any, resamples: int) -> Any:
    """Sums per cell of one bootstrap draw after another."""
    import numpy as np

    width = table.sums.shape[1]
    dense = table.clusters * len(table.keys) * width <= _DENSE
    if dense:
        matrix = np.zeros((table.clusters, len(table.keys), width))
        matrix[table.cluster, table.cell] = table.sums
        flat = matrix.reshape(table.clusters, -1)
    # Some draws at a time: the table is then read from memory once for all of them.
    together = max(1, _TOGETHER // table.clusters)
    for start in range(0, resamples, together):
        weights = np.empty((min(together, resamples - start), table.clusters))
        for row in weights:
            row[:] = np.bincount(rng.integers(0, table.clusters, size=table.clusters), minlength=table.clusters)
        if dense:
            yield from (weights @ flat).reshape(len(weights), -1, width)
        else:
            yield from map(table.totals, weights)
