"""Prepared pictures kept at hand, so that questions about the same picture or video prepare it once."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock

from eyechart.media.frame_cache import FrameCache
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.records import Media, Picture

_Key = tuple[str, str, str, int, bytes, MediaRule]


class PictureCache:
    """The most recently used pictures, up to a number of bytes; one for a run, shared by its threads.

    However many threads ask for the same medium at once, one prepares it and the others wait. Failures are not kept.
    """

    def __init__(self, limit_bytes: int = 256 * 1024**2, frames: FrameCache | None = None) -> None:
        self._limit = limit_bytes
        self._frames = frames or FrameCache()
        self._lock = Lock()
        self._kept: OrderedDict[_Key, tuple[Picture, ...]] = OrderedDict()
        self._under_way: dict[_Key, Future[tuple[Picture, ...]]] = {}
        self._bytes = 0
        self.prepared = 0  # how many times something had to be made ready

    @property
    def held_bytes(self) -> int:
        """How much is kept now."""
        return self._bytes

    def prepare(self, media: Media, rule: MediaRule) -> tuple[Picture, ...]:
        """As `eyechart.media.prepare.prepare`, once for each medium and rule. The name stands for the medium."""
        key = _key(media, rule)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                return kept
            under_way = self._under_way.get(key)
            if under_way is None:
                mine: Future[tuple[Picture, ...]] = Future()
                self._under_way[key] = mine
                self.prepared += 1
        if under_way is not None:
            return under_way.result()
        return self._make(key, media, rule, mine)

    def _make(
        self, key: _Key, media: Media, rule: MediaRule, future: Future[tuple[Picture, ...]]
    ) -> tuple[Picture, ...]:
        try:
            pictures = prepare(media, rule, self._frames)
        except BaseException as error:
            # Whatever it is, those who wait must hear of it: otherwise they would wait for ever.
            with self._lock:
                del self._under_way[key]
            future.set_exception(error)
            raise
        with self._lock:
            del self._under_way[key]
            self._keep(key, pictures)
        future.set_result(pictures)
        return pictures

    def _keep(self, key: _Key, pictures: tuple[Picture, ...]) -> None:
        size = _weight(pictures)
        if size > self._limit:
            return
        self._kept[key] = pictures
        self._bytes += size
        while self._bytes > self._limit:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _weight(oldest)


def _key(media: Media, rule: MediaRule) -> _Key:
    # Should two pictures of a data set be called alike after all, a piece of each tells them apart: a wrong picture is
    # worse than a slow one, and a hash of all bytes would cost as much as preparing them.
    middle = len(media.data) // 2
    return media.kind, media.name, media.path, len(media.data), media.data[middle : middle + 256], rule


def _weight(pictures: tuple[Picture, ...]) -> int:
    # Each record weighs something beside its bytes, so that pictures without any cannot pile up.
    return sum(len(picture.data) + 1024 for picture in pictures) + 1024
