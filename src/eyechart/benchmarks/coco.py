"""What the benchmarks in VQA's format share: one published row as a sample, and COCO's pictures by number."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyechart.errors import InputError, ModelError
from eyechart.records import Media, Sample
from eyechart.sources.media_files import MediaFiles, folder_or
from eyechart.sources.pictures import embedded
from eyechart.sources.place import Place
from eyechart.sources.rows import Row, absent, text
from eyechart.sources.table import Table, open_table
from eyechart.sources.tabular import RowOf, TableSource
from eyechart.sources.vqa_files import VqaFiles

COLUMNS = ("question_id", "image_id", "question", "answers")
_TAGS = ("question_type", "answer_type", "multiple_choice_answer")


def sample_from_row(row: Row) -> Sample:
    """One question with its annotation, as VQA, VQA-CP and TDIUC publish them."""
    answers = row.get("answers") or ()
    tags = {name: value for name in _TAGS if (value := text(row, name, ""))}
    question = text(row, "question", "")
    references = said(answers)
    tags["kind"] = kind(question, tags.get("multiple_choice_answer", ""))
    identity = record_identity(answers)
    if identity:
        tags["record_identity"] = identity
    return Sample(
        id=text(row, "question_id"),
        question=question,
        references=references,
        tags=tags,
        cluster=text(row, "image_id", ""),
    )


def said(answers: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the people answered, in the order of their records."""
    try:
        return tuple(str(answer["answer"]) for answer in answers)
    except (TypeError, KeyError) as error:  # asked for forgiveness: two million records are looked at
        raise InputError(
            "column 'answers' holds something else than people's answers",
            why="each is an object with a field `answer`",
            fix='[{"answer": "yes", "answer_id": 1}, …], as VQA publishes them',
        ) from error


def kind(question: str, gold: str) -> str:
    """The four kinds by which people look at VQA: yes/no by the gold answer, colour and number by the first words."""
    if gold in ("yes", "no"):
        return "yes/no"
    start = question.casefold().strip()
    if start.startswith("what color"):
        return "color"
    return "count" if start.startswith("how many") else "other"


def record_identity(answers: Sequence[Mapping[str, Any]]) -> str:
    """What tells the humans' records apart, where nothing does: the official program sets equal records aside together.

    Records that all have an `answer_id` of their own (the published files) need no telling.
    """
    if len({answer.get("answer_id") for answer in answers}) == len(answers):
        return ""
    others = [json.dumps({k: v for k, v in answer.items() if k != "answer"}, sort_keys=True) for answer in answers]
    if len(set(others)) == len(others):
        return ""
    numbers = {record: str(number) for number, record in enumerate(dict.fromkeys(others))}
    return ",".join(numbers[record] for record in others)


class Coco:
    """The questions of one split and the pictures they are about."""

    def __init__(
        self, place: Place, *, split: str, questions: str = "", annotations: str = "", images: str = ""
    ) -> None:
        self._place, self._split = place, split
        self._questions, self._annotations = questions, annotations
        root = (lambda: Path(questions).parent) if questions else place.media_root
        self._pictures = MediaFiles(f"coco-{split}", folder_or(images, root))

    def source(self, sample: Callable[[Row], Sample], *, columns: Sequence[str]) -> TableSource:
        """Questions from the official files, or from parquet that holds the pictures too."""
        return TableSource(
            self._open,
            sample=sample,
            media=self._picture,
            columns=columns,
            stratum="question_type",
            place=None if self._questions else self._place,
        )

    def _open(self) -> Table:
        if self._questions:
            return VqaFiles(Path(self._questions), Path(self._annotations) if self._annotations else None)
        files = self._place.files()
        if files[0].suffix == ".parquet":
            return open_table(files)
        return VqaFiles(*files[:2])

    def _picture(self, row: Row, sample: Sample, _row_of: RowOf) -> tuple[Media, ...]:
        split = text(row, "coco_split", self._split)
        if not (sample.cluster.isascii() and sample.cluster.isdigit()):
            raise ModelError("unreadable_media", f"no picture of COCO's has the number {sample.cluster!r} (image_id)")
        number = f"{int(sample.cluster):012d}.jpg"
        name = f"COCO_{split}_{number}"
        if not absent(row.get("image")):
            return embedded(row["image"], name)
        return (Media(name=name, path=self._pictures.find(*places(name, split, number))),)


def places(name: str, split: str, number: str) -> tuple[str, ...]:
    """Where a COCO picture may lie; the release of 2017 dropped the prefix and kept the numbers."""
    return name, f"{split}/{name}", f"images/{name}", f"images/{split}/{name}", f"{split}/{number}"
