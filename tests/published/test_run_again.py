"""What a run's own record says is enough to find its questions again: to mark, export and show them later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from layouts import mmsi_rows, spatial_rows, vsi_rows, write_parquet, write_video

from eyechart.benchmarks import get_benchmark
from eyechart.cli.main import main
from eyechart.store import RunFolder, find_runs


def a_run(folder: Path, *words: str) -> RunFolder:
    """A run that guesses."""
    assert main(["run", *words, "-m", "baseline:majority", "-o", str(folder), "--quiet"]) == 0
    return next(find_runs(folder))


@pytest.mark.parametrize(
    "words",
    [("starter", "--seed", "5", "-n", "8"), ("starter:maze", "--seed", "3"), ("vqav2", "--mode", "sample", "-n", "8")],
    ids=["another seed", "a part with a seed", "sample mode"],
)
def test_questions_that_were_drawn_are_drawn_alike_again(words: tuple[str, ...], tmp_path: Path) -> None:
    """Drawn from the run's seed, or under the name of another benchmark: marked again and exported all the same."""
    run = a_run(tmp_path / "runs", *words)
    before = json.loads(run.summary.read_text())["metrics"]
    assert main(["rescore", str(run.path)]) == 0
    assert json.loads(run.summary.read_text())["metrics"] == before
    assert main(["export", str(run.path), "--as", "jsonl", "-o", str(tmp_path / "out")]) == 0
    (lines,) = (tmp_path / "out").glob("*.jsonl")
    assert len(lines.read_text().splitlines()) == run.manifest().questions


