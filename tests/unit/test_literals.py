"""Literals in somebody's text."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from eyechart.literals import literal


def test_values_are_read_as_python_writes_them() -> None:
    """Lists, numbers, quoted texts with their escapes."""
    assert literal("['it\\'s', \"b\", 3.5, None]") == ["it's", "b", 3.5, None]


@pytest.mark.parametrize(
    "text", ["", "[1, 2", "print(1)", "__import__('os')", "[" * 5000, "'\x00'", "-" * 100_000 + "1", "{[]: 1}"]
)
def test_what_is_no_literal_is_said_to_be_none(text: str) -> None:
    """Whatever is wrong with a text, there is one error to expect, and nothing is run."""
    with pytest.raises(ValueError, match="not a literal"):
        literal(text)


def test_escapes_that_python_does_not_know_are_taken_as_they_are() -> None:
    """No warning reaches the terminal because of a model's backslash."""
    assert literal(r"'\d'") == r"\d"


class Litter:
    """Garbage whose collection lets other threads run, in the middle of whatever made room for it."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(0)


def test_many_threads_may_read_at_once() -> None:
    """Python 3.11 by itself cannot; two in the same moment would end a run of hours."""
    texts = [str([f"A. {word}", "B. left", ["deep", {"deeper": (1, 2, [3])}]] * 20) for word in range(400)]

    def read(text: str) -> str:
        Litter()
        return repr(literal(text))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, texts)) == texts
