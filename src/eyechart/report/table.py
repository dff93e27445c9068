"""Plain tables: columns that line up in a terminal, or Markdown that pastes anywhere."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), markdown: bool = False
) -> str:
    """Lay out cells; `right` names the columns that are aligned to the right (numbers)."""
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(header))]
    if markdown:
        cells = [[cell.replace("|", "\\|") for cell in row] for row in cells]
        widths = [max(3, *(width(row[column]) for row in cells)) for column in range(len(header))]
    lines = []
    for number, row in enumerate(cells):
        padded = [pad(cell, widths[i], right=i in right) for i, cell in enumerate(row)]
        lines.append(f"| {' | '.join(padded)} |" if markdown else "  ".join(padded).rstrip())
        if markdown and number == 0:
            rules = ["-" * (widths[i] - 1) + (":" if i in right else "-") for i in range(len(header))]
            lines.append(f"| {' | '.join(rules)} |")
    return "\n".join(lines)


def stacked(header: Sequence[str], rows: Sequence[Sequence[str]], cells: int) -> str:
    """Rows too wide for a table: the first column, and beside it all else, what it is about first."""
    from textwrap import wrap

    indent = max(width(printable(row[0])) for row in rows) + 2
    lines = []
    for name, *values in rows:
        told = sorted(zip(header[1:], values, strict=True), key=lambda pair: pair[0] != "about")
        said = " · ".join(printable(value if what == "about" else f"{what} {value}") for what, value in told if value)
        pieces = wrap(said, max(20, cells - indent), break_long_words=False, break_on_hyphens=False) or [""]
        lines.append(pad(printable(name), indent) + f"\n{' ' * indent}".join(pieces))
    return "\n".join(lines)


def printable(text: str) -> str:
    """Text that cannot move the cursor or hide: control and format characters become visible marks."""
    return "".join(c if c.isprintable() else ("␤" if c in "\r\n" else "�" if c != "\t" else " ") for c in text)


def width(text: str) -> int:
    """How many cells of a terminal a text takes: East Asian wide characters take two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """Fill up with spaces to a width in cells."""
    gap = " " * max(0, cells - width(text))
    return gap + text if right else text + gap


def shorten(text: str, cells: int) -> str:
    """At most so many cells, with an ellipsis where something was left out."""
    text = printable(text)
    if width(text) <= cells:
        return text
    kept = ""
    for character in text:
        if width(kept + character) > cells - 1:
            break
        kept += character
    return kept + "…"
