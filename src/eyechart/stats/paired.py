"""Is A better than B? Paired on the same questions: a difference, its interval, and one test for the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyechart.stats.intervals import (
    BOOTSTRAP,
    LEVEL,
    RESAMPLES,
    Aggregate,
    CellTable,
    Interval,
    clustered_mean,
    resampled_totals,
)

if TYPE_CHECKING:
    from eyechart.stats.intervals import Floats, Indices

MCNEMAR = "exact McNemar"
SIGN_FLIP = "cluster sign-flip permutation"
FLIPS = 20_000
_ENUMERATE = 14  # up to this many clusters that differ, all sign patterns are counted, not drawn
_SWAPS = 2_000  # permutations where a formula must be worked out for each …
_SWAPPED_ROWS = 400_000_000  # … and this many rows moved in all where so few leave the verdict to chance


@dataclass(frozen=True, kw_only=True)
class PairedResult:
    """What the pairs show about A minus B."""

    difference: float
    interval: Interval | None
    p: float
    method: str  # the test that gave p
    n: int  # pairs
    clusters: int
    won: int  # A scored higher
    lost: int
    same: int
    mean_square: float  # of the paired differences: what `power` plans with
    design_effect: float  # variance with clusters over variance without


def compare_means(
    a: Floats, b: Floats, clusters: Indices, *, seed: int, flips: int = FLIPS, level: float = LEVEL
) -> PairedResult:
    """Compare two means over the same questions; `clusters` numbers the cluster of each question from 0."""
    import numpy as np

    if not len(a):
        raise ValueError("there are no pairs to compare")
    # Scores are sums of tenths and the like: what differs by rounding alone is the same.
    d = np.round(a - b, 12)
    won, lost = int((d > 0).sum()), int((d < 0).sum())
    counts = np.bincount(clusters).astype(float)
    totals = np.bincount(clusters, weights=d)
    binary = bool(np.all(((a == 0) | (a == 1)) & ((b == 0) | (b == 1))))
    if binary and counts.max() <= 1:
        p, method = mcnemar(won, lost), MCNEMAR
    else:
        p, method = sign_flip(totals, seed=seed, flips=flips), SIGN_FLIP
    return PairedResult(
        difference=float(d.mean()),
        interval=clustered_mean(totals, counts, level=level, bounds=(-1.0, 1.0) if abs(d).max() <= 1 else None),
        p=p,
        method=method,
        n=len(d),
        clusters=int((counts > 0).sum()),
        won=won,
        lost=lost,
        same=len(d) - won - lost,
        mean_square=float((d * d).mean()),
        design_effect=design_effect(d, totals, counts),
    )


def mcnemar(won: int, lost: int) -> float:
    """The exact two-sided p of McNemar's test: a fair coin on the questions where the two disagree."""
    n, fewer = won + lost, min(won, lost)
    if n == 0 or won == lost:
        return 1.0
    if n > 1000:
        # The same sum in logarithms: integers of this size would take seconds.
        peak = math.lgamma(n + 1) - math.lgamma(fewer + 1) - math.lgamma(n - fewer + 1) - n * math.log(2.0)
        total, term = 0.0, 1.0
        for k in range(fewer, -1, -1):
            total += term
            term *= k / (n - k + 1)
            if term < total * 1e-18:
                break
        return min(1.0, 2.0 * math.exp(peak) * total)
    return min(1.0, 2.0 * (sum(math.comb(n, k) for k in range(fewer + 1)) / (1 << n)))


def sign_flip(totals: Floats, *, seed: int, flips: int = FLIPS) -> float:
    """The two-sided p of swapping A and B in whole clusters, from the clusters' summed differences."""
    import numpy as np

    sizes = np.abs(np.round(totals[totals != 0], 9))
    sizes = sizes[sizes > 0]
    observed = abs(float(totals.sum()))
    if not len(sizes):
        return 1.0
    # A permuted sum that equals the observed one counts as a hit, whatever rounding does to it.
    threshold = observed - 1e-7
    if len(sizes) <= _ENUMERATE:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate([sums + size, sums - size])
        return float((np.abs(sums) >= threshold).mean())
    # Clusters with the same size differ in sign only, so their sum is a binomial: no need to draw each.
    values, counts = np.unique(sizes, return_counts=True)
    rng = np.random.default_rng(seed)
    sums = np.zeros(flips)
    for value, count in zip(values, counts, strict=True):
        sums += value * (2.0 * rng.binomial(int(count), 0.5, size=flips) - count)
    return (1.0 + float((np.abs(sums) >= threshold).sum())) / (1.0 + flips)


