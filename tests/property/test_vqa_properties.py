"""Laws that hold for VQA and TDIUC marking on any text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eyechart.metrics import get_metric
from eyechart.metrics.vqa_text import PYTHON_2, PYTHON_3
from eyechart.records import Sample

VQA = (
    "vqa_accuracy",
    "vqa_accuracy_normalised",
    "vqa_accuracy_pre2021",
    "vqa_exact",
    "vqa_contains",
    "vqa_enhanced",
    "vqa_enhanced[keywords=word,literal=true]",
)
PER_TYPE = ("accuracy", "mpt_arithmetic", "mpt_harmonic", "nmpt_arithmetic", "nmpt_harmonic")

# Any code point, lone surrogates included, and texts built from what the normalisers look at.
odd = st.text(st.characters(codec=None), max_size=40) | st.text(
    st.sampled_from("a1., ;-'\n\t\r\u0130\u180e\u0663 the none yes no"), max_size=40
)


@given(st.lists(odd, max_size=12), odd, st.none() | odd)
def test_bounds_and_determinism(humans: list[str], reply: str, identity: str | None) -> None:
    """No text raises; a score lies in [0, 1] or says why there is none; the same answer gets the same score."""
    tags = {} if identity is None else {"record_identity": identity}
    sample = Sample(id="q", references=tuple(humans), tags=tags)
    for name in (*VQA, *PER_TYPE):
        metric = get_metric(name)
        score = metric.score(sample, reply)
        assert (score.value is None) == bool(score.error)
        assert score.value is None or 0 <= score.value <= 1
        assert score == metric.score(sample, reply)
        assert metric.explain(sample, reply)


@given(st.lists(odd, min_size=1, max_size=12), odd, st.randoms(use_true_random=False))
def test_order_of_humans_is_irrelevant(humans: list[str], reply: str, random: object) -> None:
    """Which human comes first moves the accuracy by rounding at most."""
    shuffled = list(humans)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for name in VQA[:3]:
        metric = get_metric(name)
        one = metric.score(Sample(id="q", references=tuple(humans)), reply).value
        two = metric.score(Sample(id="q", references=tuple(shuffled)), reply).value
        assert one is not None
        assert two is not None
        assert abs(one - two) < 1e-12


@given(odd)
def test_unanimous_answer_is_right(answer: str) -> None:
    """What all ten humans wrote is fully right under the official rule and under the always-normalising one."""
    sample = Sample(id="q", references=(answer,) * 10)
    for name in ("vqa_accuracy", "vqa_accuracy_normalised", "vqa_exact"):
        assert get_metric(name).score(sample, answer).value == 1


@given(odd)
def test_cleaning_once_is_enough(text: str) -> None:
    """Cleaning a cleaned text changes nothing."""
    for dialect in (PYTHON_2, PYTHON_3):
        assert dialect.clean(dialect.clean(text)) == dialect.clean(text)


rows = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abc"), st.booleans()), min_size=1, max_size=30)


@given(rows, st.randoms(use_true_random=False))
def test_per_type_means(marked: list[tuple[str, str, bool]], random: object) -> None:
    """Means over types lie in [0, 1], harmonic below arithmetic, and the order of samples moves nothing."""
    values = {name: _aggregate(name, marked) for name in PER_TYPE}
    assert all(0 <= value <= 1 for value in values.values())
    assert values["mpt_harmonic"] <= values["mpt_arithmetic"] + 1e-12
    assert values["nmpt_harmonic"] <= values["nmpt_arithmetic"] + 1e-12
    shuffled = list(marked)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert all(abs(value - _aggregate(name, shuffled)) < 1e-12 for name, value in values.items())


def _aggregate(name: str, marked: list[tuple[str, str, bool]]) -> float:
    metric = get_metric(name)
    sums: dict[tuple[str, ...], tuple[float, ...]] = {}
    for question_type, gold, right in marked:
        sample = Sample(id="q", references=(gold,), tags={"question_type": question_type})
        value = metric.score(sample, gold if right else "other").value
        assert value is not None
        cell = metric.cell(sample)
        n, total = sums.get(cell, (0, 0))
        sums[cell] = (n + 1, total + value)
    return metric.aggregate(sums)["value"]


@given(st.integers(1, 200), st.lists(st.sampled_from((0.0, 0.3, 0.6, 0.9, 1.0)), min_size=1, max_size=200))
def test_mean_stays_a_mean(repeat: int, marks: list[float]) -> None:
    """Keeping the printed form safe moves a mean by no more than its last bits."""
    n, total = len(marks) * repeat, sum(marks) * repeat
    value = get_metric("vqa_accuracy").aggregate({(): (n, total)})["value"]
    assert abs(value - total / n) < 1e-15
    assert 0 <= value <= 1 + 1e-15
