"""Frames of videos: the right ones, at the right times, from every kind of file, and decoded once."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import av
import msgspec
import numpy as np
import pytest
from media_filmed import HEIGHT, WIDTH, film, read_number

from eyechart.errors import MissingExtra, ModelError, UsageError
from eyechart.media import video
from eyechart.media.cache import PictureCache
from eyechart.media.frame_cache import FrameCache
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.media.timeline import Timeline, choose_frames, plan_reading, spread_evenly
from eyechart.media.video import sample_video
from eyechart.records import Media


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "cache"))
    return


FILES = [
    ("long_gaps.mp4", {"gap": 250}),
    ("short_gaps.mp4", {"gap": 12}),
    ("keys_only.mp4", {"gap": 1}),
    ("deep_b.mp4", {"gap": 48, "options": {"bf": "4", "x264-params": "b-pyramid=normal:open-gop=1:scenecut=0"}}),
    ("scenes.mkv", {"gap": 30}),
    ("old.mp4", {"codec": "mpeg4", "options": {"bf": "2"}}),
    ("old.avi", {"codec": "mpeg4"}),
    ("b_frames.avi", {"codec": "mpeg4", "options": {"bf": "2"}}),
    ("stills.avi", {"codec": "mjpeg"}),
    ("web.webm", {"codec": "libvpx-vp9", "options": {"deadline": "realtime", "cpu-used": "8"}}),
    ("new.mp4", {"codec": "libx265", "options": {"x265-params": "log-level=none", "preset": "ultrafast"}}),
    ("broadcast.ts", {"gap": 24}),
]


@pytest.mark.parametrize(("name", "how"), FILES, ids=[name for name, _ in FILES])
def test_the_frames_asked_for(tmp_path: Path, name: str, how: dict) -> None:
    """From every kind of file come the frames asked for, pixel for pixel those of decoding in order."""
    media = film(tmp_path / name, 200, **how)
    pictures = sample_video(media, MediaRule(frames=16))
    wanted = np.linspace(0, 199, 16, dtype=int).tolist()
    assert [picture.frame for picture in pictures] == wanted
    assert [read_number(picture.data) for picture in pictures] == wanted
    assert [picture.timestamp_s for picture in pictures] == pytest.approx([index / 30 for index in wanted], abs=1e-3)
    assert [picture.sha256 for picture in pictures] == [sha256(picture.data).hexdigest() for picture in pictures]
    assert {(picture.width, picture.height, picture.mime) for picture in pictures} == {(WIDTH, HEIGHT, "image/jpeg")}
    assert pictures[0].changes[0].startswith("converted from ")
    with av.open(media.path) as container:
        inorder = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    again = sample_video(
        msgspec.structs.replace(media, path="", data=Path(media.path).read_bytes()), MediaRule(frames=16)
    )
    assert [picture.data for picture in again] == [picture.data for picture in pictures]
    maker = video._FrameMaker(media, MediaRule(), "x", Timeline(pts=(), times_s=tuple(range(200)), end_s=200.0))
    for picture in pictures:
        frame = av.VideoFrame.from_ndarray(inorder[picture.frame], format="rgb24")
        assert maker.make(frame, picture.frame).data == picture.data


@pytest.mark.parametrize("count", [1, 4, 8, 16, 32, 64])
def test_counts(tmp_path: Path, count: int) -> None:
    """Any number of frames may be asked for; a video with fewer gives all it has."""
    media = film(tmp_path / "short.mp4", 40)
    pictures = sample_video(media, MediaRule(frames=count))
    assert len(pictures) == min(count, 40)
    assert pictures[0].frame == 0
    assert count == 1 or pictures[-1].frame == 39


def test_frames_a_second(tmp_path: Path) -> None:
    """Two frames a second of a four-second clip are eight, half a second apart."""
    pictures = sample_video(film(tmp_path / "v.mp4", 120), MediaRule(fps=2))
    assert [picture.timestamp_s for picture in pictures] == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    assert [read_number(picture.data) for picture in pictures] == list(range(0, 120, 15))


def test_more_frames_a_second_than_there_are(tmp_path: Path) -> None:
    """A rate above the video's own gives every frame once."""
    pictures = sample_video(film(tmp_path / "v.mp4", 30), MediaRule(fps=100))
    assert [picture.frame for picture in pictures] == list(range(30))


