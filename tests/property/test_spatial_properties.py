"""Laws that hold for the spatial and the general metrics on any text."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.metrics import get_metric
from eyechart.metrics.readers import get_reader
from eyechart.metrics.relative import relative_accuracy, relative_accuracy_column
from eyechart.metrics.vsi import CHOICE_TYPES, NUMBER_TYPES
from eyechart.records import Sample

IDS = (
    "mra",
    "mra_strict",
    "mra_inclusive",
    "mra[reader=robust]",
    "vsi",
    "vsi[reader=first_number]",
    "vsi[reader=last_number]",
    "vsi[reader=robust]",
    "vsi_binary",
    "mmsi",
    "mmsi[lmms_head=true]",
    "spatialeval_seed",
    "spatialeval_official",
    "spatialeval_option",
    "exact",
    "contains",
    "choice",
    "number",
    "number[tolerance=0.5,relative=0.1]",
    "anls",
    "f1",
)

# Any code point, lone surrogates included, and texts built from what the readers look at.
PIECES = (
    *(
        "1",
        "2.5",
        ".5",
        "1,200",
        "12,5",
        "1/2",
        "½",
        "-3",
        "−3",
        "e3",
        "×10^2",
        "%",
        "±",
        "٣",
        "9" * 10,
        "nan",
        "1e999",
    ),
    *("three", "twenty", "-one", "hundred", "and", "a", "half", "dozen", "point", "no", "none", "one", "inf", "so"),
    *(
        "m",
        "cm",
        "m²",
        "sq",
        "ft",
        "'",
        '"',
        "in",
        "to",
        "-",
        "–",
        "or",
        "about",
        "=",
        "answer",
        "is",
        ":",
        "There",
        "are",
    ),
    *("\\boxed{", "}", "\\frac{", "<answer>", "</answer>", "<think>", "</think>", "**", "`", "(", ")", "[", "]", "{"),
    *("A", "B.", "(C)", "D,", "yes", "not", "northeast", "cat", "located", "right", "turns", "\n", "\t", ";", "!"),
)
odd = st.text(st.characters(codec=None), max_size=40) | st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
glued = odd | st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
types = st.sampled_from(("", "made_up", *CHOICE_TYPES, *NUMBER_TYPES))
rows = st.sampled_from(("spatialmap", "mazenav", "spatialgrid", "spatialreal", "")).flatmap(
    lambda task: st.sampled_from(("0", "1", "2", "3", "x")).map(lambda question: f"{task}.vqa.7.{question}")
)
tags = st.fixed_dictionaries(
    {"question_type": types, "sample_id": rows, "oracle_option": st.just("B")}, optional={"model": glued}
)
samples = st.builds(
    lambda references, choices, tags: Sample(id="q", references=tuple(references), choices=choices, tags=tags),
    st.lists(glued, max_size=3),
    st.dictionaries(st.sampled_from("ABCD"), odd),
    tags,
)
# The first call of each metric imports and compiles: a time limit per example would test the machine.
no_deadline = settings(deadline=None)


@no_deadline
@given(samples, glued)
def test_any_text_gets_a_score_or_a_reason(sample: Sample, reply: str) -> None:
    """No text raises; a score lies in [0, 1] or says why there is none; the same answer gets the same score."""
    for name in IDS:
        metric = get_metric(name)
        score = metric.score(sample, reply)
        assert (score.value is None) == bool(score.error), name
        assert score.value is None or 0 <= score.value <= 1, name
        assert score == metric.score(sample, reply), name
        assert metric.explain(sample, reply), name
        assert (metric.wrong(sample).value or 0.0) == 0.0, name


@pytest.mark.parametrize("name", IDS)
def test_a_model_that_repeats_itself_gets_a_score(name: str) -> None:
    """One word four hundred times over, glued or not, is marked like any other text ("hundred" among them)."""
    metric = get_metric(name)
    tags = {"question_type": "object_counting", "sample_id": "mazenav.vqa.7.0"}
    sample = Sample(id="q", references=("3",), choices={"A": "3", "B": "4"}, tags=tags)
    for piece in PIECES:
        for reply in (piece * 400, f"{piece} " * 400):
            value = metric.score(sample, reply).value
            assert value is not None, piece
            assert 0 <= value <= 1, piece


def test_a_reply_of_open_braces_is_read_once() -> None:
    """A megabyte of braces that nobody closes holds no letter; looked at from each brace it would take hours."""
    metric = get_metric("mmsi")
    for reply in ("{" * 1_000_000, "{x" * 500_000):
        assert metric.score(Sample(id="q", references=("A",)), reply).value == 0.0
    assert metric.score(Sample(id="q", references=("A",)), "B {{A} B").value == 1.0


def test_a_reply_of_open_tags_is_read_once() -> None:
    """Nor does the reader of answer tags look for the end of each of a hundred thousand of them."""
    read = get_reader("last_number")
    assert read("< answer" * 125_000, "").number is None
    assert read("< answer" * 125_000 + "> 5 m</answer> 6", "") == (5.0, "5", "number in the answer tag")
    assert read("<b> <answer a='1'>4 </b><answer>3</ answer>", "").number == 3.0


@no_deadline
@given(glued, st.sampled_from(("", "count", "m", "cm", "m2")))
def test_what_is_read_is_a_number(reply: str, unit: str) -> None:
    """The robust reader gives a finite number with the text and rule that it was read by, or nothing."""
    number, text, rule = get_reader("robust")(reply, unit)
    assert rule
    assert (number is None) == (text is None)
    assert number is None or (math.isfinite(number) and float(text or "") == number)


@no_deadline
@given(st.floats(min_value=-1e6, max_value=1e6, allow_nan=False), st.sampled_from(("", "count", "m", "cm", "m2")))
def test_a_bare_number_is_read_as_it_is(number: float, unit: str) -> None:
    """Whatever the unit asked for, a number by itself is that number."""
    for form in (f"{number:.6f}", str(round(number))):
        assert get_reader("robust")(form, unit).number == float(form)


@no_deadline
@given(st.integers(min_value=0, max_value=9999))
def test_thousands_separators_do_not_matter(number: int) -> None:
    """1,200 is 1200, in a sentence or alone."""
    for text in (f"{number:,}", f"There are {number:,} of them.", f"**{number:,}**", f"\\boxed{{{number:,}}}"):
        assert get_reader("robust")(text, "count").number == number


@no_deadline
@given(st.floats(allow_nan=True, width=32), st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_column_equals_the_single_score(predicted: float, gold: float) -> None:
    """The batch form gives the very same floats as the score of one answer."""
    values, defined = relative_accuracy_column([predicted], [gold])
    assert bool(defined[0]) == (gold != 0)
    if gold != 0:
        assert values[0] == relative_accuracy(predicted, gold)


@no_deadline
@given(
    st.decimals(min_value="0.01", max_value="1000", places=2), st.decimals(min_value="0", max_value="2000", places=2)
)
def test_official_floats_lie_between_the_exact_readings(gold: object, predicted: object) -> None:
    """On any decimal pair: strict <= official <= inclusive."""
    sample = Sample(id="q", references=(str(gold),), tags={"question_type": "object_counting"})
    strict, official, inclusive = (
        get_metric(name).score(sample, str(predicted)).value or 0.0 for name in ("mra_strict", "mra", "mra_inclusive")
    )
    assert strict <= official <= inclusive


@no_deadline
@given(st.lists(st.tuples(types, glued, st.sampled_from(["4", "0", "B", "12.5"])), max_size=30), st.randoms())
def test_the_order_of_answers_does_not_matter(answers: list[tuple[str, str, str]], order: random.Random) -> None:
    """Aggregates are the same whatever order the answers come in."""
    shuffled = order.sample(answers, len(answers))
    for name in ("vsi", "vsi_binary", "mra", "mmsi", "spatialeval_option"):
        assert _aggregate(name, shuffled) == pytest.approx(_aggregate(name, answers), abs=1e-12)


def _aggregate(name: str, answers: list[tuple[str, str, str]]) -> dict[str, float]:
    metric = get_metric(name)
    sums: dict[tuple[str, ...], tuple[float, ...]] = {}
    for question_type, reply, gold in answers:
        sample = Sample(id=f"{question_type}.1", references=(gold,), tags={"question_type": question_type})
        value = metric.score(sample, reply).value
        n, total = sums.get(metric.cell(sample), (0, 0.0))
        sums[metric.cell(sample)] = (n, total) if value is None else (n + 1, total + value)
    return metric.aggregate(sums)
