"""Answers that somebody already has, read from a file: marked and compared like a model's."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from eyechart.errors import InputError, ModelError
from eyechart.models.base import Model, Request, Samples
from eyechart.records import UNDECODABLE, Response
from eyechart.sources.answer_columns import ANSWER_COLUMNS, ID_COLUMNS

BOM = b"\xef\xbb\xbf"  # some editors begin a file with it
ANSWERS = (*ANSWER_COLUMNS, "text")


def replay(rest: str) -> Model:
    """Factory of answers that you already have: `replay:answers.jsonl`."""
    if not Path(rest).is_file():  # said before anything is asked, not when this model's turn comes
        raise InputError(
            f"cannot read {rest or 'a file without a name'}: there is no such file", fix="-m replay:answers.jsonl"
        )
    return Replay(Path(rest))


class Replay(Model):
    """Says what the file says; a question that the file does not hold is a failure, not an empty answer."""

    concurrency = 64
    looks = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = f"replay:{path.name}"
        self.identity: Mapping[str, str] = {}
        self._answers: dict[str, str] = {}

    async def open(self, samples: Samples) -> None:
        """Read the file."""
        data = read_bytes(self.path)
        self.identity = {"file": hashlib.sha256(data).hexdigest()[:12]}
        self._answers = {}
        for sample_id, answer in read_answers(self.path, data):
            kept = self._answers.setdefault(sample_id, answer)
            if kept != answer:
                raise InputError(
                    f"{self.path}: question {sample_id} has two different answers",
                    why=f"{kept[:60]!r} and {answer[:60]!r}: nothing says which of them counts",
                    fix="keep one of them",
                )

    async def generate(self, request: Request) -> Response:
        """The stored answer."""
        sample_id = request.prompt.sample_id
        if sample_id not in self._answers:
            raise ModelError("refused_request", f"{self.path.name} holds no answer to question {sample_id}")
        return Response(text=self._answers[sample_id], finish="stop")

    async def close(self) -> None:
        """Nothing to let go of."""


def read_bytes(path: Path) -> bytes:
    """The file's bytes, unpacked if it is gzipped."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot unpack {path}", why=str(error)) from error


def read_answers(path: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """(id, answer) pairs of a JSON list, JSON lines, CSV or TSV, under any of the usual column names.

    A null in place of the model's word is no answer: its question has none, whatever else the row holds.
    """
    for number, row in enumerate(rows_of(path, data), 1):
        if not isinstance(row, dict):
            raise InputError(f"{path}, row {number}: expected an object with an id and an answer")
        sample_id = next((row[name] for name in ID_COLUMNS if row.get(name) is not None), None)
        column = next((name for name in ANSWERS if name in row), None)
        if sample_id is None or column is None:
            raise InputError(
                f"{path}, row {number}: {'an id' if sample_id is None else 'an answer'} is missing",
                why=f"its columns are {', '.join(map(str, row)) or 'none'}",
                fix=f"name the id one of {', '.join(ID_COLUMNS)} and the answer one of {', '.join(ANSWERS)}",
            )
        if row[column] is not None:
            yield str(sample_id), str(row[column])


def rows_of(path: Path, data: bytes) -> Iterator[Any]:
    """The rows of a file, by its ending."""
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix in (".csv", ".tsv"):
        csv.field_size_limit(sys.maxsize)
        try:
            text = data.decode("utf-8-sig")
            yield from csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if suffix == ".tsv" else ",")
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path} is not a {suffix[1:].upper()} file in UTF-8", why=str(error)) from error
        return
    if suffix == ".json":
        yield from json_rows(path, data)
        return
    for number, line in enumerate(data.removeprefix(BOM).splitlines(), 1):
        if line.strip():
            try:
                row = msgspec.json.decode(line)
            except UNDECODABLE as error:
                raise InputError(f"{path}, line {number}: not valid JSON", why=str(error)) from error
            yield row


def json_rows(path: Path, data: bytes) -> list[Any]:
    """The rows of a JSON list."""
    try:
        rows = msgspec.json.decode(data.removeprefix(BOM))
    except UNDECODABLE as error:
        raise InputError(f"{path} is not valid JSON", why=str(error)) from error
    if not isinstance(rows, list):
        raise InputError(f"{path} holds no list of answers", fix='[{"question_id": 1, "answer": "yes"}, …]')
    return rows
