"""VQA metrics against what the official programs wrote (see vqa/PROVENANCE.md)."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.metrics.vqa_text import PYTHON_2, PYTHON_3
from eyechart.records import Sample

HERE = Path(__file__).parent / "vqa"
DATASET = HERE / "dataset_5000"


def cases(name: str) -> list[dict[str, Any]]:
    """The records of a compressed JSON-lines file."""
    with gzip.open(HERE / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def document(name: str) -> Any:
    """One compressed JSON document of the 5,000-question set."""
    with gzip.open(DATASET / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def sample_of(annotation: dict[str, Any]) -> Sample:
    """An annotation as a sample, with what tells its records apart."""
    answers = annotation["answers"]
    tokens = [f"{human.get('answer_id')}/{human.get('answer_confidence')}" for human in answers]
    return Sample(
        id=str(annotation["question_id"]),
        references=tuple(human["answer"] for human in answers),
        tags={"record_identity": ",".join(tokens)},
    )


def close(expected: float, actual: float | None) -> bool:
    """Equal to 1e-9."""
    return actual is not None and math.isclose(expected, actual, rel_tol=0, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("metric_id", "program", "field", "scale"),
    [
        ("vqa_accuracy", "official_py2", "pct_n30", 100),
        ("vqa_accuracy_pre2021", "official_py2_before_2021_fix", "pct_n30", 100),
        ("vqa_accuracy_normalised", "lmms_eval", "acc", 1),
    ],
)
def test_single_questions(metric_id: str, program: str, field: str, scale: float) -> None:
    """Each of 1,200 questions gets the accuracy that the official program gives it."""
    metric = get_metric(metric_id)
    wrong = [
        case["id"]
        for case in cases("vqa_single")
        if not close(
            case["outputs"][program][field] / scale,
            metric.score(sample_of(case["inputs"]["annotation"]), case["inputs"]["prediction"]).value,
        )
    ]
    assert wrong == []


def test_distinct_records_need_no_tag() -> None:
    """Without the record tag all records count as distinct, which the published files' are."""
    metric = get_metric("vqa_accuracy")
    checked = 0
    for case in cases("vqa_single"):
        if "record_identity" in case["tags"]:
            continue
        annotation = case["inputs"]["annotation"]
        sample = Sample(id="q", references=tuple(human["answer"] for human in annotation["answers"]))
        value = metric.score(sample, case["inputs"]["prediction"]).value
        assert close(case["outputs"]["official_py2"]["pct_n30"] / 100, value), case["id"]
        checked += 1
    assert checked > 1_100


def test_bare_records() -> None:
    """Records that hold nothing but the answer: equal ones are set aside together."""
    metric = get_metric("vqa_accuracy")
    for yes, expected in ((4, 0.6), (5, 0.5), (10, 0.0)):
        sample = Sample(id="q", references=("yes",) * yes + ("no",) * (10 - yes), tags={"record_identity": "none"})
        assert close(expected, metric.score(sample, "yes").value)


@pytest.mark.parametrize(("dialect", "program"), [(PYTHON_2, "official_py2"), (PYTHON_3, "lmms_eval")])
def test_normaliser(dialect: Any, program: str) -> None:
    """Each step of the normaliser gives the official string on 1,500 texts."""
    for case in cases("vqa_norm"):
        expected = case["outputs"][program]
        cleaned = dialect.clean(case["inputs"]["text"])
        assert expected["punct"] == dialect.punctuation(cleaned), case["id"]
        assert expected["full"] == dialect.normalise(cleaned), case["id"]
        if program == "official_py2":
            assert expected["stripped"] == cleaned, case["id"]
            assert expected["digit_only"] == dialect.words(cleaned), case["id"]


def test_lower_case_table_of_python_2() -> None:
    """Every code point gets the lower case that CPython 2.7.18 gives it (Unicode 5.2)."""
    points = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    table = "".join(PYTHON_2.lower(letter) for letter in points)
    digest = hashlib.sha256(table.encode()).hexdigest()
    assert digest == "186157557c76b891ca16ca83c959d6aa76e892e1c2ec16ad881f13cf27998f08"


