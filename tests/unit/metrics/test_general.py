"""Metrics for own data, the letter reader, and the arithmetic behind spatial scores."""

from __future__ import annotations

from decimal import Decimal

import pytest

from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.metrics.general import edit_distance
from eyechart.metrics.letters import read_letter
from eyechart.metrics.relative import TOLERANCES
from eyechart.records import Sample

CHOICES = {"A": "front left", "B": "left", "C": "back", "D": "a chair"}


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A", "A"),
        ("(b)", "B"),
        ("**C**", "C"),
        ("B.", "B"),
        ("D) because A is wrong", "D"),
        ("The answer is B.", "B"),
        ("the answer is (c)", "C"),
        ("The final answer is C, not A", "C"),
        ("\\boxed{\\text{A}}", "A"),
        ("<think>A</think>B", "B"),
        ("I would choose option D here", "D"),
        ("front left", "A"),
        ("It is on the left", "B"),
        ("It is front left of it", "A"),
        ("A chair is B", "B"),
        ("A car", None),
        ("A or B", None),
        ("The answer is A. Wait, the answer is B", None),
        ("left or back", None),
        ("E", None),
        ("", None),
    ],
)
def test_letters_are_read_and_never_guessed(reply: str, letter: str | None) -> None:
    """A letter, or nothing where a person could not tell either."""
    assert read_letter(reply, CHOICES)[0] == letter


@pytest.mark.parametrize(
    ("spec", "reference", "reply", "value"),
    [
        ("exact", "Yes", " yes\n", 1.0),
        ("exact", "Yes", "yes.", 0.0),
        ("contains", "cat", "A black cat.", 1.0),
        ("contains", "cat", "concatenate", 0.0),
        ("choice", "b", "B", 1.0),
        ("choice", "front left", "(A)", 1.0),
        ("number", "1200", "There are 1,200.", 1.0),
        ("number", "3", "3.1", 0.0),
        ("number[tolerance=0.2]", "3", "3.1", 1.0),
        ("number[relative=0.05]", "100", "104", 1.0),
        ("number[relative=0.05]", "100", "106", 0.0),
        ("number", "0.3", "0.30000000000000004", 1.0),
        ("anls", "hello", "helo", 0.8),
        ("anls", "hello", "he", 0.0),
        ("anls", "Hello  World", "hello world", 1.0),
        ("f1", "the black cat", "a cat", 2 / 3),
        ("f1", "cat", "dog", 0.0),
        ("spatialeval_option", "Northeast", "It is to the Northeast of X.", 1.0),
        ("spatialeval_option", "Northeast", "It is to the Northwest of X.", 0.0),
        ("spatialeval_option", "1", "10", 0.0),
        ("spatialeval_option", "1", "There is one turn.", 1.0),
        ("spatialeval_option", "No", "I do not know", 0.0),
        ("spatialeval_option", "No", "No, it is not.", 1.0),
    ],
)
def test_scores_of_own_data(spec: str, reference: str, reply: str, value: float) -> None:
    """Each metric on an answer worked out by hand."""
    sample = Sample(id="q", references=("nothing like it", reference)[-1:], choices=CHOICES if spec == "choice" else {})
    assert get_metric(spec).score(sample, reply).value == pytest.approx(value)


def test_the_nearest_reference_counts() -> None:
    """With several references the best one is taken."""
    sample = Sample(id="q", references=("dog", "cat"))
    assert [get_metric(name).score(sample, "cat").value for name in ("exact", "contains", "anls", "f1")] == [1.0] * 4


def test_spatialeval_option_by_letter() -> None:
    """The option letter decides where one is named."""
    sample = Sample(id="spatialmap.vqa.1.1", references=("Oz Oddities",), tags={"oracle_option": "B"})
    metric = get_metric("spatialeval_option")
    assert [metric.score(sample, reply).value for reply in ("B", "(B)", "B. Oz Oddities", "A", "C. Oz")] == [
        1,
        1,
        1,
        0,
        0,
    ]
    assert metric.score(sample, "Oz Oddities is in the Northeast.").value == 1


def test_edit_distance() -> None:
    """Insertions, deletions and replacements cost one each."""
    assert [edit_distance("kitten", "sitting"), edit_distance("", "abc"), edit_distance("abc", "abc")] == [3, 3, 0]


def test_tolerances_are_the_official_floats() -> None:
    """The last digits decide whether an estimate that is exactly 20 % off passes."""
    assert [str(t) for t in TOLERANCES] == [
        "0.5",
        "0.44999999999999996",
        "0.4",
        "0.35",
        "0.30000000000000004",
        "0.25",
        "0.19999999999999996",
        "0.15000000000000002",
        "0.10000000000000009",
        "0.050000000000000044",
    ]


def test_exact_readings_hold_for_numbers_of_any_size() -> None:
    """Decimals far beyond floats neither overflow nor round."""
    strict, inclusive = get_metric("mra_strict"), get_metric("mra_inclusive")
    gold = str(Decimal("1e-300") + Decimal("1e-310"))
    sample = Sample(id="q", references=(gold,), tags={"question_type": "object_counting"})
    assert strict.score(sample, gold).value == 1.0
    assert strict.score(sample, "1e999999999").value == 0.0
    assert inclusive.score(sample, "9" * 5000).value == 0.0


def test_explanations_show_the_arithmetic() -> None:
    """A person can follow the score: the error, the ten tolerances, and what was read."""
    sample = Sample(id="q", references=("100",), tags={"question_type": "object_counting"})
    assert get_metric("mra").explain(sample, "80") == (
        "read 80 (first word); |80 - 100| / 100 = 0.2; error <= "
        "50%✓ 45%✓ 40%✓ 35%✓ 30%✓ 25%✓ 20%✗ 15%✗ 10%✗ 5%✗: 6/10 = 0.6"
    )
    assert "no number read" in get_metric("vsi").explain(sample, "about 80")
    assert "gold_zero" in get_metric("vsi").explain(Sample(id="q", references=("0",), tags=sample.tags), "3")


@pytest.mark.parametrize(
    "spec", ["vsi[reader=best]", "mmsi[lmms_head=yes]", "number[tolerance=much]", "mra[readr=robust]"]
)
def test_wrong_options_are_refused_before_the_first_answer(spec: str) -> None:
    """A mistyped option is an error of usage, not a surprise later."""
    with pytest.raises(UsageError):
        get_metric(spec)
