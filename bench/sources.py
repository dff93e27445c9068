"""What it costs to open the data: a VQA split of official size against `json.load`, pictures out of parquet.

    python bench/sources.py [--questions 214354]

Prints ratios to a reference measured in the same run. Nothing is held but an index; that is measured too.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from eyechart.benchmarks import get_benchmark

WORDS = ("yes", "no", "red", "2", "on the table", "blue", "man", "tennis racket")


def write_vqa(folder: Path, n: int) -> None:
    """Questions and annotations with the official fields."""
    chance = random.Random(0)
    questions, annotations = [], []
    for number in range(n):
        image = chance.randrange(max(1, n // 5))
        shared = {"image_id": image, "question_id": number}
        questions.append({**shared, "question": f"What is the {chance.choice(WORDS)} thing doing in the picture?"})
        humans = [
            {"answer": chance.choice(WORDS), "answer_confidence": "yes", "answer_id": place} for place in range(1, 11)
        ]
        gold = {"multiple_choice_answer": chance.choice(WORDS), "question_type": "what is the", "answer_type": "other"}
        annotations.append({**shared, **gold, "answers": humans})
    (folder / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": questions}))
    (folder / "v2_mscoco_val2014_annotations.json").write_text(json.dumps({"annotations": annotations}))


def write_pictures(path: Path, n: int, group: int) -> None:
    """Rows with pictures of 300 kB."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    chance = random.Random(1)
    fields = ("oracle_answer", "oracle_option", "oracle_full_answer", "text")
    rows = [
        {
            "id": f"mazenav.vqa.{number}.0",
            **dict.fromkeys(fields, "A"),
            "image": {"bytes": chance.randbytes(300_000), "path": None},
        }
        for number in range(n)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)


def anonymous_mb() -> float:
    """Memory of this process that is no mapped file."""
    for line in io.StringIO(Path("/proc/self/smaps_rollup").read_text()):
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) / 1024
    return 0.0


def vqa(folder: Path) -> None:
    """The index of a split."""
    benchmark = get_benchmark("vqav2", {"data": str(folder)})
    before, start = anonymous_mb(), time.perf_counter()
    index = benchmark.source.index()
    took = time.perf_counter() - start
    held = (anonymous_mb() - before) * 2**20 / len(index.entries)
    start = time.perf_counter()
    for path in sorted(folder.glob("*.json")):
        json.loads(path.read_bytes())
    reference = time.perf_counter() - start
    print(
        f"index of {len(index.entries):,} questions with ten answers: {took / reference:.2f} × json.load of the files"
    )
    print(f"held in memory: {held:.0f} bytes a question (at most 500 wanted)")


def parquet(folder: Path) -> None:
    """The first question and all questions of a parquet file with pictures."""
    start = time.perf_counter()
    benchmark = get_benchmark("spatialeval:vqa", {"data": str(folder)})
    index = benchmark.source.index()
    n = len(index.entries)
    benchmark.source.fetch(index.entries[n // 2])
    first = time.perf_counter() - start
    before, most, took = anonymous_mb(), 0.0, 0.0
    for place in range(0, n, 50):
        start = time.perf_counter()
        for entry in index.entries[place : place + 50]:
            benchmark.source.fetch(entry)
        took += time.perf_counter() - start
        most = max(most, anonymous_mb())
    size = (folder / "vqa.parquet").stat().st_size / 2**20
    print(f"{n:,} rows with pictures ({size:.0f} MB): first question after {first:.2f} s (under 1 wanted)")
    print(f"all questions: {took / n * 1e3:.2f} ms each, memory grew by {max(0.0, most - before):.0f} MB")


def main() -> None:
    """Each measured in a process of its own, so that making the files leaves nothing in its memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=214_354)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--measure", choices=("vqa", "parquet"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        {"vqa": vqa, "parquet": parquet}[options.measure](options.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        write_vqa(Path(folder), options.questions)
        measured("vqa", folder)
    for group, words in ((100, "row groups of 100, as the hub writes them"), (options.rows, "all in one row group")):
        with tempfile.TemporaryDirectory() as folder:
            write_pictures(Path(folder) / "vqa.parquet", options.rows, group)
            print(f"-- {words}", flush=True)
            measured("parquet", folder)


def measured(what: str, folder: str) -> None:
    """One measurement in a fresh process."""
    subprocess.run([sys.executable, __file__, "--measure", what, "--folder", folder], check=True)


if __name__ == "__main__":
    main()
