"""What a run tells whoever watches it: a progress display, a test, nobody."""

from __future__ import annotations

from eyechart.records import Exchange, Sample
from eyechart.store import RunFolder


class Watch:
    """Does nothing: whoever wants to see something overrides it. Called from the loop's thread; must return at once."""

    def started(self, *, benchmark: str, model: str, run: RunFolder, total: int, done: int) -> None:
        """The plan stands: so many questions in all, so many of them answered by an earlier start."""

    def asked(self, in_flight: int) -> None:
        """A question went out."""

    def answered(self, exchange: Exchange, sample: Sample, in_flight: int) -> None:
        """A question ended, in a reply or a failure."""

    def note(self, text: str) -> None:
        """Something a person should know, in one line."""

    def ended(self) -> None:
        """Nothing more will come."""