def test_television_rate(tmp_path: Path) -> None:
    """30000/1001 frames a second: times are the frames' own, not those of a rounded rate."""
    pictures = sample_video(film(tmp_path / "v.mp4", 120, rate=Fraction(30000, 1001)), MediaRule(fps=1))
    assert [picture.frame for picture in pictures] == [0, 29, 59, 89, 119]
    assert pictures[1].timestamp_s == pytest.approx(29 * 1001 / 30000, abs=1e-4)


def test_timestamps(tmp_path: Path) -> None:
    """Named times give the frame on the screen then, in the order named."""
    pictures = sample_video(film(tmp_path / "v.mp4", 90), MediaRule(timestamps_s=(2.0, 0.0, 1.01)))
    assert [picture.frame for picture in pictures] == [60, 0, 30]


def test_changing_rate(tmp_path: Path) -> None:
    """Where frames come at uneven times, times decide and not counts."""
    ticks = [*range(0, 1000, 100), *range(1000, 5000, 1000)]
    media = film(tmp_path / "v.mkv", len(ticks), ticks=ticks)
    pictures = sample_video(media, MediaRule(timestamps_s=(0.95, 1.5, 3.999)))
    assert [read_number(picture.data) for picture in pictures] == [9, 10, 12]
    assert [picture.timestamp_s for picture in pictures] == [0.9, 1.0, 3.0]


@pytest.mark.parametrize("degrees", [90, 180, -90])
def test_turned_phone(tmp_path: Path, degrees: int) -> None:
    """A video that says how to turn it is turned, and that is recorded."""
    (picture,) = sample_video(film(tmp_path / "v.mp4", 3, rotation=degrees), MediaRule(frames=1, max_side=96))
    upright = (HEIGHT, WIDTH) if degrees != 180 else (WIDTH, HEIGHT)
    assert (picture.original_width, picture.original_height) == upright
    assert picture.changes == ("converted from h264", "oriented", "resized")
    assert max(picture.width, picture.height) == 96


def test_native(tmp_path: Path) -> None:
    """As a native part the video itself is sent, byte for byte."""
    media = film(tmp_path / "v.mp4", 10)
    (picture,) = prepare(media, MediaRule(native=True))
    assert picture.data == Path(media.path).read_bytes()
    assert (picture.mime, picture.width, picture.height, picture.changes) == ("video/mp4", WIDTH, HEIGHT, ())


def refusal(media: Media, rule: MediaRule) -> str:
    """The message of the failure that a video ends in."""
    with pytest.raises(ModelError) as caught:
        prepare(media, rule)
    assert caught.value.kind == "unreadable_media"
    assert repr(media.name) in caught.value.what
    return caught.value.what


