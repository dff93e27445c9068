"""The one retry policy: exponential with seeded jitter; what the server asks for is honoured."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from eyechart.errors import ModelError
from eyechart.records import Response
from eyechart.runner.limits import Limit


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often and how soon a failed request is tried again. Tests set `base_s=0`."""

    tries: int = 6
    base_s: float = 0.5
    longest_s: float = 60.0
    timeout_s: float = 120.0  # of one try
    seed: int = 0

    def next_delay(self, error: ModelError, attempt: int, key: str) -> float | None:
        """Seconds to wait after the attempt with this number (from 1), or None to give up."""
        if not error.retryable or attempt >= self.tries:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s
        span: float = min(self.longest_s, self.base_s * 2.0 ** (attempt - 1))
        return span * float(Random(f"{self.seed}/{key}/{attempt}").uniform(0.5, 1.0))


class Tried(NamedTuple):
    """How a request ended at last."""

    outcome: Response | ModelError
    tries: int
    sent_at: float  # time.monotonic() of the last try


async def with_retries(
    call: Callable[[], Awaitable[Response]], policy: RetryPolicy, limit: Limit, *, key: str = ""
) -> Tried:
    """Call until there is a reply or the policy gives up; errors that are not ModelErrors pass through."""
    attempt = 0
    while True:
        attempt += 1
        await limit.acquire()
        sent_at = time.monotonic()
        error: ModelError | None = None
        response: Response | None = None
        try:
            async with asyncio.timeout(policy.timeout_s):
                response = await call()
        except TimeoutError:
            error = ModelError("timeout", f"no reply within {policy.timeout_s:g} s", retryable=True)
        except ModelError as caught:
            error = caught
        finally:
            limit.release(
                ok=response is not None,
                latency_s=time.monotonic() - sent_at,
                retry_after_s=error.retry_after_s if error else None,
            )
        if response is not None:
            return Tried(response, attempt, sent_at)
        assert error is not None  # noqa: S101 - one of the two is there
        delay = policy.next_delay(error, attempt, key)
        if delay is None:
            return Tried(error, attempt, sent_at)
        await asyncio.sleep(delay)
