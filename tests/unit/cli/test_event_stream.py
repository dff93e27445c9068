"""What `--events` says line by line, and that saying it holds up nobody."""

from __future__ import annotations

import io
import json
import os
import threading
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from eyechart.cli.events import EventStream, Pace
from eyechart.cli.run_flags import prepare_hub
from eyechart.metrics import get_metric
from eyechart.records import Exchange, Failure, FailureKind, Response, Sample, Timing
from eyechart.store import RunFolder

TIMING = Timing(ended_at=1.0, total_s=0.5)
RUN = RunFolder(Path("runs/20261101-120000_starter_m"))


def begun(total: int = 100, stream: io.StringIO | None = None) -> EventStream:
    """A stream that has been told of a run."""
    events = EventStream(get_metric("exact"), benchmark="starter", model="m", stream=stream or io.StringIO())
    events.started(benchmark="starter", model="m#served", run=RUN, total=total, done=0)
    return events


def answer(events: EventStream, number: int, text: str) -> None:
    """One question ends in a reply."""
    sample = Sample(id=f"q{number}", references=("2",))
    events.answered(Exchange(sample=sample.id, response=Response(text=text), timing=TIMING, tries=2), sample, 3)


def fail(events: EventStream, name: str, kind: FailureKind = "timeout", message: str = "no luck") -> None:
    """One question ends in a failure."""
    failure = Failure(kind=kind, stage="request", message=message)
    events.answered(Exchange(sample=name, repeat=1, failure=failure, timing=TIMING), Sample(id=name), 3)


def said(events: EventStream) -> list[dict[str, Any]]:
    """Everything that was written, read as a program would."""
    events.ended()
    assert isinstance(events.stream, io.StringIO)
    return [json.loads(line) for line in events.stream.getvalue().splitlines()]


def test_progress_says_how_it_stands() -> None:
    """Counts, the unrounded score with its interval, failures by kind, what is in flight."""
    events = begun()
    for number in range(10):
        answer(events, number, "2" if number else "3")
    fail(events, "q10")
    events.progress()
    progress = said(events)[-1]
    low, high = progress.pop("ci")
    assert low < 0.9 < high
    assert progress == {
        "schema": "eyechart/event@1",
        "event": "progress",
        "run": str(RUN.path),
        "total": 100,
        "done": 11,
        "failures": {"timeout": 1},
        "score": pytest.approx(0.9),
        "unreadable": 0,
        "retries": 10,
        "in_flight": 3,
    }


def test_a_score_that_is_not_known_yet_is_null() -> None:
    """Nothing is answered: no number, rather than a zero that is none."""
    events = begun()
    events.progress()
    progress = said(events)[-1]
    assert (progress["score"], progress["ci"]) == (None, None)


def test_a_failed_question_is_named_in_letters_that_every_terminal_has() -> None:
    """Id and message come through whole, in ASCII and on one line, whatever they hold."""
    events = begun()
    fail(events, "größe/😀", message="two\nlines\x1b[2J")
    events.ended()
    assert isinstance(events.stream, io.StringIO)
    assert events.stream.getvalue().replace("\n", "").isprintable()
    assert events.stream.getvalue().isascii()
    failed = said(events)[1]
    assert (failed["event"], failed["id"], failed["repeat"]) == ("sample_failed", "größe/😀", 1)
    assert (failed["kind"], failed["message"]) == ("timeout", "two\nlines\x1b[2J")


def test_a_bad_beginning_is_noted_once() -> None:
    """The warning that people get is a note for programs."""
    events = begun()
    for number in range(9):
        fail(events, f"q{number}", "refused_request")
    notes = [event["text"] for event in said(events) if event["event"] == "note"]
    assert len(notes) == 1
    assert "6 of the first 6 questions failed alike (refused_request)" in notes[0]


def test_the_loop_waits_for_no_reader() -> None:
    """Between the first event and the last, the thread that runs the loop writes nothing itself."""
    writers: list[threading.Thread] = []

    class Noting(io.StringIO):
        def write(self, text: str) -> int:
            writers.append(threading.current_thread())
            return super().write(text)

    events = begun(stream=Noting())
    for number in range(20):
        fail(events, f"q{number}")
    events.note("a word")
    assert threading.current_thread() not in writers
    assert [event["event"] for event in said(events)].count("sample_failed") == 20


@pytest.mark.parametrize(
    ("code", "state"), [(0, "done"), (1, "gate_failed"), (3, "incomplete"), (130, "interrupted"), (None, "stopped")]
)
def test_done_says_the_code_in_words(code: int | None, state: str) -> None:
    """State and exit code come from one value; an error that is not ours to name has none."""
    events = begun()
    events.ended()
    events.finished(code)
    done = said(events)[-1]
    assert (done["event"], done["state"], done["exit_code"]) == ("done", state, code)
    assert done["model"] == "m#served"


def test_progress_is_due_once_a_second_and_rarely_where_nothing_moves() -> None:
    """Many answers in a second are one line; a run that hangs still shows that it is there."""
    pace = Pace(0, now=0.0)
    assert [pace.due(done, done / 10) for done in range(1, 31)].count(True) == 3
    assert [second for second in range(4, 100) if pace.due(30, float(second))] == [33, 63, 93]


@pytest.mark.parametrize("events", [True, False])
def test_downloads_draw_no_bars_among_events(events: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's library would write its own progress to the same stream."""
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "0")
    prepare_hub(Namespace(offline=False, quiet=False, events=events, hf_token=None))
    assert os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] == ("1" if events else "0")
