"""Runs written in other tools' formats and read back, field by field."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from layouts import mmsi_rows, real_data, spatial_rows, vqa_lists, vsi_rows, write_parquet

from eyechart.cli.main import main
from eyechart.report.exports import export_run
from eyechart.store import RunFolder, find_runs

GOLDEN_METADATA = {
    "experiment_metadata": [
        "test_date",
        "test_mode",
        "num_questions",
        "framework_version",
        "evaluation_method",
        "dataset",
        "generation_params",
    ],
    "hardware_configuration": ["device", "memory", "mps_available", "torch_version", "python_version"],
    "model_configuration": ["models_tested", "model_loader", "unified_parameters", "image_preprocessing"],
}


def run_with(answers: dict[str, str], *words: str, folder: Path, name: str = "answers") -> RunFolder:
    """A run on stored answers; questions without one end in a failure."""
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"id": key, "answer": text}) + "\n" for key, text in answers.items()))
    code = main(["run", *words, "-m", f"replay:{path}", "-o", str(folder / "runs"), "--quiet", "--max-error-rate", "1"])
    assert code == 0
    return next(find_runs(folder / "runs"))


def exported(runs: Sequence[RunFolder], as_: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[Path]:
    """The files that the command wrote."""
    capsys.readouterr()
    assert main(["export", *(str(run.path) for run in runs), "--as", as_, "-o", str(folder)]) == 0
    return [Path(line) for line in capsys.readouterr().out.splitlines()]


def value_of(benchmark: str, *words: str, metric: str, capsys: pytest.CaptureFixture[str]) -> float:
    """What `eyechart score` makes of a file that was exported."""
    capsys.readouterr()
    assert main(["score", benchmark, *words, "--metric", metric, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    return float(document["metrics"][metric]["value"])


def test_seed001_has_every_block_and_is_marked_again_to_the_same_numbers(
    vqa_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two models in one file; a failed question is there with its error and counts as wrong."""
    good = {"100000": "Yes, it is.", "100001": "It is red", "101000": "2", "101001": "over there", "102000": "no"}
    words = ("vqav2", "-T", f"data={vqa_folder}", "--metric", "all")
    first = run_with(good, *words, folder=tmp_path, name="one")
    second = run_with(dict.fromkeys([*good, "102001"], "yes"), *words, folder=tmp_path, name="two")
    (path,) = exported([first, second], "seed001", tmp_path / "out", capsys)
    assert path.parent == tmp_path / "out" / "results"
    assert path.name.startswith("vqa2_results_coco_20")
    content = json.loads(path.read_text())
    assert {block: list(content[block]) for block in GOLDEN_METADATA} == GOLDEN_METADATA
    assert list(content) == [*GOLDEN_METADATA, "results"]
    assert content["experiment_metadata"]["generation_params"] == {"max_new_tokens": 16, "do_sample": False}
    assert content["experiment_metadata"]["test_mode"] == "coco"
    assert content["model_configuration"]["models_tested"] == ["replay-one.jsonl", "replay-two.jsonl"]
    block = content["results"]["replay-one.jsonl"]
    assert list(block) == [
        "model_id",
        "test_time",
        "total_questions",
        "correct_answers",
        "accuracy",
        "vqa_accuracy",
        "avg_inference_time",
        "performance_grade",
        "question_results",
    ]
    marked = json.loads(first.summary.read_text())["metrics"]
    assert block["accuracy"] == pytest.approx(marked["vqa_contains"]["value"])
    assert block["vqa_accuracy"] == pytest.approx(marked["vqa_enhanced"]["value"])
    assert (block["total_questions"], block["correct_answers"]) == (6, 4)
    question = block["question_results"][0]
    assert question | {"inference_time": 0} == {
        "question_id": 100000,
        "image_id": 100,
        "image_filename": "COCO_val2014_000000000100.jpg",
        "question": "Is it red?",
        "model_answer": "Yes, it is.",
        "ground_truth": "yes",
        "is_correct": True,
        "vqa_accuracy": 1.0,
        "inference_time": 0,
        "debug_info": {
            "model_answer_lower": "yes it is",
            "gt_answer_lower": "yes",
            "is_yes_no_question": True,
        },
    }
    failed = block["question_results"][-1]
    assert failed["model_answer"] is None
    assert failed["is_correct"] is False
    assert failed["error"].startswith("refused_request: ")
    (alone,) = exported([first], "seed001", tmp_path / "alone", capsys)
    again = value_of("vqav2", "--predictions", str(alone), "--missing", "wrong", metric="vqa_enhanced", capsys=capsys)
    assert again == pytest.approx(block["vqa_accuracy"])


