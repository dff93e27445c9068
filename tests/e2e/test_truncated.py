"""Replies that hit the token limit, asked once more under a larger one: what is sent, kept, counted and shown."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

import eyechart as interface
from command_line import CommandLine, interrupt
from eyechart.interface import Run
from eyechart.records import Exchange, Usage
from eyechart.store import read_exchanges
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]
LIMIT, LARGER = 32, 128  # the bundled benchmark's, and four times as much


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back-off is not what these tests are about."""
    monkeypatch.setattr("eyechart.runner.retry.RetryPolicy.next_delay", _at_once)


def _at_once(policy: object, error: object, attempt: int, key: str = "") -> float | None:
    return 0.0 if attempt < policy.tries_for(error) else None  # type: ignore[attr-defined]


def run(server: ScriptedServer, folder: Path, *, again: bool = True, **fields: object) -> Run:
    given = {"runs": folder, "concurrency": 4, "retries": 2, "retry_truncated": again, **fields}
    return interface.run("starter", f"{server.url}#scripted", **given)  # type: ignore[arg-type]


def limits(server: ScriptedServer, about: str) -> list[list[int]]:
    """For each question about something, the limits under which it was asked, in order."""
    asked: dict[object, list[int]] = {}
    for seen in server.requests:
        if about in seen.key:
            asked.setdefault(seen.question, []).append(seen.body["max_tokens"])
    return list(asked.values())


def about(run: Run, word: str) -> list[Exchange]:
    """The journal's lines on questions about something."""
    text = "".join
    return [e for e in run.exchanges() if word in text(p for t in e.prompt for p in t.parts if isinstance(p, str))]


def alike(found: Iterable[object]) -> object:
    """What they all are."""
    first, *others = found
    assert all(other == first for other in others)
    return first


def test_a_truncated_reply_is_asked_for_once_more(scripted: Start, tmp_path: Path) -> None:
    """Four times the limit, once, in the same slots; the second reply is the answer, on one line that says so."""
    server = scripted(script={"largest": ["length", "say:red"]})
    finished = run(server, tmp_path)
    asked = limits(server, "largest")
    assert alike(asked) == [LIMIT, LARGER]
    assert len(server.requests) == 120 + len(asked)
    assert server.most_in_flight <= 4
    assert sum(1 for _ in finished.exchanges()) == 120
    lines = about(finished, "largest")
    assert alike((e.response and e.response.text, e.tries) for e in lines) == ("red", 2)
    assert alike(e.longer and (e.longer.max_tokens, e.longer.refused) for e in lines) == (LARGER, "")
    assert alike(e.longer and e.longer.cut and e.longer.cut.text for e in lines) == "The picture sho"
    assert finished.document.n.truncated == 0


def test_what_was_cut_off_was_paid_for(scripted: Start, tmp_path: Path) -> None:
    """Tokens and tries are those of both requests, in the run's totals too; the reply's own are beside it."""
    server = scripted(script={"largest": ["length", "say:red"]})
    finished = run(server, tmp_path)
    (line, *_) = about(finished, "largest")
    assert line.response is not None
    assert (line.response.usage.output_tokens, line.usage) == (3, Usage(input_tokens=14, output_tokens=6))
    summary = json.loads(finished.folder.summary.read_text())
    sent = len(server.requests)
    assert (summary["cost"]["input_tokens"], summary["cost"]["output_tokens"]) == (7 * sent, 3 * sent)
    assert summary["time"]["tries"] == sent


def test_a_reply_that_is_truncated_again_stands(scripted: Start, tmp_path: Path) -> None:
    """Nothing is asked a third time, and what is truncated is counted."""
    server = scripted(script={"largest": "length"})
    finished = run(server, tmp_path)
    assert alike(limits(server, "largest")) == [LIMIT, LARGER]
    assert finished.document.n.truncated == len(limits(server, "largest"))


def test_runs_with_and_without_are_different_runs(scripted: Start, tmp_path: Path) -> None:
    """Signature and run.json tell them apart, the answers of one are not taken for those of the other."""
    server = scripted(script={"largest": "length"})
    without = run(server, tmp_path, again=False)
    assert len(server.requests) == 120
    assert without.document.n.truncated == len(limits(server, "largest"))
    assert [e.longer for e in without.exchanges()] == [None] * 120
    finished = run(server, tmp_path)
    assert finished.path != without.path
    assert len(server.requests) > 240
    assert "|gen=t0,max32|" in without.document.signature
    assert "retry_max_tokens" not in without.manifest.sampling
    assert "|gen=t0,max32,retry128|" in finished.document.signature
    assert finished.manifest.sampling["retry_max_tokens"] == LARGER
    assert run(server, tmp_path).path == finished.path


