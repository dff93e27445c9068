"""What benchmarks' parts and options have in common: they are text, and a wrong one gets a helpful answer."""

from __future__ import annotations

from collections.abc import Iterable

from eyechart.errors import UsageError
from eyechart.registry import unknown


def choose(noun: str, given: str, known: Iterable[str], default: str) -> str:
    """The part or option value that was given, or the default; a name that does not exist gets the nearest ones."""
    names = list(known)
    if given in names or not given:
        return given or default
    raise unknown(noun, given, names)


def but_not(default: str, part: str) -> str:
    """The part as results name it: the default one is the benchmark itself, so that both spellings are one run."""
    return "" if part == default else part


def whole_number(option: str, given: str, *, least: int = 1) -> int:
    """An option that has to be a whole number."""
    if given.isascii() and given.isdigit() and int(given) >= least:
        return int(given)
    raise UsageError(f"{option}={given!r} is not a whole number from {least} on", fix=f"{option}={least}")