@pytest.mark.parametrize(
    ("benchmark", "split", "dataset", "picture"),
    [
        ("vqav2:train", "train2014", "COCO train2014", "COCO_train2014_000000000100.jpg"),
        ("vqacp_v2", "train2014", "VQA-CP v2, test", "COCO_train2014_000000000100.jpg"),
        ("tdiuc", "val2014", "TDIUC, val", "COCO_val2014_000000000100.jpg"),
        ("own.csv", "", "own", "100"),
    ],
)
def test_seed001_names_the_data_and_the_pictures_that_they_are(
    benchmark: str, split: str, dataset: str, picture: str, tmp_path: Path
) -> None:
    """Not everything is COCO's validation split, and VQA-CP takes each picture from its own."""
    own = tmp_path / "own.csv"
    own.write_text("id,image,question,answer\n100000,100,Is it red?,yes\n")
    files = {name: tmp_path / f"{name}.json" for name in ("questions", "annotations")}
    for path, rows in zip(files.values(), vqa_lists(split=split), strict=True):
        path.write_text(json.dumps(rows))
    words = ("-T", ",".join(f"{name}={path}" for name, path in files.items())) if split else ()
    run = run_with({"100000": "yes"}, benchmark if split else str(own), *words, folder=tmp_path)
    (path,) = export_run(run, "seed001", tmp_path)
    content = json.loads(path.read_text())
    assert content["experiment_metadata"]["dataset"] == dataset
    (block,) = content["results"].values()
    assert block["question_results"][0]["image_filename"] == picture


def test_a_test_split_leaves_what_is_to_be_submitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers are not public: `--layout seed` writes the list that the challenge takes."""
    monkeypatch.chdir(tmp_path)
    Path("q.json").write_text(json.dumps(vqa_lists()[0]))
    words = ["vqav2:test-dev", "-T", "questions=q.json", "-m", "baseline:constant=yes", "--layout", "seed", "--quiet"]
    assert main(["run", *words]) == 0
    assert not Path("results").exists()
    (path,) = Path().glob("vqa_OpenEnded_*.json")
    assert json.loads(path.read_text())[0] == {"question_id": 100000, "answer": "yes"}


def test_the_fields_are_those_of_a_real_file(
    vqa_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A published result file of that program has the same blocks and the same fields for a question."""
    (real,) = (real_data() / "vqa_v2").glob("seed001_*.json")
    theirs = json.loads(real.read_text())
    run = run_with({"100000": "yes"}, "vqav2", "-T", f"data={vqa_folder}", "--limit", "1", folder=tmp_path)
    (path,) = exported([run], "seed001", tmp_path, capsys)
    assert path.name.startswith("vqa2_results_replay-answers.jsonl_")
    ours = json.loads(path.read_text())

    def shape(content: dict[str, Any]) -> Any:
        block = next(iter(content["results"].values()))
        question = block["question_results"][0]
        metadata = {key: list(content[key]) for key in content if key != "results"}
        return (
            metadata,
            list(block),
            {key: type(value) for key, value in question.items()},
            list(question["debug_info"]),
        )

    assert shape(ours) == shape(theirs)


