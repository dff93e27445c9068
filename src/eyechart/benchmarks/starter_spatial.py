"""`starter:map`, `starter:maze`, `starter:grid`: SpatialEval's three synthetic tasks on scenes drawn from a seed.

`starter:maze:tqa` puts the maze as text, `…:vqa` (the default) as a picture, `…:vtqa` as both. They are parts of their
own: `starter` without a part asks none of them.
"""

from __future__ import annotations

from functools import partial

from eyechart.benchmarks.base import Benchmark
from eyechart.benchmarks.options import choose
from eyechart.benchmarks.spatialeval import METRICS, picture, sample_from_row
from eyechart.records import Sampling
from eyechart.sources.starter.spatial import GENERATOR, MODES, SpatialTable
from eyechart.sources.tabular import TableSource


def spatial(family: str, mode: str, *, count: int, seed: int) -> Benchmark:
    """One family in one modality."""
    mode = choose(f"modality of starter:{family}", mode, MODES, "vqa")
    return Benchmark(
        name="starter",
        part=f"{family}:{mode}",
        title=f"Starter, {family}: {mode}",
        about="A map, a maze or a grid of animals drawn by the program, with SpatialEval's questions and answers.",
        source=TableSource(
            partial(SpatialTable, family, mode, seed=seed, count=count),
            sample=sample_from_row,
            media=picture,
            stratum="question",
        ),
        metrics=METRICS,
        style="spatialeval.v1",
        groups=("question",),
        sampling=Sampling(temperature=0.0, max_tokens=512),
        modality="text" if mode == "tqa" else "image",
        size=f"{count:,} questions, drawn as they are asked",
        licence="Apache-2.0",
        home=f"generator {GENERATOR}",
        cluster="scene",
    )
