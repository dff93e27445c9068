"""Whole files are replaced at once or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from eyechart.store.journal import unwritable


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` when it is complete and on disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with suppress(OSError):  # a file system that takes no new file takes no removal either
            temporary.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """One JSON document, indented for people."""
    with replacing(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """One JSON value a line."""
    encoder = msgspec.json.Encoder()
    with replacing(path) as file:
        for value in values:
            file.write(encoder.encode(value) + b"\n")
