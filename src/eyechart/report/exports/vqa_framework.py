"""The VQA testing framework's result file: metadata, hardware and model blocks, then every question of every model.

"accuracy" is its keyword and containment rule (`vqa_contains`), "vqa_accuracy" its graded one (`vqa_enhanced`).
A question without a reply has no `model_answer` and an `error` that says why; it counts as wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eyechart.benchmarks.vqav2 import PARTS
from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.metrics.vqa_graded import gold_of, prepare
from eyechart.records import Sample
from eyechart.report.exports.answers import Answered, RunAnswers, mean, told_apart, write_document


def write(runs: Sequence[RunAnswers], folder: Path) -> list[Path]:
    """`results/vqa2_results_{coco|sample|MODEL}_YYYYMMDD_HHMMSS.json`: the model's name where there is only one."""
    first = runs[0]
    refuse_different_questions(runs)
    mode = "sample" if first.benchmark.name == "starter" else "coco"
    name = first.model if len(runs) == 1 else mode
    path = folder / "results" / f"vqa2_results_{name}_{first.started:%Y%m%d_%H%M%S}.json"
    results = {name: model_block(run) for name, run in zip(told_apart(runs), runs, strict=True)}
    document = {
        "experiment_metadata": {
            "test_date": f"{first.started:%Y-%m-%d %H:%M:%S}",
            "test_mode": mode,
            "num_questions": len(first),
            "framework_version": f"eyechart {first.manifest.versions.get('eyechart', '')}".strip(),
            "evaluation_method": "VQA 2.0 Standard",
            "dataset": f"COCO {coco_split(first)}" if first.benchmark.name == "vqav2" else first.benchmark.title,
            "generation_params": {"max_new_tokens": first.max_tokens, "do_sample": first.do_sample},
        },
        "hardware_configuration": hardware(first.manifest.hardware, first.manifest.versions),
        "model_configuration": {
            "models_tested": list(results),
            "model_loader": "eyechart",
            "unified_parameters": len({str(run.manifest.sampling) for run in runs}) == 1,
            "image_preprocessing": preprocessing(first.manifest.media),
        },
        "results": results,
    }
    return [write_document(path, document)]


def refuse_different_questions(runs: Sequence[RunAnswers]) -> None:
    """One file is one test: its models were asked the same questions."""
    for run in runs[1:]:
        if run.manifest.data != runs[0].manifest.data:
            raise UsageError(
                f"{run.folder.name} was asked other questions than {runs[0].folder.name}",
                why=f"{run.benchmark.id} with data={run.manifest.data[:4]}, not {runs[0].manifest.data[:4]}",
                fix="export runs on the same benchmark and the same data together",
            )


def hardware(machine: Mapping[str, str], versions: Mapping[str, str]) -> dict[str, Any]:
    """The machine that asked; torch is None where no model ran here."""
    return {
        "device": " ".join(filter(None, (machine.get("system", ""), machine.get("processor", "")))),
        "memory": machine.get("memory", ""),
        "mps_available": "macos" in machine.get("system", "").casefold() and machine.get("processor") == "arm64",
        "torch_version": versions.get("torch"),
        "python_version": versions.get("python", ""),
    }


def preprocessing(media: str) -> str:
    """What was done to pictures, in that file's words."""
    side = next((part.removeprefix("side") for part in media.split(",") if part.startswith("side")), "")
    return f"Resize to max {side}px, LANCZOS" if side else "None: sent as they are"


def model_block(run: RunAnswers) -> dict[str, Any]:
    """One model's numbers and questions."""
    split = coco_split(run)
    questions = [question_block(answered, split) for answered in run]
    times = [block["inference_time"] for block in questions if block["inference_time"] is not None]
    correct = sum(block["is_correct"] for block in questions)
    return {
        "model_id": run.manifest.model,
        "test_time": round(sum(times), 6),
        "total_questions": len(questions),
        "correct_answers": correct,
        "accuracy": correct / len(questions) if questions else 0.0,
        "vqa_accuracy": mean([block["vqa_accuracy"] for block in questions]),
        "avg_inference_time": mean(times),
        "performance_grade": "N/A",
        "question_results": questions,
    }


def coco_split(run: RunAnswers) -> str:
    """The folder of COCO's in which the pictures are; none where they are not COCO's."""
    name, part = run.benchmark.name, run.benchmark.part
    if name == "vqav2":
        return PARTS[part or "val"].pictures
    if name == "tdiuc" and part == "train":
        return "train2014"
    return "val2014" if name in ("tdiuc", "vqacp_v1", "vqacp_v2") else ""


def question_block(answered: Answered, split: str) -> dict[str, Any]:
    """One question; numbers that are numbers in the published annotations are numbers here."""
    sample, gold = answered.sample, gold_of(answered.sample) or ""
    block = {
        "question_id": as_number(sample.id),
        "image_id": as_number(sample.cluster_key),
        "image_filename": image_filename(sample, split),
        "question": sample.question,
        "model_answer": answered.text,
        "ground_truth": gold,
        "is_correct": answered.mark(get_metric("vqa_contains")).value == 1.0,
        "vqa_accuracy": answered.mark(get_metric("vqa_enhanced")).value or 0.0,
        "inference_time": answered.seconds,
        "debug_info": {
            "model_answer_lower": prepare(answered.text or ""),
            "gt_answer_lower": prepare(gold),
            "is_yes_no_question": gold.lower() in ("yes", "no"),
        },
    }
    return block | ({"error": answered.error} if answered.error else {})


def as_number(text: str) -> int | str:
    """The id as a number where it is one and stays what it is: `007` does not."""
    return int(text) if text.isascii() and text.isdigit() and str(int(text)) == text else text


def image_filename(sample: Sample, split: str) -> str:
    """COCO's name for the picture, from the split that the question itself names if it does."""
    if not split or not (sample.cluster.isascii() and sample.cluster.isdigit()):
        return sample.cluster
    return f"COCO_{sample.tags.get('coco_split', split)}_{int(sample.cluster):012d}.jpg"
