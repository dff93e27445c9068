"""How long until the first word: `eyechart --help` and `eyechart ls` against a Python that imports argparse alone.

    python bench/start_up.py [--times 15]

Prints the median of each and the ratio to the bare interpreter in the same run.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

BARE = [sys.executable, "-c", "import argparse"]
EYECHART = [sys.executable, "-c", "import sys; from eyechart.cli.main import main; sys.exit(main())"]
COMMANDS = {"--help": ["--help"], "--version": ["--version"], "run --help": ["run", "--help"], "ls": ["ls"]}


def median_s(command: list[str], times: int) -> float:
    """The median wall time of a command."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=15)
    times = parser.parse_args().times
    bare = median_s(BARE, times)
    print(f"python -c 'import argparse'  {1000 * bare:6.0f} ms  1.00 ×")
    for name, words in COMMANDS.items():
        taken = median_s([*EYECHART, *words], times)
        print(f"eyechart {name:<18}  {1000 * taken:6.0f} ms  {taken / bare:.2f} ×")


if __name__ == "__main__":
    main()
