"""The official VQA files, marked in columns, against every table that the official program prints."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from eyechart.errors import InputError
from eyechart.marking.columns import Columns
from eyechart.marking.file_result import ScoreRequest
from eyechart.marking.matching import Predictions
from eyechart.marking.score_vqa import one_set, refuse_mismatch
from eyechart.marking.vqa_files import mark_vqa_files
from eyechart.metrics import get_metric
from eyechart.records import Sample

HERE = Path(__file__).parent / "vqa"
DATASET = HERE / "dataset_5000"
ALL = ("vqa_accuracy", "vqa_accuracy_normalised", "vqa_accuracy_pre2021", "vqa_exact", "vqa_contains", "vqa_enhanced")


def document(name: str) -> Any:
    """One compressed JSON document of the 5,000-question set."""
    with gzip.open(DATASET / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def read_results(path: Path) -> Predictions:
    """The answers of a file, as `eyechart score` reads them."""
    given = one_set(ScoreRequest(benchmark="vqav2", predictions=path))
    assert given is not None
    return given[1]


@pytest.fixture(scope="module")
def marked() -> Columns:
    """The set of 5,000 questions, marked with all metrics from its gzipped files."""
    return mark_vqa_files(
        DATASET / "annotations.json.gz",
        read_results(DATASET / "results.json.gz"),
        [get_metric(name) for name in ALL],
        questions=DATASET / "questions.json.gz",
    )


def test_ids_match(marked: Columns) -> None:
    """The published files fit together."""
    assert marked.match.official
    assert marked.match.findings() == []
    assert marked.match.annotations == 5000


def test_every_question(marked: Columns) -> None:
    """The official accuracy of each question, and lmms-eval's."""
    official, other = document("expected_evalQA_full"), document("expected_per_question_other_engines")
    for row, identity in enumerate(marked.ids):
        key = str(identity)
        assert math.isclose(official[key] / 100, marked.tallies[0].sums[row], abs_tol=1e-9)
        assert math.isclose(other[key]["lmms_eval"], marked.tallies[1].sums[row], abs_tol=1e-9)


@pytest.mark.parametrize(
    ("metric", "program"), [("vqa_accuracy", "official_py2"), ("vqa_accuracy_pre2021", "official_py2_before_2021_fix")]
)
def test_every_table(marked: Columns, metric: str, program: str) -> None:
    """Overall, per question type and per answer type: as printed, and unrounded to 1e-9."""
    expected = document("expected_accuracy")[program]
    result = marked.document(benchmark="vqav2").metrics[metric]
    assert f"{expected['n2']['overall']:.2f}" == result.printed
    assert result.value is not None
    assert math.isclose(expected["n30"]["overall"] / 100, result.value, abs_tol=1e-9)
    for table, group in (("perQuestionType", "question_type"), ("perAnswerType", "answer_type")):
        lines = result.by[group]
        assert expected["n2"][table].keys() == lines.keys()
        for name, value in expected["n2"][table].items():
            line = lines[name]
            assert f"{value:.2f}" == line.printed, (table, name)
            assert line.value is not None
            assert math.isclose(expected["n30"][table][name] / 100, line.value, abs_tol=1e-9), (table, name)


def test_columns_equal_single_marks(marked: Columns) -> None:
    """Marking in columns gives each metric's own mark of each question, bit by bit."""
    predictions = {row["question_id"]: row["answer"] for row in document("results")}
    for row, annotation in enumerate(document("annotations")["annotations"]):
        sample = Sample(
            id="q",
            references=tuple(human["answer"] for human in annotation["answers"]),
            tags={"multiple_choice_answer": annotation["multiple_choice_answer"]},
        )
        for metric, tally in zip(ALL, marked.tallies, strict=True):
            score = get_metric(metric).score(sample, predictions[annotation["question_id"]])
            assert score.value == tally.sums[row], (metric, annotation["question_id"])


def test_odd_records(tmp_path: Path) -> None:
    """Other numbers of humans, records without distinct ids, odd characters: the official value of 1,200 questions."""
    with gzip.open(HERE / "vqa_single.jsonl.gz", "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    annotations, answers = [], {}
    for number, case in enumerate(cases):
        annotations.append({**case["inputs"]["annotation"], "question_id": number})
        answers[number] = case["inputs"]["prediction"]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(annotations), encoding="utf-8")  # a bare list, as VQA-CP has it
    metrics = [get_metric(name) for name in ALL[:3]]
    columns = mark_vqa_files(path, Predictions(answers), metrics)
    for column, (program, field, scale) in enumerate(
        (("official_py2", "pct_n30", 100), ("lmms_eval", "acc", 1), ("official_py2_before_2021_fix", "pct_n30", 100))
    ):
        for row, case in enumerate(cases):
            expected = case["outputs"][program][field] / scale
            assert math.isclose(expected, columns.tallies[column].sums[row], abs_tol=1e-9), case["id"]


def annotation(identity: int | str, *answers: str, **more: Any) -> dict[str, Any]:
    """An annotation in the official layout."""
    humans = [{"answer": a, "answer_confidence": "yes", "answer_id": i} for i, a in enumerate(answers, 1)]
    fields = {"image_id": 1, "question_type": "what", "answer_type": "other", "multiple_choice_answer": answers[0]}
    return {"question_id": identity, "answers": humans, **fields, **more}


