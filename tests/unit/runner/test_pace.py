"""Finding out how many requests a server bears, tried on a simulated clock against simulated servers."""

from __future__ import annotations

import asyncio
import statistics

import pytest

from eyechart.records import Response
from eyechart.runner.limits import AdaptiveLimit, FixedLimit, Slots
from eyechart.runner.pace import Pace
from eyechart.runner.retry import RetryPolicy, with_retries
from servers.simulated import SimulatedServer, simulate


async def run_all(server: SimulatedServer, questions: int, limit: Slots) -> tuple[float, list[Response]]:
    """Ask all questions through the limit; the time it took and the answers."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    window = asyncio.Semaphore(600)
    answers: list[Response] = []

    async def one(question: int) -> None:
        async with window:
            tried = await with_retries(lambda: server.ask(question), RetryPolicy(), limit, key=str(question))
        if isinstance(tried.outcome, Response):
            answers.append(tried.outcome)

    await asyncio.gather(*(one(question) for question in range(questions)))
    return loop.time() - began, answers


def ratio(*, slots: int, queue: int, questions: int, seed: int) -> float:
    """Our time over that of a fixed limit that knows the slots; every question must have been answered."""

    def server() -> SimulatedServer:
        return SimulatedServer(slots=slots, queue=queue, seed=seed)

    known, _ = simulate(run_all(server(), questions, FixedLimit(slots)))
    found, answers = simulate(run_all(server(), questions, AdaptiveLimit()))
    assert len(answers) == questions
    return found / known


@pytest.mark.parametrize(("slots", "queue"), [(64, 16), (64, 64), (64, 256), (8, 8), (1, 1)])
def test_nearly_as_fast_as_knowing_the_slots(slots: int, queue: int) -> None:
    """Over five seeds: at most 15 % over the time of who knew, start-up included, and nothing lost to a 429."""
    ratios = [ratio(slots=slots, queue=queue, questions=1280, seed=seed) for seed in range(5)]
    assert statistics.median(ratios) <= 1.1
    assert max(ratios) <= 1.15


def test_a_slow_server_with_one_slot_is_not_buried() -> None:
    """At 10 s an answer and 120 s of patience, no more requests pile up than can be answered in time."""
    server = SimulatedServer(slots=1, queue=1000, mean_s=10.0, sigma=0.4)
    limit = AdaptiveLimit(timeout_s=120.0)
    sizes: list[int] = []
    answer = server.ask

    async def watched(question: int) -> Response:
        sizes.append(limit.size)
        return await answer(question)

    server.ask = watched  # type: ignore[method-assign]
    _, answers = simulate(run_all(server, 150, limit))
    assert len(answers) == 150
    assert max(sizes) <= 12
    assert sizes[-1] <= 4


def test_a_fixed_number_is_kept_until_the_server_refuses_it() -> None:
    """Forty at once on a server that holds twelve: it steps back by itself, and no question is lost."""
    server = SimulatedServer(slots=8, queue=4)
    limit = FixedLimit(40)
    _, answers = simulate(run_all(server, 400, limit))
    assert len(answers) == 400
    assert limit.size <= 20
    assert server.refused < 300


def test_idle_slots_teach_nothing() -> None:
    """Where questions come too slowly to fill the slots, the size stays as it is."""
    pace = Pace()
    for second in range(200):
        pace.started(float(second))
        pace.answered(second + 0.5, waiting=False)
    assert pace.size == 8


def test_silence_costs_a_part_of_the_size_and_not_all_of_it() -> None:
    """When all requests of a burst run into the time limit together, the size falls once."""
    pace = Pace(start=60, ceiling=60)
    for still_held in reversed(range(60)):
        pace.overloaded(120.0, sent_at=0.0, held=still_held, refused=False)
    assert 30 <= pace.size < 60


def test_after_a_refusal_the_way_back_is_slow_but_open() -> None:
    """What the server bore before is reached again without another refusal; more is tried later."""
    pace = Pace(start=100, ceiling=100)
    pace.overloaded(1.0, sent_at=0.5, held=50, refused=True)
    assert pace.size == 47
    sizes = []
    for answer in range(4000):
        pace.answered(1.0 + answer / 50, waiting=True)
        sizes.append(pace.size)
    assert max(sizes[:90]) <= 47
    assert sizes[180] <= 50
    assert max(sizes) > 80
