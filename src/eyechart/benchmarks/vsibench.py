"""VSI-Bench: sizes, distances, numbers, directions, routes and order, asked about videos of rooms.

`vsibench` is the full set; `vsibench:debiased` leaves out the questions that can be guessed without the video,
`vsibench:pruned` is just those.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from eyechart.benchmarks.base import Benchmark, MediaRule
from eyechart.benchmarks.options import but_not, choose, whole_number
from eyechart.errors import InputError, UsageError
from eyechart.records import Media, Sample, Sampling
from eyechart.sources.media_files import MediaFiles, folder_or
from eyechart.sources.place import Place, Published
from eyechart.sources.rows import Row, lettered, text, texts
from eyechart.sources.table import open_table
from eyechart.sources.tabular import RowOf, TableSource

COLUMNS = ("id", "scene_name", "question_type", "question", "ground_truth", "options")
METRICS = ("vsi_binary", "mra", "mra_strict", "mra_inclusive")
FILES = {
    "full": (("test_debiased.parquet", "test_pruned.parquet"), ("test-*.parquet",), ("test.jsonl",)),
    "debiased": (("test_debiased.parquet",),),
    "pruned": (("test_pruned.parquet",),),
}


def sample_from_row(row: Row) -> Sample:
    """One published row: a question with a letter or a number for an answer."""
    return Sample(
        id=text(row, "id"),
        question=text(row, "question", ""),
        choices=lettered(texts(row.get("options"))),
        references=(text(row, "ground_truth"),),
        tags={"question_type": text(row, "question_type"), "dataset": text(row, "dataset", "")},
        cluster=text(row, "scene_name", ""),
    )


def vsibench(
    part: str = "",
    *,
    data: str = "",
    media: str = "",
    frames: str = "32",
    fps: str = "",
    reader: str = "",
    revision: str = "main",
) -> Benchmark:
    """VSI-Bench or a part of it; `data` and `media` name local files, `frames` (a number, or `native` for the video
    itself) or `fps` how a video is shown, `reader` how answers are read out of replies (`robust` for JSON and
    sentences)."""
    rule = video_rule(frames, fps)
    files = FILES[choose("part of benchmark vsibench", part, FILES, "full")]
    published = Published(
        repo="nyu-visionx/VSI-Bench", layouts=files, media=("*.zip",), revision=revision, size="5.5 GB", small=True
    )
    whole = part in ("", "full")
    place = Place(
        benchmark=f"vsibench:{part}" if part else "vsibench",
        published=published,
        data=data,
        layouts=(("*.csv",),) if whole else (),
        questions=5130 if whole else None,
    )
    videos = MediaFiles("vsibench", folder_or(media, place.media_root), videos=True)

    def sample(row: Row) -> Sample:
        published_sample = sample_from_row(row)
        refuse_answer_without_option(published_sample)
        if rule.frames is None:  # how many there will be is not known before the video is opened
            return published_sample
        # One prompt style says how many frames there are: a tag is where a style can read it.
        return msgspec.structs.replace(published_sample, tags={**published_sample.tags, "frames": frames})

    def video(row: Row, _sample: Sample, _row_of: RowOf) -> tuple[Media, ...]:
        name = f"{text(row, 'dataset')}/{text(row, 'scene_name')}.mp4"
        return (Media(name=name, kind="video", path=videos.find(name, f"videos/{name}", Path(name).name)),)

    return Benchmark(
        name="vsibench",
        part=but_not("full", part),
        title="VSI-Bench: spatial intelligence from videos of rooms",
        about="Ten kinds of questions about space, asked of 288 videos; answers are letters and numbers.",
        source=TableSource(
            lambda: open_table(place.files()),
            sample=sample,
            media=video,
            columns=COLUMNS,
            stratum="question_type",
            place=place,
        ),
        metrics=(f"vsi[reader={reader}]" if reader else "vsi", *METRICS),
        style="vsibench.v1",
        groups=("question_type", "dataset"),
        sampling=Sampling(temperature=0.0, max_tokens=16),
        media=rule,
        modality="video",
        size="5,130 questions, 288 videos, 5.5 GB",
        licence="Apache-2.0",
        home=published.home,
        cluster="scene",
    )


def refuse_answer_without_option(sample: Sample) -> None:
    """A gold letter that no option has: no model could be right."""
    gold = sample.references[0]
    if sample.choices and gold not in sample.choices:
        raise InputError(
            f"the answer {gold!r} is not among the options", why=f"their letters are {', '.join(sample.choices)}"
        )


def video_rule(frames: str, fps: str) -> MediaRule:
    """How a video is sampled."""
    if fps:
        try:
            return MediaRule(fps=float(fps))
        except ValueError:
            raise UsageError(f"fps={fps!r} is not a number", fix="fps=1") from None
    return MediaRule(native=True) if frames == "native" else MediaRule(frames=whole_number("frames", frames))
