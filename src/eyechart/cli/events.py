"""What a program sees while a run goes on: `--events`, one JSON object a line on stderr.

In place of the display for people, and on the same stream: stdout stays the result. Errors stay words for people, so a
line that does not begin with `{` is no event.
"""

from __future__ import annotations

import json
import math
import sys
import threading
import time
from queue import SimpleQueue
from typing import Any, TextIO

from eyechart import errors
from eyechart.cli.output import silence
from eyechart.cli.progress import Counts, Ticks
from eyechart.metrics.base import Metric
from eyechart.records import Exchange, Sample
from eyechart.runner.watch import Watch
from eyechart.store import RunFolder

SCHEMA = "eyechart/event@1"
PROGRESS_EVERY_S = 1.0
UNCHANGED_EVERY_S = 30.0  # where nothing moves, a sign of life
STATES: dict[int | None, str] = {
    errors.OK: "done",
    errors.GATE_FAILED: "gate_failed",
    errors.USAGE: "usage",
    errors.INCOMPLETE: "incomplete",
    errors.ENVIRONMENT: "environment",
    errors.INTERRUPTED: "interrupted",
}


class Pace:
    """When `progress` is due: once a second while questions end, else now and then."""

    def __init__(self, done: int, now: float) -> None:
        self._done, self._at = done, now

    def due(self, done: int, now: float) -> bool:
        """Whether to say it now; if so, it counts as said."""
        if now - self._at < (PROGRESS_EVERY_S if done != self._done else UNCHANGED_EVERY_S):
            return False
        self._done, self._at = done, now
        return True


class EventStream(Watch):
    """Queues lines as the loop reports; a thread writes them, for the loop must not wait for a slow reader."""

    def __init__(
        self, metric: Metric, *, benchmark: str, model: str, stream: TextIO | None = None, quiet: bool = False
    ) -> None:
        self.stream = stream or sys.stderr
        self.quiet = quiet  # everything but `progress`
        self.counts = Counts(metric)
        self.about: dict[str, str | None] = {"run": None, "benchmark": benchmark, "model": model}
        self._began = time.monotonic()
        self._pace = Pace(0, self._began)
        self._waiting: SimpleQueue[str] = SimpleQueue()
        self._lock = threading.Lock()
        self._ticks = Ticks(self._look)

    def started(self, *, benchmark: str, model: str, run: RunFolder, total: int, done: int) -> None:
        self.about = {"run": str(run.path), "benchmark": benchmark, "model": model}
        self.counts.start(total, done)
        self._pace = Pace(done, time.monotonic())
        if done < total:
            self._ticks.start()  # before the first line: from here on the loop waits for no reader
        self._tell("started", **self.about, total=total, done=done)

    def asked(self, in_flight: int) -> None:
        self.counts.in_flight = in_flight

    def answered(self, exchange: Exchange, sample: Sample, in_flight: int) -> None:
        with self._lock:
            self.counts.add(exchange, sample, in_flight)
            warning = self.counts.warning()
        failure = exchange.failure
        if failure is not None:
            named = {"id": exchange.sample, "repeat": exchange.repeat}
            self._tell("sample_failed", run=self.about["run"], **named, kind=failure.kind, message=failure.message)
        if warning:
            self.note(warning)

    def note(self, text: str) -> None:
        self._tell("note", run=self.about["run"], text=text)

    def ended(self) -> None:
        self._ticks.stop()
        self._write()

    def finished(self, code: int | None) -> None:
        """The run is over and marked, with this exit code if it alone decided; None: by an error of another kind."""
        seconds = round(time.monotonic() - self._began, 3)
        self._tell(
            "done", **self.about, state=STATES.get(code, "stopped"), exit_code=code, **self._counted(), seconds=seconds
        )

    def progress(self) -> None:
        """How it stands."""
        with self._lock:
            counted, estimate = self._counted(), self.counts.score.estimate()
            further = {"unreadable": self.counts.score.unreadable, "retries": self.counts.retries}
        value, half = estimate if estimate and all(map(math.isfinite, estimate)) else (None, None)
        ci = None if value is None or half is None else [value - half, value + half]
        score = {"score": value, "ci": ci}
        self._tell("progress", run=self.about["run"], **counted, **score, **further, in_flight=self.counts.in_flight)

    def _counted(self) -> dict[str, Any]:
        return {"total": self.counts.total, "done": self.counts.done, "failures": dict(self.counts.failures)}

    def _tell(self, event: str, **fields: Any) -> None:
        # In ASCII, so that a terminal or locale without some letter changes no id.
        self._waiting.put(json.dumps({"schema": SCHEMA, "event": event, **fields}, allow_nan=False))
        if not self._ticks.running:
            self._write()

    def _look(self) -> None:
        if not self.quiet and self._pace.due(self.counts.done, time.monotonic()):
            self.progress()
        self._write()

    def _write(self) -> None:
        lines = []
        while not self._waiting.empty():
            lines.append(self._waiting.get() + "\n")
        if not lines:
            return
        try:
            self.stream.write("".join(lines))
            self.stream.flush()
        except OSError:  # the reader has gone: the run is not for it alone
            silence(self.stream)
