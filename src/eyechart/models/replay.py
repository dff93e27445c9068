"""Answers that somebody already has, read from a file: marked and compared like a model's."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from eyechart.errors import InputError, ModelError
from eyechart.models.base import Model, Request, Samples
from eyechart.records import Response

IDS = ("id", "question_id", "index", "sample", "sample_id")
ANSWERS = ("answer", "prediction", "response", "text")


def replay(rest: str) -> Model:
    """Factory of `replay:answers.jsonl`."""
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
        self._answers = dict(read_answers(self.path, data))

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
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def read_answers(path: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """(id, answer) pairs of a JSON list, JSON lines, CSV or TSV, under any of the usual column names."""
    for number, row in enumerate(rows_of(path, data), 1):
        if not isinstance(row, dict):
            raise InputError(f"{path}, row {number}: expected an object with an id and an answer")
        sample_id = next((row[name] for name in IDS if row.get(name) is not None), None)
        answer = next((row[name] for name in ANSWERS if row.get(name) is not None), None)
        if sample_id is None or answer is None:
            raise InputError(
                f"{path}, row {number}: {'an id' if sample_id is None else 'an answer'} is missing",
                why=f"its columns are {', '.join(map(str, row)) or 'none'}",
                fix=f"name the id one of {', '.join(IDS)} and the answer one of {', '.join(ANSWERS)}",
            )
        yield str(sample_id), str(answer)


def rows_of(path: Path, data: bytes) -> Iterator[Any]:
    """The rows of a file, by its ending."""
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix in (".csv", ".tsv"):
        csv.field_size_limit(sys.maxsize)
        yield from csv.DictReader(io.StringIO(data.decode("utf-8-sig")), delimiter="\t" if suffix == ".tsv" else ",")
        return
    try:
        if suffix == ".json":
            yield from msgspec.json.decode(data)
        else:
            for line in data.splitlines():
                if line.strip():
                    yield msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise InputError(f"{path} is not valid JSON", why=str(error)) from error
