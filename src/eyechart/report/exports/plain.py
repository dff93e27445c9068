"""One row or one line a question, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from eyechart.report.exports.answers import RunAnswers
from eyechart.store.atomic import replacing, write_lines


def write_csv(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`RUN.csv`: id, question, answer, gold, status, tags, and each metric with what it read."""
    written = []
    for run in runs:
        rows = [{name: flat(value) for name, value in row.items()} for row in rows_of(run)]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        written.append(folder / f"{run.folder.name}.csv")
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(written[-1]) as file:
            file.write(text.getvalue().encode())
    return written


def write_jsonl(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`RUN.jsonl`: the same with lists as lists."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for run in runs:
        written.append(folder / f"{run.folder.name}.jsonl")
        write_lines(written[-1], rows_of(run))
    return written


def rows_of(run: RunAnswers) -> Iterator[dict[str, Any]]:
    """The rows of one run."""
    statuses = run.statuses
    for answered in run:
        sample, response = answered.sample, answered.response
        row: dict[str, Any] = {
            "id": sample.id,
            "question": sample.question,
            "choices": [f"{letter}. {text}" for letter, text in sample.choices.items()],
            "references": list(sample.references),
            "answer": answered.text,
            "status": statuses.get(sample.id, "missing"),
            "error": answered.error,
            "seconds": answered.seconds,
            "input_tokens": response.usage.input_tokens if response else None,
            "output_tokens": response.usage.output_tokens if response else None,
            "cluster": sample.cluster_key,
        }
        row |= {name: sample.tags.get(name, "") for name in run.benchmark.groups}
        for metric in run.metrics:
            score = answered.mark(metric)
            row |= {metric.id: score.value, f"{metric.id}: read as": score.read_as}
        yield row


def flat(value: Any) -> Any:
    """A list as one cell, its items apart by a bar."""
    return " | ".join(value) if isinstance(value, list) else value
