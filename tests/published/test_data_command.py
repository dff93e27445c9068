"""`eyechart data` and `eyechart init`: downloads that resume, hashes, counts, gates, a first benchmark of one's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hub_server import COMMIT, Hub, serving
from layouts import jpeg, mmsi_rows, spatial_rows, vsi_rows, write_parquet, write_video

pytest.importorskip("huggingface_hub")

SPATIAL = "vqa/test-00000-of-00001.parquet"


def eyechart(*words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with a hub cache of its own."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "EYECHART_"))}
    caches = {"HF_HOME": str(folder / "hf"), "EYECHART_CACHE": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, "-m", "eyechart.cli.main", *words],
        cwd=folder,
        env=clean | caches | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def spatial(tmp_path: Path) -> bytes:
    """SpatialEval's parquet file, padded by pictures to several megabytes."""
    rows = spatial_rows()
    for row in rows[:6]:
        row["image"]["bytes"] = os.urandom(2_000_000)
    write_parquet(tmp_path / "made.parquet", rows)
    return (tmp_path / "made.parquet").read_bytes()


@pytest.mark.slow
def test_a_broken_download_goes_on_where_it_stopped(tmp_path: Path, spatial: bytes) -> None:
    """The connection breaks after eleven megabytes; what has arrived is not fetched again, and the file is whole."""
    hub = Hub("MilaWang/SpatialEval", {SPATIAL: spatial, "README.md": b"words"})
    hub.cut_after = 11_000_000
    with serving(hub):
        result = eyechart("data", "get", "spatialeval:vqa", folder=tmp_path, HF_ENDPOINT=hub.url)
        # Twenty questions are no SpatialEval: that is said, with the number that there should be.
        assert result.returncode == 4
        assert "20 questions, 4,635 expected" in result.stdout
        assert f"✓ test-00000-of-00001.parquet  {len(spatial):,} bytes" in result.stdout
        assert "✓ pictures are in the question files" in result.stdout
        ranges = [wanted for method, path, wanted in hub.requests if path.endswith(".parquet") and method == "GET"]
        assert ranges[0] is None
        assert ranges[1] is not None
        assert int(ranges[1].removeprefix("bytes=").rstrip("-")) > 1_000_000
        assert not any(path.endswith("README.md") for _, path, _ in hub.requests if "resolve" in path)
        asked = len(hub.requests)
    again = eyechart("data", "where", "spatialeval:vqa", folder=tmp_path, HF_HUB_OFFLINE="1")
    assert again.returncode == 0
    assert COMMIT in again.stdout
    assert len(hub.requests) == asked


@pytest.mark.slow
def test_a_run_uses_the_cache_offline_and_names_the_revision_in_its_fingerprint(tmp_path: Path) -> None:
    """What was fetched once runs without a network; a folder with the same texts has another fingerprint."""
    write_parquet(tmp_path / "vqa.parquet", spatial_rows())
    hub = Hub("MilaWang/SpatialEval", {SPATIAL: (tmp_path / "vqa.parquet").read_bytes()})
    with serving(hub):
        eyechart("data", "get", "spatialeval:vqa", folder=tmp_path, HF_ENDPOINT=hub.url)
    words = ("run", "spatialeval:vqa", "-m", "baseline:majority", "--json")
    cached = eyechart(*words, folder=tmp_path, HF_HUB_OFFLINE="1")
    assert cached.returncode == 0
    local = eyechart(*words, "-T", f"data={tmp_path}", folder=tmp_path)
    assert local.returncode == 0
    assert '"value": 1.0' in cached.stdout
    assert cached.stdout.partition("data=")[2][:4] != local.stdout.partition("data=")[2][:4]


