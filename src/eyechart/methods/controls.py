"""Controls: the same questions with the picture taken away or swapped. What is the picture worth?

`blind` sends no picture. `shuffled` sends the picture of another question, never the right one. Both stand between a
benchmark's source and whoever asks, so any benchmark and any model can be asked that way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from eyechart.errors import InputError
from eyechart.records import Entry, Index, Sample
from eyechart.registry import unknown
from eyechart.sources.base import Source

CONTROLS: dict[str, str] = {
    "blind": "no picture is sent: what the question alone gives away",
    "shuffled": "another question's picture is sent, never the right one: does the answer follow the picture?",
}


def controlled(source: Source, name: str, *, seed: int = 0) -> Source:
    """The same questions, asked under a control; the plain source where no control is named."""
    match name:
        case "":
            return source
        case "blind":
            return Blind(source)
        case "shuffled":
            return Shuffled(source, seed)
    raise unknown("control", name, list(CONTROLS), listing="eyechart run --help")


def blind(sample: Sample) -> Sample:
    """The question without its pictures."""
    return msgspec.structs.replace(sample, media=())


def swapped(sample: Sample, donor: Sample) -> Sample:
    """The question with the pictures of another one."""
    return msgspec.structs.replace(sample, media=donor.media)


class Blind(Source):
    """A source whose questions have no pictures; none is read."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def index(self) -> Index:
        return self._source.index()

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        return blind(self._source.fetch(entry, media=False))


class Shuffled(Source):
    """A source whose questions carry the pictures of others."""

    def __init__(self, source: Source, seed: int) -> None:
        self._source = source
        self._donors = Donors(source.index().entries, seed)

    def index(self) -> Index:
        return self._source.index()

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        sample = self._source.fetch(entry, media=False)
        return swapped(sample, self._source.fetch(self._donors.of(entry), media=True)) if media else sample


class Donors:
    """Who gives pictures to whom: seeded, the same whatever part of the questions is asked, never within a picture."""

    def __init__(self, entries: Sequence[Entry], seed: int) -> None:
        self._seed = seed
        self._all = list(entries)
        self._alike: dict[str, list[Entry]] = {}
        for entry in entries:
            self._alike.setdefault(entry.stratum, []).append(entry)

    def of(self, entry: Entry) -> Entry:
        """A question of another picture: of the same type where there is one, so that the picture could fit."""
        start = int.from_bytes(hashlib.blake2b(f"{self._seed}/{entry.id}".encode(), digest_size=8).digest(), "big")
        for pool in (self._alike.get(entry.stratum, []), self._all):
            for step in range(len(pool)):
                other = pool[(start + step) % len(pool)]
                if _picture(other) != _picture(entry):
                    return other
        raise InputError(
            "the control shuffled needs questions about at least two pictures",
            why="all questions of this benchmark share one picture, so there is no other to send",
            fix="--control blind",
        )


def _picture(entry: Entry) -> str:
    return entry.group or entry.id
