"""Real photos and a real clip, where the folder of real data is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eyechart.media.frame_cache import FrameCache
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.records import Media

REAL = Path(os.environ.get("EYECHART_SHARED_DATA") or Path(__file__).parents[4] / "shared" / "data")

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real data is not here")


def test_coco_photos_pass_untouched() -> None:
    """Photos as COCO publishes them are sent byte for byte at the usual limit, and shrink truly below it."""
    photos = [Media(name=path.name, path=str(path)) for path in (REAL / "images").glob("coco*/*.jpg")]
    assert len(photos) == 10
    for photo in photos:
        (whole,) = prepare(photo, MediaRule(max_side=1024))
        assert whole.data == Path(photo.path).read_bytes()
        (small,) = prepare(photo, MediaRule(max_side=224))
        assert max(small.width, small.height) == 224
        assert (small.original_width, small.original_height) == (whole.width, whole.height)
        assert len(small.data) < len(whole.data)


def test_pngs_pass_untouched() -> None:
    """The PNG pictures, grey and in colour, are sent as they are."""
    for path in (REAL / "images").glob("*.png"):
        (picture,) = prepare(Media(name=path.name, path=str(path)), MediaRule())
        assert (picture.data, picture.changes) == (path.read_bytes(), ())


def test_real_clip(tmp_path: Path) -> None:
    """A clip that others made gives its frames at the times it says."""
    media = Media(name="b", kind="video", path=str(REAL / "videos" / "b.mp4"))
    pictures = prepare(media, MediaRule(frames=4), FrameCache(tmp_path))
    assert [picture.frame for picture in pictures] == [0, 49, 99, 149]
    assert [picture.timestamp_s for picture in pictures] == pytest.approx([0, 49 / 30, 3.3, 149 / 30], abs=1e-5)
