"""Runs in other tools' formats: each format is one small module that writes files from answered questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from eyechart.errors import SetupError, UsageError
from eyechart.registry import Registry
from eyechart.report.exports.answers import RunAnswers
from eyechart.store import RunFolder

__all__ = ["EXPORTS", "Writer", "export_run", "seed_layout"]

# Writes one or several runs on the same benchmark below a folder, and says which files it wrote.
Writer: TypeAlias = Callable[[Sequence[RunAnswers], Path], list[Path]]

EXPORTS = Registry(
    "export format",
    {
        "seed001": "eyechart.report.exports.vqa_framework:write",
        "seed004": "eyechart.report.exports.spatialeval_files:write",
        "seed000": "eyechart.report.exports.video_baseline:write",
        "vqa-results": "eyechart.report.exports.vqa_results:write",
        "lmms-eval": "eyechart.report.exports.lmms_eval:write",
        "vlmevalkit": "eyechart.report.exports.vlmevalkit:write",
        "csv": "eyechart.report.exports.plain:write_csv",
        "jsonl": "eyechart.report.exports.plain:write_jsonl",
    },
    group="eyechart.exports",
    listing="eyechart export --help",
)

# What `--layout seed` writes for each benchmark during a run.
_LAYOUTS = {
    "vqav2": "seed001",
    "starter": "seed001",
    "vqacp_v1": "vqa-results",
    "vqacp_v2": "vqa-results",
    "tdiuc": "vqa-results",
    "vsibench": "seed000",
    "spatialeval": "seed004",
}


def export_run(runs: RunFolder | Sequence[RunFolder], as_: str, folder: Path) -> list[Path]:
    """Write one run, or several on the same benchmark, in a format; returns the files that were written."""
    folders = [runs] if isinstance(runs, RunFolder) else list(runs)
    writer: Writer = EXPORTS.get(as_)
    answers = [RunAnswers(one) for one in folders]
    benchmarks = {one.benchmark.name for one in answers}
    if len(benchmarks) > 1:
        raise UsageError(
            f"one file cannot hold runs on {' and '.join(sorted(benchmarks))}", fix="export them one after the other"
        )
    try:
        return writer(answers, folder)
    except OSError as error:
        raise SetupError(
            f"the files cannot be written below {folder}",
            why=f"{error.filename or folder}: {error.strerror or error}",
            fix="another folder: -o DIR",
        ) from error


def seed_layout(benchmark: str) -> str:
    """The format that `--layout seed` means for a benchmark; other tools' own files where there is no such seed."""
    name, _, part = benchmark.partition(":")
    if name == "vqav2" and part.startswith("test"):
        return "vqa-results"  # without public answers there is nothing to report, only something to submit
    return _LAYOUTS.get(name, "lmms-eval" if name.startswith("mmsi") else "jsonl")
