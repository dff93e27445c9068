"""Where a benchmark's files are: a folder of yours, or the hub's cache on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eyechart.errors import InputError, SetupError, few
from eyechart.sources import hub


@dataclass(frozen=True, kw_only=True)
class Published:
    """What its authors put on the hub."""

    repo: str  # "nyu-visionx/VSI-Bench"
    layouts: tuple[tuple[str, ...], ...]  # patterns of the files that hold the questions; the first that fits counts
    media: tuple[str, ...] = ()  # archives of pictures or videos, where they are apart
    revision: str = "main"
    size: str = ""  # what a download weighs, for people
    small: bool = False  # question files of a few megabytes: fetched when first needed

    @property
    def home(self) -> str:
        """Where people read about it."""
        return f"https://huggingface.co/datasets/{self.repo} @ {self.revision}"


@dataclass(frozen=True, kw_only=True)
class Place:
    """The files of one benchmark on this machine."""

    benchmark: str  # as it is typed: "vqav2:val"
    published: Published | None = None
    data: str = ""  # a folder or file given by the user
    layouts: tuple[tuple[str, ...], ...] = ()  # what else a folder of yours may hold, tried before those of the hub
    questions: int | None = None  # how many there should be
    shelf: str = ""  # its folder below EYECHART_DATA, where several benchmarks share one; else its name
    by_hand: str = ""  # how to get the files, where they are not on the hub

    @property
    def folder(self) -> Path | None:
        """The local folder or file that stands in for the hub, if there is one."""
        if self.data:
            return Path(self.data).expanduser()
        home = os.environ.get("EYECHART_DATA")
        shelf = self.shelf or self.benchmark.partition(":")[0]
        own = Path(home).expanduser() / shelf if home else None
        return own if own is not None and own.exists() else None

    def files(self) -> list[Path]:
        """The question files; downloads them only where they are small and nobody forbade it."""
        if self.folder is not None:
            return self._local(self.folder)
        if self.published is None:
            raise self.missing()
        found = self._cached(self.published)
        if not found and self.published.small and not hub.offline():
            self.download(media=False)
            found = self._cached(self.published)
        if not found:
            raise self.missing()
        return found

    def archives(self) -> list[Path]:
        """The archives of pictures or videos in the hub's cache; none for a folder of yours."""
        if self.folder is not None or self.published is None or not self.published.media:
            return []
        return hub.cached(self.published.repo, self.published.revision, self.published.media)

    def here(self) -> str:
        """What of it is on this machine: `all`, `questions` (archives of pictures or videos are missing), `none`."""
        published = self.published
        if self.folder is not None:
            try:
                return "all" if self._local(self.folder) else "none"
            except InputError:
                return "none"
        if published is None or not self._cached(published):
            return "none"
        if published.media and not self.archives():
            return "questions"
        return "all"

    def download(self, *, media: bool = True) -> None:
        """Fetch the question files, and the archives of pictures or videos, into the hub's cache."""
        if self.published is None:
            raise self.missing()
        patterns = [pattern for layout in self.published.layouts for pattern in layout]
        patterns += self.published.media if media else ()
        hub.download(self.published.repo, self.published.revision, patterns)
        if not self._cached(self.published):
            raise SetupError(
                f"{self.published.repo} at {self.published.revision} does not hold the files that were expected",
                why=f"expected: {spelled(self.published.layouts)}; its authors may have renamed them",
                fix="name the files that you have with -T data=DIR, or another revision with -T revision=…",
            )

    def media_root(self) -> Path:
        """The folder under which pictures or videos are looked for."""
        if self.folder is not None:
            return self.folder if self.folder.is_dir() else self.folder.parent
        if self.published is None:
            raise self.missing()
        snapshot = hub.snapshot(self.published.repo, self.published.revision)
        return snapshot if snapshot is not None else hub.cache_folder(self.published.repo)

    def revision(self) -> str:
        """The hub's commit; empty for a folder of yours, whose texts alone make the fingerprint."""
        if self.folder is not None or self.published is None:
            return ""
        snapshot = hub.snapshot(self.published.repo, self.published.revision)
        return snapshot.name if snapshot is not None else ""

    def missing(self) -> SetupError:
        """The error for data that are not here: the exact command, its size, and the way by hand."""
        size = f" ({self.published.size})" if self.published and self.published.size else ""
        command = f"eyechart data get {self.benchmark}{size}" if self.published else self.by_hand
        why = (
            "nothing of this size is fetched unasked"
            if self.published
            else "they are not on the hub, but on a page of their authors"
        )
        return SetupError(
            f"the data of {self.benchmark} are not on this machine",
            why="offline: nothing may be downloaded" if hub.offline() else why,
            fix=f"{command}, or point at files that you have: -T data=DIR",
        )

    def _local(self, folder: Path) -> list[Path]:
        if folder.is_file():
            return [folder]
        if not folder.is_dir():
            raise InputError(f"no such file or folder: {folder}", fix="data=DIR names the folder that holds the files")
        layouts = (*self.layouts, *(self.published.layouts if self.published else ()))
        for layout in layouts:
            found = [matches(folder, pattern) for pattern in layout]
            if all(found):
                return [path for paths in found for path in paths]
        names = sorted(path.name for path in folder.iterdir())
        raise InputError(
            f"{folder} does not hold the files of {self.benchmark}",
            why=f"found: {few(names)}",
            fix=f"expected: {spelled(layouts)}",
        )

    @staticmethod
    def _cached(published: Published) -> list[Path]:
        for layout in published.layouts:
            found = hub.cached(published.repo, published.revision, layout)
            if found:
                return found
        return []


def spelled(layouts: Sequence[Sequence[str]]) -> str:
    """The layouts as a person would list them."""
    return "; or ".join(" and ".join(layout) for layout in layouts)


def matches(folder: Path, pattern: str) -> list[Path]:
    """Files of a folder, or of the folders in it, whose name fits the pattern."""
    direct = sorted(path for path in folder.glob(pattern) if path.is_file())
    return direct or sorted(path for path in folder.glob(f"*/{pattern}") if path.is_file())
