"""Pictures and videos that were published as zip archives: read out of them, or unpacked beside them, never outside."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from threading import Lock

from eyechart.errors import InputError, ModelError, SetupError

_unpacking = Lock()


def cache_home() -> Path:
    """Where unpacked and other derived files are kept; all of it may be deleted."""
    named = os.environ.get("EYECHART_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(named or f"{base}/eyechart").expanduser()


@cache
def opened(path: Path) -> zipfile.ZipFile:
    """An archive, opened once; reading members from several threads is safe."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(
            f"{path} is damaged or was cut short", why=str(error), fix="download or copy it again"
        ) from error
    for info in archive.infolist():
        check_member(info, path)
    return archive


def check_member(info: zipfile.ZipInfo, archive: Path) -> None:
    """Refuse an archive that would write outside the folder it is unpacked in."""
    name = PurePosixPath(info.filename.replace("\\", "/"))
    linked = stat.S_ISLNK(info.external_attr >> 16)
    if name.is_absolute() or ".." in name.parts or linked or (name.parts and name.parts[0].endswith(":")):
        raise InputError(
            f"{archive} is refused: it holds {info.filename!r}",
            why="that would be a link, or be written outside the folder it is unpacked in",
            fix="get the archive from its authors; nothing has been unpacked",
        )


@cache
def by_name(archive: Path) -> dict[str, zipfile.ZipInfo]:
    """The members of an archive by every ending of their path, so that the folders above do not matter."""
    names: dict[str, zipfile.ZipInfo] = {}
    for info in members(archive):
        parts = PurePosixPath(info.filename).parts
        for start in range(len(parts)):
            names.setdefault("/".join(parts[start:]), info)
    return names


def member(archive: Path, name: str, into: Path) -> Path | None:
    """Unpack one member, whichever folder it stands in, below `into`; None where the archive does not hold it.

    It lies in a folder named for what it holds: another archive may have another video of the same name.
    """
    found = by_name(archive).get(name)
    if found is None:
        return None
    target = into / f"{found.CRC:08x}-{found.file_size:x}" / name
    with _unpacking:
        if not (target.is_file() and target.stat().st_size == found.file_size):
            unpack_to(archive, found, target)
    return target


def members(archive: Path) -> Iterator[zipfile.ZipInfo]:
    """The files that an archive holds."""
    return (info for info in opened(archive).infolist() if not info.is_dir())


def unpack_to(archive: Path, info: zipfile.ZipInfo, target: Path) -> None:
    """One member to one file: whole, or not at all."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened(archive).open(info) as packed, partial.open("wb") as file:
            shutil.copyfileobj(packed, file, 1 << 20)
        partial.replace(target)
    except (zipfile.BadZipFile, EOFError, zlib.error, RuntimeError) as error:
        # RuntimeError: encrypted, or packed in a way that Python cannot undo. One of many: its questions alone fail.
        raise ModelError("unreadable_media", f"{info.filename} cannot be unpacked from {archive}: {error}") from error
    except OSError as error:
        raise SetupError(
            f"cannot unpack {archive} to {target.parent}",
            why=error.strerror or str(error),
            fix="make room there, or name another folder: EYECHART_CACHE=DIR",
        ) from error
    finally:
        with suppress(OSError):  # where nothing can be written, nothing is there to be removed
            partial.unlink(missing_ok=True)
