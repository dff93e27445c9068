"""The gold answers that a file of answers is marked against: published files, or what the file itself brings along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from eyechart.benchmarks import BENCHMARKS, Benchmark, get_benchmark, is_path, row_reader
from eyechart.benchmarks.coco import kind, sample_from_row
from eyechart.benchmarks.spatialeval import TASKS
from eyechart.errors import InputError, SetupError, UsageError
from eyechart.records import Sample
from eyechart.sources.rows import Row, text
from eyechart.sources.table import Table
from eyechart.sources.tabular import TableSource
from eyechart.sources.vqa_files import VqaFiles, json_list

IN_VQA_FORMAT = ("vqav2", "vqacp_v1", "vqacp_v2", "tdiuc")


@dataclass(frozen=True, kw_only=True)
class GoldFiles:
    """The files that were named; all may be gzipped."""

    questions: Path | None = None
    annotations: Path | None = None
    data: Path | None = None
    answer_key: Path | None = None

    def check(self, benchmark: str) -> None:
        """Files exist, and belong to this benchmark."""
        base = benchmark.partition(":")[0]
        for flag, path in (
            ("--questions", self.questions),
            ("--annotations", self.annotations),
            ("--data", self.data),
            ("--answer-key", self.answer_key),
        ):
            if path is not None and not path.exists():
                raise InputError(f"{flag}: no such file: {path}")
        if (self.questions or self.annotations) and base not in IN_VQA_FORMAT:
            raise UsageError(
                f"{benchmark} has no questions and annotations files",
                why=f"those are the files of {', '.join(IN_VQA_FORMAT)}",
                fix="name its rows with --data",
            )
        if self.questions and not self.annotations:
            raise UsageError(
                "--questions without --annotations",
                why="the gold answers are in the annotations",
                fix="add --annotations FILE",
            )
        if self.answer_key and base != "tdiuc":
            raise UsageError(f"{benchmark} has no answer key", why="the answer key is TDIUC's", fix="leave it out")


def open_gold(name: str, files: GoldFiles, rows: Sequence[Row] = ()) -> Benchmark:
    """The benchmark with its gold answers: from the files named, the answers' own rows, or where it is kept."""
    base, _, part = name.partition(":")
    if not is_path(name):
        BENCHMARKS.get(base)  # an unknown name gets the nearest ones before any file is looked at
    files.check(name)
    if files.annotations is not None:
        options = {"annotations": str(files.annotations), "questions": str(files.questions or files.annotations)}
        return replace(get_benchmark(name, options), source=annotated(files.annotations, files.questions))
    if files.data is not None:
        return for_marking(get_benchmark(name, {"data": str(files.data)}))
    if rows and brings_gold(base, rows[0]):
        return from_own_rows(base, part, rows)
    return local(name)


def local(name: str) -> Benchmark:
    """The benchmark where its files are kept; where they are not, the flags that name them."""
    benchmark = for_marking(get_benchmark(name))
    try:
        benchmark.source.index()
    except SetupError as error:
        flags = "--annotations FILE (and --questions FILE)" if benchmark.name in IN_VQA_FORMAT else "--data FILE"
        raise SetupError(
            error.what, why=error.why, fix=f"name them: {flags}, or {error.fix.partition(', or')[0]}"
        ) from error
    return benchmark


def for_marking(benchmark: Benchmark) -> Benchmark:
    """Marking needs ids and gold answers, not the words of the question."""
    source = benchmark.source
    if isinstance(source, TableSource):
        return replace(benchmark, source=source.demanding(GOLD_COLUMNS.get(benchmark.name, ())))
    return benchmark


# What a row must hold to be marked.
GOLD_COLUMNS = {
    "vsibench": ("id", "question_type", "ground_truth"),
    "mmsi": ("id", "answer"),
    "spatialeval": ("id", "oracle_answer"),
}


