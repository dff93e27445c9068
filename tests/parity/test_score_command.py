"""`eyechart score` on files in the published forms prints what the official programs print."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from eyechart.cli.main import main

HERE = Path(__file__).parent
Json = dict[str, Any]
Score = Callable[..., Json]


def cases(name: str, *, step: int = 1, keep: Callable[[Json], bool] = lambda _: True) -> list[Json]:
    """Every `step`-th golden case of a file that is wanted."""
    with gzip.open(HERE / name, "rt") as file:
        return [case for case in map(json.loads, file) if keep(case)][::step]


@pytest.fixture
def score(capsys: pytest.CaptureFixture[str]) -> Score:
    """Run the command and read its one document."""

    def run(*words: object) -> Json:
        code = main(["score", *map(str, words), "--json"])
        out = capsys.readouterr()
        assert code == 0, out.err
        document: Json = json.loads(out.out)
        return document

    return run


def write_json(path: Path, value: object) -> Path:
    """A JSON file, gzipped where the name says so."""
    data = json.dumps(value).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """A CSV or TSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writerow(header)
        writer.writerows(rows)
    return path


def write_lines(path: Path, rows: Iterable[object]) -> Path:
    """A JSON lines file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# ── VQA ───────────────────────────────────────────────────────────────────────


def test_vqa_files_give_every_official_table(score: Score) -> None:
    """5,000 questions: overall, per answer type and per question type, to the printed digit and unrounded."""
    files = HERE / "vqa" / "dataset_5000"
    with gzip.open(files / "expected_accuracy.json.gz", "rt") as file:
        expected = json.load(file)
    words = ("--questions", files / "questions.json.gz", "--annotations", files / "annotations.json.gz")
    document = score("vqav2", "--predictions", files / "results.json.gz", *words, "--metric", "all")
    for convention, metric in (
        ("official_py2", "vqa_accuracy"),
        ("official_py2_before_2021_fix", "vqa_accuracy_pre2021"),
    ):
        result, printed, full = document["metrics"][metric], expected[convention]["n2"], expected[convention]["n30"]
        assert float(result["printed"]) == printed["overall"]
        assert result["value"] * 100 == pytest.approx(full["overall"], abs=1e-9)
        for table, name in (("answer_type", "perAnswerType"), ("question_type", "perQuestionType")):
            assert {group: float(line["printed"]) for group, line in result["by"][table].items()} == printed[name]
            values = {group: line["value"] * 100 for group, line in result["by"][table].items()}
            assert values == pytest.approx(full[name], abs=1e-9)
            assert sum(line["n"] for line in result["by"][table].values()) == 5000
    normalised = document["metrics"]["vqa_accuracy_normalised"]["value"]
    assert normalised == pytest.approx(expected["lmms_eval_exact_match_mean"], abs=1e-9)
    assert document["n"] | {"total": 5000, "answered": 5000, "missing": 0, "failed": 0} == document["n"]


def test_vqacp_lists_are_bare(tmp_path: Path, score: Score) -> None:
    """VQA-CP publishes bare lists; they give the same digits as the same questions in VQA v2's form."""
    files = HERE / "vqa" / "dataset_5000"
    with gzip.open(files / "annotations.json.gz", "rt") as file:
        annotations = json.load(file)["annotations"]
    with gzip.open(files / "questions.json.gz", "rt") as file:
        questions = json.load(file)["questions"]
    document = score(
        "vqacp_v2",
        "--predictions",
        files / "results.json.gz",
        "--questions",
        write_json(tmp_path / "q.json", questions),
        "--annotations",
        write_json(tmp_path / "a.json.gz", annotations),
    )
    assert document["benchmark"] == "vqacp_v2"
    assert document["metrics"]["vqa_accuracy"]["printed"] == "71.33"


# ── TDIUC ─────────────────────────────────────────────────────────────────────


def with_questions(case: Json) -> bool:
    """There is something to mark."""
    return bool(case["inputs"]["annotations"] and case["inputs"]["predictions"])


FAMILY = {
    "accuracy": "overall",
    "mpt_arithmetic": "arithmetic_mpt",
    "mpt_harmonic": "harmonic_mpt",
    "nmpt_arithmetic": "arithmetic_nmpt",
    "nmpt_harmonic": "harmonic_nmpt",
}


