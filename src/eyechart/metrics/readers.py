"""How a number is read out of a reply: the rules of three public programs, and our own.

A reader takes the reply and the unit that was asked for ("" if none), and says which number it read, in which words
and by which rule. Only `robust` looks at the unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from eyechart.errors import UsageError
from eyechart.literals import literal


class Reading(NamedTuple):
    """What a reader made of a reply; `number` is None where it found nothing."""

    number: float | None
    text: str | None  # the number as it stood in the reply, or as it was worked out
    rule: str


Reader: TypeAlias = Callable[[str, str], Reading]


def get_reader(name: str) -> Reader:
    """The reader with this name."""
    if name == "robust":
        from eyechart.metrics.robust import robust

        return robust
    readers: dict[str, Reader] = {"first_word": first_word, "first_number": first_number, "last_number": last_number}
    if name not in readers:
        from eyechart.registry import unknown

        raise unknown("number reader", name, [*readers, "robust"])
    return readers[name]


def reader_option(name: str) -> str:
    """The name of a reader, checked where a metric is configured and not at its first answer."""
    get_reader(name)
    return name


def shown(number: float) -> str:
    """A number as people write it: 4 and not 4.0, every digit that it has."""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


# ── first_word: VSI-Bench itself ──────────────────────────────────────────────


def leading_word(text: str) -> str:
    """The text before the first space, without full stops at its end.

    Kept as the official program has it: a leading space leaves nothing, and a line break is no boundary, so that
    "5\\nmeters" stays whole.
    """
    return text.partition(" ")[0].rstrip(".").strip()


def to_float(text: str) -> float | None:
    """Python's own reading of a number: "1e2", "1_200", "nan" and digits of any script are numbers, "1,200" is not."""
    try:
        return float(text)
    except ValueError:
        return None


def first_word(text: str, unit: str = "") -> Reading:
    """The official rule of VSI-Bench: the first word must be a number."""
    del unit
    word = leading_word(text)
    number = to_float(word)
    return Reading(number, word if number is not None else None, "first word")


# ── first_number: lmms-eval ───────────────────────────────────────────────────

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve "
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_ONES.split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), start=2)},
    "hundred": 100,
    "thousand": 1000,
}

# No leading dot and no exponent: ".5" is read as 5, "1E2" as 1, "1,200" as 1. Kept: that is what the tool prints.
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z]+")


def first_number(text: str, unit: str = "") -> Reading:
    """The rule of lmms-eval at 75571cfe: the first number in digits or in English words."""
    del unit
    folded = text.strip().lower()
    digits = _PLAIN_NUMBER.search(folded)
    words, start = _first_number_words(folded)
    if digits and (start is None or digits.start() < start):
        return Reading(float(digits[0]), digits[0], "first number")
    if not words:
        return Reading(None, None, "first number")
    try:
        number = float(words_to_number(words))
    except OverflowError:  # "hundred" a hundred and sixty times over: the tool itself stops here
        return Reading(None, None, "first number, in words: too large")
    return Reading(number, shown(number), "first number, in words")


def _first_number_words(folded: str) -> tuple[list[str], int | None]:
    """The first run of number words ("three hundred and five") and where it starts."""
    run: list[str] = []
    start: int | None = None
    for match in _WORD.finditer(folded):
        word = match[0]
        if word in NUMBER_WORDS:
            start = match.start() if start is None else start
            run.append(word)
        elif run and word != "and":
            break
    return run, start


# No float is as large, and no word makes a number smaller: from here on counting would only cost time.
_BEYOND_FLOATS = 10**309


def words_to_number(words: list[str]) -> int:
    """The value of number words in order: three thousand two hundred → 3200."""
    total = current = 0
    for word in words:
        if total + current > _BEYOND_FLOATS:
            break
        value = NUMBER_WORDS[word]
        if value == 100:
            current = max(current, 1) * 100
        elif value == 1000:
            total += max(current, 1) * 1000
            current = 0
        else:
            current += value
    return total + current


# ── last_number: VLMEvalKit ───────────────────────────────────────────────────

_ANY_NUMBER = r"[-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?"
_NUMBERS = re.compile(_ANY_NUMBER)
_TAG_OPENS = re.compile(r"<\s*answer\b", re.IGNORECASE)
_TAG_HOLDS = re.compile(rf"\s*({_ANY_NUMBER})(?:[^\d<][^<]*)?<\s*/\s*answer\s*>", re.IGNORECASE)
_THINK_ENDS = re.compile(r"</\s*think\s*>", re.IGNORECASE)
_THINK_STARTS = re.compile(r"<\s*think\s*>", re.IGNORECASE)
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\ufeff"))
# Words up to twenty only: "twenty-one" becomes "20-1" there, and is read as -1. Kept.
_SMALL_WORDS = {word: str(value) for word, value in NUMBER_WORDS.items() if value <= 20}
_SMALL_WORD = re.compile(rf"\b({'|'.join(_SMALL_WORDS)})\b", re.IGNORECASE)


def last_number(text: str, unit: str = "") -> Reading:
    """The rule of VLMEvalKit: the number in an answer tag, else the last number after the thinking."""
    del unit
    # What looks like a Python list is parsed there and its first element read.
    text = _first_of_list(text).strip().translate(_ZERO_WIDTH)
    text = _SMALL_WORD.sub(lambda match: _SMALL_WORDS.get(match[1].lower(), match[0]), text)
    tagged = _number_in_tag(text)
    if tagged is not None:
        return Reading(float(tagged), tagged, "number in the answer tag")
    for part, rule in ((_after_thinking(text), "last number"), (text, "last number, thinking included")):
        numbers: list[str] = _NUMBERS.findall(part)
        if numbers:
            return Reading(float(numbers[-1]), numbers[-1], rule)
    return Reading(None, None, "last number")


def _number_in_tag(text: str) -> str | None:
    """The number that the first answer tag with nothing but a number at its start holds.

    There it is one pattern, which looks for the end of the tag anew from every "<answer": hours for a megabyte of them.
    """
    begin = 0
    for tag_ends in re.finditer(">", text):
        if _TAG_OPENS.search(text, begin, tag_ends.start()):
            held = _TAG_HOLDS.match(text, tag_ends.end())
            if held:
                return held[1]
        begin = tag_ends.end()
    return None


def _after_thinking(text: str) -> str:
    for pattern in (_THINK_ENDS, _THINK_STARTS):
        end = max((match.end() for match in pattern.finditer(text)), default=None)
        if end is not None:
            return text[end:].strip()
    return text


def _first_of_list(text: str) -> str:
    bare = text.strip()
    if not (bare.startswith("[") and bare.endswith("]")):
        return text
    # Literals only, as there; what cannot be parsed has no number there, hence the empty text.
    try:
        values = literal(text)
    except ValueError:
        return ""
    return str(values[0]) if isinstance(values, list) and values else text


def number_option(name: str, value: str) -> float:
    """An option that must be a number not below zero."""
    number = to_float(value)
    if number is None or not math.isfinite(number) or number < 0:
        raise UsageError(f"{name} must be a number not below 0, not {value!r}", fix=f"{name}=0.05")
    return number
