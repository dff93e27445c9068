"""How well the model in the box sees: accuracy per kind of question on fresh pictures, with and without them.

    python bench/tiny.py [--pictures 2000] [--card docs/models/tiny.md]

The pictures come from seeds that training cannot have met (its seeds are words, the benchmark's are numbers). Beside
the finished model and the early one stand what the finished one says without pictures (blind), with another question's
pictures (shuffled), and the best constant: of each type of question the one answer that would have scored most.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import eyechart
from eyechart.metrics import get_metric
from eyechart.records import Sample
from eyechart.report.verdict import points
from eyechart.sources.starter.page import SCHEDULE
from eyechart.sources.starter.source import StarterSource

SEED = 20_261_119  # any number will do
ASKED = (("builtin/tiny", ""), ("builtin/tiny-early", ""), ("builtin/tiny", "blind"), ("builtin/tiny", "shuffled"))
FIGURES = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- /figures -->)", re.DOTALL)


def questions_about(pictures: int) -> int:
    """So many questions of the bundled benchmark share so many pictures."""
    each_round = sum(2 if setting == "pair" else 1 for setting, _ in SCHEDULE)
    return pictures * sum(len(subjects) for _, subjects in SCHEDULE) // each_round


def best_constants(count: int) -> dict[str, str]:
    """For every question the answer that scores most when it is given to all questions of its type."""
    source, metric = StarterSource(seed=SEED, count=count), get_metric("starter")
    by_type: dict[str, list[Sample]] = defaultdict(list)
    for entry in source.index().entries:
        by_type[entry.stratum].append(source.fetch(entry, media=False))
    answers = {}
    for samples in by_type.values():
        candidates = sorted({reference for sample in samples for reference in sample.references})
        best = max(candidates, key=lambda said: sum(metric.score(sample, said).value for sample in samples))
        answers.update({sample.id: best for sample in samples})
    return answers


def main() -> None:
    """Ask everybody, print the table and how far the blind answers are from the constant ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=2000)
    parser.add_argument("--card", type=Path, help="write the figures into this page too")
    arguments = parser.parse_args()
    options = {"n": questions_about(arguments.pictures), "seed": SEED}
    with tempfile.TemporaryDirectory() as folder:
        constant = Path(folder) / "constant.jsonl"
        best = best_constants(options["n"])
        constant.write_text("".join(json.dumps({"id": name, "answer": said}) + "\n" for name, said in best.items()))
        runs = []
        for model, control in (*ASKED, (f"replay:{constant}", "")):
            began = time.perf_counter()
            runs.append(eyechart.run("starter", model, options=options, control=control, runs=folder))
            each = 1000 * (time.perf_counter() - began) / options["n"]
            print(f"{model} {control}: {options['n']:,} questions, {each:.1f} ms each, drawing and marking included")
        figures = f"{arguments.pictures:,} pictures, {options['n']:,} questions, seed {SEED}:\n\n{table(runs)}\n"
        apart = eyechart.compare(runs[2], runs[4], across=("control",))
        low, high = apart.interval
        figures += (
            f"\nBlind minus the best constants: {points(apart.difference)} [{points(low)}, {points(high)}] points.\n"
        )
    print(f"\n{figures}")
    if arguments.card:
        page = arguments.card.read_text()
        arguments.card.write_text(FIGURES.sub(lambda _: f"\n{figures}\n", page))


def table(runs: list[eyechart.Run]) -> str:
    """One line a question type: n, then everybody's score with half the width of its interval."""
    lines = ["| question | n | tiny | tiny-early | blind | shuffled | best constant |", "|---|--:|--:|--:|--:|--:|--:|"]
    results = [run.document.result for run in runs]
    groups = [result.by["question_type"] for result in results]
    for name, first in groups[0].items():
        lines.append(f"| {name} | {first.n:,} | {' | '.join(shown(group[name]) for group in groups)} |")
    lines.append(f"| **overall** | {results[0].n:,} | {' | '.join(shown(result) for result in results)} |")
    return "\n".join(lines)


def shown(result: object) -> str:
    """A score in points, and how far its interval reaches."""
    low, high = result.ci
    return f"{100 * result.value:.1f} ± {50 * (high - low):.1f}"


if __name__ == "__main__":
    main()
