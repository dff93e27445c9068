"""A benchmark in a list, for tests of marking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.benchmarks.base import Benchmark
from eyechart.records import Entry, Index, Sample


@dataclass(frozen=True)
class ListSource:
    """Samples that are there already."""

    samples: tuple[Sample, ...]

    def index(self) -> Index:
        """One entry per sample."""
        return Index(
            entries=tuple(Entry(id=sample.id, locator=i) for i, sample in enumerate(self.samples)), data="9d24aaaa"
        )

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        """The sample at this place."""
        return self.samples[int(entry.locator)]


def benchmark_of(samples: Sequence[Sample], *, metrics: tuple[str, ...] = ("exact",), **more: object) -> Benchmark:
    """A benchmark over these samples, grouped by the tag `kind`."""
    settings: dict[str, object] = {"groups": ("kind",), "cluster": "picture", **more}
    return Benchmark(
        name="little",
        title="Little",
        about="for tests",
        source=ListSource(tuple(samples)),
        metrics=metrics,
        style="short.v1",
        **settings,  # type: ignore[arg-type]
    )
