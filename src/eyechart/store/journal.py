"""The truth of a run: one JSON line per exchange, appended as it ends and synced in groups.

A line is handed to the operating system at once, so a killed process loses nothing; a thread syncs the file at most
a tenth of a second later, so a power cut loses at most that. A last line that was torn is cut off on the next start.
"""

from __future__ import annotations

import errno
import os
import shlex
import threading
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import msgspec

from eyechart.errors import InputError, SetupError
from eyechart.records import UNDECODABLE, Exchange, Failure, Longer, Record, Response, Timing, Usage, paid

JOURNAL, SCORES = "outcomes.jsonl", "scores.jsonl"
SYNC_INTERVAL_S = 0.1


class Key(NamedTuple):
    """What makes an exchange the one it is."""

    sample: str
    variant: str = ""
    repeat: int = 0


class Final(Record, frozen=True):
    """What marking needs of the exchange that ended a question; prompts and media are not decoded."""

    sample: str
    variant: str = ""
    repeat: int = 0
    step: int = 0
    final: bool = True
    response: Response | None = None
    failure: Failure | None = None
    timing: Timing = Timing(ended_at=0.0)
    tries: int = 1
    longer: Longer | None = None

    @property
    def usage(self) -> Usage:
        """What was paid for."""
        return paid(self.response, self.longer)

    @property
    def key(self) -> Key:
        """Which question this ends."""
        return Key(self.sample, self.variant, self.repeat)


class Journal:
    """Appends exchanges to a file. One writer per run: the folder's lock sees to that."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._encoder = msgspec.json.Encoder()
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritable(path, error) from error
        # Kept here, as nobody else writes: asking the system for every line costs more than writing it.
        self._size = os.fstat(self._file).st_size
        self._dirty = threading.Event()
        self._closed = False
        self._error: OSError | None = None
        self._syncer = threading.Thread(target=self._sync_in_groups, name="journal-sync", daemon=True)
        self._syncer.start()

    def append(self, exchange: Exchange) -> None:
        """Hand one line to the operating system; it is on disk within a tenth of a second."""
        if self._error is not None:
            raise unwritable(self.path, self._error)
        line = self._encoder.encode(exchange) + b"\n"
        try:
            self._write(line)
        except OSError as error:
            # Half a line may have gone out: take it back where possible, else the next start cuts it off.
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise unwritable(self.path, error) from error
        self._size += len(line)
        self._dirty.set()

    def close(self) -> None:
        """Sync what is left and let go of the file."""
        if self._closed:
            return
        self._closed = True
        self._dirty.set()
        self._syncer.join()
        os.close(self._file)
        if self._error is not None:
            raise unwritable(self.path, self._error)

    def _write(self, line: bytes) -> None:
        view = memoryview(line)
        while view:
            view = view[os.write(self._file, view) :]

    def _sync_in_groups(self) -> None:
        while True:
            self._dirty.wait()
            self._dirty.clear()
            try:
                os.fsync(self._file)
            except OSError as error:
                self._error = error
                return
            if self._closed and not self._dirty.is_set():
                return
            if not self._closed:
                time.sleep(SYNC_INTERVAL_S)


def unwritable(path: Path, error: OSError) -> SetupError:
    """The error for a journal that can no longer be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SetupError(
            f"the disk is full: {path}",
            why="the last answers could not be written; all earlier ones are safe",
            fix="free some space, then give the same command again: it continues where it stopped",
        )
    return SetupError(f"cannot write {path}: {error.strerror}", fix="mend that, then give the same command again")


def recover(path: Path) -> int:
    """Cut off a last line that was torn by a crash; returns how many bytes went. Whole lines are never touched."""
    if not path.exists():
        return 0
    try:
        with path.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            end = _end_of_whole_lines(file, size)
            if end < size:
                file.truncate(end)
                os.fsync(file.fileno())
    except OSError as error:
        raise unwritable(path, error) from error
    return size - end


def _end_of_whole_lines(file: BinaryIO, size: int) -> int:
    end = size
    while end > 0:
        start = max(0, end - (1 << 16))
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


class _Asked(Record, frozen=True):
    """What copying needs of a line."""

    sample: str
    variant: str = ""
    repeat: int = 0
    final: bool = True
    failure: msgspec.Raw = msgspec.Raw(b"")  # whether there is one is enough

    @property
    def key(self) -> Key:
        return Key(self.sample, self.variant, self.repeat)


def copy_lines(sources: Iterable[Path], target: Path, wanted: Collection[Key]) -> None:
    """Copy what is known about some questions into another run's journal, byte for byte.

    Where several journals hold a question, the first one in which it was answered is enough.
    """
    open_still = set(wanted)
    try:
        with target.open("wb") as copy:
            for source in (path for path in sources if path.exists()):
                # Looked at as a whole before any of it is written: a damaged line is found with its number.
                asked = list(read_lines(source, msgspec.json.Decoder(_Asked)))
                with source.open("rb") as lines:
                    copy.writelines(line for line, found in zip(lines, asked, strict=False) if found.key in open_still)
                open_still -= {found.key for found in asked if found.final and not bytes(found.failure)}
            copy.flush()
            os.fsync(copy.fileno())
    except OSError as error:
        raise unwritable(target, error) from error


def asked_about(path: Path) -> set[Key]:
    """Every question that a journal says anything about."""
    return {line.key for line in read_lines(path, msgspec.json.Decoder(_Asked))}


Line = TypeVar("Line")


def read_lines(path: Path, decoder: msgspec.json.Decoder[Line]) -> Iterator[Line]:
    """Every whole line of a journal; a torn last line is passed over, a damaged one elsewhere is an error."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                decoded = decoder.decode(line)
            except UNDECODABLE as error:
                raise damaged(path, number, str(error)) from error
            yield decoded


def damaged(path: Path, number: int, why: str) -> InputError:
    """The error for a line that cannot be read: of the journal, the truth, or of a file derived from it."""
    if path.name == SCORES:
        again = f"eyechart rescore {shlex.quote(str(path.parent))}"
        return InputError(f"{path}, line {number}: the file is damaged", why=why, fix=f"make it anew: {again}")
    return InputError(
        f"{path}, line {number}: the journal is damaged",
        why=why,
        fix="look at that line; if it is beyond repair, delete it and give the same command again: only that question "
        f"is asked anew (sed -i {number}d {shlex.quote(str(path))})",
    )


def read_exchanges(path: Path) -> Iterator[Exchange]:
    """Every exchange, in the order in which they ended."""
    return read_lines(path, msgspec.json.Decoder(Exchange))


def read_finals(path: Path) -> dict[Key, Final]:
    """For each question the exchange that ended it; where it was asked again, the last one counts."""
    finals: dict[Key, Final] = {}
    for line in read_lines(path, msgspec.json.Decoder(Final)):
        if line.final:
            finals[line.key] = line
    return finals