def test_seed004_writes_its_three_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results by task, a summary, and the batch over two modalities; nothing is dropped from a total."""
    runs = []
    for mode in ("vqa", "vtqa"):
        rows = spatial_rows(mode)
        write_parquet(tmp_path / f"{mode}.parquet", rows)
        answers = {row["id"]: "The answer is North. Because." for row in rows}
        answers[f"mazenav.{mode}.0.1"] = "South, surely. Because."
        del answers[f"mazenav.{mode}.1.2"]
        words = (f"spatialeval:{mode}", "-T", f"data={tmp_path}")
        runs.append(run_with(answers, *words, folder=tmp_path, name=mode))
    paths = exported(runs, "seed004", tmp_path / "out", capsys)
    names = [path.relative_to(tmp_path / "out").as_posix() for path in paths]
    tasks = ("spatialmap", "mazenav", "spatialgrid", "spatialreal")
    assert names == [
        *(f"outputs/vqa_{task}_results.json" for task in (*tasks, "all")),
        "eval_summary/vqa_all_summary.json",
        *(f"outputs/vtqa_{task}_results.json" for task in (*tasks, "all")),
        "eval_summary/vtqa_all_summary.json",
        "eval_summary/batch_evaluation_summary.json",
    ]
    maze = json.loads((tmp_path / "out" / "outputs" / "vqa_mazenav_results.json").read_text())
    assert list(maze) == ["results", "accuracy", "correct_count", "total_count"]
    assert (maze["accuracy"], maze["correct_count"], maze["total_count"]) == (4 / 6, 4, 6)
    first = maze["results"][0]
    assert first["index"] == 0
    assert first["question"].endswith("detailed, step-by-step explanation.")
    assert {key: first[key] for key in list(first)[2:]} == {
        "predicted_answer": "North",
        "full_response": "The answer is North. Because.",
        "oracle_answer": "North",
        "oracle_option": "A",
        "is_correct": True,
    }
    assert maze["results"][-1]["full_response"] is None
    assert maze["results"][-1]["error"].startswith("refused_request")
    summary = json.loads((tmp_path / "out" / "eval_summary" / "vqa_all_summary.json").read_text())
    assert summary == {
        "model_path": "replay:vqa.jsonl",
        "mode": "vqa",
        "task": "all",
        "overall_accuracy": 18 / 20,
        "total_correct": 18,
        "total_examples": 20,
        "task_results": {
            task: {"accuracy": 4 / 6, "correct": 4, "total": 6}
            if task == "mazenav"
            else {
                "accuracy": 1.0,
                "correct": 6 if task != "spatialreal" else 2,
                "total": 6 if task != "spatialreal" else 2,
            }
            for task in tasks
        },
        "config": {"do_sample": False, "temperature": 0.0, "max_new_tokens": 512, "first_k": None},
    }
    file = str(tmp_path / "out" / "outputs" / "vqa_mazenav_results.json")
    words = ("--predictions", file, "--missing", "wrong")
    assert value_of("spatialeval", *words, metric="spatialeval_seed", capsys=capsys) == pytest.approx(maze["accuracy"])
    everything = tmp_path / "out" / "outputs" / "vqa_all_results.json"
    assert [row["index"] for row in json.loads(everything.read_text())["results"]] == list(range(20))
    words = ("--predictions", str(everything), "--missing", "wrong")
    assert value_of("spatialeval", *words, metric="spatialeval_seed", capsys=capsys) == pytest.approx(18 / 20)
    batch = json.loads(paths[-1].read_text())
    assert [(one["mode"], one["overall_accuracy"]) for one in batch["results"]] == [("vqa", 0.9), ("vtqa", 0.9)]


def test_seed004_of_one_task_is_named_for_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A single task, limited to its first questions, says so in its name and its configuration."""
    write_parquet(tmp_path / "vqa.parquet", spatial_rows())
    words = ("spatialeval:vqa:mazenav", "-T", f"data={tmp_path}", "--first_k", "2")
    run = run_with({"mazenav.vqa.0.0": "North", "mazenav.vqa.0.1": "A"}, *words, folder=tmp_path)
    paths = exported([run], "seed004", tmp_path / "out", capsys)
    assert [path.name for path in paths[:2]] == ["vqa_mazenav_results.json", "vqa_mazenav_summary.json"]
    assert json.loads(paths[1].read_text())["config"]["first_k"] == 2
    assert json.loads(paths[1].read_text())["overall_accuracy"] == 1.0


