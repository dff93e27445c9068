"""A source over a table: a function turns a row into a sample, this reads, checks and counts."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Callable, Sequence
from threading import RLock
from typing import TypeAlias

import msgspec

from eyechart.errors import InputError
from eyechart.records import Entry, Index, Media, Sample
from eyechart.sources.place import Place
from eyechart.sources.rows import Row, require
from eyechart.sources.table import Table

RowOf: TypeAlias = Callable[[str], Row]  # the row of a question with this id, with its pictures
ToSample: TypeAlias = Callable[[Row], Sample]
ToMedia: TypeAlias = Callable[[Row, Sample, RowOf], tuple[Media, ...]]

logger = logging.getLogger(__name__)


class TableSource:
    """Questions from rows. Nothing is opened before somebody asks."""

    def __init__(
        self,
        open_rows: Callable[[], Table],
        *,
        sample: ToSample,
        media: ToMedia = lambda _row, _sample, _row_of: (),
        columns: Sequence[str] = (),
        keep: Callable[[Row], bool] | None = None,
        stratum: str = "",
        place: Place | None = None,
    ) -> None:
        self._open, self._sample, self._media = open_rows, sample, media
        self._columns, self._keep, self._stratum = columns, keep, stratum
        self.place = place  # where the files are; None where nothing can be downloaded
        self._table: Table | None = None
        self._index: Index | None = None
        self._locators: dict[str, int] = {}
        self._lock = RLock()

    def demanding(self, columns: Sequence[str]) -> TableSource:
        """The same questions where other columns are needed: marking does without the question's words."""
        return TableSource(
            self._open,
            sample=self._sample,
            media=self._media,
            columns=columns,
            keep=self._keep,
            stratum=self._stratum,
            place=self.place,
        )

    @property
    def table(self) -> Table:
        """The open table, its columns checked."""
        with self._lock:
            if self._table is None:
                table = self._open()
                require(table.columns, self._columns, where=table.name)
                self._table = table
            return self._table

    def index(self) -> Index:
        """Every question in file order; ids are unique, and the fingerprint covers ids, texts and the revision."""
        if self._index is None:
            self._index = self._read_index()
        return self._index

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        """One sample, its pictures left out where they are not wanted."""
        row = self.table.row(int(entry.locator), pictures=media)
        sample = self._sample(row)
        if not media:
            return sample
        return msgspec.structs.replace(sample, media=self._media(row, sample, self._row_of))

    def _row_of(self, sample_id: str) -> Row:
        with self._lock:
            if not self._locators:
                self._locators = {entry.id: int(entry.locator) for entry in (self._index or self._read_index()).entries}
        if sample_id not in self._locators:
            raise InputError(f"no question has the id {sample_id!r}", why="another row refers to it for its picture")
        return self.table.row(self._locators[sample_id], pictures=True)

    def _read_index(self) -> Index:
        table = self.table
        seen: dict[str, int] = {}
        entries: list[Entry] = []
        digest = hashlib.sha256(self.place.revision().encode() if self.place else b"")
        left_out = 0
        for locator, block, row in table.scan():
            if self._keep is not None and not self._keep(row):
                left_out += 1
                continue
            try:
                sample = self._sample(row)
            except InputError as error:
                raise InputError(
                    f"{table.name}, row {locator + 1}: {error.what}", why=error.why, fix=error.fix
                ) from error
            first = seen.setdefault(sample.id, locator)
            if first != locator:
                raise InputError(
                    f"{table.name}: the id {sample.id!r} stands in rows {first + 1} and {locator + 1}",
                    why="an answer could not be told which of them it answers",
                    fix="give every question its own id",
                )
            digest.update(fingerprint(sample))
            entries.append(
                Entry(
                    id=sample.id,
                    locator=locator,
                    group=sys.intern(sample.cluster),
                    block=block,
                    stratum=sys.intern(sample.tags.get(self._stratum, "")),
                )
            )
        if left_out:
            logger.info("%s: %d rows belong to other parts of the benchmark, or have no picture", table.name, left_out)
        if not entries:
            raise InputError(f"{table.name} holds no questions", why=f"{left_out} rows were read, none belongs here")
        return Index(entries=tuple(entries), data=digest.hexdigest()[:12])


def fingerprint(sample: Sample) -> bytes:
    """What counts of a question: its id, words, options and gold answers; not its pictures, not its tags."""
    choices = [f"{letter}={text}" for letter, text in sample.choices.items()] if sample.choices else ()
    parts = (sample.id, sample.question, *choices, *sample.references)
    return "\x1f".join(parts).encode("utf-8", "surrogatepass") + b"\x1e"
