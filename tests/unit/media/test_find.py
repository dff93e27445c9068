"""Media found where published data sets put them: folders and zip archives, never outside."""

from __future__ import annotations

import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from media_drawn import encoded, gradient
from media_filmed import film, read_number

from eyechart.errors import InputError, ModelError
from eyechart.media.find import MediaRoot, coco_names, scene_names
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.media.store import MediaStore
from eyechart.records import Media

PHOTO = encoded(gradient(), "JPEG")


def zipped(path: Path, **members: bytes) -> Path:
    """Write an archive; a member's name has `__` for each slash."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return path


def test_coco_folder(tmp_path: Path) -> None:
    """The official folder `val2014`, and a folder that holds the pictures alone, both serve."""
    name = "COCO_val2014_000000000042.jpg"
    (tmp_path / "official/val2014").mkdir(parents=True)
    (tmp_path / "official/val2014" / name).write_bytes(PHOTO)
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / name).write_bytes(PHOTO)
    assert MediaRoot(tmp_path / "official").locate(*coco_names("val2014", 42)).endswith(f"official/val2014/{name}")
    assert MediaRoot(tmp_path / "flat").locate(*coco_names("val2014", "42")).endswith(f"flat/{name}")


def test_coco_zip_is_read_in_place(tmp_path: Path) -> None:
    """Pictures come out of the official zip file without anything being unpacked."""
    zipped(tmp_path / "val2014.zip", val2014__COCO_val2014_000000000042=b"x", readme=b"y")
    with zipfile.ZipFile(tmp_path / "val2014.zip", "a") as archive:
        archive.writestr("val2014/COCO_val2014_000000000043.jpg", PHOTO)
    path = MediaRoot(tmp_path).locate(*coco_names("val2014", 43))
    assert path == f"{tmp_path}/val2014.zip!/val2014/COCO_val2014_000000000043.jpg"
    (picture,) = prepare(Media(name="43", path=path), MediaRule())
    assert picture.data == PHOTO
    assert [entry.name for entry in tmp_path.iterdir()] == ["val2014.zip"]


def test_archive_is_read_by_many_threads(tmp_path: Path) -> None:
    """Thirty-two threads reading one archive each get their own picture."""
    photos = {f"p{number:02d}.png": encoded(gradient(20 + number, 20), "PNG") for number in range(32)}
    with zipfile.ZipFile(tmp_path / "photos.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in photos.items():
            archive.writestr(name, data)
    root = MediaRoot(tmp_path)

    def read(name: str) -> bytes:
        return prepare(Media(name=name, path=root.locate(name)), MediaRule())[0].data

    with ThreadPoolExecutor(16) as threads:
        for _ in range(5):
            assert list(threads.map(read, photos)) == list(photos.values())


@pytest.mark.parametrize("inside", ["arkitscenes/41069025.mp4", "41069025.mp4", "data/arkitscenes/41069025.mp4"])
def test_vsi_zip(tmp_path: Path, inside: str) -> None:
    """VSI-Bench's archives serve whether or not they repeat the folder, and their videos play from within."""
    film(tmp_path / "scene.mp4", 20)
    with zipfile.ZipFile(tmp_path / "arkitscenes.zip", "w") as archive:
        archive.write(tmp_path / "scene.mp4", inside)
    path = MediaRoot(tmp_path).locate(*scene_names("arkitscenes", "41069025"))
    assert path == f"{tmp_path}/arkitscenes.zip!/{inside}"
    pictures = prepare(Media(name="41069025", kind="video", path=path), MediaRule(frames=4))
    assert [read_number(picture.data) for picture in pictures] == [0, 6, 12, 19]


def test_vsi_folder_wins_over_archive(tmp_path: Path) -> None:
    """Where a video is there as a file, the archive beside it is not opened."""
    (tmp_path / "scannet").mkdir()
    (tmp_path / "scannet/scene0001_00.mp4").touch()
    (tmp_path / "scannet.zip").write_bytes(b"not a zip at all")
    assert MediaRoot(tmp_path).locate(*scene_names("scannet", "scene0001_00")) == str(
        tmp_path / "scannet/scene0001_00.mp4"
    )


def test_missing_picture_is_named(tmp_path: Path) -> None:
    """A picture that is nowhere fails by the path where it belongs."""
    path = MediaRoot(tmp_path).locate(*coco_names("val2014", 7))
    assert path == str(tmp_path / "val2014/COCO_val2014_000000000007.jpg")
    with pytest.raises(ModelError, match="COCO_val2014_000000000007"):
        prepare(Media(name="7", path=path), MediaRule())


@pytest.mark.parametrize("name", ["../evil.jpg", "a/../../evil.jpg", "/etc/evil.jpg", "..\\evil.jpg", "C:/evil.jpg"])
def test_archive_that_reaches_outside(tmp_path: Path, name: str) -> None:
    """An archive with an entry outside itself is refused whole, in one clear line."""
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("good.jpg", PHOTO)
        archive.writestr(name, PHOTO)
    with pytest.raises(InputError) as caught:
        MediaRoot(tmp_path).locate("good.jpg")
    assert "bad.zip is refused" in caught.value.what
    assert "evil.jpg" in caught.value.why


@pytest.mark.parametrize("name", ["../evil.jpg", "/etc/passwd", "a\\..\\..\\b", ""])
def test_name_that_reaches_outside(tmp_path: Path, name: str) -> None:
    """A data file cannot name media outside the media folder."""
    with pytest.raises(InputError, match="refused"):
        MediaRoot(tmp_path).locate(name)


def test_damaged_archives(tmp_path: Path) -> None:
    """An archive cut short is refused; a member that is missing, damaged or locked fails its question alone."""
    whole = zipped(tmp_path / "whole.zip", good=PHOTO).read_bytes()
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut/cut.zip").write_bytes(whole[:-30])
    with pytest.raises(InputError, match="cannot be read as a zip archive"):
        MediaRoot(tmp_path / "cut").locate("good")
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


def test_store_keeps_bytes_once(tmp_path: Path) -> None:
    """The same bytes are kept once under a name that says what they are; nothing half-written stays."""
    store = MediaStore(tmp_path / "media")
    with ThreadPoolExecutor(8) as threads:
        names = set(threads.map(store.put, [PHOTO] * 50))
    (name,) = names
    assert name.endswith(".jpg")
    assert store.path(name).read_bytes() == PHOTO
    assert store.put(encoded(gradient(), "PNG")).endswith(".png")
    assert store.put(b"something else").endswith(".bin")
    assert len(list((tmp_path / "media").iterdir())) == 3


def test_store_mends_a_torn_file(tmp_path: Path) -> None:
    """A file of the wrong length, as a power cut leaves it, is written again."""
    store = MediaStore(tmp_path)
    name = store.put(PHOTO)
    store.path(name).write_bytes(PHOTO[:10])
    assert store.put(PHOTO) == name
    assert store.path(name).read_bytes() == PHOTO
