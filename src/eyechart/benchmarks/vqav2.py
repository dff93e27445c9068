"""VQA v2: short questions about COCO photos, each answered by ten people.

`vqav2` is the validation split, `vqav2:train` the training split; `vqav2:test-dev` and `vqav2:test` have no public
answers and are for submission, `vqav2:lite` is the 500-question subset of lmms-eval. Official JSON files and the hub's
parquet are both read.
"""

from __future__ import annotations

from typing import NamedTuple

from eyechart.benchmarks.base import Benchmark
from eyechart.benchmarks.coco import COLUMNS, Coco, sample_from_row
from eyechart.benchmarks.options import but_not, choose
from eyechart.records import Sampling
from eyechart.sources.place import Place, Published

__all__ = ["METRICS", "sample_from_row", "vqav2"]

METRICS = (
    "vqa_accuracy",
    "vqa_accuracy_normalised",
    "vqa_accuracy_pre2021",
    "vqa_exact",
    "vqa_contains",
    "vqa_enhanced",
)


class Split(NamedTuple):
    """One split: files of yours, files on the hub, where the pictures are, how many questions."""

    own: tuple[str, ...]
    on_hub: str
    pictures: str
    questions: int


def _split(coco: str, on_hub: str, questions: int, *, answered: bool = True) -> Split:
    """The official files of a split carry COCO's name for its pictures' folder, or for test-dev its own."""
    own = (f"*{coco}*questions.json*", f"*{coco}*annotations.json*")[: 2 if answered else 1]
    pictures = "test2015" if coco.startswith("test") else coco
    return Split(own=own, on_hub=on_hub, pictures=pictures, questions=questions)


PARTS = {
    "val": _split("val2014", "data/validation-*.parquet", 214_354),
    "train": _split("train2014", "data/train-*.parquet", 443_757),
    "test-dev": _split("test-dev2015", "data/testdev-*.parquet", 107_394, answered=False),
    "test": _split("test2015", "data/test-*.parquet", 447_793, answered=False),
    "lite": _split("val2014", "vqav2_val/lite-*.parquet", 500),
}


def vqav2(
    part: str = "",
    *,
    data: str = "",
    questions: str = "",
    annotations: str = "",
    images: str = "",
    mode: str = "coco",
    revision: str = "main",
) -> Benchmark:
    """VQA v2 or one of its splits; `data`, or `questions`, `annotations` and `images`, name local files."""
    if choose("mode of benchmark vqav2", mode, ("coco", "sample"), "coco") == "sample":
        from eyechart.benchmarks import get_benchmark

        return get_benchmark("starter", {"seed": "0"})
    split = choose("part of benchmark vqav2", part, PARTS, "val")
    own, on_hub, pictures, count = PARTS[split]
    repo = "lmms-lab/LMMs-Eval-Lite" if split == "lite" else "lmms-lab/VQAv2"
    published = Published(repo=repo, layouts=((on_hub,),), revision=revision, size="about 6.6 GB")
    place = Place(
        benchmark=f"vqav2:{split}",
        published=published,
        data=data,
        layouts=(own, ("questions.json*", "annotations.json*")[: len(own)], (on_hub.rpartition("/")[2],)),
        questions=count,
    )
    coco = Coco(place, split=pictures, questions=questions, annotations=annotations, images=images)
    answered = not split.startswith("test")
    return Benchmark(
        name="vqav2",
        part=but_not("val", part),
        title=f"VQA v2, {split}",
        about="Open questions about everyday photos; an answer counts by how many of ten people gave it.",
        source=coco.source(sample_from_row, columns=COLUMNS if answered else COLUMNS[:3]),
        metrics=METRICS,
        style="short.v1",
        groups=("answer_type", "question_type", "kind"),
        sampling=Sampling(temperature=0.0, max_tokens=16),
        size=f"{count:,} questions, {published.size}",
        licence="CC BY 4.0 (questions and answers); photos under Flickr's terms",
        home=published.home,
        note="" if answered else "answers are not public: `eyechart export RUN --as vqa-results` writes what to submit",
    )
