"""What is asked: one small file per benchmark, named here, imported when asked for.

A factory takes the part (what follows the first colon of `name:part`) and options as strings, and returns a Benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping

from eyechart.benchmarks.base import Benchmark, MediaRule
from eyechart.registry import Registry

__all__ = ["BENCHMARKS", "Benchmark", "MediaRule", "get_benchmark"]

BENCHMARKS = Registry(
    "benchmark",
    {
        "starter": "eyechart.benchmarks.starter:starter",
        "vqav2": "eyechart.benchmarks.vqav2:vqav2",
        "vqacp_v1": "eyechart.benchmarks.vqacp:vqacp_v1",
        "vqacp_v2": "eyechart.benchmarks.vqacp:vqacp_v2",
        "tdiuc": "eyechart.benchmarks.tdiuc:tdiuc",
        "vsibench": "eyechart.benchmarks.vsibench:vsibench",
        "mmsi": "eyechart.benchmarks.mmsi:mmsi",
        "spatialeval": "eyechart.benchmarks.spatialeval:spatialeval",
    },
    group="eyechart.benchmarks",
    listing="eyechart ls",
)


def get_benchmark(name: str, options: Mapping[str, str] | None = None) -> Benchmark:
    """The benchmark that `starter`, `starter:count` or `vsibench:debiased` names."""
    base, _, part = name.partition(":")
    benchmark: Benchmark = BENCHMARKS.get(base)(part, **(options or {}))
    return benchmark
