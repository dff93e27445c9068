"""Killed, interrupted, locked, damaged: what was answered stays answered, and nothing is asked twice."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import CommandLine, interrupt
from eyechart.store import read_exchanges
from servers.scripted import ScriptedServer, Seen

Start = Callable[..., ScriptedServer]


def colour_by_picture(seen: Seen) -> str:
    """An answer that depends on the question alone, so that every run gets the same."""
    return ("red", "yes", "2", "A")[sum(map(ord, seen.key + "".join(seen.pictures))) % 4]


def run_words(server: ScriptedServer, runs: str = "runs") -> tuple[str, ...]:
    return ("run", "starter", "-m", f"{server.url}#scripted", "-j", "4", "-o", runs, "--quiet")


@pytest.mark.slow
def test_twenty_kills_change_nothing(eyechart: CommandLine, scripted: Start) -> None:
    """kill -9 at random moments, resumed each time: byte-identical scores, only requests in flight repeated."""
    server = scripted(chance={"slow:0.03": 1.0}, answer=colour_by_picture)
    eyechart(*run_words(server, "undisturbed"))
    undisturbed = len(server.requests)
    chance = random.Random(5)
    for _ in range(20):
        process = eyechart.start(*run_words(server))
        deadline, already = time.monotonic() + 20, len(server.requests)
        while len(server.requests) == already and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.1))
        process.kill()
        process.communicate()
    eyechart(*run_words(server))
    repeated = len(server.requests) - 2 * undisturbed
    assert undisturbed == 120
    assert 0 <= repeated <= 20 * 4
    (calm,) = (eyechart.folder / "undisturbed").iterdir()
    assert (eyechart.run_folder() / "scores.jsonl").read_bytes() == (calm / "scores.jsonl").read_bytes()
    finals = Counter(e.sample for e in read_exchanges(eyechart.run_folder() / "outcomes.jsonl"))
    assert set(finals.values()) == {1}


def test_one_interrupt_drains_and_the_same_command_continues(eyechart: CommandLine, scripted: Start) -> None:
    """Ctrl-C once: what is in flight is written down, exit code 130; then only the rest is asked."""
    server = scripted(chance={"slow:0.1": 1.0})
    process = eyechart.start(*run_words(server))
    server.wait_for(8, process)
    said = interrupt(process)
    assert process.returncode == 130
    assert "the same command continues" in said
    asked = len(server.requests)
    assert sum(1 for _ in read_exchanges(eyechart.run_folder() / "outcomes.jsonl")) == asked
    eyechart(*run_words(server))
    assert len(server.requests) == 120


def test_a_part_that_was_marked_is_not_taken_for_the_whole(eyechart: CommandLine, scripted: Start) -> None:
    """An interrupted run can be marked as far as it went, and every table says how far that is."""
    server = scripted(chance={"slow:0.1": 1.0})
    process = eyechart.start(*run_words(server))
    server.wait_for(8, process)
    interrupt(process)
    asked, name = len(server.requests), eyechart.run_folder().name
    assert "unfinished" in eyechart("ls", "runs").stdout
    said = f"UNFINISHED: {asked} of 120 questions"
    assert said in eyechart("rescore", name).stdout
    assert said in eyechart("show", name).stdout
    assert f"of {asked} so far" in eyechart("ls", "runs").stdout
    eyechart(*run_words(server))
    assert "UNFINISHED" not in eyechart("show", name).stdout


def test_two_interrupts_stop_at_once(eyechart: CommandLine, scripted: Start) -> None:
    """Ctrl-C twice does not wait for a server that never answers; what was under way is recorded as cancelled."""
    server = scripted(chance={"stall": 1.0})
    process = eyechart.start(*run_words(server))
    server.wait_for(4, process)
    interrupt(process, times=2, within_s=10)
    assert process.returncode == 130
    kinds = {e.failure.kind for e in read_exchanges(eyechart.run_folder() / "outcomes.jsonl") if e.failure}
    assert kinds == {"cancelled"}


def test_a_running_run_cannot_be_joined(eyechart: CommandLine, scripted: Start) -> None:
    """A second process on the same run is refused and told why."""
    server = scripted(chance={"stall": 1.0})
    process = eyechart.start(*run_words(server))
    server.wait_for(1, process)
    refused = eyechart(*run_words(server), code=4)
    process.kill()
    process.communicate()
    assert "in use" in refused.stderr
    assert str(process.pid) in refused.stderr


def test_a_damaged_journal_is_named_by_line(eyechart: CommandLine) -> None:
    """A broken line in the middle stops the resumed run with exit code 2; a torn last line does not."""
    words = ("run", "starter", "-m", "baseline:majority", "--quiet")
    eyechart(*words)
    journal = eyechart.run_folder() / "outcomes.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:50]) + lines[50][:30])
    assert "torn" in eyechart(*words).stderr
    assert len(journal.read_bytes().splitlines()) == 120
    journal.write_bytes(b"".join([*lines[:50], b"{broken\n", *lines[51:]]))
    assert "line 51" in eyechart(*words, code=2).stderr


def test_a_changed_configuration_is_named_by_field(eyechart: CommandLine) -> None:
    """--resume with another sampling is refused, naming what changed; without --resume it is a run of its own."""
    words = ("run", "starter", "-m", "baseline:majority", "--quiet")
    eyechart(*words)
    run = eyechart.run_folder().name
    refused = eyechart(*words, "--max-tokens", "99", "--resume", run, code=2)
    assert "gen: t0,max32 → t0,max99" in refused.stderr
    eyechart(*words, "--max-tokens", "99")
    assert len(list((eyechart.folder / "runs").iterdir())) == 2


def test_a_narrower_run_reuses_answers_and_spoils_nothing(eyechart: CommandLine, scripted: Start) -> None:
    """--limit on a finished run asks nothing and leaves the finished run's scores alone; a wider one asks the rest."""
    server = scripted()
    eyechart(*run_words(server), "--limit", "30")
    assert len(server.requests) == 30
    eyechart(*run_words(server))
    assert len(server.requests) == 120
    full = (eyechart.run_folder() / "scores.jsonl").read_bytes()
    narrow = eyechart(*run_words(server), "--limit", "30")
    assert len(server.requests) == 120
    assert "LIMITED to 30 of 120" in narrow.stdout
    assert any((path / "scores.jsonl").read_bytes() == full for path in Path(eyechart.folder / "runs").iterdir())
    eyechart(*run_words(server))
    assert len(server.requests) == 120


