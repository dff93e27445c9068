"""The official VQA files (VQA v2, VQA-CP, TDIUC) as one table of numbers: every distinct string is kept once.

At the scale of VQA v2's validation set (214,354 questions, ten answers each) time and memory go into objects, so none
are kept: each annotation is decoded, its strings are numbered, and it is forgotten. Rows stand in the order of the
annotations, in which the official program adds up.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from mmap import MADV_DONTNEED, mmap
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import msgspec

from eyechart.errors import InputError
from eyechart.marking.matching import Id, IdMatch, Mismatch, Predictions, same_kind_of_ids
from eyechart.marking.official_json import Content, decode, parse, read_content
from eyechart.marking.tally import Frame, Numbers
from eyechart.records import Sample

GROUPS = ("answer_type", "question_type")
NONE = -1  # no gold answer is named; no answer was given

_BATCH = 128  # annotations at a time: few enough to stay in the processor's cache
_FORGET = 512 * _BATCH

# ── what the files hold ───────────────────────────────────────────────────────


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


class _Question(msgspec.Struct, gc=False):
    question_id: int | str


class _Questions(msgspec.Struct, gc=False):
    questions: list[_Question]


Batch: TypeAlias = tuple[list[Annotation], list[msgspec.Raw]]

# VQA v2 wraps its lists in an object with licence and version; VQA-CP publishes bare lists.
_ANNOTATIONS = msgspec.json.Decoder(_Annotations | list[msgspec.Raw])
_QUESTIONS = msgspec.json.Decoder(_Questions | list[_Question])
_ANNOTATION = msgspec.json.Decoder(Annotation)


def read_question_ids(path: Path) -> list[Id]:
    """The ids of the official questions file, in its order."""
    document = decode(read_content(path), _QUESTIONS, path)
    return [row.question_id for row in (document if isinstance(document, list) else document.questions)]


def read_annotations(path: Path) -> Iterator[Batch]:
    """The annotations in file order, with their JSON, some at a time; one without answers is refused."""
    data = read_content(path)
    raws = _raw_annotations(data, path)
    if not raws:
        raise InputError(f"{path}: the file holds no annotation", why="an empty set of questions has no score")
    for start in range(0, len(raws), _BATCH):
        if start % _FORGET == 0 and isinstance(data, mmap):
            data.madvise(MADV_DONTNEED)  # what has been read need not stay in memory
        part = raws[start : start + _BATCH]
        try:
            annotations = [_ANNOTATION.decode(raw) for raw in part]
        except (msgspec.DecodeError, UnicodeDecodeError):
            annotations = [_with_place(raw, place, path) for place, raw in enumerate(part, start)]
        if not all(annotation.answers for annotation in annotations):
            place, bare = next((place, a) for place, a in enumerate(annotations, start) if not a.answers)
            raise InputError(
                f"{path}: annotation {place + 1} (question {bare.question_id}) has no answers",
                why="the official program divides by their number",
                fix="the test splits have no public answers: mark a validation split",
            )
        yield annotations, part


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


def _last_of_each(path: Path) -> Iterator[Batch]:
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


# ── the table ─────────────────────────────────────────────────────────────────


class VqaTable:
    """One row a question: numbers of strings (`strings` has them in order), and the few rows that are unlike the rest.

    `apart` holds the rows that the columns cannot: another number of humans than in the first row, humans' records
    that may be equal, or a question annotated again, with the how manyth time that was.
    """

    def __init__(self, predictions: Predictions, *, skip_missing: bool) -> None:
        self.ids: list[Id] = []
        self.frame = Frame(GROUPS)
        self.numbers = Numbers({"": 0})  # string → number; 0 also fills the columns of rows that stand apart
        self.width = 0  # humans a row
        self.humans = array("i")  # `width` numbers a row
        self.golds = array("i")
        self.answers = array("i")
        self.apart: dict[int, tuple[Sample, int]] = {}
        self.skip_missing = skip_missing
        self.unanswered: list[Id] = []
        self.times: dict[Id, int] = {}  # how often each question was annotated
        self.predictions = predictions
        self._answers: Mapping[Id, str] | None = None

    @property
    def strings(self) -> list[str]:
        """All distinct strings; the number of each is its place."""
        return list(self.numbers)

    def add(self, batch: Batch) -> bool:
        """Note a batch; False, and the table is spoilt, if it holds a question that was annotated before."""
        ids = [annotation.question_id for annotation in batch[0]]
        met = len(self.times)
        self.times.update(dict.fromkeys(ids, 1))
        if len(self.times) != met + len(ids):
            return False
        self._add(batch, ids, ())
        return True

    def add_again(self, batch: Batch) -> None:
        """Note a batch, whether or not its questions were annotated before."""
        ids, times = [annotation.question_id for annotation in batch[0]], []
        for identity in ids:
            self.times[identity] = self.times.get(identity, 0) + 1
            times.append(self.times[identity])
        self._add(batch, ids, times)

    def _add(self, batch: Batch, ids: list[Id], times: Sequence[int]) -> None:
        annotations, raws = batch
        if self._answers is None:
            self._answers = same_kind_of_ids(self.predictions.answers, ids[0])
            self.width = len(annotations[0].answers)
        texts = list(map(self._answers.get, ids))
        if None in texts:
            self.unanswered.extend(identity for identity, text in zip(ids, texts, strict=True) if text is None)
            if self.skip_missing:
                kept = [place for place, text in enumerate(texts) if text is not None]
                annotations, raws = [annotations[p] for p in kept], [raws[p] for p in kept]
                ids, texts, times = [ids[p] for p in kept], [texts[p] for p in kept], [times[p] for p in kept if times]
        self._note_humans(annotations, raws, times)
        self.golds.extend(self._numbers_of([annotation.multiple_choice_answer for annotation in annotations]))
        self.answers.extend(self._numbers_of(texts))
        self.ids.extend(ids)
        self.frame.clusters.extend([str(annotation.image_id) for annotation in annotations])
        self.frame.groups["answer_type"].extend([annotation.answer_type for annotation in annotations])
        self.frame.groups["question_type"].extend([annotation.question_type for annotation in annotations])

    def _numbers_of(self, texts: Sequence[str | None]) -> Iterable[int]:
        if None in texts:
            return [NONE if text is None else self.numbers[text] for text in texts]
        return map(self.numbers.__getitem__, cast("Sequence[str]", texts))

    def _note_humans(self, annotations: list[Annotation], raws: list[msgspec.Raw], times: Sequence[int]) -> None:
        width, number = self.width, self.numbers.__getitem__
        lengths = [len(annotation.answers) for annotation in annotations]
        records = [human.answer_id for annotation in annotations for human in annotation.answers]
        published = lengths.count(width) == len(lengths) and records == list(range(1, width + 1)) * len(lengths)
        if published and max(times, default=1) == 1:
            self.humans.fromlist(list(map(number, [human.answer for a in annotations for human in a.answers])))
            return
        for place, (annotation, raw) in enumerate(zip(annotations, raws, strict=True)):
            distinct = len({human.answer_id for human in annotation.answers}) == width
            if distinct and len(annotation.answers) == width and (not times or times[place] == 1):
                self.humans.extend(number(human.answer) for human in annotation.answers)
            else:
                self.humans.extend([0] * width)
                self.apart[len(self.ids) + place] = sample_of(annotation, raw), times[place] if times else 1

    def match(self, questions: Path | None) -> IdMatch:
        """How the ids of annotations, answers and questions compare."""
        answers, times = self._answers or {}, self.times
        annotated = sum(times.values())
        again = (key for key, n in times.items() for _ in range(n - 1)) if annotated > len(times) else ()
        asked = list(times) if questions is None else read_question_ids(questions)
        if asked == list(times):  # one comparison in order instead of many look-ups
            unannotated, unasked = Mismatch(), Mismatch()
        else:
            known = set(asked)
            unannotated = Mismatch.of(key for key in dict.fromkeys(asked) if key not in times)
            unasked = Mismatch.of(key for key in times if key not in known)
        answered_all = not self.unanswered and len(answers) == len(times)
        return IdMatch(
            annotations=annotated,
            predictions=len(answers),
            missing=Mismatch.of(self.unanswered),
            extra=Mismatch.of(() if answered_all else (key for key in answers if key not in times)),
            duplicates=Mismatch.of(self.predictions.duplicates),
            twice_annotated=Mismatch.of(again),
            unannotated=unannotated,
            unasked=unasked,
        )


def read_table(annotations: Path, predictions: Predictions, *, missing: Literal["wrong", "skip"]) -> VqaTable:
    """All annotated questions with their answers; with missing="skip" those without an answer are left out."""
    table = VqaTable(predictions, skip_missing=missing == "skip")
    if not all(map(table.add, read_annotations(annotations))):
        table = VqaTable(predictions, skip_missing=missing == "skip")
        for batch in _last_of_each(annotations):
            table.add_again(batch)
    return table
