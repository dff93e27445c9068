"""Which metrics are marked: the headline always, the others where that is cheap or asked for."""

from __future__ import annotations

from collections.abc import Sequence

from eyechart.benchmarks.base import Benchmark
from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.metrics.macro import MeanOver
from eyechart.registry import unknown

# Up to so many questions all scorers of a benchmark are marked at once; above, those that its official program prints.
ALL_UP_TO = 20_000


def choose_metrics(benchmark: Benchmark, wanted: Sequence[str], questions: int) -> list[Metric]:
    """The headline first, then the benchmark's others, then what was asked for (`all`: whatever it costs)."""
    everything = "all" in wanted or questions <= ALL_UP_TO
    names = list(benchmark.metrics if everything else benchmark.metrics[: benchmark.official])
    names += [name for name in wanted if name != "all"]
    chosen = [get_metric(name) for name in dict.fromkeys(names)]
    for metric in chosen:
        if isinstance(metric, MeanOver):
            refuse_unknown_tag(benchmark, metric.tag)
    return list({metric.id: metric for metric in chosen}.values())


def refuse_unknown_tag(benchmark: Benchmark, tag: str) -> None:
    """A tag that no question has makes one group of all: its mean would pass for one over groups."""
    if tag in benchmark.groups:
        return
    tags = set(benchmark.groups)
    for entry in benchmark.source.index().entries[:1]:
        tags.update(benchmark.source.fetch(entry, media=False).tags)
    if tag not in tags:
        raise unknown("tag", tag, sorted(tags))


def split_metrics(word: str) -> list[str]:
    """`a,b[x=1,y=2]` as two metrics: commas in brackets belong to their metric."""
    parts, depth, current = [], 0, ""
    for character in word:
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part.strip() for part in (*parts, current) if part.strip()]
