"""What a command says: the result on stdout, everything else on stderr."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import TextIO

import msgspec


def write(text: str) -> None:
    """The result, or a part of it."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """A word to the person."""
    sys.stderr.write(text + "\n")


def silence(stream: TextIO) -> None:
    """What is still buffered goes nowhere, so that the interpreter's end does not fail on it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def fitting(lines: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; on a terminal that is too narrow for it, a paragraph for each row. What is piped stays a line each."""
    from eyechart.report.table import stacked, width

    columns = shutil.get_terminal_size().columns
    if not sys.stdout.isatty() or all(width(line) <= columns for line in lines.split("\n")):
        return lines
    return stacked(header, rows, columns)


def as_json(value: object) -> str:
    """One document, indented for people."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
