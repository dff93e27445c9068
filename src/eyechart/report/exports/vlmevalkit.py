"""VLMEvalKit's prediction table as TSV: index, question, options, answer, category, prediction."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from eyechart.report.exports.answers import RunAnswers, told_apart
from eyechart.store.atomic import replacing


def write(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`MODEL_BENCHMARK.tsv` for every run; a question without a reply has an empty prediction."""
    return [
        write_one(run, folder / f"{name}_{run.benchmark.id.replace(':', '_').replace('/', '_')}.tsv")
        for name, run in zip(told_apart(runs), runs, strict=True)
    ]


def write_one(run: RunAnswers, path: Path) -> Path:
    """One run's table, with a column for every letter that occurs."""
    questions = list(run)
    letters = sorted({letter for answered in questions for letter in answered.sample.choices})
    tags = list(run.benchmark.groups)
    text = io.StringIO(newline="")
    table = csv.writer(text, delimiter="\t", lineterminator="\n")
    table.writerow(["index", "question", *letters, "answer", *tags, "prediction"])
    for answered in questions:
        sample = answered.sample
        options = [sample.choices.get(letter, "") for letter in letters]
        groups = [sample.tags.get(tag, "") for tag in tags]
        answer = sample.references[0] if len(sample.references) == 1 else str(list(sample.references))
        table.writerow([sample.id, sample.question, *options, answer, *groups, answered.text or ""])
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.getvalue().encode())
    return path
