"""Small data in exactly the layouts in which the benchmarks are published, for the tests in this folder."""

from __future__ import annotations

import base64
import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eyechart.benchmarks import Benchmark
from eyechart.records import Sample


def jpeg(colour: tuple[int, int, int] = (200, 30, 30), size: tuple[int, int] = (32, 24)) -> bytes:
    """A real JPEG of one colour."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "JPEG")
    return file.getvalue()


def vqa_lists(n: int = 6, split: str = "val2014") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Questions and annotations with the fields of the official files; two questions on each picture."""
    said = ["Is it red?", "What color is it?", "How many are there?", "Where is it?"]
    golds = ["yes", "red", "2", "here"]
    questions, annotations = [], []
    for number in range(n):
        image = 100 + number // 2
        identity = image * 1000 + number % 2
        question = {"image_id": image, "question": said[number % 4], "question_id": identity, "coco_split": split}
        questions.append(question)
        humans = [golds[number % 4]] * 8 + ["other", "else"]
        annotations.append(
            {
                "question_type": ["is it", "what color", "how many", "where"][number % 4],
                "multiple_choice_answer": golds[number % 4],
                "answers": [
                    {"answer": said_, "answer_confidence": "yes", "answer_id": place}
                    for place, said_ in enumerate(humans, 1)
                ],
                "image_id": image,
                "answer_type": ["yes/no", "other", "number", "other"][number % 4],
                "question_id": identity,
                "coco_split": split,
            }
        )
    return questions, annotations


def write_coco_pictures(folder: Path, images: Sequence[int], split: str = "val2014") -> None:
    """COCO's file names: the number on twelve places."""
    folder.mkdir(parents=True, exist_ok=True)
    for image in images:
        (folder / f"COCO_{split}_{image:012d}.jpg").write_bytes(jpeg((image % 255, 10, 10)))


def write_parquet(path: Path, rows: list[dict[str, Any]], *, group: int = 4) -> None:
    """A parquet file with picture structs, several row groups long."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)


def spatial_rows(mode: str = "vqa") -> list[dict[str, Any]]:
    """SpatialEval's columns: no task column, pictures as structs, none at all in the text-only set."""
    rows = []
    for task in ("spatialmap", "mazenav", "spatialgrid", "spatialreal"):
        for scene in range(2):
            for number in range(3 if task != "spatialreal" else 1):
                row = {
                    "id": f"{task}.{mode}.{scene}.{number}",
                    "text": f"Consider {task}.\nAvailable options:\nA. North\nB. South\nC. East\nD. West.",
                    "oracle_answer": "North",
                    "oracle_option": "A",
                    "oracle_full_answer": "A. North",
                }
                if mode != "tqa":
                    row["image"] = {"bytes": jpeg((scene, 5, 5)), "path": f"{task}_{scene}.png"}
                rows.append(row)
    return rows


def mmsi_rows() -> list[dict[str, Any]]:
    """MMSI-Bench's columns, pictures as lists of bytes, the categories' dashes as published."""
    kinds = ["Attribute (Appr.)", "Motion (Cam.)", "MSR", "Positional Relationship (Cam.–Obj.)", "Attribute (Meas.)"]
    return [
        {
            "id": number,
            "images": [jpeg((number, 0, 0)), jpeg((0, number, 0))],
            "question_type": kinds[number % len(kinds)],
            "question": "  Which way? Options: A: left, B: right, C: up, D: down ",
            "answer": "ABCD"[number % 4],
            "thought": "first look left",
        }
        for number in range(10)
    ]


def vsi_rows() -> list[dict[str, Any]]:
    """VSI-Bench's columns; options are a list, or null where a number is asked for."""
    return [
        {
            "id": number,
            "dataset": "scannet",
            "scene_name": f"scene{number // 2:04d}_00",
            "question_type": "object_counting" if number % 2 else "object_rel_distance",
            "question": "How many chairs?" if number % 2 else "Which is closest?",
            "ground_truth": "4" if number % 2 else "B",
            "options": None if number % 2 else ["A. sofa", "B. lamp", "C. bed", "D. door"],
            "pruned": number >= 4,
        }
        for number in range(6)
    ]


def samples(benchmark: Benchmark) -> list[Sample]:
    """All questions with their pictures."""
    return [benchmark.source.fetch(entry) for entry in benchmark.source.index().entries]


def write_video(path: Path, frames: int = 8) -> None:
    """A real mp4."""
    import av
    import numpy as np

    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=8)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "yuv420p"
        for number in range(frames):
            picture = np.full((24, 32, 3), number * 20, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


def write_kit_tsv(path: Path) -> None:
    """A VLMEvalKit TSV: base64, a list of pictures, a reference to another row, circular rows, gaps for options."""
    red, blue = (base64.b64encode(jpeg(colour)).decode() for colour in ((200, 0, 0), (0, 0, 200)))
    columns = ["index", "image", "question", "hint", "A", "B", "C", "D", "answer", "category", "l2-category", "split"]
    rows = [
        ["1", red, "What colour?", "", "red", "blue", "green", "", "A", "colour", "attribute", "dev"],
        [
            "2",
            str([red, blue]),
            "Which differs?",
            "Look twice.",
            "first",
            "second",
            "",
            "",
            "B",
            "pair",
            "compare",
            "dev",
        ],
        ["3", "1", 'Say "red"?', "", "yes", "no", "", "", "A", "colour", "attribute", "dev"],
        ["1000001", "1", "What colour?", "", "green", "red", "blue", "", "B", "colour", "attribute", "dev"],
        ["9", "", "No picture at all", "", "yes", "no", "", "", "A", "colour", "attribute", "dev"],
    ]
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter="\t").writerows([columns, *rows])


def real_data() -> Path:
    """The folder of real data, or a skip."""
    folder = Path(os.environ.get("EYECHART_SHARED_DATA") or Path(__file__).parents[3] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("the folder of real data is not here")
    return folder
