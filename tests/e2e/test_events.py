"""`--events` as a program reads it: events on stderr, the result on stdout, exit codes as ever."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from command_line import CommandLine, interrupt
from eyechart.store import read_exchanges
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]


def asked(server: ScriptedServer, *further: str) -> tuple[str, ...]:
    return ("run", "starter", "-m", f"{server.url}#scripted", "-j", "4", "--retries", "0", "--events", *further)


def events_in(stderr: str) -> list[dict[str, Any]]:
    """The lines that are events."""
    events = [json.loads(line) for line in stderr.splitlines() if line.startswith("{")]
    assert {event["schema"] for event in events} == {"eyechart/event@1"}
    return events


def words_in(stderr: str) -> str:
    """What is said to people."""
    return "\n".join(line for line in stderr.splitlines() if not line.startswith("{"))


def test_failures_are_named_and_the_result_stays_alone(eyechart: CommandLine, scripted: Start) -> None:
    """Each failed question is told as the journal has it; the error is worded as ever; stdout is one document."""
    result = eyechart(*asked(scripted(script={"Is": "400"}), "--json"), code=3)
    assert json.loads(result.stdout)["schema"] == "eyechart/run@1"
    events = events_in(result.stderr)
    folder = eyechart.run_folder()
    failures = [e for e in read_exchanges(folder / "outcomes.jsonl") if e.failure]
    started, done = events[0], events[-1]
    assert (started["event"], started["total"], started["done"]) == ("started", 120, 0)
    assert (started["benchmark"], started["run"]) == ("starter", f"runs/{folder.name}")
    failed = [event for event in events if event["event"] == "sample_failed"]
    assert Counter((e["id"], e["kind"]) for e in failed) == Counter((e.sample, "refused_request") for e in failures)
    assert {e["message"] for e in failed} == {e.failure.message for e in failures if e.failure}
    assert (done["event"], done["state"], done["exit_code"]) == ("done", "incomplete", 3)
    assert (done["done"], done["failures"]) == (120, {"refused_request": len(failures)})
    words = words_in(result.stderr)
    assert words.startswith("error: ")
    assert "ended in a failure" in words
    assert "Saved" not in words


def test_progress_comes_about_once_a_second(eyechart: CommandLine, scripted: Start) -> None:
    """Not one line a question: a few, each further on than the one before; none with --quiet."""
    server = scripted(chance={"slow:0.5": 1.0})
    events = events_in(eyechart(*asked(server, "--limit", "24")).stderr)
    progress = [event["done"] for event in events if event["event"] == "progress"]
    assert 1 <= len(progress) <= events[-1]["seconds"]
    assert progress == sorted(set(progress))
    quiet = events_in(eyechart(*asked(server, "--limit", "24", "--fresh", "--quiet")).stderr)
    assert [event["event"] for event in quiet] == ["started", "done"]


def test_an_interrupted_run_says_done(eyechart: CommandLine, scripted: Start) -> None:
    """Ctrl-C: a note, then `done` with what was answered and where; the next start knows of it."""
    server = scripted(chance={"slow:0.1": 1.0})
    process = eyechart.start(*asked(server))
    server.wait_for(8, process)
    stderr = interrupt(process)
    events = events_in(stderr)
    assert process.returncode == 130
    assert "stopping" in next(event["text"] for event in events if event["event"] == "note")
    assert "the same command continues" in words_in(stderr)
    answered, done = len(server.requests), events[-1]
    assert (done["event"], done["state"], done["exit_code"], done["done"]) == ("done", "interrupted", 130, answered)
    started = events_in(eyechart(*asked(server)).stderr)[0]
    assert (started["run"], started["done"]) == (done["run"], answered)


def test_every_run_has_its_own_end(eyechart: CommandLine) -> None:
    """A run that never began, one that misses its gate and one that passes: each is told of, in order."""
    models = ("-m", "http://127.0.0.1:9/v1", "-m", "baseline:majority", "-m", "baseline:echo-gold")
    result = eyechart("run", "starter", *models, "--retries", "0", "--events", "--fail-under", "0.9", code=4)
    done = [event for event in events_in(result.stderr) if event["event"] == "done"]
    assert [event["state"] for event in done] == ["environment", "gate_failed", "done"]
    assert [event["exit_code"] for event in done] == [4, 1, 0]
    assert [event["run"] is None for event in done] == [True, False, False]
    assert done[0]["model"] == "http://127.0.0.1:9/v1"


def test_a_reader_that_goes_away_stops_nothing(eyechart: CommandLine, scripted: Start) -> None:
    """The run ends as it would have, with its table and its own exit code."""
    server = scripted(script={"Is": "400"}, chance={"slow:0.05": 1.0})
    process = eyechart.start(*asked(server, "--fail-under", "0.99", "--max-error-rate", "100%"))
    assert process.stderr is not None
    assert process.stdout is not None
    process.stderr.readline()
    process.stderr.close()
    table = process.stdout.read()
    assert process.wait(30) == 1
    assert "overall" in table
