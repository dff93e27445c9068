"""SpatialEval's three kinds of files: results by task, a summary of the run, a summary of all runs.

That script leaves failed questions out of its total; here they are in it, without a response and with their error.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.metrics.spatialeval import first_sentence
from eyechart.report.exports.answers import RunAnswers, told_apart, write_document

BATCH = Path("eval_summary", "batch_evaluation_summary.json")


def write(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`outputs/{mode}_{task}_results.json`, `eval_summary/{mode}_{task}_summary.json`, and the batch over all runs."""
    if runs[0].benchmark.name != "spatialeval":
        raise UsageError(f"seed004 is a format of spatialeval, not of {runs[0].benchmark.name}")
    written: list[Path] = []
    for place, own in by_place(runs, folder).items():
        written += write_batch(own, place)
    return written


def by_place(runs: Sequence[RunAnswers], folder: Path) -> dict[Path, list[RunAnswers]]:
    """Where the files of each run go: all in one folder as that script has them, as long as none overwrites another's;
    else in a folder for each model, or if need be for each run."""
    names = [["" for _ in runs], [*told_apart(runs)], [run.folder.name for run in runs]]
    for naming in names:
        places: dict[Path, list[RunAnswers]] = {}
        for name, run in zip(naming, runs, strict=True):
            places.setdefault(folder / name, []).append(run)
        if not any(collide(own) for own in places.values()):
            break
    return places


def collide(runs: Sequence[RunAnswers]) -> bool:
    """Whether two of these runs would write the same file."""
    parts = [(mode_and_task(run)[0], task) for run in runs for task in {a.sample.tags["task"] for a in run}]
    return len(set(parts)) < len(parts)


def write_batch(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """The files of runs that do not get in each other's way."""
    written: list[Path] = []
    batch = []
    for run in runs:
        mode, task = mode_and_task(run)
        by_task = results_by_task(run)
        for name, results in by_task.items():
            written.append(write_document(folder / "outputs" / f"{mode}_{name}_results.json", results))
        if task == "all":  # what that script's evaluation of stored results is given
            written.append(write_document(folder / "outputs" / f"{mode}_all_results.json", together(by_task)))
        summary = summarised(run, mode, task, by_task)
        path = folder / "eval_summary" / f"{mode}_{task}_summary.json"
        written.append(write_document(path, summary))
        batch.append({**summary, "summary_file": path.relative_to(folder).as_posix()})
    written.append(write_document(folder / BATCH, {"total_runs": len(batch), "results": batch}))
    return written


def mode_and_task(run: RunAnswers) -> tuple[str, str]:
    """vqa and mazenav, or all."""
    tags = next(iter(run)).sample.tags
    tasks = {answered.sample.tags["task"] for answered in run}
    named = [word for word in run.benchmark.part.split(":") if word in tasks]
    return tags["mode"], named[0] if named else "all"


def results_by_task(run: RunAnswers) -> dict[str, dict[str, Any]]:
    """The questions of each task with their counts; `index` is the place within the task."""
    metric = get_metric("spatialeval_seed")
    by_task: dict[str, list[dict[str, Any]]] = {}
    for answered in run:
        sample = answered.sample
        rows = by_task.setdefault(sample.tags["task"], [])
        row = {
            "index": len(rows),
            "question": run.words(sample),
            "predicted_answer": first_sentence(answered.text or ""),
            "full_response": answered.text,
            "oracle_answer": sample.references[0],
            "oracle_option": sample.tags["oracle_option"],
            "is_correct": answered.mark(metric).value == 1.0,
        }
        rows.append(row | ({"error": answered.error} if answered.error else {}))
    return {task: counted(rows) for task, rows in by_task.items()}


def together(by_task: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """All tasks in one file, numbered through."""
    rows = [row for results in by_task.values() for row in results["results"]]
    return counted([{**row, "index": number} for number, row in enumerate(rows)])


def counted(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One task's file."""
    correct = sum(row["is_correct"] for row in rows)
    return {
        "results": rows,
        "accuracy": correct / len(rows) if rows else 0.0,
        "correct_count": correct,
        "total_count": len(rows),
    }


def summarised(run: RunAnswers, mode: str, task: str, by_task: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One run's summary."""
    correct = sum(results["correct_count"] for results in by_task.values())
    total = sum(results["total_count"] for results in by_task.values())
    return {
        "model_path": run.manifest.model,
        "mode": mode,
        "task": task,
        "overall_accuracy": correct / total if total else 0.0,
        "total_correct": correct,
        "total_examples": total,
        "task_results": {
            name: {
                "accuracy": results["accuracy"],
                "correct": results["correct_count"],
                "total": results["total_count"],
            }
            for name, results in by_task.items()
        },
        "config": {
            "do_sample": run.do_sample,
            "temperature": run.manifest.sampling.get("temperature"),
            "max_new_tokens": run.max_tokens,
            "first_k": run.first_k,
        },
    }
