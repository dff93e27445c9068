"""Media found where published data sets put them: folders and zip archives, never outside; and kept by content."""

from __future__ import annotations

import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from media_drawn import encoded, gradient
from media_filmed import film, read_number

from eyechart.errors import InputError, ModelError
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.records import Media
from eyechart.sources.media_files import MediaFiles

PHOTO = encoded(gradient(), "JPEG")
NAME = "COCO_val2014_000000000043.jpg"


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("EYECHART_CACHE", str(folder))
    return folder


def in_folder(folder: Path, *, videos: bool = False) -> MediaFiles:
    """The media of a folder."""
    return MediaFiles("test", lambda: folder, videos=videos)


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    """Write an archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_pictures_are_read_out_of_the_archive_in_place(tmp_path: Path, cache: Path) -> None:
    """The official zip serves whatever folders it repeats; nothing is unpacked."""
    zipped(tmp_path / "val2014.zip", {f"val2014/{NAME}": PHOTO, "readme": b"y"})
    path = in_folder(tmp_path).find(NAME)
    assert path == f"{tmp_path}/val2014.zip!/val2014/{NAME}"
    (picture,) = prepare(Media(name="43", path=path), MediaRule())
    assert picture.data == PHOTO
    assert not list(cache.iterdir())
    assert [entry.name for entry in tmp_path.iterdir()] == ["val2014.zip"]


def test_archive_is_read_by_many_threads(tmp_path: Path) -> None:
    """Thirty-two threads reading one archive each get their own picture."""
    photos = {f"p{number:02d}.png": encoded(gradient(20 + number, 20), "PNG") for number in range(32)}
    zipped(tmp_path / "photos.zip", photos)
    files = in_folder(tmp_path)

    def read(name: str) -> bytes:
        return prepare(Media(name=name, path=files.find(name)), MediaRule())[0].data

    with ThreadPoolExecutor(16) as threads:
        for _ in range(5):
            assert list(threads.map(read, photos)) == list(photos.values())


@pytest.mark.parametrize("inside", ["arkitscenes/41069025.mp4", "41069025.mp4", "data/arkitscenes/41069025.mp4"])
def test_a_video_is_unpacked_once_wherever_it_stands(tmp_path: Path, cache: Path, inside: str) -> None:
    """Archives serve whether or not they repeat the folder; the video plays from where it was unpacked."""
    film(tmp_path / "scene.mp4", 20)
    zipped(tmp_path / "arkitscenes.zip", {inside: (tmp_path / "scene.mp4").read_bytes()})
    files = in_folder(tmp_path, videos=True)
    path = files.find("arkitscenes/41069025.mp4", "41069025.mp4")
    assert Path(path).is_relative_to(cache)
    pictures = prepare(Media(name="41069025", kind="video", path=path), MediaRule(frames=4))
    assert [read_number(picture.data) for picture in pictures] == [0, 6, 12, 19]
    assert files.find("arkitscenes/41069025.mp4", "41069025.mp4") == path


def test_a_file_wins_over_an_archive(tmp_path: Path) -> None:
    """Where a medium is there as a file, the archive beside it is not opened."""
    (tmp_path / "scannet").mkdir()
    (tmp_path / "scannet/scene0001_00.mp4").touch()
    (tmp_path / "scannet.zip").write_bytes(b"not a zip at all")
    found = in_folder(tmp_path, videos=True).find("scannet/scene0001_00.mp4")
    assert found == str(tmp_path / "scannet/scene0001_00.mp4")


def test_a_medium_that_is_nowhere_fails_by_the_path_where_it_belongs(tmp_path: Path) -> None:
    """The first of the places that were looked at is named."""
    path = in_folder(tmp_path).find(f"val2014/{NAME}", NAME)
    assert path == str(tmp_path / "val2014" / NAME)
    with pytest.raises(ModelError, match=NAME):
        prepare(Media(name="43", path=path), MediaRule())


@pytest.mark.parametrize("name", ["../evil.jpg", "a/../../evil.jpg", "/etc/evil.jpg", "..\\evil.jpg", "C:/evil.jpg"])
def test_archive_that_reaches_outside(tmp_path: Path, cache: Path, name: str) -> None:
    """An archive with an entry outside itself is refused whole, found by name or read directly."""
    zipped(tmp_path / "bad.zip", {"good.jpg": PHOTO, name: PHOTO})
    for videos in (False, True):
        with pytest.raises(InputError, match=r"bad\.zip is refused"):
            in_folder(tmp_path, videos=videos).find("good.jpg")
    with pytest.raises(InputError, match=r"bad\.zip is refused"):
        prepare(Media(name="x", path=f"{tmp_path}/bad.zip!/good.jpg"), MediaRule())
    assert not list(cache.iterdir())


def test_damaged_archives(tmp_path: Path) -> None:
    """An archive cut short is refused; a member that is missing, damaged or locked fails its question alone."""
    with zipfile.ZipFile(tmp_path / "whole.zip", "w") as archive:
        archive.writestr("good", PHOTO)
    whole = (tmp_path / "whole.zip").read_bytes()
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut/cut.zip").write_bytes(whole[:-30])
    with pytest.raises(InputError, match="damaged or was cut short"):
        in_folder(tmp_path / "cut").find("good")
    with pytest.raises(InputError, match="cannot be read as a zip archive"):
        prepare(Media(name="x", path=f"{tmp_path}/cut/cut.zip!/good"), MediaRule())
    spoilt = bytearray(whole)
    spoilt[200] ^= 0xFF
    (tmp_path / "spoilt.zip").write_bytes(spoilt)
    locked = bytearray(whole)
    locked[6] |= 1
    locked[whole.rfind(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(locked)
    for path, why in [
        ("whole.zip!/none.jpg", "holds no such file"),
        ("spoilt.zip!/good", "CRC"),
        ("locked.zip!/good", "encrypted"),
        ("absent.zip!/good", "no such file"),
    ]:
        with pytest.raises(ModelError, match=why):
            prepare(Media(name="x", path=f"{tmp_path}/{path}"), MediaRule())
