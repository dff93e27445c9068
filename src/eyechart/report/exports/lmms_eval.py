"""lmms-eval's two files: the results by task and metric, and a line for every sample."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from eyechart import __version__
from eyechart.report.exports.answers import RunAnswers, told_apart, write_document
from eyechart.sources.tabular import fingerprint
from eyechart.store.atomic import write_lines


def write(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`MODEL/DATE_results.json` and `MODEL/DATE_samples_TASK.jsonl` for every run."""
    written: list[Path] = []
    for name, run in zip(told_apart(runs), runs, strict=True):
        place, date = folder / name, f"{run.started:%Y%m%d_%H%M%S}"
        task = run.benchmark.id.replace(":", "_").replace("/", "_")
        written.append(write_document(place / f"{date}_results.json", results(run, task)))
        samples = place / f"{date}_samples_{task}.jsonl"
        write_lines(samples, sample_lines(run))
        written.append(samples)
    return written


def results(run: RunAnswers, task: str) -> dict[str, Any]:
    """The numbers under `metric,none`, the groups of the headline beside them."""
    document, manifest = run.document, run.manifest
    numbers: dict[str, Any] = {"alias": task}
    for name, result in document.metrics.items():
        numbers[f"{name},none"] = result.value
        half = (result.ci[1] - result.ci[0]) / (2 * 1.96) if result.ci else "N/A"
        numbers[f"{name}_stderr,none"] = half
    for group, parts in document.result.by.items():
        numbers |= {f"{group}={name},none": part.value for name, part in parts.items()}
    return {
        "results": {task: numbers},
        "configs": {
            task: {
                "task": task,
                "dataset_path": run.benchmark.home,
                "output_type": "generate_until",
                "generation_kwargs": {**manifest.sampling, "do_sample": run.do_sample},
                "prompt_style": manifest.style,
            }
        },
        "versions": {task: manifest.signature},
        "n-shot": {task: 0},
        "higher_is_better": {task: dict.fromkeys(document.metrics, True)},
        "n-samples": {task: {"original": len(run.benchmark.source.index().entries), "effective": len(run)}},
        "config": {
            "model": manifest.model,
            "model_args": ",".join(f"{key}={value}" for key, value in manifest.model_args.items()),
            "limit": run.first_k,
            "random_seed": manifest.seed,
        },
        "git_hash": manifest.git,
        "date": f"{run.started:%Y%m%d_%H%M%S}",
        "model_name": manifest.model,
        "eyechart_version": __version__,
    }


def sample_lines(run: RunAnswers) -> Iterator[dict[str, Any]]:
    """`doc_id` is the question's place in the data, as there; a failure has no response and says why.

    That program leaves `resps` out where it equals `filtered_resps`, which it always does here.
    """
    places = {entry.id: place for place, entry in enumerate(run.benchmark.source.index().entries)}
    for answered in run:
        sample = answered.sample
        references = list(sample.references)
        line: dict[str, Any] = {
            "doc_id": places[sample.id],
            "id": sample.id,
            "target": references[0] if len(references) == 1 else str(references),
            "filtered_resps": answered.text,
            "token_counts": [msgspec.to_builtins(answered.response.usage) if answered.response else None],
            "doc_hash": hashlib.sha256(fingerprint(sample)).hexdigest(),
            "input": run.words(sample),
        }
        for metric in run.metrics:
            line[metric.id] = msgspec.to_builtins(answered.mark(metric).value)
        yield line | ({"error": answered.error} if answered.error else {})
