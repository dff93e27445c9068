"""`eyechart metric`: marks JSON lines with one metric, one answer a line, however long the file."""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import IO, Any, TypeAlias, cast

import msgspec

from eyechart.cli.commands import Command
from eyechart.cli.output import say
from eyechart.cli.parser import Parser, pairs
from eyechart.errors import OK, InputError, UsageError
from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.records import UNDECODABLE, Sample, Score

# Metrics that have no error of their own for it would compare with an empty text.
NO_REFERENCE = "no_reference: there is nothing to compare with"

Scalar: TypeAlias = str | int | float | bool | None


class Line(msgspec.Struct):
    """One line of the input; fields that it does not name are ignored."""

    id: str | int | float
    answer: Scalar
    references: list[str | int | float | bool]
    choices: dict[str, Scalar] | list[str | int | float] | None = None
    tags: dict[str, Any] | None = None


class Marked(msgspec.Struct):
    """One line of the output, where a score is defined."""

    id: str | int | float
    score: float
    read_as: str | None


class Unmarked(msgspec.Struct):
    """One line of the output, where none is."""

    id: str | int | float
    error: str


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "metric", metavar="ID", help="a metric: mra, vsi[reader=robust], wups@0.9 … (eyechart ls metrics)"
    )
    parser.add_argument(
        "--in", dest="source", metavar="FILE", help="JSON lines, also gzipped (standard input by default)"
    )
    parser.add_argument("--out", dest="target", metavar="FILE", help="where the scores go (standard output by default)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="K=V", help="an option of the metric; repeatable"
    )


def run(space: argparse.Namespace) -> int:
    """Mark every line; a line that the metric has no score for is reported and does not stop the others."""
    metric = get_metric(space.metric, pairs(space.option, flag="--option"))
    errors: Counter[str] = Counter()
    count = 0
    with _reading(space.source) as (lines, name), _writing(space.target) as out:
        encoder = msgspec.json.Encoder()
        for line in _decoded(lines, name):
            marked = _mark(metric, line)
            if isinstance(marked, Unmarked):
                errors[marked.error.partition(":")[0]] += 1
            out.write(_encoded(marked, encoder) + b"\n")
            count += 1
    without = "".join(f"; {number:,} without a score: {kind}" for kind, number in errors.most_common())
    say(f"{count:,} answer{'' if count == 1 else 's'} marked with {metric.id}{without}")
    return OK


def _mark(metric: Metric, line: Line) -> Marked | Unmarked:
    sample = _sample(line)
    score: Score = metric.null(sample) if line.answer is None else metric.score(sample, _text(line.answer))
    if score.error:
        return Unmarked(line.id, score.error)
    if not sample.references and "multiple_choice_answer" not in sample.tags:
        return Unmarked(line.id, NO_REFERENCE)
    if score.value is None:
        return Unmarked(line.id, f"no_score: {metric.id} is defined for a whole file only")
    return Marked(line.id, score.value, score.read_as)


def _sample(line: Line) -> Sample:
    choices = line.choices or {}
    if isinstance(choices, list):
        choices = dict(zip(ascii_uppercase, choices, strict=False))
    return Sample(
        id=_text(line.id),
        references=tuple(_text(reference) for reference in line.references),
        choices={letter: _text(choice) for letter, choice in choices.items() if choice is not None},
        tags={key: _text(value) for key, value in (line.tags or {}).items() if value is not None},
    )


def _text(value: Any) -> str:
    """A plain value as text, as Python writes it; a tag that is a list or an object, as JSON."""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode() if isinstance(value, (list, dict)) else str(value)


def _decoded(lines: IO[bytes], name: str) -> Iterator[Line]:
    decoder = msgspec.json.Decoder(Line)
    for number, raw in enumerate(_checked(lines, name), start=1):
        bare = raw.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else raw.strip()
        if not bare:
            continue
        try:
            yield _line(bare, decoder)
        except UNDECODABLE as problem:
            raise InputError(
                f"{name}: line {number}: {_said(problem)}",
                why="each line is one JSON object with id, answer and references",
                fix='like {"id": "q1", "answer": "4", "references": ["5"], "tags": {"question_type": "…"}}',
            ) from problem


def _line(raw: bytes, decoder: msgspec.json.Decoder[Line]) -> Line:
    try:
        return decoder.decode(raw)
    except msgspec.DecodeError:
        if b"\\ud" not in raw.lower():
            raise
        # Half of a character beyond the first plane, as a reply that was cut off ends with: the official programs, and
        # the standard reader, take it as a character like others.
        try:
            return msgspec.convert(json.loads(raw), Line)
        except ValueError as problem:
            raise msgspec.DecodeError(str(problem)) from problem


def _encoded(marked: Marked | Unmarked, encoder: msgspec.json.Encoder) -> bytes:
    try:
        return encoder.encode(marked)
    except UnicodeEncodeError:  # half a character again: it leaves as it came, escaped
        return json.dumps(msgspec.to_builtins(marked), separators=(",", ":")).encode()


def _said(problem: Exception) -> str:
    """The decoder's own words: what is wrong, and at which byte or field."""
    if isinstance(problem, RecursionError):
        return "brackets are nested too deeply"
    return str(problem) or type(problem).__name__


def _checked(lines: IO[bytes], name: str) -> Iterator[bytes]:
    """The lines, with damage to a compressed file told from a bug of ours."""
    try:
        yield from lines
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise InputError(f"{name}: damaged gzip file ({problem})", fix="copy or compress it again") from problem


@contextlib.contextmanager
def _reading(source: str | None) -> Iterator[tuple[IO[bytes], str]]:
    if source in (None, "-"):
        yield _unpacked(sys.stdin.buffer), "standard input"
        return
    try:
        file = Path(source).open("rb")  # noqa: SIM115 - closed below
    except OSError as problem:
        raise UsageError(f"cannot read {source}: {problem.strerror}") from problem
    with file:
        yield _unpacked(file), source


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    """The file itself, or what it holds if it is gzipped: its first bytes tell, not its name."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]
    return cast("IO[bytes]", gzip.open(buffered)) if buffered.peek(2)[:2] == b"\x1f\x8b" else buffered


@contextlib.contextmanager
def _writing(target: str | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that appears whole or not at all."""
    if target in (None, "-"):
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    whole = not path.exists() or path.is_file()
    draft = path.with_name(path.name + ".part") if whole else path
    try:
        opened = gzip.open(draft, "wb") if path.suffix == ".gz" else draft.open("wb")  # noqa: SIM115 - closed below
    except OSError as problem:
        raise UsageError(f"cannot write {target}: {problem.strerror}") from problem
    try:
        with cast("IO[bytes]", opened) as file:
            yield file
        if whole:
            draft.replace(path)
    finally:
        if whole:
            draft.unlink(missing_ok=True)


COMMAND = Command(
    description="Mark JSON lines with one metric: one answer a line in, one score a line out.",
    add_arguments=add_arguments,
    run=run,
    examples="""\
in   {"id", "answer", "references": [...], "choices"?: {"A": ...}, "tags"?: {...}}
out  {"id", "score", "read_as"}   read_as null: nothing readable; the score is the official one
     {"id", "error": "kind: message"}   where the official program has no defined score

examples
  eyechart metric vsi --in answers.jsonl --out scores.jsonl
  zcat answers.jsonl.gz | eyechart metric vqa_enhanced --option keywords=word""",
)