def test_white_space_of_python_2() -> None:
    """U+180E is white space to Python 2, and to nobody since."""
    assert PYTHON_2.clean("\u180ered\u180e ") == "red"
    assert PYTHON_2.words("red\u180ebus") == "red bus"
    assert PYTHON_3.words("red\u180ebus") == "red\u180ebus"


def test_printed_ties() -> None:
    """Exact ties round away from zero, in the total and in every table, on 300 data sets."""
    metric = get_metric("vqa_accuracy")
    for case in cases("vqa_rounding_ties"):
        marks = []
        for matching in case["inputs"]["matching_humans_per_question"]:
            sample = Sample(id="q", references=("yes",) * matching + ("no",) * (10 - matching))
            value = metric.score(sample, "yes").value
            assert value is not None
            marks.append(value)
        expected = case["outputs"]["official_py2_n2"]
        full = case["outputs"]["official_py2_full"]
        index = range(len(marks))
        groups = {
            ("overall", None): list(index),
            ("perQuestionType", "is"): [i for i in index if i % 2 == 0],
            ("perQuestionType", "what"): [i for i in index if i % 2 == 1],
            ("perAnswerType", "number"): [i for i in index if i % 3 == 0],
            ("perAnswerType", "other"): [i for i in index if i % 3],
        }
        for (table, name), rows in groups.items():
            value, printed = mean_and_printed(metric, [marks[i] for i in rows])
            wanted, wanted_full = (
                (expected[table], full[table])
                if name is None
                else (
                    expected[table][name],
                    full[table][name],
                )
            )
            assert f"{wanted:.2f}" == printed, (case["id"], table, name)
            assert close(wanted_full / 100, value), (case["id"], table, name)


def mean_and_printed(metric: Metric, marks: list[float]) -> tuple[float, str]:
    """A group's value and printed form, by the metric's own aggregate."""
    total = 0.0
    for mark in marks:
        total += mark
    value = metric.aggregate({(): (len(marks), total)})["value"]
    return value, metric.printed(value)


def dataset() -> Iterator[tuple[dict[str, Any], str]]:
    """Annotations of the 5,000-question set with the predictions."""
    predictions = {row["question_id"]: row["answer"] for row in document("results")}
    for annotation in document("annotations")["annotations"]:
        yield annotation, predictions[annotation["question_id"]]


def test_dataset_question_by_question() -> None:
    """The official accuracy and lmms-eval's on each of 5,000 questions."""
    official, other = document("expected_evalQA_full"), document("expected_per_question_other_engines")
    metric, normalised = get_metric("vqa_accuracy"), get_metric("vqa_accuracy_normalised")
    for annotation, prediction in dataset():
        key, sample = str(annotation["question_id"]), sample_of(annotation)
        assert close(official[key] / 100, metric.score(sample, prediction).value), key
        assert close(other[key]["lmms_eval"], normalised.score(sample, prediction).value), key


@pytest.mark.parametrize(
    ("metric_id", "field", "expected"),
    [
        ("vqa_enhanced", "vqa_accuracy", "upstream"),
        ("vqa_contains", "simple_correct", "upstream"),
        ("vqa_enhanced[literal=true]", "vqa_accuracy", "seed_literal"),
        ("vqa_enhanced[keywords=word,literal=true]", "vqa_accuracy", "seed_literal_words"),
    ],
)
def test_graded(metric_id: str, field: str, expected: str) -> None:
    """Graded and lenient scorers on 1,600 pairs; where the program divides by zero there is no score."""
    metric = get_metric(metric_id)
    assert metric.id == metric_id
    for case in cases("enhanced"):
        score = metric.score(Sample(id="q", references=(case["inputs"]["ground_truth"],)), case["inputs"]["prediction"])
        output = case["outputs"][expected]
        if "error" in output:
            assert score.value is None, case["id"]
            assert score.error.startswith("official_undefined: "), case["id"]
        else:
            assert close(float(output[field]), score.value), case["id"]
