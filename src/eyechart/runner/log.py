"""run.log: what went on, for whoever has to find out why."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from eyechart.records import Exchange, Sample
from eyechart.runner.watch import Watch
from eyechart.store import RunFolder


class LoggedWatch(Watch):
    """Passes everything on, and writes down what a person may want to read afterwards."""

    def __init__(self, watch: Watch, path: Path, *, verbose: bool = False) -> None:
        self.watch, self.verbose = watch, verbose
        self._file: TextIO | None = None
        with suppress(OSError):  # a log that cannot be written must not be what stops a run
            # Line-buffered: after a kill the log ends with what happened last.
            self._file = path.open("a", encoding="utf-8", errors="backslashreplace", buffering=1)

    def write(self, text: str) -> None:
        """One line with the time."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self._file is not None:
            with suppress(OSError):
                self._file.write(f"{now} {text}\n")

    def started(self, *, benchmark: str, model: str, run: RunFolder, total: int, done: int) -> None:
        self.write(f"started {benchmark} · {model}: {done} of {total} questions are done")
        self.watch.started(benchmark=benchmark, model=model, run=run, total=total, done=done)

    def asked(self, in_flight: int) -> None:
        self.watch.asked(in_flight)

    def answered(self, exchange: Exchange, sample: Sample, in_flight: int) -> None:
        if exchange.failure is not None:
            self.write(f"failed {exchange.sample}: {exchange.failure.kind}: {exchange.failure.message!r}")
        elif self.verbose or exchange.tries > 1:
            self.write(f"answered {exchange.sample} in {exchange.timing.total_s:.2f} s at try {exchange.tries}")
        self.watch.answered(exchange, sample, in_flight)

    def note(self, text: str) -> None:
        self.write(text)
        self.watch.note(text)

    def ended(self) -> None:
        self.write("ended")
        self.watch.ended()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


@contextmanager
def logged(watch: Watch, folder: RunFolder, *, verbose: bool = False) -> Iterator[LoggedWatch]:
    """The same watch, with a log in the run's folder; what stops the run is written down with its traceback."""
    log = LoggedWatch(watch, folder.log, verbose=verbose)
    try:
        yield log
    except BaseException as error:
        log.write("stopped by " + "".join(traceback.format_exception(error)))
        raise
    finally:
        log.close()
