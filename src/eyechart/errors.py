"""What can go wrong, as one tree.

    EyechartError                what, why, how to fix; shown as three lines without a traceback
    ├─ UsageError       exit 2   unknown name, bad flag, runs that may not be compared
    ├─ InputError       exit 2   malformed input: a file, a row, a column, a journal line
    ├─ GateFailed       exit 1   the run is fine, the number is not what was demanded
    ├─ Incomplete       exit 3   results are kept, questions are missing or too many failed
    ├─ SetupError       exit 4   a key, server, dataset or missing extra; no retry cures it
    └─ ModelError       → Failure record of one question; the run goes on
    KeyboardInterrupt   exit 130
    anything else       exit 70  our bug: traceback and a log to send

Raise where you know; only the loop (ModelError → Failure) and the command line catch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eyechart.records import FailureKind

OK, GATE_FAILED, USAGE, INCOMPLETE, ENVIRONMENT, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130


class EyechartError(Exception):
    """Something a person can mend: what happened, why, and how to fix it."""

    exit_code = BUG

    def __init__(self, what: str, *, why: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what, self.why, self.fix = what, why, fix

    def __str__(self) -> str:
        lines = [self.what]
        if self.why:
            lines.append(f"  why:  {self.why}")
        if self.fix:
            lines.append(f"  fix:  {self.fix}")
        return "\n".join(lines)


class UsageError(EyechartError):
    """The command cannot mean what it says."""

    exit_code = USAGE


class InputError(EyechartError):
    """A file or a line does not have the form that it must have."""

    exit_code = USAGE


class GateFailed(EyechartError):
    """A gate such as `--fail-under` was not passed."""

    exit_code = GATE_FAILED


class Incomplete(EyechartError):
    """The run ended with questions missing, or with too many failures; what there is has been kept."""

    exit_code = INCOMPLETE


class SetupError(EyechartError):
    """Something around us is missing: a key, a server, data, disk space. Asking again would not help."""

    exit_code = ENVIRONMENT


class MissingExtra(SetupError):
    """An optional part is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs an optional part that is not installed",
            why="Eyechart keeps its core small; heavy libraries come with extras",
            fix=f'pip install "eyechart[{extra}]"',
        )


class ModelError(EyechartError):
    """One question that a model could not answer. The loop retries it or records it as a Failure."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
        stops_run: SetupError | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.stops_run = stops_run  # what it means once retries are used up, where that is more than one question


def few(names: Iterable[str], *, none: str = "nothing") -> str:
    """Names as a message lists them: the first twenty, for a file may have thousands of fields."""
    listed = list(names)
    more = f" … and {len(listed) - 20:,} more" if len(listed) > 20 else ""
    return f"{', '.join(listed[:20])}{more}" if listed else none
