"""Pictures and videos that lie in folders or archives of their own, found by the name that a question gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path

from eyechart.sources.archives import by_name, cache_home, member, opened

_only_looking: ContextVar[bool] = ContextVar("only_looking", default=False)


@contextmanager
def only_looking() -> Iterator[None]:
    """Within this, a video in an archive is found without being unpacked: to see whether all are there, gigabytes need
    not be written."""
    before = _only_looking.set(True)
    try:
        yield
    finally:
        _only_looking.reset(before)


class MediaFiles:
    """The media of one benchmark: in a folder, or in zip archives there.

    Pictures are read out of the archive in place. A video is opened several times and sought in, so that it is
    unpacked when it is first asked about.
    """

    def __init__(self, name: str, root: Callable[[], Path], *, videos: bool = False) -> None:
        self._name, self._find_root, self._videos = name, root, videos

    @cached_property
    def root(self) -> Path:
        """The folder that names are relative to."""
        return self._find_root()

    @cached_property
    def unpacked(self) -> Path:
        """Where what came out of archives is kept."""
        return cache_home() / self._name

    @cached_property
    def _archives(self) -> list[Path]:
        archives = sorted(self.root.glob("*.zip")) if self.root.is_dir() else []
        for archive in archives:  # all before the first is used: the last must not stop a run after hours
            opened(archive)
        return archives

    def find(self, *names: str) -> str:
        """The path of the first of these names that is there; of the first, where none is.

        A path that does not exist is no error here: reading it fails that one question, with the path in the message.
        """
        for name in names:
            path = self.root / name
            if there(path):
                return str(path)
        for archive in self._archives:
            for name in names:
                found = by_name(archive).get(name)
                if found is None:
                    continue
                if not self._videos or _only_looking.get():
                    return f"{archive}!/{found.filename}"  # how media name a file within an archive
                return str(member(archive, name, self.unpacked))
        return str(self.root / names[0])


def there(path: Path) -> bool:
    """Whether it is a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def folder_or(given: str, otherwise: Callable[[], Path]) -> Callable[[], Path]:
    """The folder that the user named, or where the benchmark's files are."""
    return lambda: Path(given).expanduser() if given else otherwise()
