"""The results list that VQA's official program reads and its challenge takes: `[{"question_id", "answer"}]`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eyechart.errors import Incomplete
from eyechart.report.exports.answers import RunAnswers, told_apart, write_document
from eyechart.report.exports.vqa_framework import as_number


def write(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`vqa_OpenEnded_BENCHMARK_MODEL_results.json` for every run; a run with questions not asked is refused."""
    return [write_one(run, name, folder) for name, run in zip(told_apart(runs), runs, strict=True)]


def write_one(run: RunAnswers, name: str, folder: Path) -> Path:
    """One run's list. The challenge wants an answer to every question: where there is none, it is empty."""
    rows, missing = [], []
    for answered in run:
        if answered.final is None:
            missing.append(answered.sample.id)
        rows.append({"question_id": as_number(answered.sample.id), "answer": (answered.text or "").strip()})
    if missing:
        raise Incomplete(
            f"{len(missing)} of {len(rows)} questions have not been asked, for example {', '.join(missing[:3])}",
            why="the official program refuses a list that does not hold every question",
            fix="give the run's command again: it continues",
        )
    part = run.benchmark.id.replace(":", "_").replace("/", "_")
    return write_document(folder / f"vqa_OpenEnded_{part}_{name}_results.json", rows)
