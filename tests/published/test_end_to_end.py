"""Every benchmark asked of a server that really answers, marked by its headline metric, and checked."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from layouts import (
    jpeg,
    mmsi_rows,
    real_data,
    spatial_rows,
    vqa_lists,
    vsi_rows,
    write_kit_tsv,
    write_parquet,
    write_video,
)

from eyechart.benchmarks import get_benchmark
from eyechart.cli.main import main
from eyechart.store import find_runs, read_exchanges
from servers.scripted import ScriptedServer

Server = Callable[..., ScriptedServer]


def run_json(server: ScriptedServer, *words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict:
    """The score document of a run on the server."""
    capsys.readouterr()
    code = main(["run", *words, "-m", f"{server.url}#scripted", "-o", str(folder / "runs"), "--json", "--quiet"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return json.loads(captured.out)["runs"][0]


def check(*words: str) -> int:
    """The exit code of `eyechart check`."""
    return main(["check", *words])


def test_vqa(vqa_folder: Path, tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """The photos arrive as they lie on disk, untouched, and the tables are by answer type, question type and kind."""
    words = ("vqav2", "-T", f"data={vqa_folder}")
    server = scripted(script={"Is it": ["say:yes"], "What color": ["say:red"], "How many": ["say:2"], "": ["say:here"]})
    document = run_json(server, *words, folder=tmp_path, capsys=capsys)
    assert document["metrics"]["vqa_accuracy"]["value"] == 1.0
    assert set(document["metrics"]["vqa_accuracy"]["by"]) == {"answer_type", "question_type", "kind"}
    sent = {sha for seen in server.requests for sha in seen.pictures}
    assert sent == {hashlib.sha256(jpeg((image, 10, 10))).hexdigest() for image in (100, 101, 102)}
    assert all(seen.text.endswith("Answer the question using a single word or phrase.") for seen in server.requests)
    assert check(*words) == 0


def test_a_missing_photo_fails_its_questions_with_its_path(
    vqa_folder: Path, tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two questions on a photo that is not there: two failures that name it, nothing is sent in its place."""
    gone = vqa_folder / "val2014" / "COCO_val2014_000000000101.jpg"
    gone.unlink()
    server = scripted(script={"": ["say:yes"]})
    words = ("vqav2", "-T", f"data={vqa_folder}", "--max-error-rate", "1")
    document = run_json(server, *words, folder=tmp_path, capsys=capsys)
    assert document["n"]["failed"] == 2
    assert document["failures"] == {"unreadable_media": 2}
    (run,) = find_runs(tmp_path / "runs")
    failures = [exchange.failure for exchange in read_exchanges(run.journal) if exchange.failure]
    assert all("COCO_val2014_000000000101.jpg" in failure.message for failure in failures)
    assert len(server.requests) == 4


