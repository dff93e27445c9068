"""TDIUC: twelve types of questions about photos, each type counted alike, rare answers too."""

from __future__ import annotations

from eyechart.benchmarks.base import Benchmark
from eyechart.benchmarks.coco import Coco, sample_from_row
from eyechart.benchmarks.options import but_not, choose
from eyechart.records import Sampling
from eyechart.sources.place import Place

__all__ = ["sample_from_row", "tdiuc"]

_HOME = "https://kushalkafle.com/projects/tdiuc.html"
_COLUMNS = ("question_id", "image_id", "question", "answers", "question_type")


def tdiuc(part: str = "", *, data: str = "", questions: str = "", annotations: str = "", images: str = "") -> Benchmark:
    """TDIUC's validation split; `data`, or `questions`, `annotations` and `images`, name local files."""
    split = choose("part of benchmark tdiuc", part, ("val", "train"), "val")
    place = Place(
        benchmark="tdiuc",
        data=data,
        layouts=((f"*{split}2014_questions.json*", f"*{split}2014_annotations.json*"),),
        questions=538_868 if split == "val" else 1_115_299,
        by_hand=f"download TDIUC.zip from {_HOME} and unpack it",
    )
    coco = Coco(place, split=f"{split}2014", questions=questions, annotations=annotations, images=images)
    return Benchmark(
        name="tdiuc",
        part=but_not("val", part),
        title=f"TDIUC, {split}",
        about="Twelve types of questions about photos, from presence to absurdity; types count alike, not questions.",
        source=coco.source(sample_from_row, columns=_COLUMNS),
        metrics=("mpt_arithmetic", "mpt_harmonic", "nmpt_arithmetic", "nmpt_harmonic", "accuracy"),
        official=5,
        style="short.v1",
        groups=("question_type",),
        sampling=Sampling(temperature=0.0, max_tokens=16),
        size="538,868 questions, photos of COCO and Visual Genome",
        licence="see the terms at its home page",
        home=_HOME,
    )