def design_effect(d: Floats, totals: Floats, counts: Floats) -> float:
    """How much clustering widens the variance of a mean; 1 where clusters are single questions or nothing varies."""
    import numpy as np

    n, clusters = float(counts.sum()), int((counts > 0).sum())
    if clusters < 2 or n < 2:
        return 1.0
    mean = float(totals.sum()) / n
    residuals = totals - mean * counts
    with_clusters = clusters / (clusters - 1.0) * float(np.dot(residuals, residuals)) / n**2
    without = float(np.dot(d - mean, d - mean)) / (n - 1.0) / n
    return with_clusters / without if without > 0 else 1.0


# ── scores that are not plain means ───────────────────────────────────────────


def compare_formulas(
    a: CellTable, b: CellTable, aggregate: Aggregate, *, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[float, Interval | None, float, str]:
    """A minus B for any formula: difference, bootstrap interval over clusters, p of swapping clusters, the test's name.

    Both tables must number the same cells and the same clusters.
    """
    import numpy as np

    both = _side_by_side(a, b)
    difference = _gap(both, aggregate, None)
    if difference is None:
        raise ValueError("the score is not defined on these questions")
    rng = np.random.default_rng(seed)
    gaps = [_gap(both, aggregate, totals) for totals in resampled_totals(both, rng, resamples)]
    known = np.asarray([gap for gap in gaps if gap is not None])
    interval = None
    if a.clusters > 1 and len(known) * 2 >= resamples:
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
        interval = Interval(float(low), float(high), BOOTSTRAP)
    hits = drawn = 0
    for done in range(max(_SWAPS, min(FLIPS, _SWAPPED_ROWS // max(1, len(both.sums))))):
        if done >= _SWAPS and _settled(hits, drawn):
            break
        swap = rng.random(a.clusters) < 0.5
        gap = _gap(_swapped(both, swap), aggregate, None)
        if gap is not None:
            drawn += 1
            hits += abs(gap) >= abs(difference) - 1e-12
    return difference, interval, (1 + hits) / (1 + drawn), SIGN_FLIP


def _settled(hits: int, drawn: int, alpha: float = 0.05) -> bool:
    """Whether p is so far from where the verdict turns that more draws would not turn it."""
    p = (1 + hits) / (1 + drawn)
    return abs(p - alpha) > 4.0 * math.sqrt(p * (1.0 - p) / (1 + drawn))


def _side_by_side(a: CellTable, b: CellTable) -> CellTable:
    """One table whose first half of cells is A's and whose second half is B's."""
    import numpy as np

    if a.keys != b.keys or a.clusters != b.clusters:
        raise ValueError("the two tables do not number the same cells and clusters")
    keys = tuple(("a", *key) for key in a.keys) + tuple(("b", *key) for key in b.keys)
    return CellTable(
        keys,
        a.clusters,
        np.concatenate([a.cluster, b.cluster]),
        np.concatenate([a.cell, b.cell + len(a.keys)]),
        np.concatenate([a.sums, b.sums]),
    )


def _swapped(both: CellTable, swap: Any) -> CellTable:
    """The same table with A and B exchanged in the clusters that are marked."""
    import numpy as np

    half = len(both.keys) // 2
    cell = np.where(swap[both.cluster], (both.cell + half) % len(both.keys), both.cell)
    return CellTable(both.keys, both.clusters, both.cluster, cell, both.sums)


def _gap(both: CellTable, aggregate: Aggregate, totals: Floats | None) -> float | None:
    """The formula's headline on A's half minus that on B's."""
    rows = (both.totals() if totals is None else totals).tolist()
    halves: dict[str, dict[tuple[str, ...], tuple[float, ...]]] = {"a": {}, "b": {}}
    for key, row in zip(both.keys, rows, strict=True):
        if row[0] > 0:
            halves[key[0]][key[1:]] = tuple(row)
    first, second = (aggregate(halves[side]).get("value") for side in "ab")
    return None if first is None or second is None else first - second


# ── many comparisons ──────────────────────────────────────────────────────────


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given: below 0.05 means shown, however many were looked at."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, place in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * p_values[place]))
        adjusted[place] = running
    return adjusted
