"""Pictures and videos that lie in folders or archives of their own, found by the name that a question gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from eyechart.sources.archives import cache_home, member


class MediaFiles:
    """The media of one benchmark: in a folder, or in zip archives there, which are unpacked one by one as needed."""

    def __init__(self, name: str, root: Callable[[], Path], *, archives: str = "*.zip") -> None:
        self._name, self._find_root, self._pattern = name, root, archives

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
        return sorted(self.root.glob(self._pattern)) if self.root.is_dir() else []

    def find(self, *names: str) -> str:
        """The path of the first of these names that is there; of the first, where none is.

        A path that does not exist is no error here: reading it fails that one question, with the path in the message.
        """
        for name in names:
            for folder in (self.root, self.unpacked):
                if (folder / name).is_file():
                    return str(folder / name)
        for archive in self._archives:
            for name in names:
                path = member(archive, name, self.unpacked)
                if path is not None:
                    return str(path)
        return str(self.root / names[0])


def folder_or(given: str, otherwise: Callable[[], Path]) -> Callable[[], Path]:
    """The folder that the user named, or where the benchmark's files are."""
    return lambda: Path(given).expanduser() if given else otherwise()
