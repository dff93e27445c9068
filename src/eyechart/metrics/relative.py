"""Mean relative accuracy: the share of ten tolerances that an estimate stays within.

Three readings of one published formula. `mra` is the official program with its floats, bit for bit; the other two are
exact in decimals, one with `<` (the formula as printed), one with `<=` (the printed examples).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING

from eyechart.metrics.base import Metric
from eyechart.metrics.readers import Reading, get_reader, reader_option, to_float
from eyechart.records import Sample, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

OFFICIAL = "vision-x-nyu/thinking-in-space@51e089c3 lmms_eval/tasks/vsibench/utils.py"

CHOICE_TYPES = (
    "object_rel_direction_easy",
    "object_rel_direction_medium",
    "object_rel_direction_hard",
    "object_rel_distance",
    "route_planning",
    "obj_appearance_order",
)
NUMBER_TYPES = ("object_abs_distance", "object_counting", "object_size_estimation", "room_size_estimation")
# The units that the benchmark's questions ask for; a reader may convert what a reply states in another one.
ASKED_UNIT = {
    "object_abs_distance": "m",
    "object_counting": "count",
    "object_size_estimation": "cm",
    "room_size_estimation": "m2",
}

# 1 - linspace(0.5, 0.95, 10) as the official program computes it. The last digits matter: with "0.2" in place of
# 0.19999999999999996 an estimate that is exactly 20 % off would pass one tolerance more.
_STEP = (0.95 - 0.5) / 9
TOLERANCES: tuple[float, ...] = (*(1 - (0.5 + i * _STEP) for i in range(9)), 1 - 0.95)


def asked_unit(sample: Sample) -> str:
    """The unit that the question asks for: the tag `unit`, else what its question type implies."""
    return sample.tags.get("unit") or ASKED_UNIT.get(sample.tags.get("question_type", ""), "")


def relative_accuracy(predicted: float, gold: float) -> float:
    """The official score of one estimate; gold must not be 0.

    The official error is not taken over |gold|: with a negative gold it is negative and every tolerance is passed.
    """
    error = abs(predicted - gold) / gold
    return sum(error <= tolerance for tolerance in TOLERANCES) / 10


def relative_accuracy_column(
    predicted: Sequence[float] | NDArray[np.float64], gold: Sequence[float] | NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The same scores for whole columns, and where they are defined.

    An unreadable estimate is nan and scores 0. A gold of 0 has no score: there the second array is False and the
    first holds 0.
    """
    import numpy as np

    golds = np.asarray(gold, dtype=np.float64)
    error = np.subtract(predicted, golds, dtype=np.float64)
    np.abs(error, out=error)
    defined = golds != 0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        np.divide(error, golds, out=error)
    # How many tolerances are at least as large as the error; nan sorts last and passes none.
    passed = 10 - np.searchsorted(np.array(TOLERANCES[::-1]), error, side="left")
    values = (np.arange(11) / 10)[passed]
    if not defined.all():
        values[~defined] = 0.0
    return values, defined


def exact_relative_accuracy(predicted: str, gold: str, *, inclusive: bool) -> float:
    """The share of tolerances passed, over |gold|, without any rounding; gold must not be 0."""
    try:
        p, g = Decimal(predicted), Decimal(gold)
    except InvalidOperation:  # an exponent past what decimals can hold: infinitely far off
        return 0.0
    if not (p.is_finite() and g.is_finite()):
        return 0.0
    # Far apart, nothing needs to be computed; close together, this precision loses no digit.
    if p and abs(p.adjusted() - g.adjusted()) > 2:
        return 0.0
    digits = len(p.as_tuple().digits) + len(g.as_tuple().digits) + 12
    exact = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    error = exact.multiply(exact.abs(exact.subtract(p, g)), Decimal(20))
    size = exact.abs(g)
    bounds = [exact.multiply(size, Decimal(k)) for k in range(1, 11)]
    return sum(error <= bound if inclusive else error < bound for bound in bounds) / 10


def gold_zero(gold: str) -> Score:
    """No score: the formula divides by the gold answer, and the official program stops there."""
    return Score(value=None, error=f"gold_zero: the gold answer is {gold.strip()}, and relative error divides by it")