@pytest.mark.parametrize(
    "case", cases("tdiuc/tdiuc.jsonl.gz", step=29, keep=with_questions), ids=lambda case: case["id"]
)
def test_tdiuc_without_a_key(tmp_path: Path, score: Score, case: Json) -> None:
    """All five accuracies and the table by type, with missing answers counted as wrong."""
    clean = case["outputs"]["clean"]
    annotations = write_json(tmp_path / "a.json", {"annotations": case["inputs"]["annotations"]})
    predictions = write_json(tmp_path / "p.json", case["inputs"]["predictions"])
    words = ("--predictions", predictions, "--annotations", annotations, "--missing", "wrong")
    metrics = score("tdiuc", *words)["metrics"]
    assert {name: metrics[name]["value"] * 100 for name in FAMILY} == pytest.approx(
        {name: clean[field] for name, field in FAMILY.items()}, abs=1e-9
    )
    table = {name: line["value"] * 100 for name, line in metrics["accuracy"]["by"]["question_type"].items()}
    assert table == pytest.approx(clean["per_type"], abs=1e-9)


def official(case: Json) -> bool:
    """The published script got through, and did not shift answers to other questions."""
    outputs = case["outputs"]["tdiuc_eval"]
    return with_questions(case) and "error" not in outputs and not outputs["misaligned_warnings"]


@pytest.mark.parametrize("case", cases("tdiuc/tdiuc.jsonl.gz", step=31, keep=official), ids=lambda case: case["id"])
def test_tdiuc_with_the_answer_key(tmp_path: Path, score: Score, case: Json) -> None:
    """Through the key two answers with one number are equal, and gold answers outside it are never right."""
    expected = case["outputs"]["tdiuc_eval"]
    (tmp_path / "key.csv").write_text(case["inputs"]["answerkey_csv"])
    annotations = write_json(tmp_path / "a.json", {"annotations": case["inputs"]["annotations"]})
    predictions = write_json(tmp_path / "p.json.gz", case["inputs"]["predictions"])
    files = ("--predictions", predictions, "--annotations", annotations, "--answer-key", tmp_path / "key.csv")
    eps = tuple(word for name in list(FAMILY)[1:] for word in ("--metric", f"{name}[eps=1e-10]"))
    metrics = score("tdiuc", *files, "--missing", "wrong", *eps)["metrics"]
    for name, field in FAMILY.items():
        found = (
            metrics[name if name == "accuracy" else f"{name}[eps=1e-10]"] if name in metrics or eps else metrics[name]
        )
        assert found["value"] * 100 == pytest.approx(expected[field], abs=1e-9)


# ── the rows of the others ────────────────────────────────────────────────────


def vsi_aggregates(case: Json) -> bool:
    """Sets that the official program gets through."""
    return "error" not in case["outputs"]["official"] and bool(case["inputs"]["items"])


@pytest.mark.parametrize(
    "case", cases("spatial/vsi_aggregate.jsonl.gz", step=19, keep=vsi_aggregates), ids=lambda case: case["id"]
)
def test_vsibench_rows(tmp_path: Path, score: Score, case: Json) -> None:
    """The macro mean with merged directions, from JSON lines, with answers in a TSV."""
    items = case["inputs"]["items"]
    data = [
        {"id": i, "question_type": r["question_type"], "ground_truth": r["ground_truth"]} for i, r in enumerate(items)
    ]
    predictions = [{"id": i, "prediction": row["prediction"]} for i, row in enumerate(items)]
    document = score(
        "vsibench",
        "--predictions",
        write_lines(tmp_path / "answers.jsonl", predictions),
        "--data",
        write_lines(tmp_path / "test.jsonl", data),
    )
    expected = case["outputs"]["official"]
    result = document["metrics"]["vsi"]
    assert result["value"] * 100 == pytest.approx(expected["overall"], abs=1e-9)
    assert result["printed"] == expected["tabulated_results"].split(", ")[0]
    types = {
        key.removesuffix("_accuracy").partition("_MRA")[0]: value
        for key, value in expected.items()
        if key not in ("overall", "tabulated_keys", "tabulated_results")
    }
    found = {name: line["value"] * 100 for name, line in result["by"]["question_type"].items()}
    for name, value in types.items():
        if name in found:
            assert found[name] == pytest.approx(value, abs=1e-9)
    assert {"vsi_binary", "mra"} <= set(document["metrics"])