@pytest.mark.parametrize("style", ["vsibench.v1", "vsibench_json.v1"])
def test_seed000_fills_mra_and_gives_both_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], style: str
) -> None:
    """One row a question; MRA where a number is asked for, overall accuracy and average MRA beside it."""
    write_parquet(tmp_path / "data" / "test_debiased.parquet", vsi_rows()[:4])
    write_parquet(tmp_path / "data" / "test_pruned.parquet", vsi_rows()[4:])
    plain = {"0": "B", "1": "4", "2": "C", "3": "3"}  # 4 of gold 4, 3 of gold 4: 25 % off
    in_json = {key: f'{{"reasoning": "I see 7 of A", "answer": "{text}"}}' for key, text in plain.items()}
    answers = plain if style == "vsibench.v1" else in_json
    words = ("vsibench", "-T", f"data={tmp_path / 'data'},frames=8", "--style", style)
    run = run_with(answers, *words, folder=tmp_path)
    table, summary_path = exported([run], "seed000", tmp_path / "out", capsys)
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "question_id",
        "scene_id",
        "question_type",
        "is_numerical",
        "gt_answer",
        "model_answer",
        "mra_score",
        "time_seconds",
        "num_steps",
        "timestamp",
        "question",
    ]
    assert [(r["question_id"], r["model_answer"], r["mra_score"], r["is_numerical"]) for r in rows] == [
        ("q001", "B", "", "False"),
        ("q002", "4", "1.0", "True"),
        ("q003", "C", "", "False"),
        ("q004", "3", "0.6", "True"),
        ("q005", "NO_ANSWER", "", "False"),
        ("q006", "NO_ANSWER", "0.0", "True"),
    ]
    assert {row["num_steps"] for row in rows} == {"8"}
    summary = json.loads(summary_path.read_text())
    assert (summary["overall_accuracy"], summary["correct"], summary["no_answer"]) == (0.5, 3, 2)
    assert summary["average_mra"] == pytest.approx((1 + 0.6 + 0) / 3)
    assert summary["by_question_type"]["object_counting"] == {"accuracy": 2 / 3, "correct": 2, "total": 3}


def test_vqa_results_are_marked_by_score_as_the_run_was(
    vqa_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list that the challenge takes gives the same score when it is marked from the official files."""
    answers = {"100000": "yes", "100001": "red", "101000": "3", "101001": "here", "102000": "yes", "102001": "red"}
    run = run_with(answers, "vqav2", "-T", f"data={vqa_folder}", folder=tmp_path)
    (path,) = exported([run], "vqa-results", tmp_path / "out", capsys)
    content = json.loads(path.read_text())
    assert content[0] == {"question_id": 100000, "answer": "yes"}
    assert len(content) == 6
    value = value_of(
        "vqav2",
        *("--predictions", str(path)),
        *("--questions", str(vqa_folder / "v2_OpenEnded_mscoco_val2014_questions.json")),
        *("--annotations", str(vqa_folder / "v2_mscoco_val2014_annotations.json")),
        metric="vqa_accuracy",
        capsys=capsys,
    )
    assert value == json.loads(run.summary.read_text())["metrics"]["vqa_accuracy"]["value"]


def test_exports_of_one_row_a_question_hold_every_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSV, JSON lines, lmms-eval's and VLMEvalKit's files have the same answers and marks."""
    write_parquet(tmp_path / "mmsi" / "MMSI_Bench.parquet", mmsi_rows())
    answers = {str(number): f"``{'ABCD'[number % 4]}``" for number in range(9)}
    run = run_with(answers, "mmsi", "-T", f"data={tmp_path / 'mmsi'}", folder=tmp_path)
    (table,) = exported([run], "csv", tmp_path / "out", capsys)
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["mmsi"] for row in rows] == ["1.0"] * 9 + ["0.0"]
    assert rows[-1]["status"] == "failed"
    assert rows[0]["choices"] == "A. left | B. right | C. up | D. down"
    (lines,) = exported([run], "jsonl", tmp_path / "out", capsys)
    assert json.loads(lines.read_text().splitlines()[0])["references"] == ["A"]
    results, samples = exported([run], "lmms-eval", tmp_path / "out", capsys)
    assert json.loads(results.read_text())["results"]["mmsi"]["mmsi,none"] == pytest.approx(0.9)
    first = json.loads(samples.read_text().splitlines()[0])
    assert (first["doc_id"], first["target"], first["filtered_resps"]) == (0, "A", "``A``")
    # As that program writes them: a single reply on its own, and not a second time where nothing was filtered.
    assert list(first)[:7] == ["doc_id", "id", "target", "filtered_resps", "token_counts", "doc_hash", "input"]
    assert first["token_counts"] == [{}]
    last = json.loads(samples.read_text().splitlines()[-1])
    assert (last["filtered_resps"], last["token_counts"]) == (None, [None])
    assert last["error"]
    (kit,) = exported([run], "vlmevalkit", tmp_path / "out", capsys)
    with kit.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert (rows[1]["index"], rows[1]["B"], rows[1]["answer"], rows[1]["prediction"]) == ("1", "right", "B", "``B``")


