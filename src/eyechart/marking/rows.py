"""One marked question: a line of scores.jsonl."""

from __future__ import annotations

from collections.abc import Mapping

from eyechart.records import Record, ReplyStatus, Score


class Mark(Record, frozen=True):
    """What one metric made of the answer, and the sums that its formula needs of it."""

    value: float | None  # None: no score is defined (see error)
    read_as: str | None = None  # what the metric took the answer to be; None: nothing readable
    rule: str = ""
    error: str = ""
    cell: tuple[str, ...] = ()  # the group whose sums the metric's formula needs
    stats: tuple[float, ...] = ()

    @classmethod
    def of(cls, score: Score, cell: tuple[str, ...]) -> Mark:
        """A score with its cell."""
        return cls(
            value=score.value,
            read_as=score.read_as,
            rule=score.rule,
            error=score.error,
            cell=cell,
            stats=score.stats,
        )


class ScoredRow(Record, frozen=True):
    """One question with its answer's status and all marks; without an answer, the marks are those of a wrong one."""

    sample: str
    variant: str = ""
    repeat: int = 0
    cluster: str = ""
    tags: Mapping[str, str] = {}  # those by which results are grouped
    status: ReplyStatus = "ok"
    failure: str = ""  # its kind, where status is "failed"
    marks: Mapping[str, Mark] = {}

    @property
    def answered(self) -> bool:
        """Whether a reply arrived, readable or not."""
        return self.status not in ("failed", "missing")