def annotated(annotations: Path, questions: Path | None) -> TableSource:
    """Annotations with or without their questions; one without answers is refused."""

    def sample(row: Row) -> Sample:
        found = sample_from_row(row)
        if not found.references:
            raise InputError(
                f"question {found.id} has no answers in {annotations.name}",
                why="nothing that is answered could be right",
                fix="the test splits have no public answers: mark a validation split",
            )
        return found

    def table() -> Table:
        return json_list(annotations) if questions is None else VqaFiles(questions, annotations)

    return TableSource(table, sample=sample, columns=("question_id", "answers"), stratum="question_type")


# ── answers that bring their gold answers along ───────────────────────────────


class RowsTable:
    """Rows that are in memory already."""

    def __init__(self, rows: Sequence[Row], name: str = "the file of answers") -> None:
        self.name, self._rows = name, rows
        self.columns = tuple(rows[0]) if rows else ()

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every row."""
        for number, row in enumerate(self._rows):
            yield number, 0, row

    def row(self, locator: int, *, pictures: bool) -> Row:
        """The row at this place."""
        return self._rows[locator]


# Columns by which a file of answers shows that it holds the gold answers too.
_BROUGHT = {
    "vqav2": ("question_id", "model_answer", "ground_truth"),
    "vsibench": ("id", "question_type", "ground_truth"),
    "mmsi": ("id", "question_type", "answer", "prediction"),
    "spatialeval": ("oracle_answer", "oracle_option"),
}


def brings_gold(base: str, row: Row) -> bool:
    """Whether a row of answers can be marked by itself."""
    return base in _BROUGHT and all(name in row for name in _BROUGHT[base])


def from_own_rows(base: str, part: str, rows: Sequence[Row]) -> Benchmark:
    """A benchmark of the questions in a file of answers."""
    benchmark = get_benchmark(f"{base}:{part}" if part else base)
    if base == "vqav2":
        # One gold answer: what takes ten humans is not defined here, and is not marked.
        return replace(
            benchmark,
            source=own_source(rows, one_gold_sample),
            metrics=("vqa_enhanced", "vqa_contains", "vqa_exact"),
            groups=("kind",),
        )
    if base == "spatialeval" and "id" not in rows[0]:
        return replace(benchmark, source=own_source(rows, partial(numbered_sample, task=task_of(benchmark.part))))
    reader = row_reader(base)
    assert reader is not None  # noqa: S101 - every benchmark that rows may bring gold for has published rows
    return replace(benchmark, source=own_source(rows, reader))


def own_source(rows: Sequence[Row], sample: object) -> TableSource:
    """The last row of each id, as the last answer counts; duplicates are told when answers are matched."""
    name = next((name for name in ("question_id", "id", "index") if name in rows[0]), "")
    last = {str(row.get(name, place)): row for place, row in enumerate(rows)}
    return TableSource(lambda: RowsTable(list(last.values())), sample=sample)  # type: ignore[arg-type]


def one_gold_sample(row: Row) -> Sample:
    """A question of a published comparison that keeps one gold answer."""
    question, gold = text(row, "question", ""), text(row, "ground_truth")
    return Sample(
        id=text(row, "question_id"),
        question=question,
        references=(gold,),
        tags={"multiple_choice_answer": gold, "kind": kind(question, gold)},
        cluster=text(row, "image_id", ""),
    )


def task_of(part: str) -> str:
    """The task that a part of SpatialEval names; empty where it names none."""
    return next((word for word in part.split(":") if word in TASKS), "")


def numbered_sample(row: Row, *, task: str) -> Sample:
    """A SpatialEval question by number, as a results file keeps it: scene and question are not known."""
    return Sample(
        id=text(row, "index"),
        question=text(row, "question", ""),
        references=(text(row, "oracle_answer", ""),),
        tags={
            "oracle_option": text(row, "oracle_option", ""),
            "oracle_full_answer": text(row, "oracle_full_answer", ""),
        }
        | ({"task": task} if task else {}),
    )