@pytest.mark.slow
def test_a_dataset_of_the_hub_described_in_a_file_is_fetched_and_run(tmp_path: Path) -> None:
    """Its columns are not known before it is here: what the message says to do works, and then it runs."""
    rows = [{"question": "Is it red?", "answer": "yes", "image": {"bytes": jpeg(), "path": None}}]
    write_parquet(tmp_path / "made.parquet", rows)
    hub = Hub("birds/red", {"data/test-00000-of-00001.parquet": (tmp_path / "made.parquet").read_bytes()})
    (tmp_path / "red.yaml").write_text("source: hub:birds/red\n")
    missing = eyechart("run", "red.yaml", "-m", "baseline:majority", folder=tmp_path)
    assert missing.returncode == 4
    assert "eyechart data get red.yaml" in missing.stderr
    with serving(hub):
        got = eyechart("data", "get", "red.yaml", folder=tmp_path, HF_ENDPOINT=hub.url)
    assert got.returncode == 0, got.stderr
    assert "✓ 1 questions" in got.stdout
    ran = eyechart("run", "red.yaml", "-m", "baseline:majority", folder=tmp_path, HF_HUB_OFFLINE="1")
    assert ran.returncode == 0, ran.stderr
    assert "read as open answers" in ran.stderr


@pytest.mark.slow
def test_damage_on_disk_is_found_by_its_hash(tmp_path: Path, spatial: bytes) -> None:
    """One byte changed in the cache is enough."""
    hub = Hub("MilaWang/SpatialEval", {SPATIAL: spatial})
    with serving(hub):
        eyechart("data", "get", "spatialeval:vqa", folder=tmp_path, HF_ENDPOINT=hub.url)
    (blob,) = [path for path in (tmp_path / "hf").rglob("blobs/*") if len(path.name) == 64]
    blob.write_bytes(spatial[:1000] + bytes([spatial[1000] ^ 1]) + spatial[1001:])
    result = eyechart("data", "check", "spatialeval:vqa", folder=tmp_path, HF_HUB_OFFLINE="1")
    assert result.returncode == 4
    assert "✗ test-00000-of-00001.parquet" in result.stdout
    assert "its hash is" in result.stdout
    assert "eyechart data get spatialeval:vqa" in result.stderr
    with serving(hub):  # and what the message says to do mends it
        mended = eyechart("data", "get", "spatialeval:vqa", folder=tmp_path, HF_ENDPOINT=hub.url)
    assert "test-00000-of-00001.parquet is damaged: fetching it anew" in mended.stderr
    assert f"✓ test-00000-of-00001.parquet  {len(spatial):,} bytes" in mended.stdout


@pytest.mark.slow
def test_small_question_files_come_by_themselves_and_never_offline(tmp_path: Path) -> None:
    """VSI-Bench's questions are fetched when first needed; offline that is an error with the command."""
    write_parquet(tmp_path / "vsi.parquet", vsi_rows())
    content = (tmp_path / "vsi.parquet").read_bytes()
    hub = Hub("nyu-visionx/VSI-Bench", {"test_debiased.parquet": content, "scannet.zip": b"videos"})
    words = ("run", "vsibench:debiased", "-m", "baseline:majority")
    with serving(hub):
        offline = eyechart(*words, "--offline", folder=tmp_path, HF_ENDPOINT=hub.url)
        assert offline.returncode == 4
        assert "eyechart data get vsibench:debiased (5.5 GB)" in offline.stderr
        assert hub.requests == []
        online = eyechart(*words, "--quiet", folder=tmp_path, HF_ENDPOINT=hub.url)
        assert online.returncode == 0, online.stderr
        assert "Fetching" not in online.stderr
        assert not any("scannet.zip" in path for _, path, _ in hub.requests)