def test_sample_mode_writes_the_classic_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several models on the bundled benchmark: one result file, named for the mode."""
    monkeypatch.chdir(tmp_path)
    words = ["vqav2", "--mode", "sample", "--num_questions", "6", "-m", "baseline:majority", "-m", "baseline:random"]
    assert main(["run", *words, "--layout", "seed", "--quiet"]) == 0
    (path,) = (tmp_path / "results").glob("vqa2_results_sample_*.json")
    content = json.loads(path.read_text())
    assert content["experiment_metadata"]["test_mode"] == "sample"
    assert content["model_configuration"]["models_tested"] == ["baseline-majority", "baseline-random"]


@pytest.mark.parametrize(
    ("flags", "said", "rule"),
    [
        (("--frames", "4"), "4 frames", "frames4"),
        (("-T", "frames=6"), "6 frames", "frames6"),
        (("-T", "frames=6", "--frames", "2"), "2 frames", "frames2"),
        (("--timestamps", "0+0.5+1"), "3 frames", "at0+0.5+1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_the_prompt_says_how_many_frames_are_sent(
    flags: tuple[str, ...], said: str, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However the number was given, the words and the pictures agree, and the results table repeats it."""
    write_parquet(tmp_path / "vsi" / "test_debiased.parquet", vsi_rows()[:4])
    write_parquet(tmp_path / "vsi" / "test_pruned.parquet", vsi_rows()[4:])
    for scene in range(3):
        write_video(tmp_path / "vsi" / "scannet" / f"scene{scene:04d}_00.mp4", 12)
    words = ["vsibench", "-T", f"data={tmp_path / 'vsi'}", "--prompt", "vsibench_json.v1", *flags]
    assert main(["run", *words, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert f"You are viewing {said} from a video" in shown
    assert f"media={rule}|" in shown
    run = a_run(tmp_path / "runs", *words)
    assert main(["export", str(run.path), "--as", "seed000", "-o", str(tmp_path / "out")]) == 0
    summary = json.loads((tmp_path / "out" / "results_summary.json").read_text())
    assert f"{summary['num_frames']} frames" == said


@pytest.mark.parametrize("flags", [("--fps", "1"), ("--native-video",), ("-T", "frames=native")])
def test_a_prompt_that_names_a_number_of_frames_needs_one(
    flags: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By rate, or whole, a video has no number of frames that a prompt could state: said, not guessed."""
    write_parquet(tmp_path / "vsi" / "test_debiased.parquet", vsi_rows()[:4])
    words = ["vsibench:debiased", "-T", f"data={tmp_path / 'vsi'}", *flags, "-m", "baseline:majority"]
    write_video(tmp_path / "vsi" / "scannet" / "scene0000_00.mp4")
    assert main(["run", *words, "--dry-run"]) == 0
    assert main(["run", *words, "--prompt", "vsibench_json.v1", "--dry-run"]) == 2
    assert "asks for the tag 'frames'" in capsys.readouterr().err


def test_one_folder_of_data_serves_all_tasks_of_mmsi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below EYECHART_DATA the tasks read where the whole benchmark reads."""
    write_parquet(tmp_path / "mmsi" / "MMSI_Bench.parquet", mmsi_rows())
    monkeypatch.setenv("EYECHART_DATA", str(tmp_path))
    counts = {name: len(get_benchmark(name).source.index().entries) for name in ("mmsi", "mmsi_msr", "mmsi_direct")}
    assert counts == {"mmsi": 10, "mmsi_msr": 2, "mmsi_direct": 8}


def test_a_modality_given_as_an_option_is_part_of_the_name(tmp_path: Path) -> None:
    """Two modalities are two benchmarks, however they were asked for."""
    assert get_benchmark("spatialeval", {"mode": "tqa", "data": str(tmp_path)}).id == "spatialeval:tqa"
    assert get_benchmark("spatialeval:tqa", {"data": str(tmp_path)}).id == "spatialeval:tqa"


def test_a_style_that_asks_for_longer_replies_leaves_room_for_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON with a reasoning does not fit into sixteen tokens; what the command line says goes over it."""
    write_parquet(tmp_path / "test_debiased.parquet", vsi_rows()[:2])
    write_video(tmp_path / "scannet" / "scene0000_00.mp4")
    words = ["run", "vsibench:debiased", "-T", f"data={tmp_path},frames=2", "--dry-run"]
    limits = {}
    for flags in ((), ("--prompt", "vsibench_json.v1"), ("--prompt", "vsibench_json.v1", "--max-tokens", "64")):
        assert main([*words, *flags]) == 0
        limits[flags[-1:]] = capsys.readouterr().out.rpartition("|gen=t0,max")[2].partition("|")[0]
    assert limits == {(): "16", ("vsibench_json.v1",): "1024", ("64",): "64"}


def test_a_style_that_needs_another_reader_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON read by its first word would be a zero without a word of warning."""
    write_parquet(tmp_path / "test_debiased.parquet", vsi_rows())
    words = ["vsibench:debiased", "-T", f"data={tmp_path}", "-m", "baseline:majority", "-o", str(tmp_path / "runs")]
    assert main(["run", *words, "--prompt", "vsibench_json.v1"]) == 0
    assert "vsibench_json.v1: replies come as JSON: -T reader=robust reads them" in capsys.readouterr().err


def test_all_combinations_of_spatialeval_in_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three modalities and four tasks, twelve runs, one summary over all of them."""
    monkeypatch.chdir(tmp_path)
    for mode in ("tqa", "vqa", "vtqa"):
        write_parquet(tmp_path / "data" / mode / "test-00000-of-00001.parquet", spatial_rows(mode))
    tasks = ("spatialmap", "mazenav", "spatialgrid", "spatialreal")
    names = [f"spatialeval:{mode}:{task}" for mode in ("tqa", "vqa", "vtqa") for task in tasks]
    words = [*names, "-T", "data=data", "--first_k", "2", "-m", "baseline:majority", "--layout", "seed", "--quiet"]
    assert main(["run", *words]) == 0
    batch = json.loads(Path("eval_summary", "batch_evaluation_summary.json").read_text())
    assert batch["total_runs"] == 12
    assert [f"spatialeval:{one['mode']}:{one['task']}" for one in batch["results"]] == names
    assert all(one["total_examples"] == 2 and one["config"]["first_k"] == 2 for one in batch["results"])
    assert all(Path(one["summary_file"]).is_file() for one in batch["results"])
    assert len(list(Path("outputs").glob("*_results.json"))) == 12
