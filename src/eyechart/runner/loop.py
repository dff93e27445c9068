"""The one loop: a bounded window of questions is prepared in threads, sent, and written down as each ends.

Nothing is held for the whole benchmark but its index: a question's sample, prompt and pictures live only while it is
in the window.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator
from functools import partial
from typing import Any

from eyechart.errors import ModelError
from eyechart.records import Exchange, Failure, Longer, Outcome, Response, Sample, Timing
from eyechart.runner.asking import Asking, Job, Prepared
from eyechart.runner.interrupt import Interrupts
from eyechart.runner.limits import Limit
from eyechart.runner.longer import cut_off, under, weighed
from eyechart.runner.preparing import Threads
from eyechart.runner.retry import RetryPolicy, Tried, with_retries
from eyechart.runner.watch import Watch
from eyechart.store import Journal

# Prepared pictures that wait for a free slot may take this much memory before preparation pauses.
HELD_BYTES = 256 * 2**20


class Abandoned(Exception):
    """This question was not sent, because the run is ending: it stays open for the next start."""


class Loop:
    """Asks jobs until none is left, somebody interrupts, or an error ends the run."""

    def __init__(
        self,
        asking: Asking,
        *,
        journal: Journal,
        limit: Limit,
        policy: RetryPolicy,
        watch: Watch,
        interrupts: Interrupts | None = None,
    ) -> None:
        self.asking, self.journal, self.limit, self.policy, self.watch = asking, journal, limit, policy, watch
        self.interrupts = interrupts or Interrupts()
        self.interrupted = False
        self._fatal: BaseException | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._sent: set[asyncio.Task[Any] | None] = set()  # those whose request is with the model right now
        self._cut: set[asyncio.Task[Any] | None] = set()  # those that were stopped there
        self._held = 0
        self._room = asyncio.Event()
        self._threads = Threads()

    async def run(self, jobs: Iterator[Job]) -> None:
        """Ask all jobs. What ends the run early is raised after everything in flight has been written down."""
        try:
            with self.interrupts.call(self.interrupt):
                for job in jobs:
                    await self._wait_for_room()
                    if self.stopping:
                        break
                    task = asyncio.create_task(self._ask(job))
                    self._tasks.add(task)
                    task.add_done_callback(self._ended)
                while self._tasks:
                    await asyncio.wait(self._tasks)
        finally:
            self._threads.close()
        if self._fatal is not None:
            raise self._fatal

    @property
    def stopping(self) -> bool:
        """No new question is sent any more."""
        return self.interrupted or self._fatal is not None

    @property
    def in_flight(self) -> int:
        """How many requests are with the model."""
        return len(self._sent)

    def interrupt(self) -> None:
        """Once: send nothing new and wait for what is in flight. Twice: end at once."""
        if self.interrupted:
            self._cancel(self._tasks)
            return
        self.interrupted = True
        self._room.set()
        # Who waits for a slot or to try again would not be sent any more: nobody has to sit through that.
        self._cancel(self._tasks - self._sent)
        self.watch.note(f"stopping: waiting for {self.in_flight} in flight; Ctrl-C again stops at once")

    async def _wait_for_room(self) -> None:
        while not self.stopping and (
            len(self._tasks) >= 2 * self.limit.size + 8
            or (self._held > HELD_BYTES and len(self._tasks) > self.limit.size)
        ):
            self._room.clear()
            await self._room.wait()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.set()
        error = None if task.cancelled() else task.exception()
        if error is not None and error is self._fatal:
            self._cancel(self._tasks)  # waiting gains nothing: what stopped one would stop them all

    def _cancel(self, tasks: set[asyncio.Task[None]]) -> None:
        self._cut |= self._sent & set(tasks)
        for task in tasks:
            task.cancel()

    async def _ask(self, job: Job) -> None:
        """Put one question, step by step, each with its line in the journal."""
        queued = time.monotonic()
        sample = Sample(id=job.entry.id)
        try:
            prepared = await self._threads.run(partial(self.asking.prepare, job))
            while prepared is not None:
                sample = prepared.sample
                outcome = await self._put(job, prepared, queued)
                if not isinstance(outcome, Response) or prepared.ask.final:
                    return
                queued = time.monotonic()
                prepared = await self._threads.run(partial(self.asking.advance, prepared, outcome))
        except ModelError as error:  # a picture that cannot be read; what the model does is dealt with in _put
            self._record(self.asking.unprepared(job, failure_of(error, "prepare")), sample)
        except (Abandoned, asyncio.CancelledError):
            raise
        except BaseException as error:
            self._fatal = self._fatal or error  # at once: whoever was handed the slot must not send any more
            raise

    async def _put(self, job: Job, prepared: Prepared, queued: float) -> Outcome:
        request, task = self.asking.request(job, prepared), asyncio.current_task()
        tries = 0
        longer: Longer | None = None

        async def call() -> Response:
            nonlocal tries
            if self.stopping:
                raise Abandoned
            tries += 1  # counted as they are sent: one that is stopped there was paid for as well
            self._sent.add(task)
            self.watch.asked(self.in_flight)
            try:
                return await self.asking.model.generate(request)
            finally:
                self._sent.discard(task)

        def put() -> Awaitable[Tried]:
            return with_retries(call, self.policy, self.limit, key=job.entry.id, pause=self._pause)

        self._held += prepared.held_bytes
        sent_at = time.monotonic()
        outcome: Outcome
        try:
            result, _, sent_at = await put()
            if longer := cut_off(request, result):
                request = under(longer, request)
                result, _, sent_at = await put()
                result, longer = weighed(longer, result)
            outcome = failure_of(result, "request") if isinstance(result, ModelError) else result
        except asyncio.CancelledError:
            if task not in self._cut:
                raise Abandoned from None
            outcome = Failure(kind="cancelled", stage="request", message="stopped before the reply came")
        finally:
            self._held -= prepared.held_bytes
        timing = Timing(
            ended_at=round(time.time(), 3),
            queued_s=round(sent_at - queued, 4),
            total_s=round(time.monotonic() - sent_at, 4),
            first_token_s=outcome.first_token_s if isinstance(outcome, Response) else None,
        )
        self._record(self.asking.exchange(job, prepared, outcome, timing, tries=tries, longer=longer), prepared.sample)
        return outcome

    async def _pause(self, seconds: float) -> None:
        """Wait to try again, unless the run is ending: then it would be waited for in vain."""
        if self.stopping:
            raise Abandoned
        await asyncio.sleep(seconds)

    def _record(self, exchange: Exchange, sample: Sample) -> None:
        self.journal.append(exchange)
        if exchange.final:
            self.watch.answered(exchange, sample, self.in_flight)


def failure_of(error: ModelError, stage: str) -> Failure:
    """The record of an error that ended a question."""
    at = "reply" if error.kind in ("malformed_reply", "content_filtered") else stage
    return Failure(kind=error.kind, stage=at, message=error.what)  # type: ignore[arg-type]
