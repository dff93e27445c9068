"""Our own reader of numbers: what a careful person would take the reply to say, and nothing where they could not.

The rules are tried in order, and the name of the one that read is recorded. Where a unit is asked for, a quantity in
another unit of the same kind is converted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eyechart.metrics.quantities import UNITS, Quantity, plain_text, quantities
from eyechart.metrics.readers import Reading, shown

_THINKING = re.compile(r"</\s*think(?:ing)?\s*>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TAGGED = re.compile(r"<\s*answer\b[^>]*>(.*?)(?:<\s*/\s*answer\s*>|$)", re.IGNORECASE | re.DOTALL)
_ANSWER = re.compile(
    r"\banswer\b[\"'*_ \t]*(?:(?:is|are|would be|should be|to be)\b[ \t]*:?|[:=])[\"'*_\s]*", re.IGNORECASE
)
_BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*|__([^_\n]{1,80})__")
_CONCLUSION = re.compile(
    r"(?:\b(?:so|therefore|thus|hence|in total|total of|overall|finally|I(?: would|'d)? (?:say|guess|estimate))\b"
    r"|=>|⇒|→|=|≈)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_HEDGES = r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca\.|~|≈|≥|≤|>|<|at least|at most)"
_LEADING = re.compile(rf"\W{{0,3}}(?:{_HEDGES}\s*)?$", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\([^()]*\)")
_LIST_MARKER = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?=\S)", re.MULTILINE)
_NONE = re.compile(
    r"\W*(?:(?:there (?:are|is|were)|i (?:can )?see|it (?:has|contains)|the [\w ]{1,30} (?:has|contains))\s+)?"
    r"(?:none\b\W*$|no\b\W*$|"
    r"(?:no|not any)\s+(?!idea|information|way|answer|clear|direct|visual|image|video|one\b)[a-z]+)",
    re.IGNORECASE,
)


def robust(text: str, unit: str = "") -> Reading:
    """The number that the reply states, in the unit asked for ("m", "cm", "m2", "count", or "" for none)."""
    for rule, part in _parts(text, unit):
        quantity = _choose(part, unit)
        if quantity is not None:
            number, how = _converted(quantity, unit)
            return Reading(number, shown(number), f"robust: {', '.join(word for word in (rule, *how) if word)}")
    if unit == "count" and _NONE.match(text.strip()):
        return Reading(0.0, "0", "robust: none")
    return Reading(None, None, "robust: no number")


def _parts(text: str, unit: str) -> Iterator[tuple[str, str]]:
    """The parts of the reply that may hold the answer, most telling first."""
    after = _THINKING.split(text)[-1]
    if after.strip():
        text = after
    boxed: list[str] = _BOXED.findall(text)
    if boxed:
        yield "boxed", plain_text(boxed[-1])
    tagged: list[str] = _TAGGED.findall(text)
    if tagged:
        yield "answer tag", plain_text(tagged[-1])
    plain = plain_text(text)
    answers = list(_ANSWER.finditer(plain))
    if answers:
        yield "after the word answer", _line(plain[answers[-1].end() :])
    bold = [a or b for a, b in _BOLD.findall(plain)]
    whole = [span for span in bold if _is_a_quantity(span)]
    if whole:
        yield "bold", whole[-1]
    plain = _without_list_markers(re.sub(r"[*`]|__", "", plain))
    yield "at the start", _leading(plain)
    sentences = [sentence for sentence in _SENTENCE_END.split(plain) if sentence]
    yield "conclusion", _conclusion(sentences)
    yield "only number in the unit asked for", _in_unit(plain, unit)
    outside = _PARENTHESIS.sub(lambda match: " " * len(match[0]), plain)
    yield "only number", _only(outside)
    yield "last sentence", next((s for s in reversed(_SENTENCE_END.split(outside)) if quantities(s)), "")
    yield "in parentheses", plain


def _line(text: str) -> str:
    """The first line that says something, up to the end of its sentence."""
    for line in text.splitlines():
        if line.strip(" *_\"'"):
            return _SENTENCE_END.split(re.sub(r"\*\*|__", "", line))[0]
    return ""


def _is_a_quantity(span: str) -> bool:
    found = quantities(span)
    return len(found) == 1 and not span[: found[0].start].strip(" ~") and not span[found[0].end :].strip(" .")


def _without_list_markers(text: str) -> str:
    markers = _LIST_MARKER.findall(text)
    # A single "5. " at the start of a line is an answer, two of them are a list.
    return _LIST_MARKER.sub("", text) if sum(marker.strip()[0].isdigit() for marker in markers) > 1 else text


def _leading(text: str) -> str:
    """The quantity that the reply opens with, if that is all its first sentence says."""
    head = text.lstrip()[:200]
    first = next(iter(quantities(head)), None)
    if first is None or not _LEADING.match(head[: first.start]) or len(head[: first.start].strip()) > 14:
        return ""
    rest = head[first.end :]
    ends = re.match(r"[ \t]*(?:[a-z]+[ \t]*)?(?:$|\n|[.!;](?:\s|$)|\([^()]*\)?)", rest, re.IGNORECASE)
    # With what stands in parentheses behind it: "134 sq ft (12.5 square meters)" says it in both units.
    return head[: first.end + ends.end()] if ends else ""


def _conclusion(sentences: list[str]) -> str:
    """What follows the last word of conclusion that a number follows."""
    for sentence in reversed(sentences):
        marks = [mark.end() for mark in _CONCLUSION.finditer(sentence)]
        last = max((quantity.start for quantity in quantities(sentence)), default=-1) if marks else -1
        before = [end for end in marks if end <= last]
        if before:
            return sentence[before[-1] :]
    return ""


def _in_unit(text: str, unit: str) -> str:
    stated = [quantity for quantity in quantities(text) if quantity.unit == unit] if unit in UNITS else []
    return text[stated[0].start : stated[0].end] if len({quantity.value for quantity in stated}) == 1 else ""


def _only(text: str) -> str:
    found = quantities(text)
    return text if len({(quantity.value, quantity.unit) for quantity in found}) == 1 else ""


def _choose(part: str, unit: str) -> Quantity | None:
    """The first quantity in the unit asked for, else the first that can be converted, else the first without a unit."""
    found = quantities(part)
    if not found or not unit:
        return found[0] if found else None
    kind = UNITS.get(unit, (unit, 0.0))[0]
    exact = [q for q in found if q.unit == unit]
    converted = [q for q in found if q.unit and UNITS[q.unit][0] == kind]
    bare = [q for q in found if not q.unit]
    fitting = exact or converted or bare
    if fitting:
        return fitting[0]
    # A unit of another kind ("25 m" for an area) is a slip of the pen where it is the only number.
    return found[0] if len(found) == 1 else None


def _converted(quantity: Quantity, unit: str) -> tuple[float, tuple[str, ...]]:
    how = (quantity.form,) if quantity.form else ()
    if not unit or not quantity.unit or quantity.unit == unit:
        return quantity.value, how
    kind, size = UNITS.get(unit, (unit, 1.0))
    stated_kind, stated_size = UNITS[quantity.unit]
    if stated_kind != kind:
        return quantity.value, (*how, f"{quantity.unit} ignored")
    # Ten significant digits: 0.6 m is 60 cm, and not 60.00000000000001.
    return float(f"{quantity.value * stated_size / size:.10g}"), (*how, f"{quantity.unit} to {unit}")
