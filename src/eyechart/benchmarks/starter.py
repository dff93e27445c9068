"""`starter`: questions about pictures that the program draws itself, with the truth known by construction.

No download, no licence to read, nothing that a model can have been trained on: another seed draws other pictures.
`starter:count` asks one kind only; `n` and `seed` choose how many questions and which. `starter:map`, `starter:maze`
and `starter:grid` are SpatialEval's tasks on drawn scenes; the whole does not hold them.
"""

from __future__ import annotations

from eyechart.benchmarks.base import Benchmark
from eyechart.errors import UsageError
from eyechart.records import Sampling
from eyechart.registry import unknown
from eyechart.sources.starter import GENERATOR, KINDS, StarterSource

DEFAULT_QUESTIONS = 120
SPATIAL = ("map", "maze", "grid")  # drawn by a generator of their own, each as text, as a picture or as both


def starter(part: str = "", *, n: str = str(DEFAULT_QUESTIONS), seed: str = "0") -> Benchmark:
    """The bundled benchmark, or one kind of its questions."""
    count = _whole("n", n, least=1)
    family, _, mode = part.partition(":")
    if family in SPATIAL:
        from eyechart.benchmarks.starter_spatial import spatial

        return spatial(family, mode, count=count, seed=_whole("seed", seed, least=0))
    if part and part not in KINDS:
        raise unknown("part of benchmark starter", part, [*KINDS, *SPATIAL])
    return Benchmark(
        name="starter",
        part=part,
        title="Starter: shapes drawn from a seed",
        about="Existence, colour, shape, number, relation, size, estimates and change, on drawn pictures.",
        source=StarterSource(seed=_whole("seed", seed, least=0), count=count, kind=part),
        metrics=("starter",),
        style="short.v1",
        groups=("kind", "question_type", "answer_type"),
        sampling=Sampling(temperature=0.0, max_tokens=32),
        size=f"{count:,} questions, drawn as they are asked",
        licence="Apache-2.0",
        home=f"generator {GENERATOR}",
    )


def _whole(option: str, text: str, *, least: int) -> int:
    """An option that has to be a whole number."""
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise UsageError(
            f"starter: {option}={text!r} is not a whole number from {least} on",
            why="seeds and numbers of questions are counted",
            fix=f"{option}={least}",
        )
    return int(text)
