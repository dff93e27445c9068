"""Intervals, paired tests and power, against other programs' numbers and against their own laws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.stats.intervals import (
    CLUSTERED,
    WILSON,
    WILSON_CLUSTERS,
    CellTable,
    bootstrap,
    clustered_mean,
    mean_interval,
    wilson,
)
from eyechart.stats.paired import MCNEMAR, SIGN_FLIP, compare_formulas, compare_means, holm, mcnemar, sign_flip
from eyechart.stats.power import questions_needed, smallest_difference
from eyechart.stats.quantiles import student_quantile

PARITY = Path(__file__).parents[2] / "parity" / "stats"
REFERENCE: dict[str, Any] = json.loads((PARITY / "reference.json").read_text())


def mean_of(sums: Mapping[tuple[str, ...], tuple[float, ...]]) -> dict[str, float]:
    """The plain mean, as a formula over cells."""
    return {"value": sum(s[1] for s in sums.values()) / sum(s[0] for s in sums.values())} if sums else {}


def macro_of(sums: Mapping[tuple[str, ...], tuple[float, ...]]) -> dict[str, float]:
    """The mean of the cells' means, as a formula over cells."""
    return {"value": sum(s[1] / s[0] for s in sums.values()) / len(sums)} if sums else {}


def table_of(values: Any, clusters: Any, cells: Any) -> CellTable:
    """A table from one value, cluster and cell number per question."""
    values, clusters, cells = np.asarray(values, float), np.asarray(clusters), np.asarray(cells)
    rows = np.stack([np.ones(len(values)), values], axis=1)
    keys = [(str(cell),) for cell in range(int(cells.max()) + 1)]
    return CellTable.build(keys, int(clusters.max()) + 1, clusters, cells, rows)


# ── against other programs ────────────────────────────────────────────────────


@pytest.mark.parametrize(("p", "degrees", "expected"), REFERENCE["student"])
def test_student_quantile(p: float, degrees: int, expected: float) -> None:
    """Student's quantiles equal scipy's to ten digits."""
    assert expected == pytest.approx(student_quantile(p, degrees), rel=1e-10)


@pytest.mark.parametrize(("successes", "n", "low", "high"), REFERENCE["wilson"])
def test_wilson(successes: int, n: int, low: float, high: float) -> None:
    """Wilson's interval equals that of statsmodels."""
    found = wilson(successes, n)
    assert found is not None
    assert (low, high) == pytest.approx(found[:2], abs=1e-12)


@pytest.mark.parametrize(("won", "lost", "p"), REFERENCE["mcnemar"])
def test_mcnemar(won: int, lost: int, p: float) -> None:
    """McNemar's exact p equals that of statsmodels, for small counts and for tens of thousands."""
    assert p == pytest.approx(mcnemar(won, lost), rel=1e-7)


@pytest.mark.parametrize("case", REFERENCE["clustered"])
def test_clustered_mean(case: dict[str, Any]) -> None:
    """The clustered interval equals that of a regression on a constant with clustered errors."""
    found = mean_interval(np.array(case["values"]), np.array(case["clusters"]))
    assert found is not None
    assert (case["low"], case["high"]) == pytest.approx(found[:2], abs=1e-12)
    assert found.method == CLUSTERED


@pytest.mark.parametrize("case", REFERENCE["sign_flip"])
def test_sign_flip(case: dict[str, Any]) -> None:
    """The p of few clusters counts every sign pattern, as scipy's exact permutation test does."""
    assert case["p"] == pytest.approx(sign_flip(np.array(case["totals"]), seed=0), abs=1e-12)


