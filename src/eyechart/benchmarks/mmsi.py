"""MMSI-Bench: multiple choice about space across several pictures, in eleven categories.

`mmsi` asks all of it, `mmsi:attribute_appr` one category, both with the official prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from eyechart.benchmarks.base import Benchmark
from eyechart.benchmarks.options import choose
from eyechart.metrics.mmsi import published_category
from eyechart.records import Media, Sample, Sampling
from eyechart.sources.pictures import embedded
from eyechart.sources.place import Place, Published
from eyechart.sources.rows import Row, letter_at, text
from eyechart.sources.table import open_table
from eyechart.sources.tabular import RowOf, TableSource

COLUMNS = ("id", "question_type", "question", "answer")
CATEGORIES = {
    "cam_cam": "Positional Relationship (Cam.–Cam.)",
    "obj_obj": "Positional Relationship (Obj.–Obj.)",
    "reg_reg": "Positional Relationship (Reg.–Reg.)",
    "cam_obj": "Positional Relationship (Cam.–Obj.)",
    "obj_reg": "Positional Relationship (Obj.–Reg.)",
    "cam_reg": "Positional Relationship (Cam.–Reg.)",
    "attribute_meas": "Attribute (Meas.)",
    "attribute_appr": "Attribute (Appr.)",
    "motion_cam": "Motion (Cam.)",
    "motion_obj": "Motion (Obj.)",
    "msr": "MSR",
}
_OPTION = re.compile(r"(?:^|[\s,;])([A-F])\s*[:.]\s+")


def sample_from_row(row: Row) -> Sample:
    """One published row; its question text holds the options, which are read out of it for those who need them."""
    # The official prompt trims the question, so that nothing may stand around it here either.
    question = text(row, "question", "").strip()
    category = published_category(text(row, "question_type", ""))
    return Sample(
        id=text(row, "id"),
        question=question,
        choices=options_in(question),
        references=(text(row, "answer").strip(),),
        tags={"category": category, "question_type": category},
        cluster=text(row, "id"),
    )


def options_in(question: str) -> Mapping[str, str]:
    """The options of "… Options: A: left, B: right": what stands between one letter and the next."""
    pieces = _OPTION.split(question.rpartition("Options:")[2] if "Options:" in question else "")
    letters, words = pieces[1::2], pieces[2::2]
    if not letters or letters != [letter_at(place) for place in range(len(letters))]:
        return {}
    return {letter: said.strip().rstrip(",;").strip() for letter, said in zip(letters, words, strict=True)}


def mmsi(part: str = "", *, data: str = "", revision: str = "main") -> Benchmark:
    """MMSI-Bench, or one of its categories."""
    choose("part of benchmark mmsi", part, CATEGORIES, "all")
    return categories("mmsi", (part,) if part else tuple(CATEGORIES), part=part, data=data, revision=revision)


def categories(
    name: str,
    wanted: Sequence[str],
    *,
    part: str = "",
    style: str = "mmsi.v1",
    method: str = "direct",
    data: str = "",
    revision: str = "main",
    title: str = "",
    note: str = "",
) -> Benchmark:
    """Some categories as a benchmark with a name of its own."""
    published = Published(repo="RunsenXu/MMSI-Bench", layouts=(("*.parquet",),), revision=revision, size="about 0.9 GB")
    whole = len(wanted) == len(CATEGORIES)
    place = Place(benchmark=name, shelf="mmsi", published=published, data=data, questions=1000 if whole else None)
    titles = [CATEGORIES[key] for key in wanted]
    return Benchmark(
        name=name,
        part=part,
        title=title or ("MMSI-Bench" if whole else f"MMSI-Bench: {', '.join(titles)}"),
        about="Questions that need two or more pictures of a place: position, attribute, motion, several steps.",
        source=TableSource(
            lambda: open_table(place.files()),
            sample=sample_from_row,
            media=_pictures,
            columns=COLUMNS,
            keep=None if whole else lambda row: published_category(text(row, "question_type", "")) in titles,
            stratum="category",
            place=place,
        ),
        metrics=("mmsi", "mmsi[lmms_head=true]"),
        style=style,
        groups=("category",),
        sampling=Sampling(temperature=0.0, max_tokens=2048),
        method=method,
        modality="images",
        size=f"{'1,000' if whole else 'part of 1,000'} questions, {published.size}",
        licence="CC BY-NC 4.0",
        home=published.home,
        cluster="question",
        note=note,
    )


def _pictures(row: Row, sample: Sample, _row_of: RowOf) -> tuple[Media, ...]:
    return embedded(row.get("images"), f"mmsi-{sample.id}")