@pytest.mark.slow
def test_archives_are_checked_by_their_hash_too(tmp_path: Path) -> None:
    """One byte of the videos changed in the cache."""
    write_parquet(tmp_path / "vsi.parquet", vsi_rows())
    files = {"test_debiased.parquet": (tmp_path / "vsi.parquet").read_bytes(), "scannet.zip": b"PK" * 9000}
    with serving(Hub("nyu-visionx/VSI-Bench", files)) as hub:
        words = ("data", "get", "vsibench:debiased", "--questions")
        assert "scannet.zip" not in eyechart(*words, folder=tmp_path, HF_ENDPOINT=hub.url).stdout
        eyechart("data", "get", "vsibench:debiased", folder=tmp_path, HF_ENDPOINT=hub.url)
    (archive,) = (tmp_path / "hf").rglob("scannet.zip")
    archive.resolve().write_bytes(b"PK" * 8999 + b"QK")
    result = eyechart("data", "check", "vsibench:debiased", folder=tmp_path, HF_HUB_OFFLINE="1")
    assert result.returncode != 0
    assert "✗ scannet.zip  18,000 bytes: its hash is" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("way", ["variable", "file", "named"])
def test_gated_data_are_explained_and_a_token_opens_them(tmp_path: Path, spatial: bytes, way: str) -> None:
    """Without a token: what to accept and where; with one from any of the three places it works."""
    hub = Hub("MilaWang/SpatialEval", {SPATIAL: spatial})
    hub.gated_without_token = True
    with serving(hub):
        refused = eyechart("data", "get", "spatialeval:vqa", folder=tmp_path, HF_ENDPOINT=hub.url)
        assert refused.returncode == 4
        assert "MilaWang/SpatialEval is gated" in refused.stderr
        assert "accept them at" in refused.stderr
        assert ".hf_token" in refused.stderr
        flags: list[str] = []
        environment = {"HF_ENDPOINT": hub.url}
        if way == "variable":
            environment["HF_TOKEN"] = "hf_secret"  # noqa: S105 - made up
        else:
            (tmp_path / (".hf_token" if way == "file" else "mine")).write_text("hf_secret\n")
            flags = ["--hf-token", "mine"] if way == "named" else []
        result = eyechart("data", "get", "spatialeval:vqa", *flags, folder=tmp_path, **environment)
        assert "20 questions" in result.stdout
        assert "hf_secret" not in result.stdout + result.stderr
        assert hub.tokens == {"Bearer hf_secret"}


@pytest.mark.parametrize(
    ("content", "flags"),
    [(b"\n", ()), (b"hf_one\nhf_two\n", ()), (b"hf_\xff", ()), (b"hf_one two", ("--hf-token", ".hf_token"))],
)
def test_a_file_that_holds_no_token_is_said_without_showing_it(
    tmp_path: Path, content: bytes, flags: tuple[str, ...]
) -> None:
    """Empty, two of them, no text: exit 4, and nothing of it is printed or sent."""
    (tmp_path / ".hf_token").write_bytes(content)
    hub = Hub("MilaWang/SpatialEval", {SPATIAL: b"x"})
    with serving(hub):
        result = eyechart("data", "get", "spatialeval:vqa", *flags, folder=tmp_path, HF_ENDPOINT=hub.url)
    assert result.returncode == 4
    assert ".hf_token holds no token" in result.stderr
    assert "hf_one" not in result.stderr
    assert hub.requests == []


@pytest.mark.slow
def test_revisions_and_datasets_that_are_not_there_are_said_plainly(tmp_path: Path) -> None:
    """A wrong revision, a dataset that is not there, a hub that does not answer: no traceback."""
    hub = Hub("MilaWang/SpatialEval", {SPATIAL: b"x"})
    with serving(hub):
        words = ("data", "get", "spatialeval:vqa", "-T", "revision=v9")
        assert "no revision 'v9'" in eyechart(*words, folder=tmp_path, HF_ENDPOINT=hub.url).stderr
        missing = eyechart("data", "get", "mmsi", folder=tmp_path, HF_ENDPOINT=hub.url)
        assert "the hub has no dataset RunsenXu/MMSI-Bench" in missing.stderr
        url = hub.url
    gone = eyechart("data", "get", "mmsi", folder=tmp_path, HF_ENDPOINT=url)
    assert gone.returncode == 4
    assert "could not be fetched" in gone.stderr
    nowhere = eyechart("data", "get", "mmsi", folder=tmp_path, HF_ENDPOINT="no-address")
    assert nowhere.returncode == 4
    assert "could not be fetched" in nowhere.stderr
    assert "Traceback" not in gone.stderr + missing.stderr + nowhere.stderr