def test_sign_flip_drawn_agrees_with_counted() -> None:
    """Drawn sign patterns give what counting all of them gives, within the noise of drawing."""
    totals = np.concatenate([np.repeat([1.0, -1.0], [9, 4]), np.array([0.3, -0.7])])
    counted = 0
    for pattern in range(2 ** len(totals)):
        signs = np.array([1 if pattern >> bit & 1 else -1 for bit in range(len(totals))])
        counted += abs(float((signs * np.abs(totals)).sum())) >= abs(totals.sum()) - 1e-9
    assert counted / 2 ** len(totals) == pytest.approx(sign_flip(totals, seed=1), abs=0.01)


def test_holm() -> None:
    """Holm's adjustment equals that of statsmodels."""
    given_p, adjusted = REFERENCE["holm"]
    assert adjusted == pytest.approx(holm(given_p))


# ── laws ──────────────────────────────────────────────────────────────────────

scores = st.lists(st.tuples(st.sampled_from([0.0, 0.3, 0.6, 1.0]), st.integers(0, 6)), min_size=1, max_size=60)


@given(scores)
def test_intervals_hold_their_mean_and_stay_in_bounds(rows: list[tuple[float, int]]) -> None:
    """An interval lies in [0, 1] and holds the mean that it belongs to."""
    values = np.array([value for value, _ in rows])
    _, clusters = np.unique([cluster for _, cluster in rows], return_inverse=True)
    found = mean_interval(values, clusters)
    if found is None:
        assert clusters.max() == 0
        return
    assert 0.0 <= found.low <= values.mean() + 1e-12
    assert values.mean() - 1e-12 <= found.high <= 1.0


@given(scores, st.randoms(use_true_random=False))
def test_order_does_not_matter(rows: list[tuple[float, int]], shuffler: Any) -> None:
    """The same questions in another order have the same interval."""
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    first, second = (mean_interval(np.array([v for v, _ in r]), np.array([c for _, c in r])) for r in (rows, shuffled))
    if first is None or second is None:
        assert first == second
    else:
        assert first[:2] == pytest.approx(second[:2], abs=1e-12)


def test_all_right_is_not_certain() -> None:
    """Twenty right answers out of twenty are not proof of perfection, above all when they share pictures."""
    ones = np.ones(20)
    alone = mean_interval(ones, np.arange(20))
    shared = mean_interval(ones, np.arange(20) // 4)
    assert alone is not None
    assert shared is not None
    assert (alone.method, shared.method) == (WILSON, WILSON_CLUSTERS)
    assert shared.low < alone.low < 1.0 == alone.high == shared.high


def test_pictures_that_happen_to_agree_are_not_certain() -> None:
    """Two pictures with one right answer in three each say little about other pictures."""
    found = mean_interval(np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]), np.array([0, 0, 0, 1, 1, 1]))
    assert found is not None
    assert found.method == WILSON_CLUSTERS
    assert found.low < 0.1
    assert found.high > 0.7


def test_shared_pictures_widen_the_interval() -> None:
    """Copying every question five times within its cluster adds no information."""
    rng = np.random.default_rng(3)
    values = (rng.random(80) < 0.6) * 0.5 + 0.25
    once = mean_interval(values, np.arange(80))
    copied = mean_interval(np.repeat(values, 5), np.repeat(np.arange(80), 5))
    assert once is not None
    assert copied is not None
    assert once[:2] == pytest.approx(copied[:2], abs=1e-12)


def test_one_cluster_has_no_interval() -> None:
    """With one picture nothing is known about other pictures."""
    assert clustered_mean(np.array([2.0]), np.array([4.0])) is None
    assert mean_interval(np.array([]), np.array([], dtype=int)) is None


def test_bootstrap_agrees_with_the_closed_form() -> None:
    """On a plain mean over many clusters, drawing again gives what the formula gives."""
    rng = np.random.default_rng(5)
    clusters = rng.integers(0, 300, 1500)
    values = np.clip(rng.normal(0.5, 0.2, 300)[clusters] + rng.normal(0, 0.1, 1500), 0, 1)
    closed = mean_interval(values, clusters)
    drawn = bootstrap(table_of(values, clusters, np.zeros(1500, int)), mean_of, seed=0)["value"]
    assert closed is not None
    assert closed[:2] == pytest.approx(drawn[:2], abs=0.004)


