"""The official VQA files scored in columns: no record per question, so that whole validation sets take seconds."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Literal

import msgspec

from eyechart.benchmarks import get_benchmark
from eyechart.errors import InputError
from eyechart.marking.choose import choose_metrics
from eyechart.marking.file_result import FileResult, ScoreRequest
from eyechart.marking.files.gold import annotated
from eyechart.marking.matching import Id, IdMatch, Predictions
from eyechart.marking.official_json import read_bytes
from eyechart.marking.signature import answered_by, asked_and_marked
from eyechart.marking.vqa_files import mark_vqa_files

_FAMILY = ("vqav2", "vqacp_v1", "vqacp_v2")
_CHUNK = 1 << 20


class _Official(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One official result and nothing more: another field might be the model's word."""

    question_id: int | str
    answer: str


_RESULTS = msgspec.json.Decoder(list[_Official])


def score_in_columns(request: ScoreRequest) -> FileResult | None:
    """Mark one model's answers against VQA annotations; None where it is something else that has to be marked."""
    annotations, questions = request.files.annotations, request.files.questions
    if annotations is None or request.benchmark.partition(":")[0] not in _FAMILY:
        return None
    request.files.check(request.benchmark)
    given = one_set(request)
    if given is None:
        return None
    model, predictions = given
    options = {"annotations": str(annotations), "questions": str(questions or annotations)}
    benchmark = replace(get_benchmark(request.benchmark, options), source=annotated(annotations, questions))
    metrics = choose_metrics(benchmark, request.metrics, len(predictions.answers))
    missing: Literal["wrong", "skip"] = "skip" if request.missing == "skip" else "wrong"
    data = Fingerprint(annotations)
    data.start()
    columns = mark_vqa_files(annotations, predictions, metrics, questions=questions, missing=missing)
    document = columns.document(
        benchmark=benchmark.id,
        signature=asked_and_marked(
            benchmark=benchmark.id,
            ids=map(str, columns.ids),
            data=data.hash(),
            metric=metrics[0],
            seed=request.seed,
        ),
        answered_by=answered_by(model=model, identity={"answers": request.source}),
        seed=request.seed,
    )
    if request.missing == "error":
        refuse_mismatch(columns.match, metrics[0].id, document.result.printed)
    return FileResult(
        model=model,
        document=msgspec.structs.replace(document, notes=columns.match.findings()),
        metrics=metrics,
        benchmark=benchmark,
    )


def one_set(request: ScoreRequest) -> tuple[str, Predictions] | None:
    """One model's name and answers; None where the file holds several models."""
    if isinstance(request.predictions, Path):
        official = official_answers(request.predictions)
        if official is not None:
            return request.model or request.source.partition(".")[0], official
    sets = request.answer_sets()
    if len(sets) > 1:
        return None
    answers_by_id: dict[Id, str] = dict(sets[0].answers.items())
    return request.model or sets[0].model, Predictions(answers_by_id, sets[0].duplicates)


def official_answers(path: Path) -> Predictions | None:
    """The answers of an official results list, read without a record for each; None where the file is another."""
    if path.suffix not in (".json", ".gz") or not path.is_file():
        return None
    try:
        rows = _RESULTS.decode(read_bytes(path))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # read again by those who take any form, and who know what to say
    answers: dict[Id, str] = {row.question_id: row.answer for row in rows}
    if not answers:
        return None
    times = Counter(row.question_id for row in rows) if len(answers) < len(rows) else {}
    return Predictions(answers, [identity for identity, n in times.items() for _ in range(n - 1)])


def refuse_mismatch(match: IdMatch, metric: str, printed: str) -> None:
    """Refuse answers whose ids do not match, with what the score would be all the same."""
    if match.official and not match.duplicates.n:
        return
    answered = match.annotations - match.missing.n
    raise InputError(
        f"answers and questions do not match: {'; '.join(match.findings())}",
        why=f"{answered:,} of {match.annotations:,} questions are answered; with missing answers counted as wrong "
        f"{metric} would be {printed or 'undefined'}",
        fix="answer every question once, or say --missing wrong (counted wrong) or --missing skip (left out)",
    )


class Fingerprint(Thread):
    """A checksum of a file's content, packed or not, worked out beside the marking: it leaves Python free.

    Four letters of it are shown, for which a check of 32 bits does; a cryptographic hash takes four times as long.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self._path = path
        self._outcome: str | OSError | EOFError | zlib.error = ""

    def run(self) -> None:
        """Read the file once."""
        try:
            with self._path.open("rb") as file:
                packed = file.read(2) == b"\x1f\x8b"
            opener = gzip.open if packed else open
            checksum = 0
            with opener(self._path, "rb") as content:
                while chunk := content.read(_CHUNK):
                    checksum = zlib.crc32(chunk, checksum)
            self._outcome = f"{checksum:08x}"
        except (OSError, EOFError, zlib.error) as error:
            self._outcome = error

    def hash(self) -> str:
        """Eight letters, once they are known."""
        self.join()
        if not isinstance(self._outcome, str):
            raise InputError(f"{self._path}: cannot be read", why=str(self._outcome)) from self._outcome
        return self._outcome
