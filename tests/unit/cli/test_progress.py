"""What a person sees while a run goes on, on a terminal and in a log."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eyechart.cli.progress import ProgressDisplay, duration
from eyechart.metrics import get_metric
from eyechart.records import Exchange, Failure, FailureKind, Longer, Response, Sample, Timing, Usage
from eyechart.store import RunFolder
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]
TIMING = Timing(ended_at=1.0, total_s=0.5)
RUN = RunFolder(Path("runs/20261101-120000_starter_m"))
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def display(total: int = 100) -> ProgressDisplay:
    """A display that has been told of a run and draws nothing by itself."""
    shown = ProgressDisplay(get_metric("exact"), io.StringIO(), quiet=True)
    shown.started(benchmark="starter", model="m", run=RUN, total=total, done=0)
    return shown


def answer(shown: ProgressDisplay, number: int, text: str) -> None:
    """One question ends in a reply."""
    sample = Sample(id=f"q{number}", question="How many?", references=("2",))
    response = Response(text=text, usage=Usage(input_tokens=7, output_tokens=3))
    shown.answered(Exchange(sample=sample.id, response=response, timing=TIMING, tries=2), sample, 4)


def fail(shown: ProgressDisplay, number: int, kind: FailureKind) -> None:
    """One question ends in a failure."""
    failure = Failure(kind=kind, stage="request", message="no luck")
    shown.answered(Exchange(sample=f"q{number}", failure=failure, timing=TIMING), Sample(id=f"q{number}"), 4)


def test_tokens_are_counted_where_a_reply_was_cut_off_too() -> None:
    """What was paid for before a failure was paid for."""
    shown = display()
    answer(shown, 0, "2")
    failure = Failure(kind="timeout", stage="request", message="no luck")
    longer = Longer(max_tokens=64, cut=Response(text="The", usage=Usage(input_tokens=7, output_tokens=16)))
    shown.answered(Exchange(sample="q1", failure=failure, longer=longer, timing=TIMING), Sample(id="q1"), 4)
    assert "tokens in 14 out 19" in shown.lines(200)[2]


def test_five_lines_say_how_it_stands() -> None:
    """Title, bar and score, pace and tokens, failures by kind, the last question that went wrong."""
    shown = display()
    for number in range(10):
        answer(shown, number, "2" if number else "3")
    fail(shown, 10, "timeout")
    title, bar, pace, failures, last = shown.lines(200)
    assert title.startswith(f"starter · m · run {RUN.short_id}")
    assert "11%  11/100   score so far 90.0" in bar
    assert "4 in flight · p50 0.50 s p95 0.50 s · tokens in 70 out 30" in pace
    assert failures == "failed 1: timeout 1 · unreadable 0 · retries 10"
    assert last == "last ✗ q10: timeout: no luck"


def test_replies_cannot_move_the_cursor_or_break_a_line() -> None:
    """Control characters of a reply are shown as marks, and wide ones are cut to the terminal's width."""
    shown = display()
    answer(shown, 0, "\x1b[2Jone\ntwo " + "答" * 100)
    lines = shown.lines(60)
    assert len(lines) == 5
    assert not any(ESCAPE.search(line) or "\n" in line for line in lines)
    assert len(lines[4]) + lines[4].count("答") <= 59


def test_a_bad_beginning_is_said_once() -> None:
    """Six failures alike among the first questions: one warning; a run that is being stopped warns of nothing."""
    stopped, failing = display(), display()
    for number in range(9):
        fail(stopped, number, "cancelled")
        fail(failing, number, "refused_request")
    assert isinstance(stopped.stream, io.StringIO)
    assert isinstance(failing.stream, io.StringIO)
    assert stopped.stream.getvalue() == ""
    assert failing.stream.getvalue().count("warning: 6 of the first 6 questions failed alike (refused_request)") == 1


def test_unreadable_replies_are_warned_of() -> None:
    """More than a fifth of the first fifty replies without an answer: stop and look."""
    shown = ProgressDisplay(get_metric("choice"), io.StringIO(), quiet=True)
    shown.started(benchmark="b", model="m", run=RUN, total=100, done=0)
    sample = Sample(id="q", choices={"A": "left", "B": "right"}, references=("A",))
    for _ in range(50):
        shown.answered(Exchange(sample="q", response=Response(text="hm"), timing=TIMING), sample, 1)
    assert isinstance(shown.stream, io.StringIO)
    assert "in 50 of the first 50 replies no answer was found" in shown.stream.getvalue()


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.25, "0.2 s"), (42, "42 s"), (89, "89 s"), (180, "3 min"), (5220, "1 h 27 min")]
)
def test_durations_in_words(seconds: float, words: str) -> None:
    """As much precision as anybody needs."""
    assert duration(seconds) == words


def on_a_terminal(words: list[str], folder: Path, **environment: str) -> str:
    """Everything that a command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "eyechart.cli.main", *words]
    variables = {name: value for name, value in os.environ.items() if name != "CI"} | environment
    process = subprocess.Popen(command, cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # so Linux says that the other end has gone
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    assert process.wait(30) == 0
    return b"".join(pieces).decode()


def test_a_terminal_is_redrawn_and_left_clean(scripted: Start, tmp_path: Path) -> None:
    """Lines are taken back from the first column on, whatever was echoed behind them; the table stands alone."""
    server = scripted(chance={"slow:0.3": 1.0})
    words = ["run", "starter", "-m", f"{server.url}#m", "--limit", "24", "-j", "4"]
    written = on_a_terminal(words, tmp_path, TERM="xterm")
    taken_back = list(re.finditer(r"(.)\x1b\[5A\x1b\[J", written))
    assert taken_back
    assert {match[1] for match in taken_back} == {"\r"}
    assert ESCAPE.search(written[taken_back[-1].end() :]) is None
    assert "overall" in written[taken_back[-1].end() :]


def test_a_dumb_terminal_gets_plain_lines(scripted: Start, tmp_path: Path) -> None:
    """No escape sequence where nobody would understand it."""
    server = scripted(chance={"slow:0.1": 1.0})
    words = ["run", "starter", "-m", f"{server.url}#m", "--limit", "24", "-j", "4"]
    written = on_a_terminal(words, tmp_path, TERM="dumb")
    assert "\x1b" not in written
    assert "score so far" in written
