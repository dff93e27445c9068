"""The contract of a source: a table of contents, and one sample at a time."""

from __future__ import annotations

from typing import Protocol

from eyechart.records import Entry, Index, Sample


class Source(Protocol):
    """Where samples come from. Called from several threads; `index` may be called more than once."""

    def index(self) -> Index:
        """Every question in published order, without pictures."""
        ...

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        """One sample, read from where the entry points. Marking asks for it without media: then no picture is
        read, drawn or decoded, and `Sample.media` may be empty."""
        ...
