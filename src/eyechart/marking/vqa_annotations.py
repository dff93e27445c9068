"""The annotations file of VQA and its kin, read some annotations at a time.

Each annotation is decoded once and forgotten. The list is cut where an annotation ends, found by the key that
annotations begin with: a cut in the wrong place leaves pieces that do not decode, and then (as where anything else is
unusual) the whole document is gone through first, so that whatever is wrong with it is told with its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from mmap import MADV_DONTNEED, mmap
from pathlib import Path
from typing import Any, TypeAlias, overload

import msgspec

from eyechart.errors import InputError
from eyechart.marking.matching import Id
from eyechart.marking.official_json import Content, decode, parse, read_content
from eyechart.records import Sample


class Human(msgspec.Struct, gc=False):
    """One human's answer."""

    answer: str
    answer_id: int | str | float | None = None


class Annotation(msgspec.Struct, gc=False):
    """The humans' answers to one question, as published."""

    question_id: int | str
    answers: list[Human] = []
    image_id: int | str = ""
    question_type: str = ""
    answer_type: str = ""
    multiple_choice_answer: str | None = None


class _Annotations(msgspec.Struct, gc=False):
    annotations: list[msgspec.Raw]


class Raws(Sequence[msgspec.Raw]):
    """The JSON of some annotations, told apart only where somebody looks: few annotations need a second look."""

    def __init__(self, piece: bytes | bytearray) -> None:
        self._piece = piece

    @cached_property
    def _raws(self) -> list[msgspec.Raw]:
        return _RAWS.decode(self._piece)

    def __len__(self) -> int:
        return len(self._raws)

    @overload
    def __getitem__(self, place: int) -> msgspec.Raw: ...
    @overload
    def __getitem__(self, place: slice) -> list[msgspec.Raw]: ...
    def __getitem__(self, place: int | slice) -> msgspec.Raw | list[msgspec.Raw]:
        return self._raws[place]


Batch: TypeAlias = tuple[list[Annotation], Sequence[msgspec.Raw]]

# VQA v2 wraps its list in an object with licence and version; VQA-CP publishes a bare list.
_ANNOTATIONS = msgspec.json.Decoder(_Annotations | list[msgspec.Raw])
_ANNOTATION = msgspec.json.Decoder(Annotation)
_PIECE = msgspec.json.Decoder(list[Annotation])
_RAWS = msgspec.json.Decoder(list[msgspec.Raw])

_BYTES = 1 << 16  # of JSON at a time: few enough annotations to stay in the processor's cache
_BATCH = 128  # annotations at a time, where they were told apart first
_FORGET = 512  # batches after which what was read need not stay in memory

_OPENING = re.compile(rb'\s*(?:\[|\{.{0,10000}?"annotations"\s*:\s*\[)', re.DOTALL)
_FIRST_KEY = re.compile(rb'\s*\{\s*"(\w+)"\s*:')


def read_annotations(path: Path) -> Iterator[Batch]:
    """The annotations in file order, with their JSON, some at a time; one without answers is refused."""
    data = read_content(path)
    pieces, done = _Pieces(data), 0
    for number, batch in enumerate(pieces, 1):
        _refuse_bare(batch[0], done, path)
        yield batch
        done += len(batch[0])
        _forget(data, number)
    if not pieces.complete:
        yield from _told_apart(data, path, done)


def _told_apart(data: Content, path: Path, start: int) -> Iterator[Batch]:
    """The annotations from `start` on, after a first pass over the whole document."""
    raws = _raw_annotations(data, path)
    if not raws:
        raise InputError(f"{path}: the file holds no annotation", why="an empty set of questions has no score")
    for number, place in enumerate(range(start, len(raws), _BATCH), 1):
        part = raws[place : place + _BATCH]
        try:
            annotations = [_ANNOTATION.decode(raw) for raw in part]
        except (msgspec.DecodeError, UnicodeDecodeError):
            annotations = [_with_place(raw, at, path) for at, raw in enumerate(part, place)]
        _refuse_bare(annotations, place, path)
        yield annotations, part
        _forget(data, number)


