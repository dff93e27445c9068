"""The mean over groups of any metric that is a plain mean: `choice[mean=category]` lets every category count alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.errors import UsageError
from eyechart.metrics.base import Cell, Metric, Sums, plain_mean
from eyechart.records import Sample, Score


@dataclass(frozen=True)
class MeanOver(Metric):
    """A metric whose headline is the unweighted mean of its means within each group of a tag."""

    metric: Metric
    tag: str
    id: str
    version: int
    upstream: str
    title: str

    def score(self, sample: Sample, text: str) -> Score:
        return self.metric.score(sample, text)

    def wrong(self, sample: Sample) -> Score:
        return self.metric.wrong(sample)

    def null(self, sample: Sample) -> Score:
        return self.metric.null(sample)

    def explain(self, sample: Sample, text: str) -> str:
        return self.metric.explain(sample, text)

    def oddity(self, sample: Sample) -> str:
        return self.metric.oddity(sample)

    def cell(self, sample: Sample) -> Cell:
        return (sample.tags.get(self.tag, ""),)

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        means = {cell[0]: total / n for cell, (n, total, *_) in sums.items() if n}
        if not means:
            return {}
        lines = {f"{self.tag}={name or '(none)'}": mean for name, mean in means.items()}
        return {"value": sum(means.values()) / len(means), **lines}

    def printed(self, value: float) -> str:
        return self.metric.printed(value)


def mean_over(metric: Metric, tag: str, identity: str) -> Metric:
    """The metric averaged over the groups of this tag; refused where the metric has a formula of its own."""
    # Asked with sums that tell a plain mean from any other: three of four in one cell, none of one in another.
    trial: dict[Cell, Sums] = {("a", ""): (4.0, 3.0), ("b", ""): (1.0, 0.0)}
    own = type(metric).aggregate is not Metric.aggregate
    if own and abs(metric.aggregate(trial).get("value", 0.0) - plain_mean(trial)["value"]) > 1e-9:
        raise UsageError(
            f"{metric.id} has a mean of its own",
            why="mean=TAG averages metrics that are plain means over the groups of a tag",
            fix=f"{metric.id} without mean={tag}",
        )
    return MeanOver(
        metric=metric,
        tag=tag,
        id=identity,
        version=metric.version,
        upstream="",
        title=f"{metric.title}; the mean over groups of {tag}",
    )