def test_data_that_are_not_on_the_hub_are_to_be_fetched_by_hand(tmp_path: Path) -> None:
    """Where from, and nothing else; nobody is told that a download begins."""
    result = eyechart("data", "get", "tdiuc", folder=tmp_path)
    assert result.returncode == 4
    assert "they are not on the hub, but on a page of their authors" in result.stderr
    assert "download TDIUC.zip from" in result.stderr
    assert "fetching" not in result.stderr


def test_check_looks_for_every_video(tmp_path: Path) -> None:
    """What is missing is counted and named."""
    write_parquet(tmp_path / "vsi" / "test_debiased.parquet", vsi_rows())
    write_video(tmp_path / "vsi" / "scannet" / "scene0000_00.mp4")
    result = eyechart("data", "check", "vsibench:debiased", "-T", "data=vsi", folder=tmp_path)
    assert result.returncode == 4
    assert "✓ 6 questions" in result.stdout
    assert "✗ 1 of 3 videos are there" in result.stdout
    assert "missing: vsi/scannet/scene0001_00.mp4" in result.stdout


def test_check_looks_into_archives_and_unpacks_nothing(tmp_path: Path) -> None:
    """To see whether all videos are there, none is written a second time."""
    write_parquet(tmp_path / "vsi" / "test_debiased.parquet", vsi_rows())
    with zipfile.ZipFile(tmp_path / "vsi" / "scannet.zip", "w") as archive:
        for scene in range(3):
            archive.writestr(f"scannet/scene{scene:04d}_00.mp4", "video")
    result = eyechart("data", "check", "vsibench:debiased", "-T", "data=vsi", folder=tmp_path)
    assert "✓ 3 of 3 videos are there" in result.stdout
    assert not (tmp_path / "cache").exists()


