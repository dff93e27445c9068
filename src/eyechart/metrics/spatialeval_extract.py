"""What the SpatialEval repository takes a reply to say, per task and question, with every quirk it has.

Tasks and questions have different extractors, told apart by the published id (`task.mode.instance.question`). Where
the official program stops with an exception, `Undefined` says which; where its loop skips the line, `NotSupported`.
The patterns are facts of the published scores, so they are spelled as they act and not as they should be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eyechart.metrics.readers import NUMBER_WORDS


class Undefined(Exception):
    """The official program stops at this row."""


class NotSupported(Exception):
    """The official program raises ValueError at this row, which its loop counts as wrong."""


# In this order: where the order of the words decides, "zero" is looked for first and "no" second.
_COUNTS = {"zero": 0, "no": 0} | {word: count for word, count in NUMBER_WORDS.items() if count < 10}
_COUNT_WORDS = [(re.compile(rf"\b{word}\b", re.IGNORECASE), count) for word, count in _COUNTS.items()]

_DIRECTIONS = "southeast|northeast|northwest|southwest"
_DIRECTION = rf"\b({_DIRECTIONS})\b"
# What may stand in a place's name; the typographic apostrophe is in the data.
_NAME = r"[\w\s'’]+"
# A name ends where the blanks behind it begin (or is one blank): upstream has no look-behind, finds the same and takes
# quadratic time for a long run of blanks.
_NAME_THEN_BLANKS = rf"(\s|{_NAME}?(?<!\s))\s+"
_DIGITS = re.compile(r"\d+")


def extract(text: str, row: str, model: str | None) -> str | int | None:
    """What the official program extracts from the reply to this row; None where it finds nothing."""
    task, question = row.partition(".")[0], row.rpartition(".")[2]
    try:
        number = int(question)
    except ValueError:
        # Read before the loop's try: this one is not caught there.
        raise Undefined(f"the id {row!r} does not end in a question number (ValueError)") from None
    if task == "spatialmap":
        return _spatialmap(text, number, model)
    if task == "mazenav":
        return _mazenav(text, number)
    if task == "spatialgrid":
        return _spatialgrid(text, number, model)
    raise Undefined(
        f"the official program has no extractor for {task!r}: it stops (UnboundLocalError), "
        "or marks the answer of the row before once more"
    )


def _first(pattern: str, text: str, group: int = 1, flags: re.RegexFlag = re.IGNORECASE) -> str | None:
    match = re.search(pattern, text, flags)
    return match.group(group) if match else None


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError as limit:  # more digits than Python converts: a ValueError, so the row is skipped there too
        raise NotSupported(str(limit)) from None


def _model_name(model: str | None) -> str:
    if model is None:
        raise Undefined("the extractor asks for the model's name, and there is none (AttributeError)")
    return model.lower()


# ── spatialmap ────────────────────────────────────────────────────────────────


def _spatialmap(text: str, question: int, model: str | None) -> str | int | None:
    if question == 0:
        labelled = _first(rf"\b[A-D]\.\s*({_DIRECTIONS})\b", text)
        return labelled.lower() if labelled else _first(_DIRECTION, text)
    if question == 1:
        return _object(text, model)
    if question == 2:
        labelled = _first(r"\b[A-D]\.\s*(\d+)", text, flags=re.NOFLAG)
        if labelled is None:
            return _earliest_number(text)
        try:
            return int(labelled)
        except ValueError:  # too many digits: this one place hands the text on as it is
            return labelled
    raise NotSupported(f"question {question} of spatialmap is not supported")


def _object(text: str, model: str | None) -> str | None:
    """The place that the reply names (question 1)."""
    for candidate in _object_for_all(text):
        return candidate
    for pattern in _object_patterns(_model_name(model)):
        found = _first(pattern, text)
        if found is not None:
            return found
    rest = _after_is(text)
    return None if rest is None else _trimmed(rest)


def _object_for_all(text: str) -> Iterator[str]:
    """The tries that ask nothing about the model, in order."""
    opening = _first(rf"^{_NAME_THEN_BLANKS}is\s+(?:located\s+|in\s+the\s+|located\s+to\s+the\s+)({_DIRECTION})", text)
    if opening is not None:
        yield opening
    labelled = _first(r"\b[A-D]\.\s*(.*)", text, flags=re.NOFLAG)
    if labelled is not None:
        # Full stops and bold marks go before the text is cut at " is".
        yield labelled.replace("**", "").replace(".", "").split(" is", 1)[0].strip()
    bracketed = _first(r"\b([ABCD][.,]|[(][abcdABCD][)])\s*(.*?)(?=\sis\b|\.|,|<|$)", text, flags=re.NOFLAG)
    if bracketed is not None:
        # The label is taken there, not the name behind it: "A, Oz Oddities" is read as "A".
        yield _trimmed(bracketed)
    therefore = _first(rf"Therefore, the object in the {_DIRECTION} of {_NAME} is ({_NAME})", text, 2)
    if therefore is not None:
        yield therefore


def _object_patterns(model: str) -> Iterator[str]:
    """Further patterns for the models whose names hold certain words."""
    located = rf"is\s+(?:located\s+|in\s+the\s+|in\s+|located\s+to\s+the\s+)({_DIRECTION})"
    if "claude" in model:
        yield rf"^{_NAME_THEN_BLANKS}is\s+(to\s+the\s+)({_DIRECTION})"
    if "geminiv" in model:
        yield rf"\*\*Concise Answer:\*\*\n{_NAME_THEN_BLANKS}{located}"
        yield rf"\*\*Answer:\*\*\s+{_NAME_THEN_BLANKS}is\s+in\s+the\s+({_DIRECTION})\s+of\s+({_NAME})"
        yield rf"\*\*Answer:\*\*\n({_NAME})"
        yield rf"\*\*Answer\*\*:\s+({_NAME})"
        yield rf"\*\*Answer:\*\*\s+({_NAME})"
    if "gpt4o" in model:
        yield rf"Concise Answer:\s+{_NAME_THEN_BLANKS}{located}"


_IS = re.compile(r"\bis\b\s+")
_STOP = re.compile(r"[.,<\n]")


def _after_is(text: str) -> str | None:
    """What follows the first "is", up to `.`, `,`, `<` or the end: in "The answer is in the east", "in the east".

    A line that breaks before any of them does not count. Upstream has one pattern for it, which looks through such a
    line once for every "is" in it; here its end is remembered.
    """
    stop = -1
    for match in _IS.finditer(text):
        if stop < match.end():
            found = _STOP.search(text, match.end())
            stop = found.start() if found else len(text)
        if text[stop : stop + 1] != "\n" or stop == len(text) - 1:
            return text[match.end() : stop]
    return None


def _trimmed(text: str) -> str:
    return re.sub(r"[\.,\?!<]+$", "", text.strip())


def _earliest_number(text: str) -> int | None:
    """The number, in digits or words, that stands first; "no" is a number here."""
    places = [(match.start(), count) for pattern, count in _COUNT_WORDS for match in pattern.finditer(text)]
    # Cut off after the words were placed, so that digits behind it stand too far left by its length. Kept.
    text = re.sub(r"^\n\n\d+\.\s", "", text)
    places += [(match.start(), _integer(match[0])) for match in _DIGITS.finditer(text)]
    # Sorted by place alone and stably: at a tie the word wins.
    return min(places, key=lambda place: place[0])[1] if places else None


# ── mazenav ───────────────────────────────────────────────────────────────────

_YES = (r"\byes\b", r"the answer is yes", r'"yes"', r"'yes'", r"is the shortest path")
_NO = (r"\bno\b", r"the answer is no", r'"no"', r"'no'", r"\bnot\b")
# Upstream allows for a line break between two runs of blanks, which already hold it: one run finds the same.
_ANSWER_IS = (r"answer is\s+(\d+)", r"answer is:\s*(\d+)", r"from S to E is\s+(\d+)")
_TURNS: dict[int, tuple[str, ...]] = {
    0: (
        r"\bThere are\s*(\d+)\s*right turns\b",
        r"\bThere is\s*(\d+)\s*right turn\b",
        r"\b(\d+)\s+right turn(s)?",
        *_ANSWER_IS,
        r"Answer:\*\*\s*(\d+)\b",
    ),
    1: (
        r"\bThere are\s*(\d+)\s*total turns\b",
        r"\bThere are\s*(\d+)\s*turns\b",
        r"There is\s*(\d+)\s*turn\b",
        r"There is\s*(\d+)\s*total turn\b",
        *_ANSWER_IS,
        r"\btotal of\s+(\d+)\s+turn(s)?",
        r"Answer:\*\*\s*(\d+)\b",
        r"(?<!\d)(\d+)\s+total turn(s)?",
        r"\b(\d+)\s+turn(s)?",
    ),
}


def _mazenav(text: str, question: int) -> str | int | None:
    if question == 2:
        # Any sign of a yes wins over every sign of a no.
        for answer, patterns in (("Yes", _YES), ("No", _NO)):
            if any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns):
                return answer
        return None
    # Words come before digits wherever they stand, in the order of the table: any "no" is 0, any "one" is 1.
    for pattern, count in _COUNT_WORDS:
        if pattern.search(text):
            return count
    if question not in _TURNS:
        raise Undefined(f"mazenav has no question {question} (KeyError)")
    for turns in _TURNS[question]:
        found = _first(turns, text)
        if found is not None:
            return _integer(found)
    fallback = _DIGITS.search(text)
    return _integer(fallback[0]) if fallback else None


# ── spatialgrid ───────────────────────────────────────────────────────────────


def _spatialgrid(text: str, question: int, model: str | None) -> str | int | None:
    if question >= 1:
        return _first(r"\b(giraffe|cat|dog|elephant|rabbit)\b", text)
    if "claude" in _model_name(model):
        # Three phrases are tried there, but only the outcome of the last one is looked at.
        found = _first(r"\bcontains\s*(\d+)\s*blocks\b", text)
        if found is not None:
            return _integer(found)
    return _earliest_number(text)
