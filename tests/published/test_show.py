"""`eyechart show`: which model got which question right, and prompts as they are sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from layouts import mmsi_rows, real_data, spatial_rows, vqa_lists, vsi_rows, write_parquet, write_video

from eyechart.cli.main import main
from eyechart.store import find_runs


@pytest.fixture
def stored() -> dict[str, Any]:
    """Five models' stored answers to twenty questions about photos, each judged by the program that asked."""
    (path,) = (real_data() / "vqa_v2").glob("seed001_*.json")
    results: dict[str, Any] = json.loads(path.read_text())["results"]
    return results


def write_files(folder: Path, results: dict[str, Any]) -> None:
    """The twenty questions as official files, ten people agreeing on the one gold answer, and answers to replay."""
    questions, annotations = [], []
    for asked in next(iter(results.values()))["question_results"]:
        place = {"question_id": asked["question_id"], "image_id": asked["image_id"]}
        questions.append({**place, "question": asked["question"]})
        gold = asked["ground_truth"]
        humans = [{"answer": gold, "answer_id": number} for number in range(1, 11)]
        annotations.append({**place, "answers": humans, "multiple_choice_answer": gold})
    (folder / "questions.json").write_text(json.dumps({"questions": questions}))
    (folder / "annotations.json").write_text(json.dumps({"annotations": annotations}))
    for model, block in results.items():
        lines = [{"id": str(one["question_id"]), "answer": one["model_answer"]} for one in block["question_results"]]
        (folder / f"{model}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_table_of_ticks_is_the_published_one(
    stored: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ninety-nine of the hundred signs, under the four kinds of questions, with the counts that were published.

    The hundredth is a cross in the file that the program's own rule, applied to the answer beside it, makes a tick.
    """
    write_files(tmp_path, stored)
    models = [word for model in stored for word in ("-m", f"replay:{tmp_path / model}.jsonl")]
    words = ["vqav2", "-T", f"data={tmp_path}", *models, "-o", str(tmp_path / "runs"), "--quiet"]
    assert main(["run", *words]) == 0
    runs = {run.manifest().model.rpartition("/")[2]: str(run.path) for run in find_runs(tmp_path / "runs")}
    ordered = [next(path for name, path in runs.items() if model + ".jsonl" in name) for model in stored]
    capsys.readouterr()
    assert main(["show", *ordered, "--ticks", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["metric"] == "vqa_contains"
    expected = {
        str(one["question_id"]): [block["question_results"][place]["is_correct"] for block in stored.values()]
        for place, one in enumerate(next(iter(stored.values()))["question_results"])
    }
    expected["100187002"][list(stored).index("smolvlm_v2_instruct")] = True
    assert {row["id"]: [tick == "✓" for tick in row["ticks"].values()] for row in content["rows"]} == expected
    assert main(["show", *ordered, "--ticks"]) == 0
    text = capsys.readouterr().out
    headings = [line for line in text.splitlines() if line.endswith(" questions)")]
    assert headings == ["yes/no (7 questions)", "color (6 questions)", "count (2 questions)", "other (5 questions)"]
    counts = [line.split()[1:] for line in text.splitlines() if line.split()[:1] == ["right"]]
    assert [row[-1] for row in counts] == ["5/7", "3/6", "1/2", "4/5"]
    assert "full marks by vqa_contains: ✓ right, ✗ wrong" in text


def test_questions_that_failed_or_were_not_asked_are_no_crosses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One run failed on a question, another asked only the first two: each has a sign of its own, told below."""
    questions, annotations = vqa_lists(4)
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    (tmp_path / "annotations.json").write_text(json.dumps(annotations))
    (tmp_path / "some.jsonl").write_text('{"id": "100000", "answer": "yes"}\n{"id": "100001", "answer": "blue"}\n')
    data = ["-T", f"data={tmp_path}", "--quiet", "-o", str(tmp_path / "runs"), "--max-error-rate", "1"]
    assert main(["run", "vqav2", *data, "-m", f"replay:{tmp_path / 'some.jsonl'}"]) == 0
    assert main(["run", "vqav2", *data, "-m", "baseline:echo-gold", "--limit", "2"]) == 0
    runs = [str(run.path) for run in find_runs(tmp_path / "runs")]
    runs.sort(key=lambda path: "echo" in path)
    capsys.readouterr()
    assert main(["show", *runs, "--ticks", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [list(row["ticks"].values()) for row in rows] == [["✓", "✓"], ["✗", "✓"], ["!", "·"], ["!", "·"]]
    assert main(["show", *runs, "--ticks", "-n", "1", "--md"]) == 0
    text = capsys.readouterr().out
    assert "### yes/no (1 question)" in text
    assert text.endswith("1 of 4 questions; full marks by vqa_contains: ✓ right, ✗ wrong, ! no reply, · not asked\n")


def test_runs_on_other_questions_cannot_stand_in_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another seed draws other pictures; an unknown grouping and a number below one are refused as well."""
    for seed in ("1", "2"):
        words = ["starter", "-n", "4", "--seed", seed, "-m", "baseline:majority", "-o", str(tmp_path), "--quiet"]
        assert main(["run", *words]) == 0
    first, second = (str(run.path) for run in find_runs(tmp_path))
    assert main(["show", first, second, "--ticks"]) == 2
    assert "were asked different questions" in capsys.readouterr().err
    assert main(["show", first, "--ticks", "--by", "colour"]) == 2
    assert "is not grouped by 'colour'" in capsys.readouterr().err
    assert main(["show", first, "--ticks", "-n", "0"]) == 2
    assert "-n takes a number from 1 on" in capsys.readouterr().err


def test_prompts_of_files_of_ones_own_as_a_model_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Options name the files; a model's name brings the words that the style has for it."""
    write_parquet(tmp_path / "test_debiased.parquet", vsi_rows()[:4])
    for scene in range(2):
        write_video(tmp_path / "scannet" / f"scene{scene:04d}_00.mp4", 4)
    words = ["show", "vsibench:debiased", "--prompt", "-T", f"data={tmp_path},frames=2", "-n", "2"]
    assert main(words) == 0
    plain = capsys.readouterr().out
    assert "How many chairs?\nPlease answer the question using a single word or phrase." in plain
    assert plain.count("[image scannet/scene0000_00.mp4 frame") == 4
    assert main([*words, "-m", "google/gemini-1.5-pro"]) == 0
    assert "How many chairs?\nDo not response anything other than a single number!" in capsys.readouterr().out


def test_prompts_are_shown_where_their_pictures_are_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The words are there, and the reason why the question would fail; a dry run shows it too."""
    write_parquet(tmp_path / "vsi" / "test_debiased.parquet", vsi_rows()[:2])
    (tmp_path / "kit.tsv").write_text("index\timage\tquestion\tA\tB\tanswer\n1\t77\tWhich?\tx\ty\tA\n")
    assert main(["show", "vsibench:debiased", "--prompt", "-T", f"data={tmp_path / 'vsi'}", "-n", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("[not to be sent: video 'scannet/scene0000_00.mp4' (") == 2
    assert "How many chairs?" in shown
    assert main(["run", str(tmp_path / "kit.tsv"), "-m", "baseline:majority", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "[not to be sent: 1: its picture should be in row '77', which there is not (a file is named" in shown
    assert "Which?\nA. x\nB. y" in shown


@pytest.mark.parametrize("style", ["mmsi_visual_cot.v1", "mmsi_seed_visual_cot.v1"])
def test_prompts_in_two_stages_can_be_seen_before_the_method_is_there(
    style: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both stages in their markers, the options in the second alone; that it cannot be run yet is said on stderr."""
    write_parquet(tmp_path / "MMSI_Bench.parquet", mmsi_rows())
    words = ["mmsi_msr_visual_cot", "-T", f"data={tmp_path}", "--style", style]
    assert main(["show", *words, "--prompt", "-n", "1"]) == 0
    captured = capsys.readouterr()
    first, _, second = captured.out.partition("[/GEN_PROMPT][QUESTION]")
    assert "[GEN_PROMPT]Create a visualization that" in first
    assert "Options:" not in first
    assert "Options: A: left, B: right" in second
    assert "[/QUESTION]" in second
    assert "the method is not there yet" in captured.err


def test_a_test_split_has_no_right_and_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its answers are not public: a sign of its own, told below."""
    (tmp_path / "questions.json").write_text(json.dumps(vqa_lists(2)[0]))
    words = ["vqav2:test-dev", "-T", f"questions={tmp_path / 'questions.json'}", "-m", "baseline:constant=yes"]
    assert main(["run", *words, "-o", str(tmp_path / "runs"), "--quiet"]) == 0
    (run,) = find_runs(tmp_path / "runs")
    capsys.readouterr()
    assert main(["show", str(run.path), "--ticks"]) == 0
    text = capsys.readouterr().out
    assert text.rstrip().endswith("✓ right, ✗ wrong, ? no score defined")
    assert text.count("?  ") + text.count(" ?\n") >= 2


def test_a_question_that_asks_for_the_sentence_itself_is_not_told_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script that joins question and sentence in one line leaves it out where it is there already."""
    rows = spatial_rows("tqa")[:2]
    rows[1]["text"] += " First, provide a concise answer in one sentence."
    write_parquet(tmp_path / "tqa.parquet", rows)
    words = ["show", "spatialeval:tqa", "--prompt", "-T", f"data={tmp_path}", "--style", "spatialeval_seed.v1"]
    assert main([*words, "-n", "2"]) == 0
    first, second = capsys.readouterr().out.split("spatialeval:tqa ·")[1:]
    assert "D. West. First, provide a concise answer in one sentence. Then, elaborate" in first
    assert second.count("First, provide a concise answer") == 1
    assert "Then, elaborate" not in second
