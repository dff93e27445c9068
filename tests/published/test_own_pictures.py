"""The pictures and videos of somebody's own table: where they are looked for, and what is none."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path

import pytest
from layouts import jpeg, samples, write_parquet, write_video

from eyechart.benchmarks import get_benchmark
from eyechart.errors import ModelError, SetupError
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule


def test_a_picture_that_cannot_be_had_fails_its_question_and_no_other(tmp_path: Path) -> None:
    """A reference to a row that is not there, and what is no base64: failures of that question, with the reason."""
    path = tmp_path / "kit.tsv"
    broken = "not base64 " * 10
    path.write_text(
        f"index\timage\tquestion\tA\tB\tanswer\n1\t77\tQ\tx\ty\tA\n2\t{broken}\tQ\tx\ty\tA\n3\tx.png\tQ\tx\ty\tA\n"
    )
    benchmark = get_benchmark(str(path))
    first, second, third = benchmark.source.index().entries
    with pytest.raises(ModelError, match="row '77', which there is not") as error:
        benchmark.source.fetch(first)
    assert error.value.kind == "unreadable_media"
    with pytest.raises(ModelError, match="not base64"):
        benchmark.source.fetch(second)
    assert benchmark.source.fetch(third).media[0].path == str(tmp_path / "x.png")


@pytest.mark.parametrize("variable", [True, False])
def test_pictures_are_found_where_vlmevalkit_unpacks_them(
    variable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the folder that its variable names, or its default; its table of paths is called NAME_local. A row without
    a picture is no question, open or not."""
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / ("elsewhere" if variable else "LMUData")
    monkeypatch.setenv("LMUData", str(root) if variable else "")
    (root / "images" / "Kit").mkdir(parents=True)
    (root / "images" / "Kit" / "1.jpg").write_bytes(jpeg())
    (tmp_path / "Kit_local.tsv").write_text("index\timage_path\tquestion\tanswer\n1\t1.jpg\tWhat?\tx\n2\t\tWhat?\ty\n")
    (sample,) = samples(get_benchmark(str(tmp_path / "Kit_local.tsv")))
    assert sample.media[0].path == str(root / "images" / "Kit" / "1.jpg")


def test_a_description_of_a_folder_finds_its_pictures_there(tmp_path: Path) -> None:
    """The source is a folder with one table: pictures lie beside it."""
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "q.csv").write_text("image,question,answer\na.jpg,What?,x\n")
    (tmp_path / "photos" / "a.jpg").write_bytes(jpeg())
    (tmp_path / "b.yaml").write_text("source: photos\n")
    (sample,) = samples(get_benchmark(str(tmp_path / "b.yaml")))
    assert sample.media[0].path == str(tmp_path / "photos" / "a.jpg")


def test_videos_are_found_without_their_ending_as_vlmevalkit_names_them(tmp_path: Path) -> None:
    """A short cell names a video, never the row of another one."""
    write_video(tmp_path / "clip.mp4")
    rows = ["index\tvideo\tquestion\tcandidates\tanswer"]
    rows += ["1\tclip\tWhat?\t['A. one', 'B. two']\tA", "2\tgone\tWhat?\t['x', 'y']\tB"]
    (tmp_path / "kit.tsv").write_text("\n".join(rows) + "\n")
    there, gone = samples(get_benchmark(str(tmp_path / "kit.tsv")))
    assert (there.media[0].kind, there.media[0].path, there.cluster) == ("video", str(tmp_path / "clip.mp4"), "clip")
    assert gone.media[0].path == str(tmp_path / "gone")