@pytest.mark.parametrize("rule", [MediaRule(frames=8), MediaRule(native=True)], ids=["frames", "native"])
def test_broken_videos(tmp_path: Path, rule: MediaRule) -> None:
    """Missing, empty, cut short, frameless, silent about being no video: each has its own line."""
    whole = film(tmp_path / "whole.mp4", 200)
    data = Path(whole.path).read_bytes()

    def broken(content: bytes) -> Media:
        path = tmp_path / "broken.mp4"
        path.write_bytes(content)
        return Media(name="scene", kind="video", path=str(path))

    assert "no such file" in refusal(Media(name="scene", kind="video", path=str(tmp_path / "none.mp4")), rule)
    assert "it is empty" in refusal(broken(b""), rule)
    assert "no video (invalid data" in refusal(broken(b"<html>not found</html>" * 50), rule)
    assert "it is cut short" in refusal(broken(data[:1000]), rule)
    assert "it is empty" in refusal(Media(name="scene", kind="video"), rule)
    assert "of 200 frames are there" in refusal(broken(data[: len(data) // 2]), rule)
    for name in ("nothing.mp4", "nothing.mkv", "nothing.avi"):
        assert "no video frames" in refusal(film(tmp_path / name, 0, codec="mpeg4"), rule)


def test_sound_alone(tmp_path: Path) -> None:
    """A file that holds sound and no video says so."""
    path = tmp_path / "song.m4a"
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), dtype=np.float32), format="fltp", layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    assert "no video frames" in refusal(Media(name="song", kind="video", path=str(path)), MediaRule(frames=1))


def test_playlists_are_not_followed(tmp_path: Path) -> None:
    """A playlist that calls itself a video opens no other file."""
    real = film(tmp_path / "secret.ts", 30)
    path = tmp_path / "list.mp4"
    path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{real.path}\n#EXT-X-ENDLIST\n")
    with pytest.raises(ModelError):
        prepare(Media(name="list", kind="video", path=str(path)), MediaRule(frames=1))
    path = tmp_path / "list.ffconcat"
    path.write_text("ffconcat version 1.0\nfile secret.ts\n")
    with pytest.raises(ModelError):
        prepare(Media(name="list", kind="video", path=str(path)), MediaRule(frames=1))


def test_asking_for_too_much(tmp_path: Path) -> None:
    """A time after the end, more frames than any model takes, or nothing at all is refused plainly."""
    media = film(tmp_path / "v.mp4", 30)
    assert "it ends at 1.000 s" in refusal(media, MediaRule(timestamps_s=(0.5, 1.0)))
    many = Timeline(pts=(), times_s=tuple(range(100_000)), end_s=100_000.0)
    with pytest.raises(ValueError, match="more than"):
        choose_frames(many, MediaRule(frames=5000))
    with pytest.raises(ValueError, match="more than"):
        choose_frames(many, MediaRule(fps=30))
    with pytest.raises(UsageError, match="which frames"):
        prepare(media, MediaRule(max_side=100))


def test_rules_that_cannot_be() -> None:
    """A rule that contradicts itself is refused when it is made."""
    for wrong in (
        {"frames": 0},
        {"fps": 0.0},
        {"fps": float("nan")},
        {"max_side": 0},
        {"timestamps_s": (-1.0,)},
        {"frames": 8, "fps": 1.0},
        {"frames": 8, "native": True},
    ):
        with pytest.raises(UsageError):
            MediaRule(**wrong)
    assert str(MediaRule()) == "native"
    assert str(MediaRule(native=True)) == "video"
    assert str(MediaRule(max_side=512, frames=32)) == "side512,frames32"


def test_reading_plan_seeks_only_where_it_pays() -> None:
    """Far key frames are sought, near ones are decoded towards, and frames of one stretch share it."""
    line = Timeline(
        pts=tuple(range(1000)), keys=tuple((key, key) for key in range(0, 1000, 100)), times_s=(0.0,) * 1000, end_s=1.0
    )
    assert plan_reading(line, [5, 3, 150, 160, 950]) == [(None, [3, 5]), ((100, 100), [150, 160]), ((900, 900), [950])]
    assert plan_reading(line, [95, 101]) == [(None, [95, 101])]
    assert plan_reading(line, [500]) == [((500, 500), [500])]


def test_even_spread_is_the_published_formula() -> None:
    """The spread is numpy's, for every length and count, without frames named twice."""
    for total in range(1, 400, 7):
        for count in (1, 4, 8, 16, 32):
            spread = spread_evenly(total, count)
            assert len(set(spread)) == len(spread) == min(total, count)
            if count < total:
                assert list(spread) == np.linspace(0, total - 1, count, dtype=int).tolist()


def test_sampled_once_for_all_questions(tmp_path: Path) -> None:
    """A second cache, as in the next run, finds the frames on disk even when the video bears another name there."""
    media = film(tmp_path / "v.mp4", 60)
    first = PictureCache().prepare(media, MediaRule(frames=4))
    copy = tmp_path / "copy.mp4"
    copy.write_bytes(Path(media.path).read_bytes())
    (kept,) = (tmp_path / "cache" / "frames").glob("*/*.msgpack")
    written = kept.stat().st_ino
    second = PictureCache().prepare(Media(name="other", kind="video", path=str(copy)), MediaRule(frames=4))
    assert [picture.data for picture in second] == [picture.data for picture in first]
    assert [picture.frame for picture in second] == [0, 19, 39, 59]
    assert {picture.name for picture in second} == {"other"}
    assert kept.stat().st_ino == written


def test_changed_video_is_sampled_anew(tmp_path: Path) -> None:
    """A file that changes under the same name is noticed."""
    media = film(tmp_path / "v.mp4", 60)
    before = prepare(media, MediaRule(frames=2))
    film(tmp_path / "v.mp4", 30)
    after = prepare(media, MediaRule(frames=2))
    assert (before[-1].frame, after[-1].frame) == (59, 29)


def test_frame_cache_mends_itself(tmp_path: Path) -> None:
    """A kept file that was damaged is never sent: it is dropped and sampled anew."""
    media = film(tmp_path / "v.mp4", 20)
    good = prepare(media, MediaRule(frames=2))
    (kept,) = (tmp_path / "cache" / "frames").glob("*/*.msgpack")
    whole = kept.read_bytes()
    for damaged in (b"", whole[:100], whole[:900] + b"\0\0\0" + whole[903:]):
        kept.write_bytes(damaged)
        assert [p.data for p in prepare(media, MediaRule(frames=2))] == [p.data for p in good]
        assert kept.read_bytes() == whole


def test_frame_cache_is_bounded(tmp_path: Path) -> None:
    """Past its limit the cache lets the longest unused go."""
    media = film(tmp_path / "v.mp4", 30)
    pictures = sample_video(media, MediaRule(frames=1))
    one = len(msgspec.msgpack.encode(pictures))
    cache = FrameCache(tmp_path / "small", limit_bytes=3 * one)
    names = [letter * 64 for letter in "abcd"]
    for name in names[:3]:
        cache.put(name, MediaRule(frames=1), pictures)
    assert cache.get(names[0], MediaRule(frames=1), "v") is not None
    cache.put(names[3], MediaRule(frames=1), pictures)
    there = [name[0] for name in names if cache.get(name, MediaRule(frames=1), "v")]
    assert there == ["a", "c", "d"]
    FrameCache(tmp_path / "tiny", limit_bytes=10).put(names[0], MediaRule(frames=1), pictures)
    assert not (tmp_path / "tiny").exists()


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """Where the cache folder cannot be made, questions are answered all the same."""
    (tmp_path / "file").touch()
    media = film(tmp_path / "v.mp4", 30)
    cache = PictureCache(frames=FrameCache(tmp_path / "file" / "frames"))
    assert len(cache.prepare(media, MediaRule(frames=4))) == 4


def test_without_the_extra(tmp_path: Path) -> None:
    """Without PyAV the message names what to install."""
    media = film(tmp_path / "v.mp4", 3)
    code = (
        "import sys; sys.modules['av'] = None\n"
        "from eyechart.media.prepare import prepare\n"
        "from eyechart.media.rule import MediaRule\n"
        "from eyechart.records import Media\n"
        f"prepare(Media(name='v', kind='video', path={media.path!r}), MediaRule(frames=1))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert MissingExtra.__name__ in done.stderr
    assert 'pip install "eyechart[video]"' in done.stderr


def test_unknown_kind_of_video(tmp_path: Path) -> None:
    """A video that nothing here can decode says so."""
    data = Path(film(tmp_path / "v.mp4", 10).path).read_bytes().replace(b"avc1", b"zzzz")
    assert "nothing here can decode" in refusal(Media(name="odd", kind="video", data=data), MediaRule(frames=2))


@pytest.mark.parametrize(("name", "codec"), [("v.mp4", "libx264"), ("v.mkv", "libx264"), ("v.avi", "mpeg4")])
def test_damaged_videos_never_crash(tmp_path: Path, name: str, codec: str) -> None:
    """However a video is damaged, its frames are sampled or it is refused as unreadable; nothing else happens."""
    whole = Path(film(tmp_path / name, 40, codec=codec).path).read_bytes()
    luck = random.Random(5)
    read = 0
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(luck.choice([1, 3, 30])):
            data[luck.randrange(min(len(data), luck.choice([200, len(data)])))] = luck.randrange(256)
        media = Media(name="damaged", kind="video", data=bytes(data[: luck.randrange(1, 2 * len(data))]))
        with suppress(ModelError):
            pictures = sample_video(media, MediaRule(frames=4))
            assert 1 <= len(pictures) <= 4
            read += 1
    assert read > 5
