"""Our spatial scorers against the outputs of the official programs, case by case."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.metrics.readers import get_reader, to_float
from eyechart.records import Sample, Score

CASES = Path(__file__).parent / "spatial"


def cases(name: str) -> Iterator[dict[str, Any]]:
    """The records of one golden file."""
    with gzip.open(CASES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def vsi_sample(item: dict[str, Any]) -> Sample:
    """A question of VSI-Bench as a sample."""
    tags = {"question_type": item["question_type"]}
    return Sample(id="q", references=(item["ground_truth"],), tags=tags)


def spatial_sample(row: dict[str, Any], model: str | None) -> Sample:
    """A question of SpatialEval as a sample."""
    tags = {
        "sample_id": row["id"],
        "oracle_option": row["oracle_option"],
        "oracle_full_answer": row["oracle_full_answer"],
    } | ({"model": model} if model else {})
    return Sample(id=row["id"], references=(row["oracle_answer"],), tags=tags)


def aggregate(metric: Metric, marked: list[tuple[Sample, Score]]) -> dict[str, float]:
    """The metric's own numbers for a set of marked answers."""
    return metric.aggregate(sums(metric, marked))


def sums(metric: Metric, marked: list[tuple[Sample, Score]]) -> dict[tuple[str, ...], tuple[float, ...]]:
    """The sums over cells that `aggregate` takes."""
    cells: dict[tuple[str, ...], tuple[float, ...]] = {}
    for sample, score in marked:
        n, total = cells.get(metric.cell(sample), (0, 0.0))
        cells[metric.cell(sample)] = (n + 1, total + score.value) if score.value is not None else (n, total)
    return cells


def gold_is_zero(case: dict[str, Any]) -> bool:
    """Whether the formula would divide by 0."""
    return to_float(case["inputs"]["ground_truth"]) == 0


@pytest.mark.parametrize("name", ["vsi_items", "vsi_mra_table"])
def test_vsi_scores_every_answer_as_the_official_program(name: str) -> None:
    """`vsi` and, for numbers, `mra` equal the official score; a gold of 0 is reported where that program stops."""
    vsi, mra = get_metric("vsi"), get_metric("mra")
    for case in cases(name):
        sample, reply, official = vsi_sample(case["inputs"]), case["inputs"]["prediction"], case["outputs"]["official"]
        score = vsi.score(sample, reply)
        if "error" in official:
            assert score.value is None, case["id"]
            assert score.error.startswith("gold_zero: "), case["id"]
            continue
        assert score.value == pytest.approx(official["score"], abs=1e-9), case["id"]
        if "to_float" in official:
            assert mra.score(sample, reply) == score, case["id"]
            assert (score.read_as is None) == (official["to_float"] is None), case["id"]
        else:
            assert (score.read_as or "") == official["fuzzy"], case["id"]


@pytest.mark.parametrize("name", ["vsi_items", "vsi_mra_table"])
@pytest.mark.parametrize(
    ("metric_id", "convention", "field"),
    [
        ("mra_strict", "exact_strict", "score"),
        ("mra_inclusive", "exact_inclusive", "score"),
        ("vsi_binary", "seed000_code", "is_correct"),
        ("vsi[reader=first_number]", "lmms_eval", "score"),
    ],
)
def test_other_vsi_conventions(name: str, metric_id: str, convention: str, field: str) -> None:
    """Each further reading of the benchmark equals the program or the arithmetic that it is named after."""
    metric = get_metric(metric_id)
    compared = 0
    for case in cases(name):
        expected = case["outputs"].get(convention)
        score = metric.score(vsi_sample(case["inputs"]), case["inputs"]["prediction"])
        if gold_is_zero(case):
            assert score.value == 0.0 if not score.error else score.error.startswith("gold_zero: "), case["id"]
        elif expected is not None and not (metric_id.startswith("mra") and score.error.startswith("not_applicable")):
            assert score.value == pytest.approx(float(expected[field]), abs=1e-9), case["id"]
            compared += 1
    assert compared > 1000


def test_readers_of_other_tools_read_the_same_number() -> None:
    """`first_number` and `last_number` read what lmms-eval and VLMEvalKit read."""
    readers = [("first_number", "lmms_eval", "extract_number"), ("last_number", "vlmevalkit", "pred_extracted")]
    compared = 0
    for name in ("vsi_items", "vsi_mra_table"):
        for case in cases(name):
            for reader, convention, field in readers:
                outputs = case["outputs"].get(convention, {})
                if "exact_strict" in case["outputs"]:
                    number = get_reader(reader)(case["inputs"]["prediction"], "").number
                    expected = None if outputs[field] is None else float(outputs[field])
                    assert str(number) == str(expected), (case["id"], reader)
                    compared += 1
    assert compared > 5000


