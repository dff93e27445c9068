"""What a person sees while a run goes on: five lines that redraw on a terminal, a plain line now and then elsewhere.

What is counted stands apart from how it is shown: `--events` (events.py) says the same to programs.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import TextIO

from eyechart.metrics.base import Cell, Metric
from eyechart.records import Exchange, Sample
from eyechart.report.table import shorten
from eyechart.runner.watch import Watch
from eyechart.store import RunFolder

REDRAW_S = 0.25
PLAIN_EVERY_S = 30.0


class RunningScore:
    """The headline over what has been marked so far; an honest estimate, since the order is shuffled."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.sums: dict[Cell, list[float]] = {}
        self.n, self.mean, self.squares = 0, 0.0, 0.0
        self.unreadable = 0

    def add(self, sample: Sample, exchange: Exchange) -> bool | None:
        """Mark one answer; True where it is right, None where it has no score."""
        reply = exchange.response
        score = self.metric.score(sample, reply.text) if reply else self.metric.wrong(sample)
        self.unreadable += bool(reply) and score.read_as is None and not score.error
        if score.value is None:
            return None
        sums = self.sums.setdefault(self.metric.cell(sample), [0.0, 0.0, *(0.0 for _ in score.stats)])
        for position, value in enumerate((1.0, score.value, *score.stats)):
            sums[position] += value
        self.n += 1
        delta = score.value - self.mean
        self.mean += delta / self.n
        self.squares += delta * (score.value - self.mean)
        return score.value > 0

    def estimate(self) -> tuple[float, float] | None:
        """The value so far and half the width of its interval; None while too little is known."""
        value = self.metric.aggregate({cell: tuple(sums) for cell, sums in self.sums.items()}).get("value")
        if value is None or self.n < 2:
            return None
        return value, 1.96 * (self.squares / (self.n - 1) / self.n) ** 0.5

    def __str__(self) -> str:
        estimate = self.estimate()
        return f"{100 * estimate[0]:.1f} ±{100 * estimate[1]:.1f}" if estimate else "–"


class Counts:
    """How a run stands, counted from what the loop reports. Whoever shows it sees to locking."""

    def __init__(self, metric: Metric) -> None:
        self.score = RunningScore(metric)
        self.failures: Counter[str] = Counter()
        self.said: dict[str, str] = {}  # kind of failure → what the last one said
        self.total = self.done = self.before = self.in_flight = self.retries = 0
        self._warned = False

    def start(self, total: int, done: int) -> None:
        """So many questions in all, so many of them answered by an earlier start."""
        self.total, self.done, self.before = total, done, done

    def add(self, exchange: Exchange, sample: Sample, in_flight: int) -> bool | None:
        """Count a question that ended; True where the answer is right, None where it has no score."""
        self.done += 1
        self.in_flight = in_flight
        self.retries += exchange.tries - 1
        if exchange.failure is not None:
            self.failures[exchange.failure.kind] += 1
            self.said[exchange.failure.kind] = exchange.failure.message
        return self.score.add(sample, exchange) if sample.references or exchange.response else None

    def warning(self) -> str:
        """Say once, early, that something is wrong with the whole run, not with single questions."""
        asked = self.done - self.before
        if self._warned or asked > 50:
            return ""
        lasting = Counter({kind: count for kind, count in self.failures.items() if kind != "cancelled"})
        kind, count = lasting.most_common(1)[0] if lasting else ("", 0)
        if count > 5:
            self._warned = True
            return (
                f"warning: {count} of the first {asked} questions failed alike ({kind}): stop and look?\n"
                f"         the last one: {shorten(self.said[kind], 200)}"
            )
        if asked == 50 and self.score.unreadable > 10:
            self._warned = True
            return f"warning: in {self.score.unreadable} of the first 50 replies no answer was found: stop and look?"
        return ""


