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
_LEADING = re.compile(rf"\W{{0,3}}(?:{_HEDGES}\s*)?", re.IGNORECASE)
_LEADING_ENDS = re.compile(r"[ \t]*(?:[a-z]+[ \t]*)?(?:$|\n|[.!;](?:\s|$)|\([^()]*\)?)", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\([^()]*\)")
_LIST_MARKER = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?=\S)", re.MULTILINE)
_NONE = re.compile(
    r"\W*(?:(?:there (?:are|is|were)|i (?:can )?see|it (?:has|contains)|the [\w ]{1,30} (?:has|contains))\s+)?"
    r"(?:none\b\W*$|no\b\W*$|"
    r"(?:no|not any)\s+(?!idea|information|way|answer|clear|direct|visual|image|video|one\b)[a-z]+)",
    re.IGNORECASE,
)


# A reply is read at both ends: whatever a model rambles in between is not its answer.
_END = 10_000


def robust(text: str, unit: str = "") -> Reading:
    """The number that the reply states, in the unit asked for ("m", "cm", "m2", "count", or "" for none)."""
    after = _THINKING.split(text)[-1]
    text = after if after.strip() else text
    if len(text) > 2 * _END:
        text = f"{text[:_END]}\n{text[-_END:]}"
    for rule, found in _candidates(text, unit):
        quantity = _choose(found, unit)
        if quantity is not None:
            number, how = _converted(quantity, unit)
            return Reading(number, shown(number), f"robust: {', '.join((rule, *how))}")
    if unit == "count" and _NONE.match(text.strip()):
        return Reading(0.0, "0", "robust: none")
    return Reading(None, None, "robust: no number")


def _candidates(text: str, unit: str) -> Iterator[tuple[str, list[Quantity]]]:
    """The quantities that may be the answer, most telling first."""
    for rule, pattern in (("boxed", _BOXED), ("answer tag", _TAGGED)):
        marked: list[str] = pattern.findall(text)
        if marked:
            yield rule, quantities(plain_text(marked[-1]))
    plain = plain_text(text)
    answers = list(_ANSWER.finditer(plain))
    if answers:
        yield "after the word answer", quantities(_line(plain[answers[-1].end() :]))
    whole = [span for a, b in _BOLD.findall(plain) if _is_a_quantity(span := a or b)]
    if whole:
        yield "bold", quantities(whole[-1])
    plain = _without_list_markers(re.sub(r"[*`]|__", "", plain))
    yield "at the start", _leading(plain)
    yield "conclusion", _conclusion([sentence for sentence in _SENTENCE_END.split(plain) if sentence])
    everything = quantities(plain)
    yield "only number in the unit asked for", _same([q for q in everything if q.unit == unit] if unit in UNITS else [])
    outside = _PARENTHESIS.sub(lambda match: " " * len(match[0]), plain)
    yield "only number", _same(quantities(outside))
    sentences = (quantities(sentence) for sentence in reversed(_SENTENCE_END.split(outside)))
    yield "last sentence", next((found for found in sentences if found), [])
    yield "in parentheses", everything


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


def _leading(text: str) -> list[Quantity]:
    """The quantity that the reply opens with, if that is all its first sentence says."""
    head = text.lstrip()[:200]
    found = quantities(head)
    if not found or not _LEADING.fullmatch(head[: found[0].start]):
        return []
    ends = _LEADING_ENDS.match(head, found[0].end)
    # With what stands in parentheses behind it: "134 sq ft (12.5 square meters)" says it in both units.
    return [quantity for quantity in found if quantity.end <= ends.end()] if ends else []


def _conclusion(sentences: list[str]) -> list[Quantity]:
    """What follows the last word of conclusion that a number follows."""
    for sentence in reversed(sentences):
        marks = [mark.end() for mark in _CONCLUSION.finditer(sentence)]
        found = quantities(sentence) if marks else []
        before = [end for end in marks if found and end <= found[-1].start]
        if before:
            return [quantity for quantity in found if quantity.start >= before[-1]]
    return []


def _same(found: list[Quantity]) -> list[Quantity]:
    """The quantities, if they all say the same."""
    return found if len({(quantity.value, quantity.unit) for quantity in found}) == 1 else []


def _choose(found: list[Quantity], unit: str) -> Quantity | None:
    """The first quantity in the unit asked for, else the first that can be converted, else the first without a unit."""
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
