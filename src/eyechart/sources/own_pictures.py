"""The pictures of somebody's own table: paths, addresses, base64, bytes, lists of these, or another row's picture."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from eyechart.errors import InputError, ModelError
from eyechart.records import Media
from eyechart.sources.media_files import MediaFiles
from eyechart.sources.pictures import embedded
from eyechart.sources.rows import Row, gap, plain, texts
from eyechart.sources.tabular import RowOf

# VLMEvalKit's rule: a cell of at most this many characters that is no file name is the index of another row.
_LONGEST_REFERENCE = 64


class OwnPictures:
    """Reads the picture column of one table."""

    def __init__(self, name: str, column: str, root: Path, *, video: bool = False) -> None:
        self._name, self._column = name, column
        self._kind: Literal["image", "video"] = "video" if video else "image"
        self._files = MediaFiles(f"own-{name}", lambda: root, videos=video)

    @cached_property
    def _kit(self) -> Path:
        """Where VLMEvalKit puts what it unpacks from NAME.tsv, which it then calls NAME_local.tsv."""
        kit = Path(os.environ.get("LMUData") or "~/LMUData").expanduser()  # noqa: SIM112 - its own spelling
        return kit / "images" / self._name.removesuffix("_local")

    def of(self, row: Row, sample_id: str, row_of: RowOf) -> tuple[Media, ...]:
        """The pictures of one question."""
        value = cell(row, self._column)
        if gap(value):
            return ()
        if not isinstance(value, str):
            return self._from_cell(value, sample_id)
        if self._kind == "video":
            return tuple(self._file(name) for name in texts(value))
        if refers(value):
            return self._of_other_row(value, sample_id, row_of)
        names = names_of(value)
        return (
            tuple(self._file(name) for name in names) if names else embedded(texts(value), f"{self._name}/{sample_id}")
        )

    def _from_cell(self, value: Any, sample_id: str) -> tuple[Media, ...]:
        items = [path_alone(item) for item in (value if isinstance(value, list) else [value])]
        if all(isinstance(item, str) and is_name(item) for item in items):
            return tuple(self._file(item) for item in items)
        return embedded(items, f"{self._name}/{sample_id}")

    def _of_other_row(self, reference: str, sample_id: str, row_of: RowOf) -> tuple[Media, ...]:
        try:
            other = row_of(reference)
        except InputError as error:
            raise ModelError(
                "unreadable_media",
                f"{sample_id}: its picture should be in row {reference!r}, which there is not "
                "(a file is named with its ending)",
            ) from error
        value = cell(other, self._column)
        if gap(value) or (isinstance(value, str) and refers(value)):
            raise ModelError("unreadable_media", f"{sample_id}: row {reference!r}, whose picture it shares, holds none")
        return self.of(other, reference, row_of)

    def _file(self, name: str) -> Media:
        if name.startswith(("http://", "https://")):
            return Media(name=name, kind=self._kind, url=name)
        names = [name, f"images/{name}", f"pictures/{name}", f"videos/{name}", f"{self._kit}/{name}"]
        if self._kind == "video":
            names += [f"{name}.mp4", f"videos/{name}.mp4"]  # VLMEvalKit's tables leave the ending out
        return Media(name=name, kind=self._kind, path=self._files.find(*names))


def cell(row: Row, column: str) -> Any:
    """The cell of a picture; JSON and parquet may name another row by its number."""
    value = row.get(column) if column else None
    return plain(value) if isinstance(value, (int, float)) and not gap(value) else value


def path_alone(item: Any) -> Any:
    """The struct that the hub uses for pictures, where it holds a path alone: that path."""
    alone = isinstance(item, dict) and isinstance(item.get("path"), str) and item["path"] and not item.get("bytes")
    return item["path"] if alone else item


def names_of(value: str) -> list[str]:
    """The file names or addresses in a cell; none where it holds pictures themselves."""
    items = texts(value)
    return items if all(is_name(item) for item in items) else []


def is_name(value: str) -> bool:
    """Whether a text names a file or an address: both have a dot, which base64 never has."""
    return "." in value and len(value) < 4096 and not value.startswith("data:")


def refers(value: str) -> bool:
    """Whether a cell is the id of another row."""
    return len(value) <= _LONGEST_REFERENCE and not is_name(value) and not value.startswith(("[", "data:"))