def test_without_a_limit_nothing_is_asked_again(scripted: Start, tmp_path: Path) -> None:
    """A server that stops by a limit of its own has no larger one."""
    server = scripted(script={"largest": "length"})
    finished = run(server, tmp_path, gen={"max_tokens": "none"})
    assert len(server.requests) == 120
    assert "retry" not in finished.document.signature


def test_the_second_request_is_under_the_same_policy(scripted: Start, tmp_path: Path) -> None:
    """It is tried again as any other; without a reply it is a failure that the same command cures."""
    server = scripted(script={"largest": ["length", "500", "say:red"], "smallest": ["length", "500"]})
    finished = run(server, tmp_path)
    assert alike(limits(server, "largest")) == [LIMIT, LARGER, LARGER]
    assert alike((e.response and e.response.text, e.tries) for e in about(finished, "largest")) == ("red", 3)
    failed = about(finished, "smallest")
    assert alike((e.failure and e.failure.kind, e.tries, e.usage.output_tokens) for e in failed) == (
        "server_error",
        4,
        3,
    )
    server.script = {}
    assert run(server, tmp_path).document.n.failed == 0


def test_a_limit_that_is_refused_costs_no_reply(scripted: Start, tmp_path: Path) -> None:
    """A server whose context is too small for the larger limit: the first reply stands, and the line says why."""
    server = scripted(script={"largest": ["length", "400:max_tokens is too large"]})
    finished = run(server, tmp_path)
    lines = about(finished, "largest")
    assert alike((e.response and e.response.text, e.tries, e.usage.output_tokens) for e in lines) == (
        "The picture sho",
        2,
        3,
    )
    assert all(e.longer and "max_tokens is too large" in e.longer.refused for e in lines)
    assert (finished.document.n.failed, finished.document.n.truncated) == (0, len(lines))


def test_the_second_request_has_a_time_limit(scripted: Start, tmp_path: Path) -> None:
    """A longer reply gets as long as any other."""
    server = scripted(script={"largest": ["length", "stall"]})
    finished = run(server, tmp_path, retries=0, timeout=0.3)
    assert alike((e.failure and e.failure.kind, e.tries) for e in about(finished, "largest")) == ("timeout", 2)


def test_what_is_stopped_in_the_second_request_says_so(eyechart: CommandLine, scripted: Start) -> None:
    """Ctrl-C twice: both requests are counted, the reply that was cut off is kept, and the question is asked again."""
    server = scripted(script={"": ["length", "stall"]})
    words = ("run", "starter", "-m", f"{server.url}#m", "-n", "4", "-j", "4", "--retry-truncated", "--quiet")
    process = eyechart.start(*words)
    server.wait_for(8, process)
    interrupt(process, times=2, within_s=10)
    lines = list(read_exchanges(eyechart.run_folder() / "outcomes.jsonl"))
    assert [(e.failure and e.failure.kind, e.tries, e.usage.output_tokens) for e in lines] == [("cancelled", 2, 3)] * 4
    server.script = {}
    eyechart(*words)
    assert len(server.requests) == 12


def test_an_interrupted_run_sends_nothing_longer(eyechart: CommandLine, scripted: Start) -> None:
    """Ctrl-C once: what comes back truncated is not asked again now, and the question stays open."""
    server = scripted(script={"": "length:0.5"})
    words = ("run", "starter", "-m", f"{server.url}#m", "-n", "4", "-j", "4", "--retry-truncated", "--quiet")
    process = eyechart.start(*words)
    server.wait_for(4, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert (process.returncode, len(server.requests)) == (130, 4)
    server.script = {}
    eyechart(*words)
    assert len(server.requests) == 8


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (["length", "say:red"], ["cut off:  The picture sho", "limit:    hit; asked once more under 128 tokens"]),
        (["length", "400:too large"], ["limit:    hit; 128 tokens were not granted: ", "too large"]),
    ],
)
def test_show_tells_of_it(eyechart: CommandLine, scripted: Start, steps: Sequence[str], says: Sequence[str]) -> None:
    """Who looks at a question sees what was cut off, or why nothing longer came; the run sheet has the limit."""
    server = scripted(script={"": steps})
    eyechart("run", "starter", "-m", f"{server.url}#m", "-n", "1", "--retry-truncated", "--quiet")
    name = eyechart.run_folder().name
    (line,) = read_exchanges(eyechart.run_folder() / "outcomes.jsonl")
    shown = eyechart("show", name, line.sample).stdout
    assert [part for part in says if part not in shown] == []
    assert "2 tries" in shown
    assert "max_tokens 32, retry_max_tokens 128" in eyechart("show", name, "--sheet").stdout
