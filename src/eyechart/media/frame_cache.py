"""Sampled frames kept on disk by the content of the video and the rule, so that each video is decoded once."""

from __future__ import annotations

import logging
import os
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from eyechart.media.rule import MediaRule
from eyechart.records import Picture

log = logging.getLogger(__name__)

# Raised whenever the same video and rule could give other frames than before.
SAMPLER = "frames.v1"

DEFAULT_LIMIT_BYTES = 8 * 1024**3


def cache_folder() -> Path:
    """Where things are kept that can be made again: `EYECHART_CACHE`, or the user's cache folder."""
    named = os.environ.get("EYECHART_CACHE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches/eyechart").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "eyechart"


class FrameCache:
    """A folder of sampled frames, bounded in bytes; the longest unused go first. Safe to share between processes."""

    def __init__(self, folder: Path | None = None, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self.folder = folder or cache_folder() / "frames"
        self._limit = limit_bytes

    def get(self, video: str, rule: MediaRule, name: str) -> tuple[Picture, ...] | None:
        """The frames of the video with this content hash, under the name that asks, or None."""
        path = self._path(video, rule)
        try:
            pictures = msgspec.msgpack.decode(path.read_bytes(), type=tuple[Picture, ...])
        except OSError:
            return None
        except msgspec.MsgspecError:
            pictures = ()
        # A disk may have rotted: what is sent must be what was sampled.
        if not pictures or any(sha256(picture.data).hexdigest() != picture.sha256 for picture in pictures):
            _remove(path)
            return None
        try:
            os.utime(path)
        except OSError:
            log.debug("cannot mark %s as used", path)
        return tuple(msgspec.structs.replace(picture, name=name) for picture in pictures)

    def put(self, video: str, rule: MediaRule, pictures: tuple[Picture, ...]) -> None:
        """Keep frames. A full or read-only disk costs the next run time, not this question its answer."""
        path = self._path(video, rule)
        data = msgspec.msgpack.encode(pictures)
        if len(data) > self._limit:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
            self._make_room()
        except OSError as error:
            log.warning("sampled frames cannot be kept in %s: %s", self.folder, error.strerror or error)

    def _path(self, video: str, rule: MediaRule) -> Path:
        key = sha256(f"{SAMPLER} {rule!r}".encode()).hexdigest()[:16]
        return self.folder / video[:2] / f"{video}-{key}.msgpack"

    def _make_room(self) -> None:
        kept = []
        for path in self.folder.glob("*/*"):
            try:
                status = path.stat()
            except FileNotFoundError:  # another process has just removed it
                continue
            kept.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in kept)
        for _, size, path in sorted(kept):
            if total <= self._limit:
                return
            _remove(path)
            total -= size


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees half of it."""
    with NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as part:
        try:
            part.write(data)
            part.flush()
            Path(part.name).replace(path)
        except OSError:
            _remove(Path(part.name))
            raise


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.debug("cannot remove %s: %s", path, error)
