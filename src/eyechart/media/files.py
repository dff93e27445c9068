"""Reading a media file: from memory, from disk, or out of a zip archive without unpacking it."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path

from eyechart.media.archives import open_archive, split_member
from eyechart.media.unreadable import unreadable
from eyechart.records import Media

MAX_BYTES = {"image": 512 * 1024**2, "video": 4 * 1024**3}


def read_media(media: Media) -> bytes:
    """The encoded bytes of a picture or video, or the failure that says why there are none."""
    if media.data or not media.path:
        return media.data
    with _explained(media):
        archive, member = split_member(media.path)
        if archive is not None:
            return _read_member(media, archive, member)
        _check(media)
        return Path(media.path).read_bytes()


def file_on_disk(media: Media) -> str:
    """The absolute path of a medium that is a file of its own, or nothing where it is bytes or in an archive."""
    if media.data or not media.path:
        return ""
    with _explained(media):
        if split_member(media.path)[0] is not None:
            return ""
        _check(media)
        return str(Path(media.path).absolute())


def content_hash(media: Media) -> str:
    """The SHA-256 of a medium's bytes; a file on disk is read again only when its size or time has changed."""
    path = file_on_disk(media)
    if not path:
        return sha256(read_media(media)).hexdigest()
    with _explained(media):
        status = Path(path).stat()
        return _hash_file(path, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=4096)
def _hash_file(path: str, _size: int, _mtime_ns: int, _inode: int) -> str:
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _check(media: Media) -> None:
    status = Path(media.path).stat()
    if not stat.S_ISREG(status.st_mode):
        raise unreadable(media, "it is not a file")
    _check_size(media, status.st_size)


def _check_size(media: Media, size: int) -> None:
    if size > MAX_BYTES[media.kind]:
        raise unreadable(media, f"{size:,} bytes are more than {MAX_BYTES[media.kind]:,}")


def _read_member(media: Media, archive: Path, member: str) -> bytes:
    import zlib
    from zipfile import BadZipFile

    zipped = open_archive(archive)
    try:
        _check_size(media, zipped.getinfo(member).file_size)
        return zipped.read(member)
    except KeyError as error:
        raise unreadable(media, "the archive holds no such file") from error
    except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        # RuntimeError: encrypted; NotImplementedError: packed in a way that Python cannot undo.
        raise unreadable(media, str(error) or "the archive is damaged there") from error


@contextmanager
def _explained(media: Media) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise unreadable(media, "there is no such file") from error
    except OSError as error:
        raise unreadable(media, error.strerror or str(error)) from error
    except ValueError as error:  # a zero byte in the path
        raise unreadable(media, str(error)) from error
