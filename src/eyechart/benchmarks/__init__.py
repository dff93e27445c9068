"""What is asked: one small file per benchmark, named here, imported when asked for.

A factory takes the part (what follows the first colon of `name:part`) and options as strings, and returns a Benchmark.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from eyechart.benchmarks.base import Benchmark, MediaRule
from eyechart.records import Sample
from eyechart.registry import Registry, check_options, load
from eyechart.sources.rows import Row

__all__ = ["BENCHMARKS", "Benchmark", "MediaRule", "get_benchmark", "row_reader"]

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
        "mmsi_attribute_appr": "eyechart.benchmarks.mmsi_tasks:mmsi_attribute_appr",
        "mmsi_attribute_meas": "eyechart.benchmarks.mmsi_tasks:mmsi_attribute_meas",
        "mmsi_motion_obj": "eyechart.benchmarks.mmsi_tasks:mmsi_motion_obj",
        "mmsi_motion_cam": "eyechart.benchmarks.mmsi_tasks:mmsi_motion_cam",
        "mmsi_msr": "eyechart.benchmarks.mmsi_tasks:mmsi_msr",
        "mmsi_direct": "eyechart.benchmarks.mmsi_tasks:mmsi_direct",
        "mmsi_attribute_appr_visual_cot": "eyechart.benchmarks.mmsi_tasks:mmsi_attribute_appr_visual_cot",
        "mmsi_attribute_meas_visual_cot": "eyechart.benchmarks.mmsi_tasks:mmsi_attribute_meas_visual_cot",
        "mmsi_motion_obj_visual_cot": "eyechart.benchmarks.mmsi_tasks:mmsi_motion_obj_visual_cot",
        "mmsi_motion_cam_visual_cot": "eyechart.benchmarks.mmsi_tasks:mmsi_motion_cam_visual_cot",
        "mmsi_msr_visual_cot": "eyechart.benchmarks.mmsi_tasks:mmsi_msr_visual_cot",
        "spatialeval": "eyechart.benchmarks.spatialeval:spatialeval",
    },
    group="eyechart.benchmarks",
    listing="eyechart ls",
)


# What a path to somebody's own data may end in, so that a missing file is a missing file and no unknown benchmark.
OWN_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".yaml", ".yml", ".gz")


def get_benchmark(name: str, options: Mapping[str, str] | None = None) -> Benchmark:
    """The benchmark that `starter`, `vsibench:debiased`, a file of questions or a YAML file names."""
    if is_path(name):
        factory, argument = load("eyechart.benchmarks.own:own"), name
    else:
        base, _, argument = name.partition(":")
        factory = BENCHMARKS.get(base)
    check_options(factory, f"option of benchmark {name}", options or {}, skip=1)
    benchmark: Benchmark = factory(argument, **(options or {}))
    # A factory that hands over to another benchmark (`mode=sample`) gives one that has its own options already.
    return benchmark if benchmark.options else replace(benchmark, options=dict(options or {}))


def is_path(name: str) -> bool:
    """Whether a name means a file or folder of the user's rather than a benchmark that we know."""
    if "/" in name or name.casefold().endswith(OWN_ENDINGS):
        return True
    return name.partition(":")[0] not in BENCHMARKS and Path(name).expanduser().exists()


def row_reader(name: str) -> Callable[[Row], Sample] | None:
    """What turns one published row of a benchmark into a sample; None for benchmarks that have no published rows."""
    factory = BENCHMARKS.get(name.partition(":")[0])
    module = sys.modules[getattr(factory, "func", factory).__module__]
    return getattr(module, "sample_from_row", None)
