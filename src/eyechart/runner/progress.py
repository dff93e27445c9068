"""How far an earlier start came: which questions are done, and which steps of the others are paid for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from eyechart.records import CURABLE, Entry, Record, Response
from eyechart.runner.asking import Job
from eyechart.store.journal import Key, read_lines


class _Failed(Record, frozen=True):
    kind: str


class _Line(Record, frozen=True):
    """A journal line without what is heavy: replies stay undecoded unless a further step needs them."""

    sample: str
    variant: str = ""
    repeat: int = 0
    step: int = 0
    final: bool = True
    response: msgspec.Raw = msgspec.Raw(b"")
    failure: _Failed | None = None


@dataclass
class Progress:
    """What the journal says about the questions of a run."""

    done: set[Key] = field(default_factory=set)
    replies: dict[Key, dict[int, Response]] = field(default_factory=dict)

    @classmethod
    def read(cls, journal: Path, retry: frozenset[str]) -> Progress:
        """Questions that ended in a reply are done; so are those whose failure asking again would not cure."""
        progress = cls()
        again = CURABLE | retry
        for line in read_lines(journal, msgspec.json.Decoder(_Line)):
            key = Key(line.sample, line.variant, line.repeat)
            if line.failure is not None:
                (progress.done.discard if line.failure.kind in again else progress.done.add)(key)
            elif line.final:
                progress.done.add(key)
                progress.replies.pop(key, None)
            else:
                reply = msgspec.json.decode(line.response, type=Response)
                progress.replies.setdefault(key, {})[line.step] = reply
        return progress

    def open_jobs(self, ordered: Iterator[Entry], repeat: int, variant: str) -> Iterator[Job]:
        """A job for every question that is not done, in the order of asking."""
        for entry in ordered:
            key = Key(entry.id, variant, repeat)
            if key not in self.done:
                steps = self.replies.get(key, {})
                paid = tuple(steps[step] for step in range(len(steps)) if step in steps)
                yield Job(entry=entry, repeat=repeat, replies=paid)
