"""Adaptive concurrency against a simulated server: time over that of a bare loop which knows the slots beforehand."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from eyechart.records import Response
from eyechart.runner.limits import AdaptiveLimit, Limit
from eyechart.runner.retry import RetryPolicy, with_retries
from servers.simulated import SimulatedServer, simulate


async def bare(server: SimulatedServer, questions: int, slots: int) -> float:
    """The reference: exactly as many workers as the server has slots."""
    loop = asyncio.get_running_loop()
    began, todo = loop.time(), iter(range(questions))

    async def worker() -> None:
        for question in todo:
            await server.ask(question)

    await asyncio.gather(*(worker() for _ in range(slots)))
    return loop.time() - began


async def ours(server: SimulatedServer, questions: int, limit: Limit, policy: RetryPolicy) -> tuple[float, int, int]:
    """The run's own limiter and retry policy, and a window twice as wide as the limit, as the loop keeps it."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    lost = peak = 0
    tasks: set[asyncio.Task[None]] = set()
    room = asyncio.Event()

    async def one(question: int) -> None:
        nonlocal lost, peak
        result = await with_retries(lambda: server.ask(question), policy, limit, key=str(question))
        lost += not isinstance(result.outcome, Response)
        peak = max(peak, limit.size)

    def ended(task: asyncio.Task[None]) -> None:
        tasks.discard(task)
        task.result()
        room.set()

    for question in range(questions):
        while len(tasks) >= 2 * limit.size + 8:
            room.clear()
            await room.wait()
        task = asyncio.create_task(one(question))
        tasks.add(task)
        task.add_done_callback(ended)
    while tasks:
        await asyncio.wait(tasks)
    return loop.time() - began, lost, peak


def main() -> None:
    """Print one line per server and number of questions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--slots", type=int, nargs="*", default=[1, 8, 64, 256])
    parser.add_argument("--questions", type=int, nargs="*", default=[1280, 12800])
    parser.add_argument("--queues", type=float, nargs="*", default=[0.25, 1.0, 4.0], help="as multiples of the slots")
    parser.add_argument("--sigma", type=float, default=0.7)
    parser.add_argument("--retry-after", type=float, default=1.0, help="seconds; negative: the server does not say")
    options = parser.parse_args()
    print(f"{'slots':>5} {'queue':>5} {'questions':>9}   {'median':>6} {'worst':>6}   429s  lost  largest")
    for slots in options.slots:
        for questions in options.questions:
            for queue in options.queues:
                ratios, refused, lost, peak = [], [], 0, 0
                for seed in range(options.seeds):
                    made = {
                        "slots": slots,
                        "queue": max(1, int(queue * slots)),
                        "seed": seed,
                        "sigma": options.sigma,
                        "retry_after_s": None if options.retry_after < 0 else options.retry_after,
                    }
                    reference = simulate(bare(SimulatedServer(**made), questions, slots))
                    server = SimulatedServer(**made)
                    time_s, gone, largest = simulate(ours(server, questions, AdaptiveLimit(), RetryPolicy(seed=seed)))
                    ratios.append(time_s / reference)
                    refused.append(server.refused)
                    lost += gone
                    peak = max(peak, largest)
                print(
                    f"{slots:>5} {max(1, int(queue * slots)):>5} {questions:>9,}   {statistics.median(ratios):6.3f} "
                    f"{max(ratios):6.3f}   {statistics.mean(refused):4.0f}  {lost:>4}  {peak:>7}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
