"""What a command says: the result on stdout, everything else on stderr."""

from __future__ import annotations

import sys

import msgspec


def write(text: str) -> None:
    """The result, or a part of it."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """A word to the person."""
    sys.stderr.write(text + "\n")


def as_json(value: object) -> str:
    """One document, indented for people."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
