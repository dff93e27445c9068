"""Zip archives of pictures and videos, read in place.

A file within an archive is named `folder/val2014.zip!/val2014/COCO_val2014_000000000042.jpg`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from eyechart.errors import InputError

SEPARATOR = ".zip!/"


def split_member(path: str) -> tuple[Path | None, str]:
    """The archive and the file within it that a path names; no archive where it is a plain path."""
    at = path.lower().find(SEPARATOR)
    if at < 0 or Path(path).exists():
        return None, path
    return Path(path[: at + 4]), path[at + len(SEPARATOR) :]


def open_archive(path: Path) -> ZipFile:
    """The archive opened for reading, its table of contents read once. Reading from it is safe in many threads."""
    status = path.stat()
    return _open(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=16)
def _open(path: Path, _size: int, _mtime_ns: int) -> ZipFile:
    try:
        archive = ZipFile(path)
    except BadZipFile as error:
        raise InputError(
            f"{path} cannot be read as a zip archive", why=str(error), fix="download it again: it may be cut short"
        ) from error
    for name in archive.namelist():
        if leaves_its_folder(name):
            archive.close()
            raise InputError(
                f"{path} is refused: it names a file outside itself",
                why=f"an entry is called {name!r}",
                fix="an honest archive has no such entry: get it from its publisher, or unpack and pack it again",
            )
    return archive


def leaves_its_folder(name: str) -> bool:
    """Whether a relative file name points elsewhere: upwards, to the root or to a drive."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or (path.parts[:1] != () and path.parts[0].endswith(":"))