@pytest.mark.parametrize("case", cases("spatial/mmsi_aggregate.jsonl.gz", step=29), ids=lambda case: case["id"])
def test_mmsi_rows(tmp_path: Path, score: Score, case: Json) -> None:
    """The micro mean and the eleven categories under their published names, from CSV and TSV."""
    items = case["inputs"]["items"]
    rows = [(i, row["question_type"], row["answer"]) for i, row in enumerate(items)]
    answers = [(i, row["prediction"] or "") for i, row in enumerate(items)]
    document = score(
        "mmsi",
        "--predictions",
        write_table(tmp_path / "answers.tsv", ("index", "response"), answers),
        "--data",
        write_table(tmp_path / "test.csv", ("id", "question_type", "answer"), rows),
        "--metric",
        "mmsi[lmms_head=true]",
    )
    result, head = document["metrics"]["mmsi"], document["metrics"]["mmsi[lmms_head=true]"]
    readme = case["outputs"]["lmms_2025"]
    assert result["value"] == pytest.approx(readme["average"], abs=1e-12)
    assert head["value"] == pytest.approx(case["outputs"]["lmms_head"]["average"], abs=1e-12)
    categories = {name: line["value"] for name, line in head["by"]["category"].items()}
    expected = {name: value for name, value in case["outputs"]["lmms_head"].items() if name != "average"}
    assert categories == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("case", cases("spatial/spatialeval_aggregate.jsonl.gz", step=23), ids=lambda case: case["id"])
def test_spatialeval_rows(tmp_path: Path, score: Score, case: Json) -> None:
    """Both published rules, by task, from rows that carry gold answers and replies together."""
    rows = write_json(tmp_path / "rows.json", case["inputs"]["records"])
    model = case["inputs"]["model_name"] or ""
    document = score("spatialeval", "--predictions", rows, *(("--model", model) if model else ()))
    expected = case["outputs"]["seed004_code"]
    result = document["metrics"]["spatialeval_seed"]
    assert result["value"] == pytest.approx(expected["accuracy"], abs=1e-12)
    tasks = {name: line["value"] for name, line in result["by"]["task"].items()}
    assert tasks == pytest.approx({n: t["accuracy"] for n, t in expected["task_results"].items()}, abs=1e-12)
    published = case["outputs"]["official"]
    # On photos the official program stops, or silently marks the row before once more: no score that means anything.
    if "error" not in published and "spatialreal" not in case["tags"]:
        assert document["metrics"]["spatialeval_official"]["value"] == pytest.approx(published["accuracy"], abs=1e-12)


# ── a published comparison, marked again ──────────────────────────────────────

COMPARISON = HERE / "vqa_comparison" / "vqa2_results_coco_20250729_131258.json.gz"
# model → (share that contains the gold answer, graded mean), as printed in the comparison's table
PUBLISHED = {
    "moondream2": ("65.00", "62.50"),
    "smolvlm_v2_instruct": ("55.00", "52.50"),
    "smolvlm_instruct": ("35.00", "36.00"),
    "phi35_vision": ("35.00", "35.00"),
    "llava_mlx": ("20.00", "21.00"),
}


def test_the_published_table_from_its_stored_answers(score: Score) -> None:
    """Four of five rows come out as recorded; the fifth differs by one question, which is pointed out."""
    document = score("vqav2", "--predictions", COMPARISON)
    assert document["schema"] == "eyechart/scores@1"
    found = {
        model["model"]: tuple(model["metrics"][metric]["printed"] for metric in ("vqa_contains", "vqa_enhanced"))
        for model in document["models"]
    }
    assert found == PUBLISHED | {"smolvlm_v2_instruct": ("60.00", "57.50")}
    recorded = {
        model["model"]: tuple(f"{100 * model['recorded']['metrics'][m]:.2f}" for m in ("vqa_contains", "vqa_enhanced"))
        for model in document["models"]
    }
    assert recorded == PUBLISHED
    disagreements = {model["model"]: model["recorded"]["disagreements"] for model in document["models"]}
    assert {name for name, listed in disagreements.items() if listed} == {"smolvlm_v2_instruct"}
    assert {d["sample"] for d in disagreements["smolvlm_v2_instruct"]} == {"100187002"}


