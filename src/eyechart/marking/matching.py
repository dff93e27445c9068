"""Whether a file of answers and a set of questions belong together: which ids are missing, extra or given twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Id: TypeAlias = int | str

_EXAMPLES = 3


@dataclass(frozen=True)
class Predictions:
    """Answers by question id. Of answers to one question the last counts, as in the official programs."""

    answers: Mapping[Id, str]
    duplicates: Sequence[Id] = ()  # ids that were given again, once for each further time


@dataclass(frozen=True)
class Mismatch:
    """One way in which ids do not match: how many, and three of them."""

    n: int = 0
    examples: tuple[Id, ...] = ()

    @classmethod
    def of(cls, ids: Iterable[Id]) -> Mismatch:
        """Count ids and keep the first three."""
        listed = list(ids)
        return cls(len(listed), tuple(listed[:_EXAMPLES]))

    def __str__(self) -> str:
        return f"{self.n} (for example {', '.join(map(str, self.examples))})"


@dataclass(frozen=True, kw_only=True)
class IdMatch:
    """How the ids of annotations, answers and questions compare."""

    annotations: int
    predictions: int
    missing: Mismatch = Mismatch()  # annotated, not answered
    extra: Mismatch = Mismatch()  # answered, not annotated
    duplicates: Mismatch = Mismatch()  # answered more than once: the last answer counts
    twice_annotated: Mismatch = Mismatch()  # counted as often as they stand in the file
    unannotated: Mismatch = Mismatch()  # in the questions file only
    unasked: Mismatch = Mismatch()  # in the annotations only

    @property
    def official(self) -> bool:
        """Whether the official program would accept the answers: the same ids on both sides, as sets."""
        return not self.missing.n and not self.extra.n

    def findings(self) -> list[str]:
        """Everything that does not match, in words."""
        told = (
            (self.missing, "without an answer"),
            (self.extra, "answered but not in the annotations"),
            (self.duplicates, "answered again: the last answer counts"),
            (self.twice_annotated, "annotated again: counted each time"),
            (self.unannotated, "in the questions file but not annotated"),
            (self.unasked, "annotated but not in the questions file"),
        )
        return [f"{mismatch} {words}" for mismatch, words in told if mismatch.n]


def same_kind_of_ids(answers: Mapping[Id, str], annotated: Id) -> Mapping[Id, str]:
    """Answers whose ids a table could only write as text, by the numbers that the annotations have, or the reverse."""
    if not answers or isinstance(next(iter(answers)), type(annotated)):
        return answers
    if isinstance(annotated, int):
        return {int(key) if isinstance(key, str) and key.isdecimal() else key: text for key, text in answers.items()}
    return {str(key): text for key, text in answers.items()}
