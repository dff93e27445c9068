"""SpatialEval: maps, mazes, grids and photos, each put as text, as a picture, or as both.

`spatialeval:vqa:mazenav` is one modality and task, in any order; without a modality it is `vqa`, without a task all
four. The published rows have no task column: the task is the beginning of the id, as in the official program.
"""

from __future__ import annotations

import re

from eyechart.benchmarks.base import Benchmark
from eyechart.benchmarks.options import choose
from eyechart.records import Media, Sample, Sampling
from eyechart.sources.pictures import embedded
from eyechart.sources.place import Place, Published
from eyechart.sources.rows import Row, letter_at, text
from eyechart.sources.table import open_table
from eyechart.sources.tabular import RowOf, TableSource

COLUMNS = ("id", "oracle_answer", "oracle_option", "oracle_full_answer")
METRICS = ("spatialeval_seed", "spatialeval_official", "spatialeval_option")
MODES = ("tqa", "vqa", "vtqa")
TASKS = ("spatialmap", "mazenav", "spatialgrid", "spatialreal")
_SENTENCE = "First, provide a concise answer"
_OPTION = re.compile(r"^\s*([A-D])\.\s+(.+?)\s*$", re.MULTILINE)


def sample_from_row(row: Row) -> Sample:
    """One published row: `spatialmap.vqa.12.0` is the first question about the twelfth map."""
    identity = text(row, "id")
    question = text(row, "text", "")
    task, _, rest = identity.partition(".")
    mode, _, rest = rest.partition(".")
    scene, _, number = rest.partition(".")
    return Sample(
        id=identity,
        question=question,
        choices=options_in(question),
        references=(text(row, "oracle_answer", ""),),
        tags={
            "task": task,
            "mode": mode,
            "question": number,
            "sample_id": identity,
            "oracle_option": text(row, "oracle_option", ""),
            "oracle_full_answer": text(row, "oracle_full_answer", ""),
        }
        # One prompt style does not say it twice.
        | ({"asks_for": "sentence"} if _SENTENCE in question else {}),
        # The same map in another modality is still the same map.
        cluster=f"{task}.{scene}",
    )


def options_in(question: str) -> dict[str, str]:
    """The options that stand on lines of their own: "A. Northeast"; the full stop after the last ends the sentence."""
    found = _OPTION.findall(question)
    if not found or [letter for letter, _ in found] != [letter_at(place) for place in range(len(found))]:
        return {}
    (last, words), before = found[-1], found[:-1]
    if not any(text_.endswith(".") for _, text_ in before):
        words = words.removesuffix(".")
    return dict([*before, (last, words)])


def picture(row: Row, sample: Sample, _row_of: RowOf) -> tuple[Media, ...]:
    """The scene; the text-only rows have none, whatever column there is."""
    return embedded(row.get("image"), sample.cluster) if sample.tags["mode"] != "tqa" else ()


def spatialeval(part: str = "", *, mode: str = "", task: str = "", data: str = "", revision: str = "main") -> Benchmark:
    """SpatialEval in one modality, all tasks or one; `data` names a local copy."""
    named = bool(part or mode or task)
    for word in filter(None, part.split(":")):
        if word in MODES:
            mode = word
        else:
            task = choose("part of benchmark spatialeval", word, (*TASKS, "all", *MODES), "all")
    mode = choose("mode of benchmark spatialeval", mode, MODES, "vqa")
    task = choose("task of benchmark spatialeval", task, (*TASKS, "all"), "all")
    published = Published(
        repo="MilaWang/SpatialEval",
        layouts=((f"{mode}/test-*.parquet",),),
        revision=revision,
        size="2 MB" if mode == "tqa" else "about 0.6 GB",
        small=mode == "tqa",
    )
    place = Place(
        benchmark=f"spatialeval:{mode}",
        published=published,
        data=data,
        layouts=tuple((f"{mode}.{ending}",) for ending in ("parquet", "jsonl", "json", "csv", "tsv")),
        questions=4635 if task == "all" else None,
    )

    def belongs(row: Row) -> bool:
        return text(row, "id").startswith(f"{task}.")

    return Benchmark(
        name="spatialeval",
        part=":".join(filter(None, (mode, "" if task == "all" else task))) if named else "",
        title=f"SpatialEval, {mode}, {'all tasks' if task == 'all' else task}",
        about="Where things are on a map, in a maze, on a grid and in photos; as text, as a picture, or as both.",
        source=TableSource(
            lambda: open_table(place.files()),
            sample=sample_from_row,
            media=picture,
            columns=(*COLUMNS, "text"),
            keep=None if task == "all" else belongs,
            stratum="task",
            place=place,
        ),
        metrics=METRICS,
        style="spatialeval.v1",
        groups=("task", "question"),
        sampling=Sampling(temperature=0.0, max_tokens=512),
        modality="text" if mode == "tqa" else "image",
        size=f"4,635 questions, {published.size}" if task == "all" else f"part of 4,635 questions, {published.size}",
        licence="MIT",
        home=published.home,
        cluster="scene",
    )