def test_archives_of_the_same_name_keep_their_own_videos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was unpacked for one table is not shown for another that is called the same."""
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "cache"))
    for folder, frames in ((tmp_path / "one" / "set", 8), (tmp_path / "two" / "set", 12)):
        folder.mkdir(parents=True)
        (folder / "q.csv").write_text("video,question,answer\nclip.mp4,What?,x\n")
        write_video(tmp_path / "clip.mp4", frames)
        with zipfile.ZipFile(folder / "videos.zip", "w") as archive:
            archive.write(tmp_path / "clip.mp4", "clip.mp4")
        for _ in range(2):  # a second time from the cache
            (sample,) = samples(get_benchmark(str(folder)))
            assert Path(sample.media[0].path).read_bytes() == (tmp_path / "clip.mp4").read_bytes()
    assert len(list((tmp_path / "cache").rglob("clip.mp4"))) == 2


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file stands where the cache should be: that is no fault of the video."""
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "taken"))
    with zipfile.ZipFile(tmp_path / "videos.zip", "w") as archive:
        archive.writestr("clip.mp4", "video")
    (tmp_path / "q.csv").write_text("video,question,answer\nclip.mp4,What?,x\n")
    source = get_benchmark(str(tmp_path / "q.csv")).source
    with pytest.raises(SetupError, match="cannot unpack") as error:
        source.fetch(source.index().entries[0])
    assert "EYECHART_CACHE=DIR" in error.value.fix


def test_a_video_that_cannot_be_unpacked_fails_its_questions_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of an archive is damaged, one locked with a password; the third is read."""
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "videos.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("damaged.mp4", "locked.mp4", "whole.mp4"):
            archive.writestr(name, name * 100)
    packed = bytearray(path.read_bytes())
    packed[packed.find(b"damaged.mp4") + 100] ^= 1
    entry = packed.rfind(b"locked.mp4") - 46  # of the table of contents
    packed[entry + 8] |= 1
    packed[packed.find(b"locked.mp4") - 30 + 6] |= 1
    path.write_bytes(packed)
    (tmp_path / "q.csv").write_text("video,question,answer\ndamaged.mp4,Q,x\nlocked.mp4,Q,x\nwhole.mp4,Q,x\n")
    source = get_benchmark(str(tmp_path / "q.csv")).source
    *broken, whole = source.index().entries
    for entry_, why in zip(broken, ("Bad CRC-32", "encrypted"), strict=True):
        with pytest.raises(ModelError, match=why) as error:
            source.fetch(entry_)
        assert error.value.kind == "unreadable_media"
    assert Path(source.fetch(whole).media[0].path).read_text() == "whole.mp4" * 100


def test_a_struct_with_a_path_alone_names_a_file_beside_the_table(tmp_path: Path) -> None:
    """The hub's struct for pictures may hold no bytes: the file is looked for where other names are."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.jpg").write_bytes(jpeg())
    pictures = [{"bytes": None, "path": "a.jpg"}, {"bytes": jpeg((1, 2, 3)), "path": "b.jpg"}]
    rows = [{"image": picture, "question": "What?", "answer": "x"} for picture in pictures]
    write_parquet(tmp_path / "q.parquet", rows)
    named, packed = (sample.media[0] for sample in samples(get_benchmark(str(tmp_path / "q.parquet"))))
    assert named.path == str(tmp_path / "images" / "a.jpg")
    assert packed.data == jpeg((1, 2, 3))


def test_a_row_may_be_named_by_its_number(tmp_path: Path) -> None:
    """JSON says 1 where a table says "1"; a row that names itself has no picture."""
    picture = base64.b64encode(jpeg()).decode()
    rows = [{"id": 1, "image": picture}, {"id": 2, "image": 1}, {"id": 3, "image": 3}]
    (tmp_path / "q.json").write_text(json.dumps([{**row, "question": "What?", "answer": "x"} for row in rows]))
    source = get_benchmark(str(tmp_path / "q.json")).source
    first, second, third = source.index().entries
    assert source.fetch(second).media == source.fetch(first).media
    assert first.group == second.group == "1"
    with pytest.raises(ModelError, match="row '3', whose picture it shares, holds none"):
        source.fetch(third)


@pytest.mark.parametrize(
    "image", [True, {"bytes": 5}, {"path": 5}, [["a"]], "x" * 5000, "x" * 3000 + ".jpg", "a\0.jpg"]
)
def test_what_is_no_picture_fails_its_question_alone(image: object, tmp_path: Path) -> None:
    """Whatever JSON can say in place of a picture is the failure of that question, and never a bug of ours."""
    (tmp_path / "q.json").write_text(json.dumps([{"image": image, "question": "What?", "answer": "x"}]))
    source = get_benchmark(str(tmp_path / "q.json")).source
    with pytest.raises(ModelError) as error:
        [prepare(media, MediaRule()) for media in source.fetch(source.index().entries[0]).media]
    assert error.value.kind == "unreadable_media"
