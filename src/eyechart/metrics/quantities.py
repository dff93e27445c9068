"""Finds the quantities that a text states: numbers in digits or words, with their units, ranges and fractions."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import NamedTuple

from eyechart.metrics.readers import NUMBER_WORDS, words_to_number

# Unit → (kind, size in metres or square metres).
UNITS: dict[str, tuple[str, float]] = {
    "mm": ("length", 0.001),
    "cm": ("length", 0.01),
    "m": ("length", 1.0),
    "km": ("length", 1000.0),
    "in": ("length", 0.0254),
    "ft": ("length", 0.3048),
    "yd": ("length", 0.9144),
    "cm2": ("area", 0.0001),
    "m2": ("area", 1.0),
    "in2": ("area", 0.00064516),
    "ft2": ("area", 0.09290304),
}

_LENGTHS = {
    "mm": r"mm|milli(?:meter|metre)s?",
    "cm": r"cms?|centi(?:meter|metre)s?",
    "km": r"kms?|kilo(?:meter|metre)s?",
    "m": r"m|mtrs?|(?:meter|metre)s?",
    "ft": r"ft|feet|foot",
    "yd": r"yds?|yards?",
    "in": r"inch(?:es)?",
}
_AREAS = {"cm": r"cm|centi(?:meter|metre)s?", "m": _LENGTHS["m"], "ft": _LENGTHS["ft"], "in": r"in|inch(?:es)?"}
_UNIT = re.compile(
    r"[ \t]*-?[ \t]*(?:"
    + "|".join(
        [
            *(rf"(?P<square_{u}>(?:square|sq\.?)[ \t-]*(?:{p})\b)" for u, p in _AREAS.items()),
            *(rf"(?P<power_{u}>(?:{p})(?:\^?\{{?2\}}?(?!\d)|[ \t]+squared\b))" for u, p in _AREAS.items()),
            r"(?P<square_sqm>sqm\b)|(?P<square_sqft>sqft\b)",
            *(rf"(?P<plain_{u}>(?:{p})\b(?!\^))" for u, p in _LENGTHS.items()),
            # "in" is a unit where it stands next to the number or ends what is said: "10in", "5 ft 10 in."
            r"(?P<plain_inch>in\b(?=[ \t]*(?:[.,;)\n]|$)))",
        ]
    )
    + ")",
    re.IGNORECASE,
)
_MARKS = {"'": "ft", "′": "ft", '"': "in", "″": "in", "''": "in"}
_MARK = re.compile(r"''|['′\"″]")

_NUMBER = re.compile(
    r"""(?<![A-Za-z0-9_])(?<!\d[.,:/])
    (?P<sign>(?<![\w)\].-])[-+](?=[\d.]))?
    (?:(?P<european>\d{1,3}(?:\.\d{3})+,\d+)
      |(?P<grouped>\d{1,3}(?:(?:,\d{3})+|(?:[_ '’]\d{3})+)(?![\d_])(?:\.\d+)?)
      |(?P<mixed>\d+)[ \t]+(?P<mixed_top>\d{1,3})/(?P<mixed_bottom>\d{1,3})
      |(?P<top>\d{1,4})/(?P<bottom>\d{1,4})
      |(?P<comma>\d+,\d{1,2})(?![\d,])
      |(?P<plain>\d+\.\d+|\.\d+|\d+))
    (?P<exponent>[eE][-+]?\d{1,4}(?![\d.])|[ \t]*[x×*][ \t]*10\^?\{?[-+]?\d{1,3}\}?(?!\d))?
    """,
    re.VERBOSE,
)
_RANGE = re.compile(r"\s*(?:-+|to|or|~|up to)\s*", re.IGNORECASE)
_AND = re.compile(r"\s*and\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from)\s+(?:about\s+|around\s+)?$", re.IGNORECASE)
_PLUS_MINUS = re.compile(r"(?:±|\+/-)\s*\d+(?:\.\d+)?")


class Quantity(NamedTuple):
    """A number as the text states it."""

    value: float
    unit: str  # a key of UNITS; "" where none is stated
    start: int
    end: int
    form: str = ""  # "range", "compound": how several numbers became one


def plain_text(text: str) -> str:
    """The text with all ways of writing digits, signs and fractions brought to one."""
    if not text.isascii():
        text = "".join(_plain_character(character) for character in text)
    text = re.sub(r"\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}", r" \1/\2 ", text)
    text = re.sub(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}", r" \1 ", text)
    text = text.replace("\\times", "×")
    text = re.sub(r"\\(?:[,;:!()\[\]]|approx\b|sim\b)|\$", " ", text)
    return in_digits(_PLUS_MINUS.sub("", text))


_CHARACTERS = {
    "\u2212": "-", "\ufe63": "-", "\uff0d": "-", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-",
    "\u2014": " ; ", "\u00b2": "^2", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2007": " ",
    "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u2060": "", "\uff0e": ".", "\uff0c": ",",
    "\uff1a": ":", "\u3002": ". ",
}  # fmt: skip


def _plain_character(character: str) -> str:
    if character in _CHARACTERS:
        return _CHARACTERS[character]
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if unicodedata.category(character) == "No" and "FRACTION" in unicodedata.name(character, ""):
        return " " + unicodedata.normalize("NFKC", character).replace("\u2044", "/")
    return character


def quantities(text: str) -> list[Quantity]:
    """Every quantity of a plain text, in order; ranges and compounds such as 5 ft 10 in are one each."""
    found = [q for q in (_quantity(text, match) for match in _NUMBER.finditer(text)) if q]
    return _joined(text, found)


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    value = _value(match)
    rest = text[match.end() : match.end() + 30]
    # Parts of versions, times and names ("1.2.3", "5:30", "3D", "2nd") are not numbers.
    if value is None or not math.isfinite(value) or re.match(r"[.,:/_]\d|\\", rest):
        return None
    unit = _UNIT.match(rest)
    if unit:
        return Quantity(value, _unit_key(unit), match.start(), match.end() + unit.end())
    mark = _MARK.match(rest)
    if mark and text[match.start() - 1 : match.start()] != mark[0][0]:
        return Quantity(value, _MARKS[mark[0]], match.start(), match.end() + mark.end())
    if rest[:1].isalpha() and rest[:1].isascii():
        return None
    return Quantity(value, "", match.start(), match.end())


def _value(match: re.Match[str]) -> float | None:
    part = match.groupdict()
    if part["european"]:
        value = float(part["european"].replace(".", "").replace(",", "."))
    elif part["grouped"]:
        value = float(re.sub(r"[,_ '’]", "", part["grouped"]))
    elif part["mixed"] or part["top"]:
        top, bottom = int(part["mixed_top"] or part["top"]), int(part["mixed_bottom"] or part["bottom"])
        if not bottom:
            return None
        value = float(part["mixed"] or 0) + top / bottom
    else:
        value = float((part["comma"] or part["plain"]).replace(",", "."))
    if part["exponent"]:
        power = re.search(r"[-+]?\d+\}?$", part["exponent"])
        # As decimal text: 1.2e3 is 1200 exactly, where 1.2 * 10 ** 3 may not be.
        value = float(f"{value!r}e{power[0].rstrip('}')}") if power and "e" not in repr(value) else math.inf
    return -value if part["sign"] == "-" else value


def _unit_key(match: re.Match[str]) -> str:
    name = match.lastgroup or ""
    form, _, unit = name.partition("_")
    unit = {"sqm": "m", "sqft": "ft", "inch": "in"}.get(unit, unit)
    return unit if form == "plain" else f"{unit}2"


def _joined(text: str, found: list[Quantity]) -> list[Quantity]:
    result: list[Quantity] = []
    for quantity in found:
        last = result[-1] if result else None
        together = _pair(text, last, quantity) if last else None
        if together:
            result[-1] = together
        else:
            result.append(quantity)
    return result


def _pair(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    """Two neighbouring numbers that say one thing: the middle of a range, or the sum of feet and inches."""
    gap = text[first.end : second.start]
    if len(gap) > 12 or first.form:
        return None
    between = _AND.fullmatch(gap) and _BETWEEN.search(text[max(0, first.start - 24) : first.start])
    if (between or _RANGE.fullmatch(gap)) and (not first.unit or not second.unit or first.unit == second.unit):
        return Quantity(
            (first.value + second.value) / 2, second.unit or first.unit, first.start, second.end, "middle of the range"
        )
    kinds = [UNITS.get(q.unit, ("", 0.0)) for q in (first, second)]
    if (
        kinds[0][0] == kinds[1][0] == "length"
        and kinds[0][1] > kinds[1][1]
        and re.fullmatch(r"[ \t,]*(?:and)?[ \t]*", gap)
    ):
        value = first.value + second.value * kinds[1][1] / kinds[0][1]
        return Quantity(value, first.unit, first.start, second.end, "sum of its parts")
    return None


# ── numbers in words ──────────────────────────────────────────────────────────

_WORDS = sorted(NUMBER_WORDS, key=len, reverse=True)
_DIGIT = "|".join(w for w in _WORDS if 0 < NUMBER_WORDS[w] < 10)
_TEEN = "|".join(w for w in _WORDS if 10 <= NUMBER_WORDS[w] < 20)
_TEN = "|".join(w for w in _WORDS if 20 <= NUMBER_WORDS[w] < 100)
_SMALL = rf"(?:(?:{_TEN})(?:[ \t-]+(?:{_DIGIT})\b)?|{_TEEN}|{_DIGIT}|zero)"
_HUNDREDS = rf"(?:(?:(?:an?|{_SMALL})[ \t-]+)?hundred(?:[ \t-]+(?:and[ \t-]+)?{_SMALL}\b)?|{_SMALL})"
_THOUSANDS = rf"(?:(?:(?:an?|{_HUNDREDS})[ \t-]+)?thousand(?:[ \t-]+(?:and[ \t-]+)?{_HUNDREDS}\b)?|{_HUNDREDS})"
_IN_WORDS = re.compile(
    rf"\b(?:(?P<dozen>(?:(?:an?|{_SMALL})[ \t-]+)?dozen)\b"
    rf"|(?P<half>half)\b(?=[ \t]+(?:an?|of|the|m|cm|meter|metre)\b|[ \t]*[.\n]|$)"
    rf"|(?P<number>{_THOUSANDS})\b(?:[ \t]+point(?P<decimals>(?:[ \t]+(?:zero|{_DIGIT})\b)+))?"
    rf"(?:[ \t]+and[ \t]+an?[ \t]+(?P<and_a>half|quarter)\b)?)",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(r"(?<![\w.])(\d+)[ \t]+and[ \t]+an?[ \t]+(half|quarter)\b", re.IGNORECASE)
# "the one on the left", "one of them", "one can see": a pronoun, not a count.
_PRONOUN_BEFORE = re.compile(
    r"\b(?:the|this|that|which|each|no|any|every|another|other|first|second|last|same|right|left|correct)[ \t]+$",
    re.IGNORECASE,
)
_PRONOUN_AFTER = re.compile(r"[ \t]+(?:of|can|could|would|might|should|must|needs?|another|by)\b", re.IGNORECASE)


def in_digits(text: str) -> str:
    """The text with numbers in words written in digits: "twenty-one" → "21", "two and a half" → "2.5"."""
    text = _AND_A_HALF.sub(lambda m: m[1] + (".5" if m[2].lower() == "half" else ".25"), text)
    return _IN_WORDS.sub(_digits, text)


def _digits(match: re.Match[str]) -> str:
    if match["half"]:
        # "half a metre" → "0.5 metre"; the article would stand between number and unit.
        return "0.5"
    if match["dozen"]:
        words = _number_words(match["dozen"].lower().removesuffix("dozen"))
        return str(12 * (words_to_number(words) if words else 1))
    if match[0].lower() == "one":
        before, after = match.string[max(0, match.start() - 16) : match.start()], match.string[match.end() :][:12]
        if _PRONOUN_BEFORE.search(before) or _PRONOUN_AFTER.match(after):
            return match[0]
    digits = str(words_to_number(_number_words(match["number"])))
    if match["decimals"]:
        return digits + "." + "".join(str(NUMBER_WORDS[word]) for word in match["decimals"].lower().split())
    if match["and_a"]:
        return digits + (".5" if match["and_a"].lower() == "half" else ".25")
    return digits


def _number_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", text.lower()) if word in NUMBER_WORDS]
