"""Memory from 1,000 to 200,000 questions: what a run takes beyond its smallest self, per question.

    python bench/memory.py [--most 200000]

Each size runs in a process of its own, on the bundled benchmark with a baseline that does not look, so that what is
measured is the loop, the journal and the marking. Prints peak memory after asking and after marking.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path


def peak_mb() -> float:
    """The most memory that this process has had."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


def run(questions: int) -> None:
    """One run, in this process; prints its peaks as JSON."""
    from eyechart.runner.finish import finish
    from eyechart.runner.session import ask
    from eyechart.runner.settle import settle
    from eyechart.runner.spec import RunSpec
    from eyechart.runner.watch import Watch

    with tempfile.TemporaryDirectory() as folder:
        options = {"n": str(questions)}
        spec = RunSpec(benchmark="starter", model="baseline:constant=yes", benchmark_options=options, runs=Path(folder))
        settled = settle(spec)
        asked = ask(settled, Watch())
        after_asking = peak_mb()
        finish(settled, asked.folder)
        print(json.dumps([after_asking, peak_mb()]))


def main() -> None:
    """Measure every size and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=200_000)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        run(arguments.one)
        return
    print(f"{'questions':>10}  {'asking MB':>9}  {'kB each':>8}  {'marking MB':>10}  {'kB each':>8}")
    base: list[float] = []
    for questions in (n for n in (1_000, 10_000, 50_000, 200_000) if n <= arguments.most):
        command = [sys.executable, __file__, "--one", str(questions)]
        asking, marking = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        base = base or [asking, marking]
        more = max(1, questions - 1_000)
        each = [1000 * (used - least) / more for used, least in zip((asking, marking), base, strict=True)]
        print(f"{questions:>10,}  {asking:>9.0f}  {each[0]:>8.2f}  {marking:>10.0f}  {each[1]:>8.2f}")


if __name__ == "__main__":
    main()