def test_vsi_aggregates_as_the_official_program() -> None:
    """Overall and every listed type equal the official figures, and so does the table as printed."""
    vsi = get_metric("vsi")
    stopped = 0
    for case in cases("vsi_aggregate"):
        samples = [(vsi_sample(item), item["prediction"]) for item in case["inputs"]["items"]]
        marked = [(sample, vsi.score(sample, reply)) for sample, reply in samples]
        numbers, official = aggregate(vsi, marked), case["outputs"]["official"]
        if "error" in official:
            stopped += 1
            assert bool(numbers) == bool(samples), case["id"]
            assert bool(vsi.notes(sums(vsi, marked))) == bool(samples), case["id"]
            continue
        assert 100 * numbers["value"] == pytest.approx(official["overall"], abs=1e-9), case["id"]
        printed = [vsi.printed(numbers["value"])]
        for key, value in list(official.items()):
            if key not in ("overall", "tabulated_keys", "tabulated_results"):
                name = key.removesuffix("_accuracy").removesuffix("_MRA:.5:.95:.05")
                assert 100 * numbers[f"question_type={name}"] == pytest.approx(value, abs=1e-9), (case["id"], key)
        for key in official["tabulated_keys"].split(", ")[1:]:
            name = key.removesuffix("_accuracy").removesuffix("_MRA:.5:.95:.05")
            printed.append(vsi.printed(numbers[f"question_type={name}"]))
        assert ", ".join(printed) == official["tabulated_results"], case["id"]
    assert stopped == 41


@pytest.mark.parametrize(
    ("metric_id", "convention"), [("mmsi", "official_readme"), ("mmsi[lmms_head=true]", "lmms_head")]
)
def test_mmsi_scores_every_answer_as_published(metric_id: str, convention: str) -> None:
    """The letter and its score equal the extractor's; where it finds none, nothing was read and 0 is counted."""
    metric = get_metric(metric_id)
    for case in cases("mmsi_items"):
        given, expected = case["inputs"], case["outputs"][convention]
        if given["prediction"] is None:
            continue
        sample = Sample(id="q", references=(given["answer"],), choices=given["choices"])
        score = metric.score(sample, given["prediction"])
        assert score.value == (expected["score"] or 0.0), case["id"]
        assert (score.read_as is None) == (expected["score"] is None), case["id"]


@pytest.mark.parametrize(("metric_id", "convention"), [("mmsi", "lmms_2025"), ("mmsi[lmms_head=true]", "lmms_head")])
def test_mmsi_aggregates_as_published(metric_id: str, convention: str) -> None:
    """The average is taken over all answers; each category stands under its published name."""
    metric = get_metric(metric_id)
    for case in cases("mmsi_aggregate"):
        marked = []
        for item in case["inputs"]["items"]:
            sample = Sample(id="q", references=(item["answer"],), tags={"question_type": item["question_type"]})
            marked.append((sample, metric.score(sample, item["prediction"])))
        numbers, expected = aggregate(metric, marked), dict(case["outputs"][convention])
        assert numbers.pop("value") == pytest.approx(expected.pop("average"), abs=1e-9), case["id"]
        published = {"category=" + name.replace(".-", ".–"): value for name, value in expected.items()}
        assert numbers == pytest.approx(published, abs=1e-9), case["id"]


def test_spatialeval_scores_every_answer_as_both_programs() -> None:
    """What is extracted, the score, and which rows stop the official program: all as the two programs have it."""
    seed, official = get_metric("spatialeval_seed"), get_metric("spatialeval_official")
    for case in cases("spatialeval_items"):
        row, model = case["inputs"]["record"], case["inputs"]["model_name"]
        sample = spatial_sample(row, model)
        by_seed, expected = seed.score(sample, row["answer"]), case["outputs"]["seed004_code"]
        assert bool(by_seed.value) == expected["is_correct"], case["id"]
        assert (by_seed.read_as or "") == expected["predicted_answer"], case["id"]
        score, expected = official.score(sample, row["answer"]), case["outputs"]["official"]
        if "error" in expected:
            assert score.error.startswith("official_undefined: "), case["id"]
            assert expected["error"] in score.error, case["id"]
            continue
        assert score.value == expected["correct"], case["id"]
        if "extracted" in expected:
            extracted = expected["extracted"]
            assert score.read_as == (None if extracted is None else str(extracted)), case["id"]


def test_spatialeval_aggregates_as_both_programs() -> None:
    """Accuracy overall and by task, on every file that the official program gets through without a stale answer."""
    seed, official = get_metric("spatialeval_seed"), get_metric("spatialeval_official")
    compared = 0
    for case in cases("spatialeval_aggregate"):
        rows = [(spatial_sample(row, case["inputs"]["model_name"]), row["answer"]) for row in case["inputs"]["records"]]
        numbers = aggregate(seed, [(sample, seed.score(sample, reply)) for sample, reply in rows])
        expected = case["outputs"]["seed004_code"]
        assert numbers.pop("value") == pytest.approx(expected["accuracy"], abs=1e-9), case["id"]
        by_task = {f"task={task}": result["accuracy"] for task, result in expected["task_results"].items()}
        assert numbers == pytest.approx(by_task, abs=1e-9), case["id"]
        marked = [(sample, official.score(sample, reply)) for sample, reply in rows]
        if "accuracy" in case["outputs"]["official"] and not any(score.error for _, score in marked):
            value = aggregate(official, marked)["value"]
            assert value == pytest.approx(case["outputs"]["official"]["accuracy"], abs=1e-9), case["id"]
            compared += 1
    assert compared >= 190
