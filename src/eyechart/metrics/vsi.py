"""VSI-Bench: choices by their first word, numbers by mean relative accuracy, a mean over question types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.metrics.base import Cell, Metric, Sums
from eyechart.metrics.readers import get_reader, leading_word, reader_option, shown, to_float
from eyechart.metrics.relative import (
    CHOICE_TYPES,
    NUMBER_TYPES,
    OFFICIAL,
    asked_unit,
    explain_number,
    gold_zero,
    mark_number,
    number_oddity,
)
from eyechart.records import Sample, Score

DIRECTION = "object_rel_direction"
_LEVELS = tuple(f"{DIRECTION}_{level}" for level in ("easy", "medium", "hard"))
# The order of the official table.
_TABLE = (
    "object_counting",
    "object_abs_distance",
    "object_size_estimation",
    "room_size_estimation",
    "object_rel_distance",
    DIRECTION,
    "route_planning",
    "obj_appearance_order",
)


def _gold(sample: Sample) -> str:
    return sample.references[0] if sample.references else ""


def _undefined(question_type: str) -> Score:
    return Score(
        value=None, error=f"official_undefined: VSI-Bench has no question type {question_type!r} and stops there"
    )


@dataclass(frozen=True)
class Vsi(Metric):
    """The VSI-Bench score: the mean over question types, the three direction levels merged into one."""

    id: str
    reader: str
    version: int = 1
    upstream: str = OFFICIAL
    title: str = "VSI-Bench score: choices by first word, numbers by MRA, mean over question types"

    def score(self, sample: Sample, text: str) -> Score:
        question_type = sample.tags.get("question_type", "")
        if question_type in CHOICE_TYPES:
            return self._choice(sample, text)
        if question_type in NUMBER_TYPES:
            return mark_number(sample, get_reader(self.reader)(text, asked_unit(sample)), "float")
        return _undefined(question_type)

    def _choice(self, sample: Sample, text: str) -> Score:
        if self.reader == "robust":
            from eyechart.metrics.letters import read_letter

            letter, rule = read_letter(text, sample.choices)
            return Score(value=float(letter == _gold(sample).strip().upper()), read_as=letter, rule=rule)
        # Only the reply is trimmed there, never the gold answer.
        word = leading_word(text)
        return Score(value=float(word.lower() == _gold(sample).lower()), read_as=word or None, rule="first word")

    def wrong(self, sample: Sample) -> Score:
        question_type = sample.tags.get("question_type", "")
        return Score(value=0.0) if question_type in (*CHOICE_TYPES, *NUMBER_TYPES) else _undefined(question_type)

    def explain(self, sample: Sample, text: str) -> str:
        score = self.score(sample, text)
        if not score.error and sample.tags.get("question_type", "") in NUMBER_TYPES:
            return explain_number(sample, score, "float")
        if score.error:
            return f"no score: {score.error}"
        return f"read as {score.read_as!r} ({score.rule}), gold {_gold(sample)!r}: {score.value:g}"

    def oddity(self, sample: Sample) -> str:
        return number_oddity(sample) if sample.tags.get("question_type", "") in NUMBER_TYPES else ""

    def cell(self, sample: Sample) -> Cell:
        return (sample.tags.get("question_type", ""),)

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        # There the types are added in alphabetical order, the merged one last.
        types = merge_directions({cell[0]: _tenths(total) / n for cell, (n, total, *_) in sorted(sums.items()) if n})
        if not types:
            return {}
        numbers = {"value": sum(types.values()) / len(types)}
        listed = [*(name for name in _TABLE if name in types), *(name for name in types if name not in _TABLE)]
        return numbers | {f"question_type={name}": types[name] for name in listed}

    def notes(self, sums: Mapping[Cell, Sums]) -> tuple[str, ...]:
        present = {cell[0] for cell, (n, *_) in sums.items() if n}
        missing = [level for level in _LEVELS if level not in present]
        if not missing or len(missing) == len(_LEVELS):
            return ()
        if _LEVELS[0] in present:
            gaps = " and ".join(missing)
            note = (
                f"no answers of {gaps}: the official program stops with a KeyError; {DIRECTION} is the mean of the rest"
            )
        else:
            note = f"no answers of {_LEVELS[0]}: as officially, the other levels are question types of their own"
        return (note,)

    def printed(self, value: float) -> str:
        return f"{value * 100.0:.3f}"


def _tenths(total: float) -> float:
    """A sum of scores without what adding floats one by one has worn off: each score is a number of tenths.

    The table is printed with three decimals and often ends in a five (37.1875), which the last bit would tip over.
    """
    exact = round(10 * total) / 10
    return exact if abs(exact - total) < 1e-6 else total


def merge_directions(types: dict[str, float]) -> dict[str, float]:
    """Means by question type with the three direction levels merged as the official program merges them.

    It looks for the easy level alone: without it the other two stay question types of their own. With it and without
    another it stops (KeyError); there we take the mean over the levels that there are, and say so in `notes`.
    """
    if _LEVELS[0] not in types:
        return types
    levels = [types[level] for level in _LEVELS if level in types]
    merged = {name: mean for name, mean in types.items() if name not in _LEVELS}
    merged[DIRECTION] = sum(levels) / len(levels)
    return merged


@dataclass(frozen=True)
class VsiBinary(Metric):
    """Right or wrong: a choice must be the letter, a number must be more than half right; a plain mean."""

    id: str = "vsi_binary"
    version: int = 1
    upstream: str = ""
    title: str = "share of VSI-Bench answers that count as correct: exact choices, numbers with MRA > 0.5"

    def score(self, sample: Sample, text: str) -> Score:
        question_type = sample.tags.get("question_type", "")
        read, gold = text.strip(), _gold(sample)
        if question_type in CHOICE_TYPES:
            return Score(value=float(read.upper() == gold.strip().upper()), read_as=read or None, rule="whole reply")
        if question_type not in NUMBER_TYPES:
            return _undefined(question_type)
        number, target = to_float(read), to_float(gold)
        if number is None or target is None:
            return Score(value=0.0, read_as=read if number is not None else None, rule="whole reply as a number")
        if target == 0:
            return gold_zero(gold)
        return Score(value=float(self._accuracy(number, target) > 0.5), read_as=read, rule="whole reply as a number")

    @staticmethod
    def _accuracy(number: float, target: float) -> float:
        # Its own floats, strictly smaller, over |gold|: 75 against 100 passes five of ten here and six officially.
        error = abs(number - target) / abs(target)
        return sum(error < 1 - (0.5 + 0.05 * i) for i in range(10)) / 10

    def wrong(self, sample: Sample) -> Score:
        question_type = sample.tags.get("question_type", "")
        return Score(value=0.0) if question_type in (*CHOICE_TYPES, *NUMBER_TYPES) else _undefined(question_type)

    def explain(self, sample: Sample, text: str) -> str:
        score = self.score(sample, text)
        if score.error:
            return f"no score: {score.error}"
        number, gold = to_float(score.read_as or ""), to_float(_gold(sample))
        if sample.tags.get("question_type", "") in NUMBER_TYPES and number is not None and gold:
            accuracy = self._accuracy(number, gold)
            sign = ">" if accuracy > 0.5 else "not >"
            return f"read {shown(number)} ({score.rule}); MRA {accuracy:g} {sign} 0.5: {score.value:g}"
        return f"read as {score.read_as!r} ({score.rule}), gold {_gold(sample)!r}: {score.value:g}"


def vsi(reader: str = "first_word") -> Metric:
    """Factory of `vsi`."""
    return Vsi(id="vsi" if reader == "first_word" else f"vsi[reader={reader}]", reader=reader_option(reader))


def vsi_binary() -> Metric:
    """Factory of `vsi_binary`."""
    return VsiBinary()
