"""Comparing two runs: pairs, refusals, the sentence, and power."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from eyechart.errors import InputError, UsageError
from eyechart.marking.compare import Comparison, Side, compare
from eyechart.marking.rows import Mark, ScoredRow
from eyechart.metrics import get_metric
from eyechart.report.verdict import groups_table, points, rounded, verdict

EXACT = get_metric("exact")
SIGNED = "little|ids=20:aaaa|data=9d24|prompt={}|method=direct|media=native|gen=t0|seed=0|exact.v1"


Values = Mapping[int, float | None] | list[float]


def rows(values: Values, *, shared: int = 1, metric: str = "exact") -> list[ScoredRow]:
    """Marked questions with these values; `shared` questions have a picture in common."""
    items = values.items() if isinstance(values, Mapping) else enumerate(values)
    return [
        ScoredRow(
            sample=str(i),
            cluster=str(i // shared),
            tags={"kind": "even" if i % 2 == 0 else "odd"},
            status="ok",
            marks={metric: Mark(value=value, cell=("even" if i % 2 == 0 else "odd",) if metric != "exact" else ())},
        )
        for i, value in items
    ]


def pair(a: list[float], b: list[float], **options: int) -> Comparison:
    """The comparison of two lists of values."""
    first, second = Side(name="alpha", rows=rows(a, **options)), Side(name="beta", rows=rows(b, **options))
    return compare(first, second, EXACT)


def test_no_difference_is_said_with_the_number_of_questions_it_takes() -> None:
    """Four won and two lost of twenty is no difference, and about 230 questions would be needed."""
    a = [1.0] * 4 + [0.0] * 2 + [1.0] * 9 + [0.0] * 5
    b = [0.0] * 4 + [1.0] * 2 + [1.0] * 9 + [0.0] * 5
    result = pair(a, b)
    assert (result.won, result.lost, result.same, result.shown) == (4, 2, 14, False)
    assert result.p == pytest.approx(0.6875)
    text = verdict(result)
    assert "alpha  65.00 [43.29, 81.88]      beta  55.00 [34.21, 74.18]      paired on 20 of 20" in text
    assert "No difference shown: +10.00 [−15.86, +35.86], 4 won, 2 lost of 20, p = 0.69, exact McNemar." in text
    assert "To see a 10-point gap 4 times in 5 at this disagreement rate you need about 230 questions." in text


def test_where_interval_and_test_part_ways_it_is_said() -> None:
    """Five won of twenty and none lost: the interval leaves 0 out, the exact test is not convinced, and it decides."""
    result = pair([1.0] * 20, [0.0] * 5 + [1.0] * 15)
    assert result.ci is not None
    assert result.ci[0] > 0
    assert not result.shown
    assert "the interval alone would say otherwise; the test gives the verdict" in verdict(result)
    assert "otherwise" not in verdict(pair([1.0] * 20, [0.0] * 15 + [1.0] * 5))


def test_a_difference_is_said_from_the_better_side() -> None:
    """The better run is the subject of the sentence whichever was named first; won and lost are its own."""
    strong, weak = [1.0] * 30, [0.0] * 15 + [1.0] * 15
    there, back = verdict(pair(strong, weak)), verdict(pair(weak, strong))
    assert "alpha is +50.00 points [+31.01, +68.99] better than beta   (p < 0.0001, exact McNemar)" in there
    assert "beta is +50.00 points [+31.01, +68.99] better than alpha   (p < 0.0001, exact McNemar)" in back
    assert "15 won · 0 lost · 15 same" in there
    assert "15 won · 0 lost · 15 same" in back


def test_shared_pictures_take_the_permutation_test() -> None:
    """Where questions share pictures, whole pictures are swapped, and the sentence says so."""
    result = pair([1.0] * 30, [0.0] * 15 + [1.0] * 15, shared=5)
    assert result.test == "cluster sign-flip permutation"
    assert result.clusters == 6
    assert result.p == 0.25
    assert "cluster sign-flip permutation" in verdict(result)


def test_a_run_against_itself() -> None:
    """Nothing differs, and no number of questions is named for a gap of nothing."""
    result = pair([1.0, 0.0, 1.0], [1.0, 0.0, 1.0])
    assert (result.difference, result.p, result.questions_needed) == (0.0, 1.0, None)
    assert "No difference shown: +0.00" in verdict(result)


def test_only_shared_questions_count() -> None:
    """Questions of one side alone, and shared ones without a defined score, are counted and left out."""
    first = Side(name="a", rows=rows({0: 1.0, 1: 1.0, 2: None, 3: 0.0}))
    second = Side(name="b", rows=rows({1: 0.0, 2: 1.0, 3: 0.0, 9: 1.0}))
    result = compare(first, second, EXACT)
    assert (result.n, result.total, result.undefined) == (2, 5, 1)
    assert "1 shared questions have no defined score" in verdict(result)
    with pytest.raises(InputError, match="share no question"):
        compare(first, Side(name="b", rows=rows({7: 1.0})), EXACT)


def test_different_signatures_are_refused_by_name() -> None:
    """A prompt that differs stops the comparison, unless it is what is compared."""
    first = Side(name="a", rows=rows([1.0, 0.0]), signature=SIGNED.format("short.v1"))
    second = Side(name="b", rows=rows([1.0, 1.0]), signature=SIGNED.format("long.v1"))
    with pytest.raises(UsageError, match="prompt differs") as refusal:
        compare(first, second, EXACT)
    assert refusal.value.exit_code == 2
    assert "a has prompt=short.v1, b has prompt=long.v1" in str(refusal.value)
    assert compare(first, second, EXACT, across=["prompt"]).differs == {"prompt": ("short.v1", "long.v1")}
    assert "note: prompt differs: short.v1 and long.v1" in verdict(compare(first, second, EXACT, allow_mismatch=True))


def test_a_metric_that_was_not_marked() -> None:
    """The error names what the scores hold and how to get the other."""
    side = Side(name="a", rows=rows([1.0]))
    with pytest.raises(UsageError, match="not marked with vqa_exact") as refusal:
        compare(side, side, get_metric("vqa_exact"))
    assert "eyechart rescore a --metric vqa_exact" in str(refusal.value)


def test_groups_carry_holm() -> None:
    """Each group has its own test, corrected for how many there are."""
    a = [1.0 if i % 2 else 0.0 for i in range(40)]
    result = pair(a, [0.0] * 40)
    odd = result.by["kind"]["odd"]
    assert (odd.won, odd.lost, odd.n) == (20, 0, 20)
    assert odd.p_holm == pytest.approx(2 * odd.p)
    assert "odd   20     +100.00" in groups_table(result)


def test_formulas_over_groups_are_compared_as_they_are_printed() -> None:
    """The difference of a macro mean is the difference of the two macro means."""
    metric = get_metric("mpt_arithmetic")
    values_a = [1.0 if i % 2 or i % 3 else 0.0 for i in range(60)]
    values_b = [1.0 if i % 2 else 0.0 for i in range(40)] + [0.0] * 20
    sides = [Side(name=n, rows=rows(v, metric=metric.id)) for n, v in (("a", values_a), ("b", values_b))]
    result = compare(*sides, metric)
    assert result.difference == pytest.approx(result.first.value - result.second.value)
    assert result.interval == "cluster bootstrap"
    assert result.shown
    assert result.questions_needed is not None
    assert result.questions_needed < 60


def test_numbers_in_words() -> None:
    """Signed points with a true minus sign, and plans in two leading digits."""
    assert (points(0.0223), points(-0.1)) == ("+2.23", "−10.00")
    assert [rounded(n) for n in (7, 42, 234, 12_345)] == [7, 42, 230, 12_000]
