"""The one retry policy: exponential with seeded jitter; what the server asks for is honoured."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from eyechart.errors import ModelError
from eyechart.records import Response
from eyechart.runner.limits import Limit, Overload


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often and how soon a failed request is tried again. Tests set `base_s=0`."""

    tries: int = 6
    base_s: float = 0.5
    longest_s: float = 30.0  # of one wait that we choose
    patience_s: float = 300.0  # of one wait that the server asks for; past it, the question is left for a later start
    timeout_s: float = 120.0  # of one try
    seed: int = 0

    def tries_for(self, error: ModelError) -> int:
        """How many tries this kind of error is worth."""
        if not error.retryable:
            return 1
        if error.stops_run is not None:
            # Nobody has ever answered at that address: three tries bridge a restart, more would only delay the news.
            return min(self.tries, 3)
        # "Come back later" says nothing against the question: it gets more patience than a fault does.
        return 2 * self.tries if error.kind == "rate_limited" and self.tries > 1 else self.tries

    def next_delay(self, error: ModelError, attempt: int, key: str = "") -> float | None:
        """Seconds to wait after the attempt with this number (from 1), or None to give up.

        Pure: the jitter is drawn from seed, key and attempt, so that questions that fail together come back apart,
        and a run that is repeated waits as it did before.
        """
        if attempt >= self.tries_for(error):
            return None
        jitter = Random(f"{self.seed}/{key}/{attempt}").random()
        span = min(self.longest_s, self.base_s * 2.0 ** min(attempt - 1, 30))
        if error.retry_after_s is None:
            return span * (0.5 + 0.5 * jitter)
        if error.retry_after_s > self.patience_s:
            return None
        # Never before the time that the server named; spread a little behind it, as everybody was told the same.
        return error.retry_after_s + min(span, 0.1 * error.retry_after_s) * jitter


_OVERLOAD: dict[str, Overload] = {"rate_limited": "refused", "timeout": "silent"}


class Tried(NamedTuple):
    """How a request ended at last."""

    outcome: Response | ModelError
    tries: int
    sent_at: float  # time.monotonic() of the last try


async def with_retries(
    call: Callable[[], Awaitable[Response]],
    policy: RetryPolicy,
    limit: Limit,
    *,
    key: str = "",
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Tried:
    """Call until there is a reply or the policy gives up; errors that are not ModelErrors pass through.

    A slot is held only while the request is with the server: waiting to try again holds none. `pause` waits; it may
    raise where nothing would be tried again any more.
    """
    clock = asyncio.get_running_loop().time  # time.monotonic, but for a loop that simulates time
    attempt = 0
    while True:
        attempt += 1
        await limit.acquire()
        sent_at = clock()
        error: ModelError | None = None
        try:
            async with asyncio.timeout(policy.timeout_s):
                response = await call()
        except TimeoutError:
            error = ModelError("timeout", f"no reply within {policy.timeout_s:g} s", retryable=True)
        except ModelError as caught:
            error = caught
        except BaseException:
            limit.release(ok=False, latency_s=clock() - sent_at)
            raise
        if error is None:
            limit.release(ok=True, latency_s=clock() - sent_at)
            return Tried(response, attempt, sent_at)
        limit.release(
            ok=False,
            latency_s=clock() - sent_at,
            retry_after_s=error.retry_after_s,
            overload=_OVERLOAD.get(error.kind) if error.retry_after_s is None else "refused",
        )
        delay = policy.next_delay(error, attempt, key)
        if delay is None:
            if error.stops_run is not None:
                raise error.stops_run from error
            return Tried(error, attempt, sent_at)
        await pause(delay)
