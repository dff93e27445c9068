"""The video baseline's `results.csv` with its `mra_score` filled in, and both numbers that belong beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.report.exports.answers import Answered, RunAnswers, mean, write_document
from eyechart.store.atomic import replacing

COLUMNS = (
    "question_id",
    "scene_id",
    "question_type",
    "is_numerical",
    "gt_answer",
    "model_answer",
    "mra_score",
    "time_seconds",
    "num_steps",
    "timestamp",
    "question",
)
NO_ANSWER = "NO_ANSWER"  # that file's word where no answer could be read


def write(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`results.csv` and `results_summary.json`; with several runs, in a folder for each."""
    if runs[0].benchmark.name != "vsibench":
        raise UsageError(f"seed000 is a format of vsibench, not of {runs[0].benchmark.name}")
    written: list[Path] = []
    for run in runs:
        place = folder if len(runs) == 1 else folder / run.folder.name
        metric = reader_of(run)
        rows = [csv_row(number, answered, metric) for number, answered in enumerate(run, 1)]
        written.append(write_table(place / "results.csv", rows))
        written.append(write_document(place / "results_summary.json", summary(run, rows)))
    return written


def reader_of(run: RunAnswers) -> Metric:
    """How answers are read: as the run's headline does, but replies in JSON by a reader that knows JSON."""
    json_asked = run.manifest.style.startswith("vsibench_json")
    headline = run.manifest.headline
    if headline.startswith("vsi") and not headline.startswith("vsi_") and not (json_asked and headline == "vsi"):
        return get_metric(headline)
    return get_metric("vsi[reader=robust]" if json_asked else "vsi")


def csv_row(number: int, answered: Answered, metric: Metric) -> dict[str, Any]:
    """One question; `mra_score` is there for numbers only."""
    sample, score = answered.sample, answered.mark(metric)
    numerical = not sample.choices
    when = answered.final.timing.ended_at if answered.final else 0.0
    return {
        "question_id": f"q{number:03d}",
        "scene_id": sample.cluster,
        "question_type": sample.tags["question_type"],
        "is_numerical": numerical,
        "gt_answer": sample.references[0],
        "model_answer": score.read_as if answered.text is not None and score.read_as else NO_ANSWER,
        "mra_score": score.value if numerical else None,
        "time_seconds": answered.seconds or 0,
        "num_steps": int(sample.tags.get("frames", 0)),
        "timestamp": f"{datetime.fromtimestamp(when, UTC):%y%m%d-%H%M%S}",
        "question": sample.question,
    }


def is_correct(row: dict[str, Any]) -> bool:
    """A letter that is right, or a number whose MRA is above one half."""
    if row["is_numerical"]:
        return row["mra_score"] is not None and row["mra_score"] > 0.5
    return str(row["model_answer"]).strip().casefold() == str(row["gt_answer"]).strip().casefold()


def summary(run: RunAnswers, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Overall accuracy, and the mean MRA over the questions that ask for a number: both, as neither says it all."""
    marks = [row["mra_score"] for row in rows if row["is_numerical"] and row["mra_score"] is not None]
    types: dict[str, list[bool]] = {}
    for row in rows:
        types.setdefault(row["question_type"], []).append(is_correct(row))
    correct = sum(sum(hits) for hits in types.values())
    return {
        "model": run.manifest.model,
        "num_frames": max((row["num_steps"] for row in rows), default=0),
        "total": len(rows),
        "correct": correct,
        "no_answer": sum(row["model_answer"] == NO_ANSWER for row in rows),
        "overall_accuracy": correct / len(rows) if rows else 0.0,
        "numerical_questions": len(marks),
        "average_mra": mean(marks) if marks else None,
        "by_question_type": {
            name: {"accuracy": sum(hits) / len(hits), "correct": sum(hits), "total": len(hits)}
            for name, hits in types.items()
        },
    }


def write_table(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The CSV as pandas writes it: nothing where there is no value."""
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.getvalue().encode())
    return path