def test_scores_that_are_damaged_are_made_anew(eyechart: CommandLine) -> None:
    """scores.jsonl is derived: whoever reads a damaged one is sent to rescore, and rescore mends it."""
    eyechart("run", "starter", "-m", "baseline:majority", "--quiet")
    run = eyechart.run_folder()
    sound = (run / "scores.jsonl").read_bytes()
    (run / "scores.jsonl").write_bytes(b"\xff\n" + sound)
    refused = eyechart("show", run.name, "--wrong", code=2)
    assert "scores.jsonl, line 1" in refused.stderr
    assert f"eyechart rescore runs/{run.name}" in refused.stderr
    eyechart("rescore", f"runs/{run.name}")
    assert (run / "scores.jsonl").read_bytes() == sound


def interrupt_soon(eyechart: CommandLine, server: ScriptedServer, after_s: float) -> None:
    """Start a run, and send Ctrl-C once, so long after its first request."""
    process = eyechart.start(*run_words(server))
    server.wait_for(1, process)
    time.sleep(after_s)
    interrupt(process)
    assert process.returncode == 130


def test_an_interrupt_does_not_wait_for_what_waits(eyechart: CommandLine, scripted: Start) -> None:
    """Ctrl-C once, while every question waits to try again: nothing is in flight, so the run ends at once."""
    server = scripted(script={"": "429:100"})
    interrupt_soon(eyechart, server, 0.5)
    assert list(read_exchanges(eyechart.run_folder() / "outcomes.jsonl")) == []  # nothing ended, all stays open


def test_an_interrupt_does_not_wait_to_try_again(eyechart: CommandLine, scripted: Start) -> None:
    """Ctrl-C once: a request in flight that is then turned away for 60 s is left for the next start, not sat out."""
    server = scripted(script={"": "slow-429:60"})
    interrupt_soon(eyechart, server, 0.2)
    asked, server.script = len(server.requests), {}
    eyechart(*run_words(server))
    assert len(server.requests) == asked + 120


def test_another_part_of_the_benchmark_is_a_run_of_its_own(eyechart: CommandLine, scripted: Start) -> None:
    """A sample, the first N, others, repeats: no result takes another's place, and no question is asked twice."""
    server = scripted()
    parts = (("--sample", "40"), ("--limit", "40"), ("--limit", "5-15"), ("--limit", "15-60"), ("--sample", "12"))
    results = [eyechart(*run_words(server), *part).stdout for part in parts]
    asked = len(server.requests)
    assert asked == len({seen.question for seen in server.requests})
    assert [eyechart(*run_words(server), *part).stdout for part in parts] == results
    assert len(list((eyechart.folder / "runs").iterdir())) == len(parts)
    twice = eyechart(*run_words(server), "--limit", "5-15", "--repeats", "2").stdout
    assert len(server.requests) == asked + 11
    assert eyechart(*run_words(server), "--limit", "5-15").stdout == results[2]
    assert eyechart(*run_words(server), "--limit", "5-15", "--repeats", "2").stdout == twice
    assert len(server.requests) == asked + 11


def test_the_same_command_twice_at_once_asks_once(eyechart: CommandLine, scripted: Start) -> None:
    """Started together, one of them asks and the others are told so; no question is paid for twice."""
    server = scripted(chance={"slow:0.1": 1.0})
    together = [eyechart.start(*run_words(server)) for _ in range(3)]
    said = [process.communicate(timeout=60)[1] for process in together]
    codes = [process.returncode for process in together]
    assert set(codes) <= {0, 4}
    assert ["is in use" in words for words in said] == [code == 4 for code in codes]
    assert eyechart.run_folder().name
    assert len(server.requests) == 120


def test_a_finished_run_may_be_read_by_many_at_once(eyechart: CommandLine) -> None:
    """Several starts that find nothing to ask mark the run at the same moment, and none spoils it for the others."""
    words = ("run", "starter", "-m", "baseline:majority", "--quiet")
    eyechart(*words)
    scores = (eyechart.run_folder() / "scores.jsonl").read_bytes()
    together = [eyechart.start(*words) for _ in range(4)]
    for process in together:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0 or "is in use" in said, said
    assert (eyechart.run_folder() / "scores.jsonl").read_bytes() == scores
    assert sorted(path.name for path in eyechart.run_folder().iterdir() if path.name.startswith(".")) == []
