"""A row of somebody's file, and how its cells are read: whatever the format, one meaning for text, lists and options.

A CSV holds `"['A. left' 'B. right']"` where a parquet file holds a list: benchmarks should not have to know which.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from eyechart.errors import InputError, few
from eyechart.literals import literal

Row: TypeAlias = Mapping[str, Any]

# A quoted string as Python writes it. numpy prints lists of them without commas, which Python would join into one.
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_LETTER_FIRST = re.compile(r"\s*\(?([A-Z])[.):]\s*(.*)", re.DOTALL)
_KINDS = {list: "a list", bytes: "bytes"}


def require(columns: Sequence[str], wanted: Sequence[str], *, where: str) -> None:
    """Refuse a file that lacks columns, naming what was found and what was expected."""
    missing = [name for name in wanted if name not in columns]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        raise InputError(
            f"{where} has no column{plural} {', '.join(map(repr, missing))}",
            why=f"found: {few(columns, none='no columns at all')}",
            fix=f"expected: {', '.join(wanted)}",
        )


def absent(value: object) -> bool:
    """Nothing in this cell: None, an empty text, or the NaN by which table programs mark a gap."""
    return value is None or value == "" or (isinstance(value, float) and value != value)  # noqa: PLR0124 - NaN


def gap(value: object) -> bool:
    """Nothing in a cell that may be left out: absent, or the NaN that a table program wrote in letters."""
    return absent(value) or value in ("nan", "NaN")


def text(row: Row, column: str, default: str | None = None) -> str:
    """The cell as text; a whole number that a table program turned into 3.0 is 3 again."""
    value = row.get(column)
    if type(value) is str and value:  # by far the commonest, two hundred thousand times
        return value
    if absent(value):
        if default is None:
            raise InputError(f"column {column!r} is empty", why="every question needs it")
        return default
    if isinstance(value, (Mapping, list, bytes)):
        raise InputError(f"column {column!r} holds {_KINDS.get(type(value), 'an object')}, where text is needed")
    return plain(value)


def plain(value: object) -> str:
    """A cell's value as text; a whole number that a table program turned into 3.0 is 3 again."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def texts(value: object) -> list[str]:
    """The cell as a list of texts: a list, a list written as JSON, Python or numpy does, or one text alone."""
    if absent(value):
        return []
    if isinstance(value, str):
        return written_list(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [item if isinstance(item, str) else plain(item) for item in value]
    return [plain(value)]


def written_list(value: str) -> list[str]:
    """A list that was written into a text cell; a text that is no list is a list of one."""
    inner = value.strip()
    if not (inner.startswith("[") and inner.endswith("]")):
        return [value]
    gaps = [gap.strip() for gap in _QUOTED.split(inner[1:-1])]
    quoted = _QUOTED.findall(inner[1:-1])
    try:
        if quoted and all(gap in ("", ",") for gap in gaps):
            return [str(literal(item)) for item in quoted]
        parsed = json.loads(inner)
    except ValueError:
        try:
            parsed = literal(inner)
        except ValueError:
            return [value]
    return [str(item) for item in parsed] if isinstance(parsed, list) else [value]


def lettered(options: Sequence[str]) -> dict[str, str]:
    """Options by letter. "A. left" keeps its own letter; options without letters get A, B, C … in order."""
    matches = [_LETTER_FIRST.fullmatch(option) for option in options]
    if matches and all(match and match[1] == letter_at(place) for place, match in enumerate(matches)):
        return {match[1]: match[2] for match in matches if match}
    return {letter_at(place): option for place, option in enumerate(options)}


def in_lines(value: str) -> list[str]:
    """Options that stand in one cell, each on a line with its letter ("A. left"); none where the cell is otherwise."""
    lines = [line for line in value.splitlines() if line.strip()]
    matches = [_LETTER_FIRST.fullmatch(line) for line in lines]
    fits = len(lines) > 1 and all(match and match[1] == letter_at(place) for place, match in enumerate(matches))
    return lines if fits else []


def letter_at(place: int) -> str:
    """A for 0, B for 1 …"""
    return chr(ord("A") + place)


def options_in_columns(row: Row) -> dict[str, str]:
    """Options that stand in columns called A, B, C …; a letter without a text is no option."""
    return {letter: text(row, letter) for letter in map(letter_at, range(26)) if not gap(row.get(letter))}
