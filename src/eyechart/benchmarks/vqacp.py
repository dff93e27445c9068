"""VQA-CP v1 and v2: VQA with training and test answers that are distributed differently ("changing priors").

The test split is asked: its pictures come from both of COCO's 2014 folders, as each question says.
"""

from __future__ import annotations

from functools import partial

import msgspec

from eyechart.benchmarks import coco
from eyechart.benchmarks.base import Benchmark
from eyechart.benchmarks.coco import COLUMNS, Coco
from eyechart.benchmarks.options import but_not, choose
from eyechart.benchmarks.vqav2 import METRICS
from eyechart.records import Sample, Sampling
from eyechart.sources.place import Place
from eyechart.sources.rows import Row, text

__all__ = ["sample_from_row", "vqacp_v1", "vqacp_v2"]

_HOME = "https://www.iro.umontreal.ca/~agrawal/vqa-cp/"


def sample_from_row(row: Row) -> Sample:
    """One question with its annotation, and the split of COCO's that its picture is in."""
    sample = coco.sample_from_row(row)
    split = text(row, "coco_split", "")
    return msgspec.structs.replace(sample, tags={**sample.tags, "coco_split": split}) if split else sample


def vqacp(
    version: str,
    size: str,
    part: str = "",
    *,
    data: str = "",
    questions: str = "",
    annotations: str = "",
    images: str = "",
) -> Benchmark:
    """One of the two; `data`, or `questions`, `annotations` and `images`, name local files."""
    split = choose(f"part of benchmark vqacp_{version}", part, ("test", "train"), "test")
    name = f"vqacp_{version}"
    place = Place(
        benchmark=name,
        data=data,
        layouts=((f"*{name}_{split}_questions.json*", f"*{name}_{split}_annotations.json*"),),
        by_hand=f"download {name}_{split}_questions.json and {name}_{split}_annotations.json from {_HOME}",
    )
    files = Coco(place, split="val2014", questions=questions, annotations=annotations, images=images)
    return Benchmark(
        name=name,
        part=but_not("test", part),
        title=f"VQA-CP {version}, {split}",
        about="VQA under changing priors: the commonest training answer to a kind of question is rarely right here.",
        source=files.source(sample_from_row, columns=COLUMNS),
        metrics=METRICS,
        style="short.v1",
        groups=("answer_type", "question_type", "kind"),
        sampling=Sampling(temperature=0.0, max_tokens=16),
        size=f"{size}, COCO's 2014 photos",
        licence="CC BY 4.0 (questions and answers); photos under Flickr's terms",
        home=_HOME,
    )


vqacp_v1 = partial(vqacp, "v1", "about 125,000 questions")
vqacp_v2 = partial(vqacp, "v2", "219,928 questions")
