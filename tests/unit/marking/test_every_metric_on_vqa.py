"""VQA's files are marked in columns; every metric gets there what it gets question by question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eyechart.marking.file_result import ScoreRequest
from eyechart.marking.files.gold import GoldFiles
from eyechart.marking.score_file import score_file
from eyechart.metrics import METRICS

HUMANS = ("two", "2", "two dogs", "-3", "A", "yes")
ANSWERS = ("2", "two", "a dog", "-3", "A. chair", "Yes, it is", "")
EVERY_METRIC = [
    *METRICS.names(),
    "wups@0.9[consensus=average]",
    "mra[reader=robust]",
    "number[relative=0.1]",
    "mpt_harmonic[eps=1e-10]",
    "exact[mean=question_type]",
    "vqa_accuracy[mean=answer_type]",
]


def annotation(number: int) -> dict[str, Any]:
    """An annotation: each third has fewer humans, each fifth has humans without an id."""
    ids = number % 5 != 0
    humans = [HUMANS[(number + i * (i > 2)) % len(HUMANS)] for i in range(10 if number % 3 else 4)]
    return {
        "question_id": number,
        "image_id": number // 2,
        "question_type": ("what", "is", "how many")[number % 3],
        "answer_type": ("other", "yes/no")[number % 2],
        "multiple_choice_answer": humans[0],
        "answers": [{"answer": word} | ({"answer_id": i} if ids else {}) for i, word in enumerate(humans, 1)],
    }


@pytest.fixture(scope="module")
def request_of(tmp_path_factory: pytest.TempPathFactory) -> ScoreRequest:
    """Thirty annotations, three of them without an answer."""
    folder: Path = tmp_path_factory.mktemp("vqa")
    annotations, results = folder / "annotations.json", folder / "results.json"
    annotations.write_text(json.dumps({"annotations": [annotation(n) for n in range(30)]}), encoding="utf-8")
    answered = [{"question_id": n, "answer": ANSWERS[n % len(ANSWERS)]} for n in range(27)]
    results.write_text(json.dumps(answered), encoding="utf-8")
    files = GoldFiles(annotations=annotations)
    return ScoreRequest(benchmark="vqav2", predictions=results, files=files, metrics=EVERY_METRIC, missing="wrong")


def test_every_metric_marks_in_columns_as_one_by_one(request_of: ScoreRequest) -> None:
    """Values, tables, intervals and counts of every metric are those that marking question by question gives."""
    (columns,), (rows,) = score_file(request_of), score_file(request_of, keep_rows=True)
    assert rows.rows
    assert not columns.rows
    assert columns.document.n == rows.document.n
    assert len(columns.document.metrics) >= len(EVERY_METRIC)
    for name, result in columns.document.metrics.items():
        expected = rows.document.metrics[name]
        assert result.value == pytest.approx(expected.value, abs=1e-12), name
        assert result.value_left_out == pytest.approx(expected.value_left_out, abs=1e-12), name
        assert (result.n, result.errors, result.unreadable, result.oddities) == (
            expected.n,
            expected.errors,
            expected.unreadable,
            expected.oddities,
        ), name
        assert result.ci == pytest.approx(expected.ci, abs=1e-12), name
        for group, lines in result.by.items():
            for line, score in lines.items():
                assert score.value == pytest.approx(expected.by[group][line].value, abs=1e-12), (name, group, line)