class Ticks:
    """A thread that looks four times a second, for as long as a run goes on."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether it will look again."""
        return self._thread is not None

    def start(self) -> None:
        """From now on."""
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """No more; returns when the last look is over."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._over.wait(REDRAW_S):
            self._look()


class ProgressDisplay(Watch):
    """Counts what the loop reports; a thread draws."""

    def __init__(self, metric: Metric, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty() and os.environ.get("TERM") != "dumb" and "CI" not in os.environ
        self.quiet = quiet
        self.counts = Counts(metric)
        self.latencies: deque[float] = deque(maxlen=1000)
        self.tokens = [0, 0]
        self.title = self.last = ""
        self._began = time.monotonic()
        self._next_count, self._next_time = 0, 0.0  # when the next plain line is due
        self._lines = 0
        self._lock = threading.Lock()
        self._ticks = Ticks(self._draw)

    def started(self, *, benchmark: str, model: str, run: RunFolder, total: int, done: int) -> None:
        self.title = f"{benchmark} · {model} · run {run.short_id}"
        self.counts.start(total, done)
        self._began = time.monotonic()
        if self.quiet or done == total:
            return
        if done:
            self.note(f"continuing run {run.short_id}: {done:,} of {total:,} questions are answered already")
        self._plan_next_line()
        self._ticks.start()

    def asked(self, in_flight: int) -> None:
        self.counts.in_flight = in_flight

    def answered(self, exchange: Exchange, sample: Sample, in_flight: int) -> None:
        with self._lock:
            right = self.counts.add(exchange, sample, in_flight)
            if exchange.failure is not None:
                self.last = f"last ✗ {exchange.sample}: {exchange.failure.kind}: {exchange.failure.message}"
            if exchange.response is not None:
                self.latencies.append(exchange.timing.total_s)
            usage = exchange.usage
            self.tokens[0] += usage.input_tokens or 0
            self.tokens[1] += usage.output_tokens or 0
            if right is False and exchange.response is not None:
                gold = sample.references[0] if sample.references else "?"
                self.last = f'last ✗ {sample.id} "{sample.question}" → {exchange.response.text}  (gold {gold})'
            warning = self.counts.warning()
        if warning:
            self.note(warning)

    def note(self, text: str) -> None:
        with self._lock:
            self._erase()
            self.stream.write(f"{text}\n")
            self.stream.flush()

    def ended(self) -> None:
        self._ticks.stop()
        with self._lock:
            self._erase()

    # ── drawing ───────────────────────────────────────────────────────────────

    def _draw(self) -> None:
        with self._lock:
            if self.live:
                self._erase()
                self._write(self.lines(shutil.get_terminal_size().columns))
            elif self.counts.done >= self._next_count or time.monotonic() >= self._next_time:
                self._plan_next_line()
                self.stream.write(self.plain() + "\n")
                self.stream.flush()

    def _plan_next_line(self) -> None:
        self._next_count = self.counts.done + max(1, self.counts.total // 10)
        self._next_time = time.monotonic() + PLAIN_EVERY_S

    def _erase(self) -> None:
        if self._lines:
            # To the first column first: the terminal may have echoed a ^C behind the last line.
            self.stream.write(f"\r\x1b[{self._lines}A\x1b[J")
            self._lines = 0

    def _write(self, lines: list[str]) -> None:
        self.stream.write("".join(f"{line}\n" for line in lines))
        self.stream.flush()
        self._lines = len(lines)

    def plain(self) -> str:
        """One line for logs and pipes."""
        counts = self.counts
        failed = sum(counts.failures.values())
        parts = [
            f"{counts.done:,}/{counts.total:,}",
            f"score so far {counts.score}",
            f"{self.rate():.1f}/s",
            f"ETA {self.eta()}",
        ]
        return " · ".join(parts + ([f"failed {failed:,}"] if failed else []))

    def lines(self, columns: int) -> list[str]:
        """The five lines of the live display, cut to the width of the terminal."""
        counts = self.counts
        share = counts.done / counts.total if counts.total else 1.0
        bar = "━" * int(30 * share) + "╌" * (30 - int(30 * share))
        ordered = sorted(self.latencies)
        p50, p95 = (ordered[int(q * (len(ordered) - 1))] if ordered else 0.0 for q in (0.5, 0.95))
        failed = "  ".join(f"{kind} {count:,}" for kind, count in counts.failures.most_common())
        lines = [
            f"{self.title} · Ctrl-C is safe, resume later",
            f"{bar} {share:4.0%}  {counts.done:,}/{counts.total:,}   score so far {counts.score}   ETA {self.eta()}",
            (
                f"{self.rate():.1f} req/s · {counts.in_flight} in flight · p50 {p50:.2f} s p95 {p95:.2f} s"
                f" · tokens in {self.tokens[0]:,} out {self.tokens[1]:,}"
            ),
            (
                f"failed {sum(counts.failures.values()):,}: {failed or 'none'} · unreadable {counts.score.unreadable:,}"
                f" · retries {counts.retries:,}"
            ),
            self.last,
        ]
        return [shorten(line, columns - 1) for line in lines]

    def rate(self) -> float:
        """Questions a second since this start."""
        return (self.counts.done - self.counts.before) / max(1e-9, time.monotonic() - self._began)

    def eta(self) -> str:
        """The time that is left, at this rate."""
        rate, left = self.rate(), self.counts.total - self.counts.done
        return duration(left / rate) if rate > 0 else "–"


def duration(seconds: float) -> str:
    """`42 s`, `3 min`, `1 h 27 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
