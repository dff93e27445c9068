"""Chance that is the same for ever: the few draws that the generator needs, built on what Python promises to keep."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Seeded draws. Only `random()` is promised to repeat across Python versions, so all else is made from it."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self._random() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, of: int) -> bool:
        """True once in so many times."""
        return self.below(of) == 0

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Some of the items, each at most once, in random order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(count)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in random order."""
        return self.sample(items, len(items))
