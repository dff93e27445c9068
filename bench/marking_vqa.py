"""Marking VQA v2 at val scale: from the official JSON files to all official tables, as a ratio to reading the files.

    python bench/marking_vqa.py [--questions 214354] [--rounds 3] [--folder DIR] [--metric vqa_accuracy ...]

The named reference is `json.load` of the same three files, measured in turn in the same run, each time in a process of
its own. The other side is the command `eyechart score … --json`. Both are whole processes, start-up included. Held:
time at most 0.4 of the reference, peak memory at most 300 MB, and the same digits as marking question by question.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import vqa_files

WRITING = """
import sys
from pathlib import Path
import vqa_files
vqa_files.write_files(Path(sys.argv[1]), questions=int(sys.argv[2]))
"""

REFERENCE = """
import json, sys
documents = []
for path in sys.argv[1:4]:
    with open(path) as file:
        documents.append(json.load(file))
"""

MARKING = """
import sys
from eyechart.cli.main import main
questions, annotations, results, *metrics = sys.argv[1:]
further = [word for metric in metrics for word in ("--metric", metric)]
files = ["--questions", questions, "--annotations", annotations, "--predictions", results]
sys.exit(main(["score", "vqav2:val", *files, *further, "--json"]))
"""


def timed(code: str, *arguments: str) -> tuple[float, float, float, str]:
    """Run Python code in a process of its own: seconds on the clock, seconds of processor, peak MB, its output."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=printed)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        printed.seek(0)
        output = printed.read()
    if status:
        raise SystemExit(f"the measured process ended with status {status}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3), output


def slowly(paths: tuple[Path, Path, Path], metric: str, every: int) -> bool:
    """Whether marking question by question gives the same values, bit by bit (every n-th question)."""
    from eyechart.marking.matching import Predictions
    from eyechart.marking.vqa_files import mark_vqa_files
    from eyechart.metrics import get_metric
    from eyechart.records import Sample

    rows, marker = json.loads(paths[2].read_text()), get_metric(metric)
    predictions = Predictions({row["question_id"]: row["answer"] for row in rows})
    values = mark_vqa_files(paths[1], predictions, [marker]).tallies[0].sums
    annotations = json.loads(paths[1].read_text())["annotations"]
    for place in range(0, len(annotations), every):
        annotation = annotations[place]
        sample = Sample(
            id="",
            references=tuple(human["answer"] for human in annotation["answers"]),
            tags={"multiple_choice_answer": annotation["multiple_choice_answer"]},
        )
        if marker.score(sample, predictions.answers[annotation["question_id"]]).value != values[place]:
            return False
    return True


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--questions", type=int, default=vqa_files.VAL_SCALE)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keep the generated files here")
    parser.add_argument("--metric", action="append", help="the headline alone by default")
    given = parser.parse_args()
    metrics = given.metric or ["vqa_accuracy"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        names = ("questions.json", "annotations.json", "results.json")
        paths = folder / names[0], folder / names[1], folder / names[2]
        if not all(path.exists() for path in paths):
            # By a process of its own: what is started later would be counted with the memory that this one once held.
            environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
            command = [sys.executable, "-c", WRITING, str(folder), str(given.questions)]
            subprocess.run(command, env=environment, check=True)
        arguments = [str(path) for path in paths]
        rounds = [(timed(REFERENCE, *arguments), timed(MARKING, *arguments, *metrics)) for _ in range(given.rounds)]
        for reference, marking in rounds:
            print(
                f"json.load {reference[0]:.2f} s (processor {reference[1]:.2f}), marking {marking[0]:.2f} s "
                f"(processor {marking[1]:.2f}), peak {marking[2]:.0f} MB"
            )
        clock = min(marking[0] for _, marking in rounds) / min(reference[0] for reference, _ in rounds)
        processor = min(marking[1] for _, marking in rounds) / min(reference[1] for reference, _ in rounds)
        peak = max(marking[2] for _, marking in rounds)
        result = json.loads(rounds[0][1][3])["metrics"][metrics[0]]
        print(f"ratio to json.load: {clock:.2f} on the clock, {processor:.2f} of processor time (hold 0.40)")
        print(f"peak memory: {peak:.0f} MB (hold 300)")
        same = slowly(paths, metrics[0], every=7)
        print(f"{metrics[0]} {result['printed']} over {result['n']} questions; same digits one by one: {same}")


if __name__ == "__main__":
    main()