def test_bootstrap_is_seeded_and_uses_the_formula() -> None:
    """The same seed gives the same bytes; the interval is that of the formula given, not of the mean."""
    rng = np.random.default_rng(6)
    clusters, cells = rng.integers(0, 40, 400), (rng.random(400) < 0.1).astype(int)
    table = table_of((rng.random(400) < np.where(cells, 0.2, 0.9)).astype(float), clusters, cells)
    first = bootstrap(table, macro_of, seed=4)["value"]
    assert first == bootstrap(table, macro_of, seed=4)["value"]
    assert first != bootstrap(table, macro_of, seed=5)["value"]
    macro = table.numbers(macro_of)["value"]
    mean = table.numbers(mean_of)["value"]
    assert first.low < macro < first.high < mean


def test_draws_that_all_agree_are_not_certainty() -> None:
    """All right is Wilson's over pictures, as for a plain mean; a number that no draw moves otherwise has none."""
    clusters, cells = np.arange(20), np.repeat([0, 1], 10)
    right = bootstrap(table_of(np.ones(20), clusters, cells), macro_of, seed=0)["value"]
    assert (right.high, right.method) == (1.0, WILSON_CLUSTERS)
    assert 0.8 < right.low < 0.9
    wrong = bootstrap(table_of(np.zeros(20), clusters, cells), macro_of, seed=0)["value"]
    assert (wrong.low, wrong.high) == pytest.approx((0.0, 1.0 - right.low))
    # One kind of question all wrong, the other all right: every draw gives one half, and nobody knows how sure that is.
    assert bootstrap(table_of(1.0 - cells, clusters, cells), macro_of, seed=0) == {}


def test_bootstrap_dense_equals_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large tables go another way and come to the same numbers."""
    rng = np.random.default_rng(8)
    table = table_of(rng.random(200), rng.integers(0, 30, 200), rng.integers(0, 5, 200))
    dense = bootstrap(table, macro_of, seed=1, resamples=100)["value"]
    monkeypatch.setattr("eyechart.stats.intervals._DENSE", 0)
    assert dense[:2] == pytest.approx(bootstrap(table, macro_of, seed=1, resamples=100)["value"][:2], abs=1e-12)


@pytest.mark.slow
def test_coverage_of_the_clustered_interval() -> None:
    """Of 600 simulated benchmarks with 40 pictures, the interval holds the truth about 95 times in 100."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(600):
        sizes = rng.integers(1, 8, 40)
        clusters = np.repeat(np.arange(40), sizes)
        values = (rng.random(len(clusters)) < np.repeat(rng.beta(3, 2, 40), sizes)).astype(float)
        found = mean_interval(values, clusters)
        assert found is not None
        held += found.low <= 0.6 <= found.high
    assert 0.92 <= held / 600 <= 0.98


# ── pairs ─────────────────────────────────────────────────────────────────────


def test_the_test_fits_the_data() -> None:
    """Right-or-wrong single questions get McNemar, everything else the sign flip; each says so."""
    a, b = np.array([1.0, 1, 0, 1, 1, 0, 1, 1]), np.array([1.0, 0, 0, 0, 1, 1, 0, 0])
    single = compare_means(a, b, np.arange(8), seed=0)
    shared = compare_means(a, b, np.arange(8) // 2, seed=0)
    graded = compare_means(a * 0.9, b, np.arange(8), seed=0)
    assert [r.method for r in (single, shared, graded)] == [MCNEMAR, SIGN_FLIP, SIGN_FLIP]
    assert (single.won, single.lost, single.same) == (4, 1, 3)
    assert single.p == mcnemar(4, 1)
    assert single.difference == 3 / 8


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2, st.integers(0, 5)), min_size=1, max_size=40))
@settings(max_examples=50)
def test_swapping_the_models_swaps_the_sign(rows: list[tuple[float, float, int]]) -> None:
    """A against B says the opposite of B against A, with the same p; a model against itself shows nothing."""
    a, b = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    _, clusters = np.unique([r[2] for r in rows], return_inverse=True)
    there, back = compare_means(a, b, clusters, seed=2), compare_means(b, a, clusters, seed=2)
    assert there.difference == pytest.approx(-back.difference)
    assert (there.p, there.won, there.lost) == (back.p, back.lost, back.won)
    assert compare_means(a, a, clusters, seed=2).p == 1.0


