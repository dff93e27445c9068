"""The retry policy: what is tried again, when, and what is held meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from eyechart.errors import ModelError, SetupError
from eyechart.records import Response
from eyechart.runner.limits import FixedLimit
from eyechart.runner.retry import RetryPolicy, Tried, with_retries

QUICK = RetryPolicy(tries=4, base_s=0.0, timeout_s=5.0)
ANSWER = Response(text="yes")


def fault(kind: str = "server_error", *, retryable: bool = True, wait_s: float | None = None) -> ModelError:
    """One failed try."""
    return ModelError(kind, "what the server said", retryable=retryable, retry_after_s=wait_s)  # type: ignore[arg-type]


class Scripted:
    """A call that fails as often as it is told to, then answers."""

    def __init__(self, *faults: Exception | float) -> None:
        self.faults, self.calls = list(faults), 0

    async def __call__(self) -> Response:
        self.calls += 1
        if self.calls > len(self.faults):
            return ANSWER
        step = self.faults[self.calls - 1]
        if isinstance(step, Exception):
            raise step
        await asyncio.sleep(step)
        return ANSWER


def drive(call: Scripted, policy: RetryPolicy = QUICK) -> Tried:
    """Run one call to its end."""

    async def run() -> Tried:
        return await with_retries(call, policy, FixedLimit(2), key="q")

    return asyncio.run(run())


def test_waits_double_and_are_spread_by_seed_and_question() -> None:
    """The same seed, question and attempt give the same wait; others give others, within the same span."""
    policy = RetryPolicy(tries=20, base_s=1.0, longest_s=8.0)
    waits = [policy.next_delay(fault(), attempt, "q") for attempt in range(1, 7)]
    assert waits == [policy.next_delay(fault(), attempt, "q") for attempt in range(1, 7)]
    for wait, span in zip(waits, [1, 2, 4, 8, 8, 8], strict=True):
        assert wait is not None
        assert span / 2 <= wait <= span
    assert policy.next_delay(fault(), 1, "other") != waits[0]
    assert RetryPolicy(seed=1).next_delay(fault(), 1, "q") != RetryPolicy(seed=2).next_delay(fault(), 1, "q")


@pytest.mark.parametrize("wait_s", [0.0, 0.5, 20.0, 299.0])
def test_what_the_server_asks_for_is_never_undercut(wait_s: float) -> None:
    """Retry-After is a lower bound, and not much more is waited."""
    delay = RetryPolicy().next_delay(fault("rate_limited", wait_s=wait_s), 1, "q")
    assert delay is not None
    assert wait_s <= delay <= 1.1 * wait_s + 0.1


def test_a_wait_past_all_patience_is_left_for_another_day() -> None:
    """A server that asks for an hour gets its hour: the question ends as rate limited, to be asked by a later start."""
    assert RetryPolicy().next_delay(fault("rate_limited", wait_s=3600.0), 1, "q") is None


def test_faults_are_tried_again_until_the_answer_comes() -> None:
    """Two faults, then an answer: three tries."""
    result = drive(Scripted(fault(), fault("connection")))
    assert (result.outcome, result.tries) == (ANSWER, 3)


def test_the_last_fault_is_the_outcome() -> None:
    """After all tries the error itself comes back."""
    call = Scripted(*[fault() for _ in range(9)])
    result = drive(call)
    assert isinstance(result.outcome, ModelError)
    assert (result.tries, call.calls) == (4, 4)


def test_what_cannot_be_cured_is_not_tried_again() -> None:
    """A refused request is asked once."""
    assert drive(Scripted(fault("refused_request", retryable=False))).tries == 1


def test_being_asked_to_come_back_is_no_fault_of_the_question() -> None:
    """A 429 gets twice the tries; with retries switched off it gets none."""
    assert RetryPolicy(tries=4).tries_for(fault("rate_limited")) == 8
    assert RetryPolicy(tries=1).tries_for(fault("rate_limited")) == 1


def test_a_try_has_a_time_limit() -> None:
    """A stalled request is given up and tried again."""
    result = drive(Scripted(60.0), RetryPolicy(tries=2, base_s=0.0, timeout_s=0.05))
    assert (result.outcome, result.tries) == (ANSWER, 2)
    stalled = drive(Scripted(60.0, 60.0), RetryPolicy(tries=2, base_s=0.0, timeout_s=0.05))
    assert isinstance(stalled.outcome, ModelError)
    assert stalled.outcome.kind == "timeout"


def test_a_server_that_never_answered_ends_the_run() -> None:
    """Giving up on such a server raises what stops the run, after three tries at most."""
    gone = ModelError("connection", "refused", retryable=True, stops_run=SetupError("cannot reach the server"))
    call = Scripted(*[gone] * 9)
    with pytest.raises(SetupError, match="cannot reach"):
        drive(call, RetryPolicy(tries=6, base_s=0.0))
    assert call.calls == 3


def test_no_slot_is_held_while_waiting_to_try_again() -> None:
    """With one slot, a second question is answered while the first one waits out its fault."""

    async def run() -> list[str]:
        limit, order = FixedLimit(1), []

        async def ask(name: str, call: Scripted) -> None:
            await with_retries(call, RetryPolicy(base_s=0.1), limit, key=name)
            order.append(name)

        await asyncio.gather(ask("first", Scripted(fault())), ask("second", Scripted()))
        return order

    assert asyncio.run(run()) == ["second", "first"]


def test_what_is_no_model_error_passes_and_frees_its_slot() -> None:
    """A bug or a cancellation goes through at once, and the slot is free again."""

    async def run() -> int:
        limit = FixedLimit(1)
        with pytest.raises(ZeroDivisionError):
            await with_retries(Scripted(ZeroDivisionError()), QUICK, limit)
        return limit.in_flight

    assert asyncio.run(run()) == 0