def test_a_format_of_another_benchmark_and_mixed_runs_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong formats say which benchmark they are for; unknown ones get the nearest name."""
    write_parquet(tmp_path / "vqa.parquet", spatial_rows())
    run = run_with({}, "spatialeval:vqa", "-T", f"data={tmp_path}", folder=tmp_path)
    assert main(["export", str(run.path), "--as", "seed000"]) == 2
    assert "a format of vsibench" in capsys.readouterr().err
    assert main(["export", str(run.path), "--as", "cvs"]) == 2
    assert "did you mean csv" in capsys.readouterr().err


def test_ids_that_only_look_like_numbers_stay_as_they_are(tmp_path: Path) -> None:
    """A zero in front is part of an id, and not every digit makes a number."""
    (tmp_path / "q.csv").write_text("id,question,answer\n007,What?,x\n²,What?,x\n12,What?,x\n")
    run = run_with({"007": "x", "²": "x", "12": "x"}, str(tmp_path / "q.csv"), folder=tmp_path)
    (results,) = export_run(run, "vqa-results", tmp_path)
    assert [row["question_id"] for row in json.loads(results.read_text())] == ["007", "²", 12]
    (document,) = export_run(run, "seed001", tmp_path)
    (block,) = json.loads(document.read_text())["results"].values()
    assert [question["question_id"] for question in block["question_results"]] == ["007", "²", 12]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file stands where the folder should be."""
    assert main(["run", "starter", "-m", "baseline:majority", "--limit", "2", "-o", str(tmp_path / "runs"), "-q"]) == 0
    (tmp_path / "taken").write_text("")
    (run,) = find_runs(tmp_path / "runs")
    for format_ in ("csv", "jsonl", "seed001", "lmms-eval", "vlmevalkit", "vqa-results"):
        assert main(["export", str(run.path), "--as", format_, "-o", str(tmp_path / "taken" / "x")]) == 4
        assert "cannot be written below" in capsys.readouterr().err


def test_two_models_on_the_same_questions_do_not_overwrite_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those files have no model in their names: with two, each has a folder, and two runs of one model as well."""
    rows = spatial_rows()
    write_parquet(tmp_path / "vqa.parquet", rows)
    words = ("spatialeval:vqa", "-T", f"data={tmp_path}")
    right = run_with({row["id"]: "North" for row in rows}, *words, folder=tmp_path, name="right")
    wrong = run_with({row["id"]: "South" for row in rows}, *words, folder=tmp_path, name="wrong")
    again = run_with({row["id"]: "A" for row in rows}, *words, "--seed", "1", folder=tmp_path, name="right")
    paths = exported([right, wrong], "seed004", tmp_path / "out", capsys)
    assert len(set(paths)) == len(paths) == 14
    batch = "eval_summary/batch_evaluation_summary.json"
    values = {
        name: json.loads((tmp_path / "out" / name / batch).read_text())["results"][0]["overall_accuracy"]
        for name in ("replay-right.jsonl", "replay-wrong.jsonl")
    }
    assert values == {"replay-right.jsonl": 1.0, "replay-wrong.jsonl": 0.0}
    paths = exported([right, again], "seed004", tmp_path / "twice", capsys)
    assert len(set(paths)) == len(paths) == 14
    tables = exported([right, again], "vlmevalkit", tmp_path / "twice", capsys)
    assert len(set(tables)) == 2


def test_one_result_file_holds_every_run_of_a_model_on_the_same_questions(
    vqa_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs of one model are told apart; runs on other questions are refused."""
    words = ("vqav2", "-T", f"data={vqa_folder}")
    first = run_with({"100000": "yes"}, *words, folder=tmp_path)
    second = run_with({"100000": "yes"}, *words, "--seed", "1", folder=tmp_path)
    (path,) = exported([first, second], "seed001", tmp_path / "out", capsys)
    results = json.loads(path.read_text())["results"]
    assert set(results) == {f"replay-answers.jsonl-{run.short_id}" for run in (first, second)}
    (tmp_path / "drawn").mkdir()
    other = run_with({}, "starter", "-n", "4", folder=tmp_path / "drawn")
    seeded = run_with({}, "starter", "-n", "4", "--seed", "3", folder=tmp_path / "drawn")
    assert main(["export", str(other.path), str(seeded.path), "--as", "seed001", "-o", str(tmp_path)]) == 2
    assert "was asked other questions" in capsys.readouterr().err