def test_check_looks_for_pictures_of_files_that_were_named(vqa_folder: Path, tmp_path: Path) -> None:
    """Single files on the command line are checked as a folder is, and so are tables of one's own."""
    files = {
        "questions": vqa_folder / "v2_OpenEnded_mscoco_val2014_questions.json",
        "annotations": vqa_folder / "v2_mscoco_val2014_annotations.json",
        "images": vqa_folder / "val2014",
    }
    words = ("data", "check", "vqav2", "-T", ",".join(f"{name}={path}" for name, path in files.items()))
    whole = eyechart(*words, folder=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert "✓ 3 of 3 pictures are there" in whole.stdout
    (vqa_folder / "val2014" / "COCO_val2014_000000000101.jpg").unlink()
    broken = eyechart(*words, folder=tmp_path)
    assert broken.returncode == 4
    assert "COCO_val2014_000000000101.jpg" in broken.stdout
    assert "put the missing files where they are looked for" in broken.stderr


def test_a_folder_that_is_not_whole_is_named_with_both_ways_out(vqa_folder: Path, tmp_path: Path) -> None:
    """Six questions of 214,354 in a folder of the user's: fill it, or let the hub's take its place."""
    result = eyechart("data", "check", "vqav2", "-T", f"data={vqa_folder}", folder=tmp_path)
    assert result.returncode == 4
    assert "6 questions, 214,354 expected" in result.stderr
    assert f"complete {vqa_folder}, or leave it out and: eyechart data get vqav2:val" in result.stderr


def test_ls_says_what_is_on_this_machine_and_whose_numbers_come_out(tmp_path: Path) -> None:
    """A folder of data, a hub's cache with the questions and without the videos, and nothing at all."""
    write_parquet(tmp_path / "data" / "mmsi" / "MMSI_Bench.parquet", mmsi_rows())
    snapshot = tmp_path / "hf" / "hub" / "datasets--nyu-visionx--VSI-Bench" / "snapshots" / COMMIT
    for name in ("test_debiased.parquet", "test_pruned.parquet"):
        write_parquet(snapshot / name, vsi_rows())
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text(COMMIT)

    def listed() -> dict[str, dict[str, str]]:
        result = eyechart("ls", "--json", folder=tmp_path, EYECHART_DATA=str(tmp_path / "data"))
        assert result.returncode == 0, result.stderr
        return {row["name"]: row for row in json.loads(result.stdout)["benchmarks"]}

    rows = listed()
    data = {name: rows[name]["data"] for name in ("starter", "mmsi", "mmsi_msr", "vsibench", "vqav2")}
    assert data == {
        "starter": "needs none",
        "mmsi": "downloaded",
        "mmsi_msr": "downloaded",
        "vsibench": "questions only",
        "vqav2": "not here",
    }
    (snapshot / "scannet.zip").write_bytes(b"")
    assert listed()["vsibench"]["data"] == "downloaded"
    assert rows["vqav2"]["parity"] == "equals GT-Vision-Lab/VQA@a013f00"
    assert rows["starter"]["parity"] == "our own rule"
    assert rows["mmsi_msr_visual_cot"]["about"].endswith("drawing first (cannot be run yet)")


def test_init_writes_a_benchmark_that_runs(tmp_path: Path) -> None:
    """From nothing to a table in two commands; a second time nothing is overwritten."""
    made = eyechart("init", "birds", folder=tmp_path)
    assert made.returncode == 0
    result = eyechart("run", "birds.yaml", "-m", "baseline:echo-gold", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "n = 3" in result.stdout
    assert "read as open answers: id from id, question from question" in result.stderr
    assert eyechart("init", "birds", folder=tmp_path).returncode == 2


def test_init_from_a_table_names_its_columns(tmp_path: Path) -> None:
    """The recognised columns stand in the file, and it runs."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.png").write_bytes(jpeg())
    (tmp_path / "data" / "q.csv").write_text("Index,Frage?,question,answer,picture,type\n7,x,Wo?,hier,a.png,ort\n")
    assert eyechart("init", "mine", "--from", "data/q.csv", folder=tmp_path).returncode == 0
    text = (tmp_path / "mine.yaml").read_text()
    assert 'id: "Index"' in text
    assert 'image: "picture"' in text
    assert "group: [type]" in text
    result = eyechart("run", "mine.yaml", "-m", "baseline:echo-gold", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "100.00" in result.stdout


@pytest.mark.parametrize("name", ["birds.yaml", 'odd "name": #1', "deep/er/birds", "no", "7"])
def test_init_writes_a_file_that_can_be_read_whatever_the_name(name: str, tmp_path: Path) -> None:
    """What YAML would take for something else stands in quotation marks; the ending is not doubled."""
    assert eyechart("init", name, folder=tmp_path).returncode == 0
    path = f"{name.removesuffix('.yaml')}.yaml"
    result = eyechart("run", path, "-m", "baseline:majority", "--quiet", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    refused = eyechart("init", "", folder=tmp_path)
    assert refused.returncode == 2
    assert "is no name for a benchmark" in refused.stderr


def test_own_and_drawn_data_have_nothing_to_get(tmp_path: Path) -> None:
    """The bundled benchmark needs no download, and a path that is not there is a missing file."""
    assert "nothing to download" in eyechart("data", "get", "starter", folder=tmp_path).stdout
    gone = eyechart("data", "check", "gone.tsv", folder=tmp_path)
    assert gone.returncode == 2
    assert "no such file: gone.tsv" in gone.stderr