def number_oddity(sample: Sample) -> str:
    """A negative gold number: every answer is within every tolerance of it, as the official formula has it."""
    gold = to_float(sample.references[0]) if sample.references else None
    return "gold_negative" if gold is not None and gold < 0 else ""


def mark_number(sample: Sample, reading: Reading, form: str) -> Score:
    """The score of a number that was read, in one of the three forms: float, strict, inclusive."""
    gold_text = sample.references[0] if sample.references else ""
    gold = to_float(gold_text)
    number, text, rule = reading
    if number is None or text is None or gold is None:
        # The official program meets None here, and counts its worst case.
        return Score(value=0.0, read_as=text, rule=rule)
    if gold == 0:
        return gold_zero(gold_text)
    if form == "float":
        value = relative_accuracy(number, gold)
    else:
        value = exact_relative_accuracy(text, gold_text, inclusive=form == "inclusive")
    return Score(value=value, read_as=text, rule=rule)


def explain_number(sample: Sample, score: Score, form: str) -> str:
    """The ten tolerances, and which of them the estimate stays within."""
    if score.error:
        return f"no score: {score.error}"
    gold_text = sample.references[0] if sample.references else ""
    gold, read = to_float(gold_text), to_float(score.read_as or "")
    if read is None:
        return f"no number read ({score.rule}): 0"
    if gold is None:
        return f"read {score.read_as} ({score.rule}), but the gold answer {gold_text!r} is no number: 0"
    size = gold if form == "float" else abs(gold)
    sign = "<" if form == "strict" else "<="
    passed = round(10 * (score.value or 0))
    marks = " ".join(f"{50 - 5 * i}%{'✓' if i < passed else '✗'}" for i in range(10))
    return (
        f"read {score.read_as} ({score.rule}); |{score.read_as} - {gold_text.strip()}| / {size:g} = "
        f"{abs(read - gold) / size:.4g}; error {sign} {marks}: {passed}/10 = {score.value:g}"
    )


@dataclass(frozen=True)
class MeanRelativeAccuracy(Metric):
    """Mean relative accuracy of the questions that ask for a number."""

    id: str
    form: str  # float, strict, inclusive
    reader: str
    upstream: str
    title: str
    version: int = 1

    def score(self, sample: Sample, text: str) -> Score:
        question_type = sample.tags.get("question_type", "")
        if question_type in CHOICE_TYPES:
            return Score(value=None, error=f"not_applicable: {question_type} does not ask for a number")
        return mark_number(sample, get_reader(self.reader)(text, asked_unit(sample)), self.form)

    def wrong(self, sample: Sample) -> Score:
        # A choice question stays out of this mean whether it was answered or not.
        return self.score(sample, "")

    def oddity(self, sample: Sample) -> str:
        question_type = sample.tags.get("question_type", "")
        return "" if question_type in CHOICE_TYPES else number_oddity(sample)

    def explain(self, sample: Sample, text: str) -> str:
        return explain_number(sample, self.score(sample, text), self.form)


def _identifier(name: str, reader: str) -> str:
    return name if reader == "first_word" else f"{name}[reader={reader}]"


def mra(reader: str = "first_word") -> Metric:
    """Factory of `mra`: the official floats with `<=`."""
    return MeanRelativeAccuracy(
        id=_identifier("mra", reader),
        form="float",
        reader=reader_option(reader),
        upstream=OFFICIAL,
        title="mean relative accuracy, as VSI-Bench computes it",
    )


def mra_strict(reader: str = "first_word") -> Metric:
    """Factory of `mra_strict`: exact decimals with `<`."""
    return MeanRelativeAccuracy(
        id=_identifier("mra_strict", reader),
        form="strict",
        reader=reader_option(reader),
        upstream="",
        title="mean relative accuracy in exact decimals, error < tolerance",
    )


def mra_inclusive(reader: str = "first_word") -> Metric:
    """Factory of `mra_inclusive`: exact decimals with `<=`."""
    return MeanRelativeAccuracy(
        id=_identifier("mra_inclusive", reader),
        form="inclusive",
        reader=reader_option(reader),
        upstream="",
        title="mean relative accuracy in exact decimals, error <= tolerance",
    )
