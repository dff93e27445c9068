"""Mean relative accuracy of a million numbers: the batch form against the published expression, number by number."""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from eyechart.metrics.relative import relative_accuracy, relative_accuracy_column


def published(predicted: float, gold: float) -> float:
    """The formula as VSI-Bench evaluates it for one answer: a fresh grid of ten thresholds each time."""
    thresholds = np.linspace(0.5, 0.95, int((0.95 - 0.5) / 0.05 + 2))
    return float((abs(predicted - gold) / gold <= 1 - thresholds).mean())


def fastest(runs: int, work: object) -> float:
    """The shortest of several times, in seconds: the one that the machine disturbed least."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()  # type: ignore[operator]
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Print the time per number of both, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numbers", type=int, default=1_000_000)
    parser.add_argument("--reference", type=int, default=100_000, help="how many of them the slow side is timed on")
    parser.add_argument("--seed", type=int, default=0)
    space = parser.parse_args()
    draw = random.Random(space.seed)
    gold = [round(draw.uniform(0.1, 40.0), 2) for _ in range(space.numbers)]
    predicted = [round(g * draw.choice((0.5, 0.8, 0.9, 1.0, draw.uniform(0.3, 1.7))), 2) for g in gold]
    golds, predictions = np.array(gold), np.array(predicted)
    few = list(zip(predicted[: space.reference], gold[: space.reference], strict=True))

    values, _ = relative_accuracy_column(predictions, golds)
    expected = [published(p, g) for p, g in few]
    if values[: len(few)].tolist() != expected or [relative_accuracy(p, g) for p, g in few] != expected:
        raise SystemExit("the two sides differ: no ratio")

    slow = fastest(3, lambda: [published(p, g) for p, g in few]) / len(few)
    columns = fastest(5, lambda: relative_accuracy_column(predictions, golds)) / space.numbers
    lists = fastest(3, lambda: relative_accuracy_column(predicted, gold)) / space.numbers
    single = fastest(3, lambda: [relative_accuracy(p, g) for p, g in few]) / len(few)
    print(f"published, one number at a time  {1e6 * slow:8.3f} µs each  ({len(few):,} numbers)")
    print(f"one number at a time, no numpy   {1e6 * single:8.3f} µs each  {slow / single:6.1f} x")
    print(f"columns from lists               {1e6 * lists:8.3f} µs each  {slow / lists:6.1f} x  ({space.numbers:,})")
    print(
        f"columns                          {1e6 * columns:8.3f} µs each  {slow / columns:6.1f} x  ({space.numbers:,})"
    )


if __name__ == "__main__":
    main()