def test_vsibench(tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """Frames of real videos, letters and numbers, the two kinds of questions averaged."""
    write_parquet(tmp_path / "vsi" / "test_debiased.parquet", vsi_rows()[:4])
    write_parquet(tmp_path / "vsi" / "test_pruned.parquet", vsi_rows()[4:])
    for scene in range(3):
        write_video(tmp_path / "vsi" / "scannet" / f"scene{scene:04d}_00.mp4")
    words = ("vsibench", "-T", f"data={tmp_path / 'vsi'},frames=4")
    server = scripted(script={"How many": ["say:4"], "": ["say:A"]})
    document = run_json(server, *words, folder=tmp_path, capsys=capsys)
    assert document["headline"] == "vsi"
    assert document["metrics"]["vsi"]["value"] == 0.5
    assert all(len(seen.pictures) == 4 for seen in server.requests)
    assert document["clusters"] == {"n": 3, "of": "scene"}
    assert check(*words) == 0


def test_mmsi(tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """Two pictures a question, the letter within two backticks, each category in its own words."""
    write_parquet(tmp_path / "mmsi" / "MMSI_Bench.parquet", mmsi_rows())
    words = ("mmsi_direct", "-T", f"data={tmp_path / 'mmsi'}")
    server = scripted(script={"": ["say:``A``"]})
    document = run_json(server, *words, folder=tmp_path, capsys=capsys)
    assert document["n"]["total"] == 8
    assert set(document["metrics"]["mmsi"]["by"]["category"]) == {
        "Attribute (Appr.)",
        "Attribute (Meas.)",
        "Motion (Cam.)",
        "MSR",
    }
    assert all(len(seen.pictures) == 2 for seen in server.requests)
    assert any(seen.text.startswith("Analyze the given images step by step.") for seen in server.requests)
    assert check(*words) == 0


@pytest.mark.parametrize("mode", ["tqa", "vqa", "vtqa"])
def test_spatialeval(mode: str, tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """A picture in two of the three modalities; the first sentence counts."""
    write_parquet(tmp_path / f"{mode}.parquet", spatial_rows(mode))
    words = (f"spatialeval:{mode}", "-T", f"data={tmp_path}")
    server = scripted(script={"": ["say:The answer is North. Because."]})
    document = run_json(server, *words, folder=tmp_path, capsys=capsys)
    assert document["metrics"]["spatialeval_seed"]["value"] == 1.0
    assert all(len(seen.pictures) == (mode != "tqa") for seen in server.requests)
    assert check(*words) == 0


def test_vqacp_and_tdiuc(tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """Bare lists and TDIUC's files, each with its own headline."""
    questions, annotations = vqa_lists()
    (tmp_path / "vqacp_v1_test_questions.json").write_text(json.dumps(questions))
    (tmp_path / "vqacp_v1_test_annotations.json").write_text(json.dumps(annotations))
    (tmp_path / "OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": questions}))
    (tmp_path / "mscoco_val2014_annotations.json").write_text(json.dumps({"annotations": annotations}))
    for image in (100, 101, 102):
        (tmp_path / f"COCO_val2014_{image:012d}.jpg").write_bytes(jpeg())
    server = scripted(script={"": ["say:red"]})
    for name, headline in (("vqacp_v1", "vqa_accuracy"), ("tdiuc", "mpt_arithmetic")):
        words = (name, "-T", f"data={tmp_path}")
        document = run_json(server, *words, folder=tmp_path, capsys=capsys)
        assert document["headline"] == headline
        assert check(*words) == 0


def test_own_data_in_one_command_each(tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """A VLMEvalKit TSV, and a bare folder of pictures with a CSV."""
    write_kit_tsv(tmp_path / "kit.tsv")
    server = scripted(script={"": ["say:A"]})
    document = run_json(server, str(tmp_path / "kit.tsv"), folder=tmp_path, capsys=capsys)
    assert (document["headline"], document["metrics"]["choice"]["value"]) == ("choice", 0.5)
    assert sorted(len(seen.pictures) for seen in server.requests) == [1, 1, 1, 2]
    assert check(str(tmp_path / "kit.tsv")) == 0
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(jpeg())
    (folder / "q.csv").write_text("image,question,answer\na.jpg,What is it?,a\n")
    document = run_json(server, str(folder), folder=tmp_path, capsys=capsys)
    assert document["metrics"]["exact"]["value"] == 1.0
    assert check(str(folder)) == 0


def test_an_archive_that_is_refused_leaves_nothing_behind(
    tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of several archives is looked at before anything is asked; no run is begun, nothing unpacked."""
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "q.csv").write_text("id,image,question,answer\n1,good.jpg,What?,x\n")
    for archive, member in (("a.zip", "good.jpg"), ("z.zip", "../../evil.jpg")):
        with zipfile.ZipFile(folder / archive, "w") as packed:
            packed.writestr(member, jpeg())
    server = scripted(script={"": ["say:x"]})
    assert main(["run", str(folder), "-m", f"{server.url}#scripted", "-o", str(tmp_path / "runs"), "--quiet"]) == 2
    assert "z.zip is refused: it holds '../../evil.jpg'" in capsys.readouterr().err
    assert not server.requests
    assert sorted(path.name for path in tmp_path.iterdir()) == ["photos"]


def test_too_many_failures_are_told_by_the_first_of_them(
    tmp_path: Path, scripted: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path of a missing picture stands in the message that the run ends with."""
    (tmp_path / "q.csv").write_text("id,image,question,answer\n1,gone.jpg,What?,x\n")
    server = scripted(script={"": ["say:x"]})
    words = ["run", str(tmp_path / "q.csv"), "-m", f"{server.url}#scripted", "-o", str(tmp_path / "runs"), "--quiet"]
    assert main(words) == 3
    told = f"unreadable_media 1, such as question 1: picture 'gone.jpg' ({tmp_path / 'gone.jpg'})"
    assert told in capsys.readouterr().err


def test_two_stage_tasks_are_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not a crash and not a plain question in its place."""
    write_parquet(tmp_path / "MMSI_Bench.parquet", mmsi_rows())
    assert main(["run", "mmsi_msr_visual_cot", "-T", f"data={tmp_path}", "-m", "baseline:majority"]) == 2
    assert "the method is not there yet" in capsys.readouterr().err


@pytest.mark.slow
def test_chance_on_the_real_vsibench_is_what_arithmetic_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All 5,130 questions: guessing letters at random scores one over the number of options, within noise."""
    data = real_data() / "vsi_bench"
    documents = {}
    for baseline in ("random", "majority", "constant=A"):
        capsys.readouterr()
        words = ["vsibench", "-T", f"data={data}", "-m", f"baseline:{baseline}"]
        assert main(["run", *words, "-o", str(tmp_path), "--json", "--quiet", "--metric", "vsi_binary"]) == 0
        documents[baseline] = json.loads(capsys.readouterr().out)["runs"][0]
    assert documents["random"]["n"]["total"] == 5130
    source = get_benchmark("vsibench", {"data": str(data)}).source
    chances: dict[str, list[float]] = {}
    for entry in source.index().entries:
        sample = source.fetch(entry, media=False)
        if sample.choices:
            name = sample.tags["question_type"]
            chances.setdefault(name, []).append(1 / len(sample.choices))
    measured = documents["random"]["metrics"]["vsi_binary"]["by"]["question_type"]
    for name, each in chances.items():
        expected = sum(each) / len(each)
        noise = (sum(p * (1 - p) for p in each) ** 0.5) / len(each)
        assert abs(measured[name]["value"] - expected) < 4 * noise, name
    values = {name: document["metrics"]["vsi"]["value"] for name, document in documents.items()}
    assert 0.2 < values["random"] < values["majority"]
    assert values["constant=A"] < values["majority"]