def test_nothing_is_claimed_that_twenty_questions_do_not_show(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has intervals, and says that the top places are not shown to differ."""
    assert main(["score", "vqav2", "--predictions", str(COMPARISON)]) == 0
    out = capsys.readouterr().out
    assert "shown to differ" in out
    assert "65.00  [43.3, 81.9]" in out
    assert "the file records vqa_contains 55.00; its answers give 60.00" in out
    assert "question 100187002" in out


def test_one_model_of_the_comparison(score: Score) -> None:
    """--model chooses one, and the document is then the plain one."""
    document = score("vqav2", "--predictions", COMPARISON, "--model", "moondream2")
    assert document["schema"] == "eyechart/score@1"
    assert document["metrics"]["vqa_contains"]["by"]["kind"]["yes/no"]["n"] == 7


def test_the_other_published_results_file(tmp_path: Path, score: Score) -> None:
    """A results file with full responses and gold answers is marked by itself, again under the same rule."""
    results = [
        {"index": 0, "question": "Where?", "predicted_answer": "Northeast", "full_response": "Northeast. Because …",
         "oracle_answer": "Northeast", "oracle_option": "A", "is_correct": True},
        {"index": 1, "question": "Where?", "predicted_answer": "The object is to the left",
         "full_response": "The object is to the left. This can be seen.", "oracle_answer": "left",
         "oracle_option": "to the left", "is_correct": True},
    ]  # fmt: skip
    path = write_json(tmp_path / "vqa_spatialmap_results.json", {"results": results, "accuracy": 1.0})
    document = score("spatialeval", "--predictions", path)
    marked = document["metrics"]["spatialeval_seed"]
    assert marked["value"] == 0.5
    assert document["n"]["total"] == 2
    assert "task" not in marked["by"]  # a number says nothing about the task …
    assert document["recorded"] == {
        "metrics": {"spatialeval_seed": 1.0},
        "disagreements": [{"sample": "1", "metric": "spatialeval_seed", "recorded": 1.0, "value": 0.0}],
    }
    of_part = score("spatialeval:vqa:spatialmap", "--predictions", path)["metrics"]["spatialeval_seed"]
    assert {name: line["n"] for name, line in of_part["by"]["task"].items()} == {"spatialmap": 2}  # … a part does


def test_other_scorers_show_their_denominators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside a headline over three questions stand a mean over two of them and one that nothing defines."""
    rows = [
        {"id": 1, "question_type": "object_counting", "ground_truth": "4", "prediction": "4"},
        {"id": 2, "question_type": "object_counting", "ground_truth": "4", "prediction": "1"},
        {"id": 3, "question_type": "route_planning", "ground_truth": "A", "prediction": "A"},
    ]
    path = write_json(tmp_path / "rows.json", rows)
    assert main(["score", "vsibench", "--predictions", str(path), "--metric", "spatialeval_official"]) == 0
    beside = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("beside it: "))
    assert re.search(r"vsi_binary 66\.67 \[[^]]*\] · mra 50\.00 \[[^]]*\] \(n = 2\)", beside)
    assert beside.endswith("spatialeval_official undefined (n = 0)")


def test_the_same_from_python() -> None:
    """`eyechart.score` marks files, and answers that are in memory, as the command does."""
    import eyechart

    files = HERE / "vqa" / "dataset_5000"
    paths = {"annotations": files / "annotations.json.gz", "questions": files / "questions.json.gz"}
    marked = eyechart.score("vqav2", files / "results.json.gz", **paths)
    assert marked.document.result.printed == "71.33"
    assert "overall" in marked.table()
    with gzip.open(files / "results.json.gz", "rt") as file:
        answers = {row["question_id"]: row["answer"] for row in json.load(file)}
    assert eyechart.score("vqav2", answers, **paths).score == marked.score
    assert repr(eyechart.score("vqav2", COMPARISON, model="moondream2")) == "Marked('moondream2', vqa_enhanced=62.50)"
