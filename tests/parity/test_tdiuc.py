"""TDIUC's accuracies against the published script (see tdiuc/PROVENANCE.md)."""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from eyechart.errors import InputError
from eyechart.metrics import get_metric
from eyechart.metrics.answer_key import AnswerKey, parse_answer_key
from eyechart.metrics.base import Cell
from eyechart.metrics.per_type import PerType
from eyechart.records import Sample

FIELDS = {
    "accuracy": "overall",
    "mpt_arithmetic": "arithmetic_mpt",
    "mpt_harmonic": "harmonic_mpt",
    "nmpt_arithmetic": "arithmetic_nmpt",
    "nmpt_harmonic": "harmonic_nmpt",
}


def cases() -> list[dict[str, Any]]:
    """All 440 records."""
    path = Path(__file__).parent / "tdiuc" / "tdiuc.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def marked(metric: PerType, inputs: dict[str, Any], key: AnswerKey | None) -> dict[str, float]:
    """All numbers of one case, by the metric's own functions; a missing prediction is wrong."""
    predictions = {row["question_id"]: row["answer"] for row in inputs["predictions"]}
    sums: dict[Cell, list[float]] = {}
    for annotation in inputs["annotations"]:
        gold = annotation["answers"][0]["answer"]
        sample = Sample(
            id=str(annotation["question_id"]),
            references=(key.gold(gold) if key else gold,),
            tags={"question_type": annotation["question_type"]},
        )
        prediction = predictions.get(annotation["question_id"])
        if key and prediction is not None:
            prediction = key.predicted(prediction)
        score = metric.wrong(sample) if prediction is None else metric.score(sample, prediction)
        assert score.value is not None
        cell = sums.setdefault(metric.cell(sample), [0, 0])
        cell[0] += 1
        cell[1] += score.value
    return metric.aggregate({name: (n, total) for name, (n, total) in sums.items()})


def assert_equal(expected: dict[str, Any], actual: dict[str, float], field: str, case: str) -> None:
    """The headline and the table of types, to 1e-9."""
    assert math.isclose(expected[field] / 100, actual["value"], rel_tol=1e-9, abs_tol=1e-12), (case, field)
    table = expected["per_type_normalized" if "nmpt" in field else "per_type"]
    types = {name.removeprefix("question_type="): value for name, value in actual.items() if name != "value"}
    assert table.keys() == types.keys()
    assert all(math.isclose(table[name] / 100, types[name], abs_tol=1e-9) for name in table), (case, field)


@pytest.mark.parametrize("metric_id", FIELDS)
def test_without_key_and_eps(metric_id: str) -> None:
    """Exact arithmetic on the answers as written: no key, no eps, missing counts as wrong."""
    for case in cases():
        expected = case["outputs"]["clean"]
        actual = marked(get_metric(metric_id), case["inputs"], None)
        if expected is None:  # no question at all
            assert actual == {}
        else:
            assert_equal(expected, actual, FIELDS[metric_id], case["id"])


@pytest.mark.parametrize("metric_id", FIELDS)
def test_published_script(metric_id: str) -> None:
    """With the answer key and eps=1e-10: the numbers of the published script wherever it aligns its predictions."""
    seen: Counter[str] = Counter()
    spec = metric_id if metric_id == "accuracy" else f"{metric_id}[eps=1e-10]"
    for case in cases():
        expected, tags = case["outputs"]["tdiuc_eval"], case["tags"]
        if {"empty", "missing_pred"} & set(tags):  # a missing prediction shifts all later ones there: not copied
            continue
        if "error" in expected:
            seen[expected["error"]] += 1
            if expected["error"] == "KeyError":  # an answer that the key lacks: known before anything is marked
                key = parse_answer_key(case["inputs"]["answerkey_csv"], "key.csv")
                assert None in [key.predicted(row["answer"]) for row in case["inputs"]["predictions"]]
            continue
        key = parse_answer_key(case["inputs"]["answerkey_csv"], "key.csv")
        assert_equal(expected, marked(get_metric(spec), case["inputs"], key), FIELDS[metric_id], case["id"])
        seen["equal"] += 1
    assert seen == {"equal": 360, "KeyError": 20, "IndexError": 20}


def test_key_with_spaces() -> None:
    """A space-separated key is refused with its line, where the published script ends in an IndexError."""
    for case in cases():
        if "space_key" in case["tags"]:
            with pytest.raises(InputError, match=r"key\.csv:\d+: ") as caught:
                parse_answer_key(case["inputs"]["answerkey_csv"], "key.csv")
            assert caught.value.fix