def _refuse_bare(annotations: Sequence[Annotation], start: int, path: Path) -> None:
    if all(annotation.answers for annotation in annotations):
        return
    place, bare = next((place, a) for place, a in enumerate(annotations, start) if not a.answers)
    raise InputError(
        f"{path}: annotation {place + 1} (question {bare.question_id}) has no answers",
        why="the official program divides by their number",
        fix="the test splits have no public answers: mark a validation split",
    )


def _forget(data: Content, number: int) -> None:
    """After many batches, let go of what has been read of a mapped file."""
    if number % _FORGET == 0 and isinstance(data, mmap):
        data.madvise(MADV_DONTNEED)


class _Pieces:
    """The list of annotations cut into pieces that decode by themselves; not `complete` where that did not go on.

    What is read so is what reading the whole document gives: the pieces are whole JSON values one after another, and
    what stands around them is a document whose list of annotations is empty.
    """

    def __init__(self, data: Content) -> None:
        self._data = data
        self.complete = False

    def __iter__(self) -> Iterator[Batch]:
        data = self._data
        opening = _OPENING.match(data)
        begin, end = opening.end() if opening else 0, data.rfind(b"]")
        first = _FIRST_KEY.match(data, begin)
        if first is None or not self._around(begin, end):
            return
        seam = re.compile(rb"\}[ \t\r\n]*,[ \t\r\n]*(?=\{\s*" + re.escape(b'"' + first[1] + b'"') + rb"\s*:)")
        while begin < end:
            cut = seam.search(data, begin + _BYTES, end) if begin + _BYTES < end else None
            piece = b"[" + bytes(data[begin : cut.start() + 1 if cut else end]) + b"]"
            try:
                annotations = _PIECE.decode(piece)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return
            yield annotations, Raws(piece)
            begin = cut.end() if cut else end
        self.complete = True

    def _around(self, begin: int, end: int) -> bool:
        """Whether what stands before and behind the list is a document without annotations."""
        try:
            around = _ANNOTATIONS.decode(bytes(self._data[:begin]) + bytes(self._data[end:]))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        return not (around if isinstance(around, list) else around.annotations)


def _raw_annotations(data: Content, path: Path) -> list[msgspec.Raw]:
    try:
        document = _ANNOTATIONS.decode(data)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}", why="not a VQA annotations file") from error
    except msgspec.DecodeError:
        parsed = parse(data, path)
        rows = parsed["annotations"] if isinstance(parsed, dict) else parsed
        return [msgspec.Raw(json.dumps(row).encode()) for row in rows]
    return document if isinstance(document, list) else document.annotations


def _with_place(raw: msgspec.Raw, place: int, path: Path) -> Annotation:
    """The slow and forgiving way to read an annotation, or an error that says which one it is."""
    try:
        return decode(bytes(raw), _ANNOTATION, path)
    except InputError as error:
        raise InputError(f"{error.what}, in annotation {place + 1}", why=error.why, fix=error.fix) from error


def last_of_each(path: Path) -> Iterator[Batch]:
    """Where a question is annotated more than once, the official index keeps the last annotation for all of them."""
    last: dict[Id, tuple[Annotation, msgspec.Raw]] = {}
    for batch in read_annotations(path):
        last.update((a.question_id, (a, raw)) for a, raw in zip(*batch, strict=True))
    for again, _ in read_annotations(path):
        kept = [last[annotation.question_id] for annotation in again]
        yield [annotation for annotation, _ in kept], [raw for _, raw in kept]


def sample_of(annotation: Annotation, raw: msgspec.Raw) -> Sample:
    """The annotation as a sample, with what tells the humans' records apart."""
    records: list[dict[str, Any]] = json.loads(bytes(raw))["answers"]
    others = [{key: value for key, value in record.items() if key != "answer"} for record in records]
    kinds = [json.dumps(other, sort_keys=True) for other in others]
    tags = {
        "record_identity": ",".join(str(kinds.index(kind)) for kind in kinds),
        "answer_type": annotation.answer_type,
        "question_type": annotation.question_type,
    }
    if annotation.multiple_choice_answer is not None:
        tags["multiple_choice_answer"] = annotation.multiple_choice_answer
    return Sample(
        id=str(annotation.question_id),
        references=tuple(human.answer for human in annotation.answers),
        tags=tags,
        cluster=str(annotation.image_id),
    )