def write(path: Path, value: Any) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_missing_extra_and_duplicate_ids(tmp_path: Path) -> None:
    """Ids that do not match are counted with examples; missing answers count wrong or are left out."""
    annotations = write(tmp_path / "a.json", {"annotations": [annotation(i, *["red"] * 10) for i in range(4)]})
    results = write(
        tmp_path / "r.json",
        [{"question_id": i, "answer": a} for i, a in ((0, "blue"), (0, "red"), (1, "red"), (9, "red"))],
    )
    metric = [get_metric("vqa_accuracy")]
    wrong = mark_vqa_files(annotations, read_results(results), metric)
    match = wrong.match
    assert (match.missing.n, match.missing.examples) == (2, (2, 3))
    assert (match.extra.n, match.extra.examples) == (1, (9,))
    assert (match.duplicates.n, match.duplicates.examples) == (1, (0,))
    document_ = wrong.document(benchmark="vqav2")
    assert (document_.result.value, document_.result.value_left_out) == (0.5, 1.0)
    assert (document_.n.total, document_.n.answered, document_.n.missing) == (4, 2, 2)
    skipped = mark_vqa_files(annotations, read_results(results), metric, missing="skip").document(benchmark="vqav2")
    assert (skipped.result.value, skipped.result.n, skipped.n.missing) == (1.0, 2, 2)
    with pytest.raises(InputError, match=r"2 \(for example 2, 3\) without an answer") as caught:
        refuse_mismatch(match, "vqa_accuracy", document_.result.printed)
    assert "vqa_accuracy would be 50.00" in str(caught.value)


def test_nothing_answered(tmp_path: Path) -> None:
    """No answer at all: zero if missing answers are wrong, no number if they are left out."""
    annotations = write(tmp_path / "a.json", [annotation(1, *["red"] * 10)])
    metrics = [get_metric(name) for name in ALL]
    assert mark_vqa_files(annotations, Predictions({}), metrics).document(benchmark="vqav2").result.value == 0
    skipped = mark_vqa_files(annotations, Predictions({}), metrics, missing="skip").document(benchmark="vqav2")
    assert (skipped.result.value, skipped.n.missing) == (None, 1)


def test_question_annotated_twice(tmp_path: Path) -> None:
    """As in the official program the last annotation counts both times, the second time on what the first left."""
    humans = ["two", "2"] * 5
    rows = [annotation(7, *["one"] * 10), annotation(7, *humans)]
    annotations = write(tmp_path / "a.json", {"annotations": rows})
    columns = mark_vqa_files(annotations, Predictions({7: "two"}), [get_metric("vqa_accuracy")])
    assert list(columns.tallies[0].sums) == [1.0, 0.0]
    assert columns.match.twice_annotated.n == 1


def test_ids_as_text(tmp_path: Path) -> None:
    """Ids that a table could only write as text find their numbers."""
    annotations = write(tmp_path / "a.json", [annotation(12, *["red"] * 10)])
    columns = mark_vqa_files(annotations, Predictions({"12": "red"}), [get_metric("vqa_accuracy")])
    assert columns.match.official
    assert list(columns.tallies[0].sums) == [1.0]


def test_questions_file_of_another_split(tmp_path: Path) -> None:
    """Questions without annotation and annotations without question are told."""
    annotations = write(tmp_path / "a.json", [annotation(1, "red")])
    questions = write(tmp_path / "q.json", {"questions": [{"question_id": 2, "question": "?"}]})
    columns = mark_vqa_files(annotations, Predictions({1: "red"}), [get_metric("vqa_exact")], questions=questions)
    assert (columns.match.unannotated.n, columns.match.unasked.n) == (1, 1)


def test_odd_texts_are_marked(tmp_path: Path) -> None:
    """An answer of a megabyte, control characters and half a surrogate pair are answers like others."""
    answers = ("x" * 1_000_000, "a\u0000b\u001b[31m", "\ud800")
    annotations = write(tmp_path / "a.json", [annotation(i, *[a] * 10) for i, a in enumerate(answers)])
    results = write(tmp_path / "r.json", [{"question_id": i, "answer": a} for i, a in enumerate(answers)])
    columns = mark_vqa_files(annotations, read_results(results), [get_metric(name) for name in ALL])
    assert list(columns.tallies[0].sums) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.json: the file is empty"),
        (b" \n ", "a.json: the file is empty"),
        (b"[]", "holds no annotation"),
        (b'{"annotations": [\n{"question_id": 1,}]}', r"a\.json:2:\d+: not valid JSON"),
        (b'[{"question_id": 1, "answers": [{"answer": "a\x01"}]}]', r"a\.json:1:\d+: not valid JSON"),
        (b'[{"question_id": 1, "answers": [{"answer": "a\xff"}]}]', r"a\.json:1:\d+: not UTF-8 text, in annotation 1"),
        (b'[{"question_id": 5}]', r"annotation 1 \(question 5\) has no answers"),
        (b'[{"question_id": 5, "answers": []}]', r"annotation 1 \(question 5\) has no answers"),
        (b'[{"answers": [{"answer": "a"}]}]', "question_id.*in annotation 1"),
        (b'[{"question_id": 5, "answers": [{"answer": 3}]}]', "Expected `str`, got `int`.*in annotation 1"),
        (b'{"questions": []}', "annotations"),
        (b"\x1f\x8bnot really", "damaged or cut off"),
    ],
)
def test_bad_annotations(tmp_path: Path, content: bytes, message: str) -> None:
    """Each kind of damage is one clear error that names the file and the place."""
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        mark_vqa_files(path, Predictions({5: "a"}), [get_metric("vqa_accuracy")])
