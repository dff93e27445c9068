"""Row groups of a parquet file, kept at hand for the questions that follow each other in them.

A small group is held in memory. A large one is laid out row by row in a temporary file, only as far as it has been
asked for: the first question of a gigabyte of pictures does not wait for the last, and none of it stays in memory.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from eyechart.errors import InputError, SetupError
from eyechart.sources.rows import Row

# As many rows as make about this much are laid out together: one picture, or many lines of text.
_PIECE_BYTES = 1 << 20


class Group(Protocol):
    """Some rows that can be read one by one."""

    def rows(self, start: int, count: int) -> list[Row]:
        """So many rows from this one on; fewer where the group ends."""
        ...


class HeldGroup:
    """Rows in memory."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def rows(self, start: int, count: int) -> list[Row]:
        """So many rows from this one on."""
        rows: list[Row] = self._table.slice(start, count).to_pylist()
        return rows


class LaidOutGroup:
    """Rows in a temporary file that has no name: its space returns to the system when the group is let go."""

    def __init__(self, pa: Any, batches: Iterator[Any]) -> None:
        self._pa, self._batches = pa, batches
        with explained():
            self._file, name = tempfile.mkstemp(suffix=".eyechart")
            Path(name).unlink()
        weakref.finalize(self, os.close, self._file)
        self._pieces: list[tuple[int, int, int]] = []  # first row, place in the file, bytes
        self._end = 0
        self._laid_out = 0  # rows
        self._damage: InputError | None = None

    def rows(self, start: int, count: int) -> list[Row]:
        """So many rows from this one on."""
        found: list[Row] = []
        while len(found) < count and self._reach(start + len(found)):
            first, place, size = self._piece_of(start + len(found))
            piece = self._pa.ipc.open_stream(os.pread(self._file, size, place)).read_all()
            found += piece.slice(start + len(found) - first, count - len(found)).to_pylist()
        return found

    def _reach(self, row: int) -> bool:
        """Lay out as far as this row; False where the group ends before it."""
        while self._laid_out <= row:
            batch = self._next_batch()
            if batch is None:
                return False
            step = max(1, min(batch.num_rows, _PIECE_BYTES * batch.num_rows // max(1, batch.nbytes)))
            for start in range(0, batch.num_rows, step):
                self._lay_out(batch.slice(start, step))
        return True

    def _next_batch(self) -> Any:
        if self._damage is None:
            try:
                return next(self._batches, None)
            except InputError as error:
                self._damage = error
        # Whoever asks for rows behind the damage hears of it, not only the first.
        raise self._damage

    def _lay_out(self, piece: Any) -> None:
        sink = self._pa.BufferOutputStream()
        with self._pa.ipc.new_stream(sink, piece.schema) as writer:
            writer.write_batch(piece)
        data = sink.getvalue()
        written = 0
        with explained():
            while written < data.size:
                written += os.pwrite(self._file, memoryview(data)[written:], self._end + written)
        self._pieces.append((self._laid_out, self._end, data.size))
        self._end += data.size
        self._laid_out += piece.num_rows

    def _piece_of(self, row: int) -> tuple[int, int, int]:
        return self._pieces[bisect_right(self._pieces, row, key=lambda piece: piece[0]) - 1]


@contextmanager
def explained() -> Iterator[None]:
    """A full or missing folder for temporary files, in words that say what to do."""
    try:
        yield
    except OSError as error:
        raise SetupError(
            f"pictures cannot be laid out in {tempfile.gettempdir()}",
            why=error.strerror or str(error),
            fix="make room there, or name another folder: TMPDIR=…",
        ) from error
