"""What was marked before, read back from a run's folder."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from eyechart.errors import InputError
from eyechart.marking.document import Document
from eyechart.marking.rows import ScoredRow
from eyechart.records import UNDECODABLE
from eyechart.store import RunFolder
from eyechart.store.journal import read_lines


def read_rows(folder: RunFolder) -> Iterator[ScoredRow]:
    """Every line of scores.jsonl, in data order."""
    if not folder.scores.exists():
        raise not_marked(folder)
    return read_lines(folder.scores, msgspec.json.Decoder(ScoredRow))


def read_document(folder: RunFolder) -> Document:
    """summary.json: what the tables show."""
    if not folder.summary.exists():
        raise not_marked(folder)
    try:
        return msgspec.json.decode(folder.summary.read_bytes(), type=Document)
    except UNDECODABLE as error:
        raise InputError(
            f"{folder.summary} cannot be read", why=str(error), fix=f"eyechart rescore {folder.typed}"
        ) from error


def not_marked(folder: RunFolder) -> InputError:
    """The error for a run that was interrupted before it was marked."""
    return InputError(
        f"run {folder.name} has not been marked yet",
        why="it was interrupted before all its questions were asked, or it still goes on",
        fix=f"give its command again to finish it, or eyechart rescore {folder.typed} to mark what is there",
    )
