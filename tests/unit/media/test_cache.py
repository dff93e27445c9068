"""Prepared pictures kept at hand: shared by questions and threads, bounded in bytes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from media_drawn import encoded, gradient, medium

from eyechart.errors import ModelError
from eyechart.media.cache import PictureCache
from eyechart.media.rule import MediaRule

SMALL = MediaRule(max_side=50)


def test_prepared_once_by_many_threads() -> None:
    """Sixteen threads that want one picture at once get the same record, prepared once."""
    data = encoded(gradient(3000, 2000), "JPEG")
    cache, start = PictureCache(), Barrier(16)

    def ask(_: int) -> object:
        start.wait()
        return cache.prepare(medium(data), SMALL)[0]

    with ThreadPoolExecutor(16) as threads:
        pictures = list(threads.map(ask, range(16)))
    assert all(picture is pictures[0] for picture in pictures)
    assert cache.prepared == 1


def test_rules_are_kept_apart() -> None:
    """The same picture under two rules is two pictures."""
    cache = PictureCache()
    media = medium(encoded(gradient(), "JPEG"))
    assert cache.prepare(media, SMALL)[0].width == 50
    assert cache.prepare(media, MediaRule())[0].width == 120
    assert cache.prepared == 2


def test_pictures_that_are_called_alike_are_told_apart(tmp_path: Path) -> None:
    """Two pictures under one name, in a row or on disk, are never taken for each other."""
    cache = PictureCache()
    wide, tall = encoded(gradient(120, 80), "PNG"), encoded(gradient(80, 120), "PNG")
    assert [cache.prepare(medium(data, name="scene"), MediaRule())[0].width for data in (wide, tall)] == [120, 80]
    for name, data in (("one.png", wide), ("two.png", tall)):
        (tmp_path / name).write_bytes(data)
    files = [medium(path=str(tmp_path / name), name="scene") for name in ("one.png", "two.png")]
    assert [cache.prepare(media, MediaRule())[0].width for media in files] == [120, 80]


def test_bounded_in_bytes() -> None:
    """The least recently used pictures go when the limit is reached."""
    pictures = {name: medium(encoded(gradient(), "PNG"), name=name) for name in "abc"}
    one = len(pictures["a"].data) + 3000
    cache = PictureCache(limit_bytes=2 * one)
    for name in "abac":
        cache.prepare(pictures[name], MediaRule())
    assert cache.prepared == 3
    assert cache.held_bytes <= 2 * one
    cache.prepare(pictures["a"], MediaRule())  # used more recently than b
    assert cache.prepared == 3
    cache.prepare(pictures["b"], MediaRule())
    assert cache.prepared == 4


def test_larger_than_the_limit_is_not_kept() -> None:
    """A picture above the whole limit is handed out and not kept."""
    cache = PictureCache(limit_bytes=10)
    assert cache.prepare(medium(encoded(gradient(), "PNG")), MediaRule())[0].width == 120
    assert cache.held_bytes == 0


def test_failures_reach_everybody_and_are_not_kept(tmp_path: Path) -> None:
    """A missing picture fails for each who asks, and is found once it is there."""
    path = tmp_path / "late.png"
    cache = PictureCache()
    for _ in range(2):
        with pytest.raises(ModelError, match=r"late\.png"):
            cache.prepare(medium(path=str(path)), MediaRule())
    path.write_bytes(encoded(gradient(), "PNG"))
    assert cache.prepare(medium(path=str(path)), MediaRule())[0].width == 120