def test_formulas_are_compared_by_their_own_difference() -> None:
    """For a macro mean the difference is that of the macro means, and swapping whole clusters tests it."""
    rng = np.random.default_rng(9)
    clusters, cells = rng.integers(0, 30, 300), (rng.random(300) < 0.2).astype(int)
    weak = (rng.random(300) < 0.4).astype(float)
    strong = (rng.random(300) < 0.8).astype(float)
    a, b = table_of(strong, clusters, cells), table_of(weak, clusters, cells)
    difference, interval, p, method = compare_formulas(a, b, macro_of, seed=0, resamples=300)
    assert a.numbers(macro_of)["value"] - b.numbers(macro_of)["value"] == pytest.approx(difference)
    assert interval is not None
    assert 0 < interval.low < difference < interval.high
    assert p < 0.005
    assert method == SIGN_FLIP
    assert compare_formulas(a, a, macro_of, seed=0, resamples=300)[2] == 1.0


def test_a_close_verdict_is_drawn_for_until_it_is_sure() -> None:
    """Near 0.05 a few permutations would leave the verdict to their seed: p of any seed is close to the true one."""
    rng = np.random.default_rng(32)
    clusters, cells = rng.integers(0, 30, 300), (rng.random(300) < 0.2).astype(int)
    strong, weak = ((rng.random(300) < share).astype(float) for share in (0.57, 0.47))
    a, b = table_of(strong, clusters, cells), table_of(weak, clusters, cells)
    # The gap of macro means is a sum over clusters, whose signs can be drawn by the million.
    share = np.bincount(cells)[cells]
    gaps = np.bincount(clusters, weights=(strong - weak) / share / 2)
    signs = rng.integers(0, 2, (200_000, len(gaps))) * 2 - 1
    true = float((np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-12).mean())
    assert 0.045 < true < 0.055
    found = [compare_formulas(a, b, macro_of, seed=seed, resamples=2)[2] for seed in range(6)]
    assert max(abs(p - true) for p in found) < 0.005


# ── power ─────────────────────────────────────────────────────────────────────


def test_power_of_a_published_example() -> None:
    """Four won and two lost of twenty: a gap of ten points takes about 230 questions to see."""
    assert questions_needed(0.1, 0.3) == 234
    assert questions_needed(0.1, 0.3, design_effect=2.0) == 467
    assert questions_needed(0.0, 0.3) is None


def test_power_is_what_simulation_finds() -> None:
    """With the number of questions that the plan names, four experiments in five show the gap."""
    n = questions_needed(0.1, 0.3)
    assert n is not None
    rng = np.random.default_rng(12)
    seen = 0
    for _ in range(1000):
        won, lost, _same = rng.multinomial(n, [0.2, 0.1, 0.7])
        seen += mcnemar(int(won), int(lost)) < 0.05
    # The exact test is a little more cautious than the formula.
    assert 0.74 <= seen / 1000 <= 0.84


def test_smallest_difference_inverts_the_plan() -> None:
    """The smallest gap that n questions show is the gap for which n questions are needed."""
    gap = smallest_difference(500, 0.3)
    assert gap is not None
    assert questions_needed(gap, 0.3) == 500
    assert smallest_difference(1, 0.3) is None
