"""JSON, JSON lines, CSV and TSV read by byte spans: where each row starts and ends is all that stays in memory.

The file is mapped, not loaded; a gzipped one is unpacked once into a temporary file. A row costs sixteen bytes here,
however much text or base64 it holds.
"""

from __future__ import annotations

import csv
import gzip
import mmap
import re
import shutil
import sys
import tempfile
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from eyechart.errors import InputError, few
from eyechart.sources.rows import Row
from eyechart.sources.table import ending

Buffer = mmap.mmap | bytes

# Where several lists stand in one JSON object, these are what holds the questions of known formats.
_LIST_KEYS = ("questions", "annotations", "data", "samples", "results", "rows", "items")
_ASKED_FOR_FIELDS = 2000  # rows of a file of objects that are looked at for the names of its fields
_UTF8_MARK = b"\xef\xbb\xbf"


class TextTable:
    """The rows of one text file."""

    def __init__(self, path: Path, *, kind: str = "") -> None:
        self.name = str(path)
        self._kind = kind or ending(path)
        self._buffer = map_file(path)
        if not self._buffer[:4096].strip():
            raise InputError(f"{path} is empty", why="there is nothing in it to ask")
        self._starts, self._ends = array("Q"), array("Q")
        self._header: list[str] = []
        if self._kind == ".json":
            self._find_json()
        elif self._kind in (".jsonl", ".ndjson"):
            self._find_lines()
        else:
            self._find_records()
        self.columns = tuple(self._header) or self._columns_of_objects()

    def __len__(self) -> int:
        return len(self._starts)

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every row; text files are one block, for reading anywhere in them costs the same."""
        for number in range(len(self._starts)):
            yield number, 0, self.row(number)

    def raw(self, locator: int) -> bytes:
        """The bytes of one row."""
        return self._buffer[self._starts[locator] : self._ends[locator]]

    def row(self, locator: int, *, pictures: bool = True) -> Row:
        """One row, decoded."""
        raw = self.raw(locator)
        if self._header:
            return self._record(locator, raw)
        try:
            row = msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"{self._place(locator)} is not JSON", why=str(error)) from error
        except UnicodeDecodeError as error:
            raise not_utf8(self._place(locator), error) from error
        if not isinstance(row, dict):
            raise InputError(f"{self._place(locator)} is not an object", why=f"it is {type(row).__name__}")
        return row

    def _place(self, locator: int) -> str:
        line = self._buffer[: self._starts[locator]].count(b"\n") + 1
        return f"{self.name}, row {locator + 1} (line {line})"

    def _find_json(self) -> None:
        for raw in raw_items(self._buffer, self.name):
            # Items follow each other with nothing but a comma and spaces between, so this finds them at once.
            start = self._buffer.find(raw, self._ends[-1] if self._ends else 0)
            self._starts.append(start)
            self._ends.append(start + len(raw))

    def _find_lines(self) -> None:
        size, start = len(self._buffer), start_of(self._buffer)
        while start < size:
            end = self._buffer.find(b"\n", start)
            end = size if end < 0 else end
            if self._buffer[start:end].strip():
                self._starts.append(start)
                self._ends.append(end)
            start = end + 1

    def _find_records(self) -> None:
        # A quoted cell may hold line ends, so only the csv module knows where a record ends; it asks for a line at a
        # time, and the place of the last line it asked for is where the record ended.
        place = {"end": start_of(self._buffer)}

        def lines() -> Iterator[str]:
            while place["end"] < len(self._buffer):
                start = place["end"]
                end = self._buffer.find(b"\n", start) + 1
                place["end"] = end or len(self._buffer)
                yield decoded(self._buffer[start : place["end"]], f"{self.name}, byte {start}")

        allow_long_cells()
        reader = csv.reader(lines(), delimiter=self._delimiter)
        try:
            self._header = self._checked_header(next(reader, []))
            if not self._header:
                raise InputError(f"{self.name} has no header", why="its first line is empty")
            while True:
                start = place["end"]
                record = next(reader, None)
                if record is None:
                    return
                if place["end"] == len(self._buffer):
                    self._refuse_open_quote(start)
                if record:
                    self._check_width(record, len(self._starts))
                    self._starts.append(start)
                    self._ends.append(place["end"])
        except csv.Error as error:
            raise InputError(f"{self.name}, line {reader.line_num} cannot be read", why=str(error)) from error

    def _checked_header(self, header: list[str]) -> list[str]:
        for name in header:
            if name and header.count(name) > 1:
                raise InputError(
                    f"{self.name} has two columns called {name!r}",
                    why="one of them would not be read",
                    fix="give each column its own name",
                )
        return header

    def _refuse_open_quote(self, start: int) -> None:
        # Read like pandas reads, a cell that opens with a quotation mark and never closes takes all rows that follow.
        # Then a further line belongs to the same record.
        raw = self._buffer[start : len(self._buffer)].decode()
        if len(list(csv.reader([raw, "."], delimiter=self._delimiter))) < 2:
            raise InputError(
                f"{self.name}, row {len(self._starts) + 1}: a cell that opens with a quotation mark is never closed",
                why="all that follows would be in that cell",
                fix='put the cell in quotation marks, and write those within it twice: "say ""hi"" now"',
            )

    @property
    def _delimiter(self) -> str:
        return "\t" if self._kind == ".tsv" else ","

    def _record(self, locator: int, raw: bytes) -> Row:
        # One record is one string, line ends in quotes and all: nothing here may split it at characters of its own.
        record = next(csv.reader([raw.decode()], delimiter=self._delimiter))
        return dict(zip(self._header, record, strict=True))

    def _check_width(self, record: list[str], number: int) -> None:
        if len(record) != len(self._header):
            raise InputError(
                f"{self.name}, row {number + 1} has {len(record)} cells where the header has {len(self._header)}",
                why=f"the columns are {few(self._header)}",
                fix="put cells that hold a separator or a line end in double quotes",
            )

    def _columns_of_objects(self) -> tuple[str, ...]:
        # Fields that are nothing may be left out of a row: the first rows alone do not tell which there are.
        names: dict[str, None] = {}
        for number in range(0, len(self), max(1, len(self) // _ASKED_FOR_FIELDS)):
            names.update(dict.fromkeys(self.row(number)))
        return tuple(names)


def raw_items(buffer: Buffer, name: str) -> list[msgspec.Raw]:
    """The items of the list in a JSON file, undecoded: a bare list, or the one list of an object."""
    view = memoryview(buffer)[start_of(buffer) :]
    try:
        if bytes(view[:256]).lstrip().startswith(b"["):
            return msgspec.json.decode(view, type=list[msgspec.Raw])
        fields = msgspec.json.decode(view, type=dict[str, msgspec.Raw])
        lists = [key for key, raw in fields.items() if bytes(raw)[:1] == b"["]
        chosen = next((key for key in _LIST_KEYS if key in lists), lists[0] if len(lists) == 1 else None)
        if chosen is None:
            raise InputError(
                f"{name} holds no list of questions",
                why=f"its fields are {few(fields, none='none')}",
                fix=f"a list of objects, alone or under one of {', '.join(_LIST_KEYS)}",
            )
        return msgspec.json.decode(fields[chosen], type=list[msgspec.Raw])
    except msgspec.DecodeError as error:
        where = json_place(buffer, str(error))
        raise InputError(f"{name}{where}: not valid JSON", why=str(error), fix="is the file complete?") from error
    except UnicodeDecodeError as error:
        raise not_utf8(name, error) from error
    except RecursionError as error:
        raise InputError(
            f"{name} is nested too deeply", why="no table of questions is a thousand lists deep"
        ) from error


def start_of(buffer: Buffer) -> int:
    """Where the text begins: behind the mark that some programs put before UTF-8."""
    return len(_UTF8_MARK) if buffer[:3] == _UTF8_MARK else 0


def json_place(buffer: Buffer, message: str) -> str:
    """`:line:column` of the byte that an error message names; empty where it names none."""
    match = re.search(r"\(byte (\d+)\)", message)
    if match is None:
        return ""
    before = bytes(buffer[: int(match[1])])
    line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
    return f":{line}:{column}"


def map_file(path: Path) -> Buffer:
    """The bytes of a file without loading it; a gzipped file is unpacked once to a place that has no name."""
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    with path.open("rb") as file:
        # By its first bytes, for published files are called .gz, .gzip or nothing at all.
        if file.read(2) != b"\x1f\x8b":
            return map_open(file)
    with tempfile.TemporaryFile() as unpacked:
        try:
            with gzip.open(path, "rb") as packed:
                shutil.copyfileobj(packed, unpacked, 1 << 20)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path} is not a whole gzip file", why=str(error)) from error
        unpacked.flush()
        return map_open(unpacked)


def map_open(file: Any) -> Buffer:
    """Map an open file; the map outlives it. An empty file cannot be mapped."""
    file.seek(0, 2)
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if file.tell() else b""


def decoded(raw: bytes, place: str) -> str:
    """The bytes as text; anything but UTF-8 is refused by its place."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(place, error) from error


def not_utf8(place: str, error: UnicodeDecodeError) -> InputError:
    """The error for bytes that are text in another encoding."""
    return InputError(f"{place} is not UTF-8", why=str(error), fix="save the file as UTF-8")


def allow_long_cells() -> None:
    """Let the csv module read cells longer than 128 kB: pictures as base64 are."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
