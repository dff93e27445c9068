"""Finding pictures and videos where the published data sets put them: in folders or in zip archives."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from threading import Lock

from eyechart.errors import InputError
from eyechart.media.archives import SEPARATOR, leaves_its_folder, open_archive


def coco_names(split: str, image_id: int | str) -> tuple[str, ...]:
    """Where the official layouts keep a COCO picture, such as `val2014/COCO_val2014_000000000042.jpg`."""
    number = int(image_id)
    file = f"COCO_{split}_{number:012d}.jpg"
    # The 2017 release dropped the prefix and kept the numbers.
    return f"{split}/{file}", f"images/{split}/{file}", file, f"{split}/{number:012d}.jpg"


def scene_names(dataset: str, scene: str) -> tuple[str, ...]:
    """Where VSI-Bench keeps the video of a scene: `arkitscenes/41069025.mp4`."""
    return f"{dataset}/{scene}.mp4", f"videos/{dataset}/{scene}.mp4", f"{scene}.mp4"


class MediaRoot:
    """A folder that holds media, as files or in zip archives at its top. Safe to use from many threads."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._lock = Lock()
        self._members: dict[str, list[str]] | None = None  # file name → paths of archive members that bear it

    def locate(self, *names: str) -> str:
        """The path of the first of these relative names that is there, in a folder or an archive.

        Where none is, the path at which the first was looked for: the failure of the question names it.
        """
        if not names:
            raise ValueError("no name to look for")
        for name in names:
            if not name or leaves_its_folder(name):
                raise InputError(
                    f"the media name {name!r} is refused",
                    why=f"media are looked for below {self.folder} only",
                    fix="name files relative to the media folder",
                )
        for name in names:
            path = self.folder / name
            if path.is_file():
                return str(path)
        members = self._archived()
        for name in names:
            for found in members.get(PurePosixPath(name).name, ()):
                # An archive may or may not repeat the folder that its name already says.
                if found.endswith(("/" + name, "!/" + name)):
                    return found
        return str(self.folder / names[0])

    def _archived(self) -> dict[str, list[str]]:
        with self._lock:
            if self._members is None:
                self._members = {}
                for archive in sorted(self.folder.glob("*.zip")):
                    self._index(archive, self._members)
            return self._members

    @staticmethod
    def _index(archive: Path, members: dict[str, list[str]]) -> None:
        prefix = f"{archive}{SEPARATOR.removeprefix('.zip')}"
        for name in open_archive(archive).namelist():
            if not name.endswith("/"):
                members.setdefault(PurePosixPath(name).name, []).append(prefix + name)
