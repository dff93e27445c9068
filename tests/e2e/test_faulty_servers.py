"""Whole runs against servers that misbehave: every question ends once, under its own kind, and nothing is lost."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import resource
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from servers.aimock import Aimock
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]


def eyechart(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the real command line."""
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.casefold()}
    command = [sys.executable, "-m", "eyechart.cli.main", *words, "-o", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)


def journal(folder: Path) -> list[dict[str, Any]]:
    """All lines of the only run in a folder."""
    (path,) = folder.glob("*/outcomes.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def failures(lines: list[dict[str, Any]]) -> Counter[str]:
    """How many questions ended in each kind of failure."""
    return Counter(line["failure"]["kind"] for line in lines if "failure" in line)


def words_of(line: dict[str, Any]) -> str:
    """The text of the last turn of an exchange."""
    return "".join(part for part in line["prompt"][-1]["parts"] if isinstance(part, str))


def test_a_server_with_every_fault_at_once(scripted: Start, tmp_path: Path) -> None:
    """Limits, faults, stalls, dropped and cut connections, slowness: all 120 questions are answered, each once."""
    server = scripted(
        chance={
            "429:0.1": 0.06,
            "429": 0.03,
            "500": 0.08,
            "503-wait:0.1": 0.03,
            "drop": 0.06,
            "truncated-body": 0.05,
            "stall": 0.03,
            "slow:0.3": 0.1,
        },
        seed=2,
    )
    words = ("-m", f"{server.url}#m", "--timeout", "1", "--retries", "8", "--json", "--quiet")
    finished = eyechart("run", "starter", *words, folder=tmp_path)
    assert finished.returncode == 0, finished.stderr
    (run,) = json.loads(finished.stdout)["runs"]
    assert [run["n"][count] for count in ("total", "answered", "missing", "failed")] == [120, 120, 0, 0]
    lines = journal(tmp_path)
    assert len({line["sample"] for line in lines}) == len(lines) == 120
    # Nothing was asked again after its answer: each question was answered exactly once.
    answered = Counter(seen.question for seen in server.requests if seen.behaviour.partition(":")[0] in ("say", "slow"))
    assert max(answered.values()) == 1
    assert len(answered) == 120
    assert sum(line.get("tries", 1) for line in lines) == len(server.requests)
    arrived = Counter(picture for seen in answered for picture in seen[1])
    assert arrived == Counter(media["sha256"] for line in lines for media in line["media"])


def test_every_lasting_fault_is_counted_under_its_kind(scripted: Start, tmp_path: Path) -> None:
    """What no retry cures is a failure of its kind; the same command again asks what may have become curable."""
    server = scripted(
        script={
            "How many": "500",
            "What colour": "html",
            "What shape": "filter",
            "Which": "400",
            "Is there": ["drop", "drop", "say"],
        }
    )
    words = ("run", "starter", "-m", f"{server.url}#m", "--retries", "2", "--quiet", "--max-error-rate", "100%")
    first = eyechart(*words, "--json", folder=tmp_path)
    assert first.returncode == 0, first.stderr
    lines = journal(tmp_path)
    asked = {line["sample"]: words_of(line) for line in lines}
    kinds = {line["sample"]: line["failure"]["kind"] for line in lines if "failure" in line}
    expected = {
        "How many": "server_error",
        "What colour": "malformed_reply",
        "What shape": "content_filtered",
        "Which": "refused_request",
    }
    for sample, text in asked.items():
        assert kinds.get(sample) == next((kind for start, kind in expected.items() if start in text), None), text
    counts = failures(lines)
    assert len(counts) == 4
    assert json.loads(first.stdout)["runs"][0]["n"]["failed"] == sum(counts.values())
    server.script = {}
    again = eyechart(*words, folder=tmp_path)
    assert again.returncode == 0, again.stderr
    added = journal(tmp_path)[len(lines) :]
    assert len(added) == counts["server_error"]
    assert failures(added) == {}


def test_few_open_files_cost_time_and_no_questions(scripted: Start, eyechart: CommandLine) -> None:
    """More requests at once than the process may open connections: as many as there is room for, and none fails."""
    server = scripted(chance={"slow:1.5": 1.0})
    result = eyechart(
        *("run", "starter", "-m", f"{server.url}#m", "-j", "200", "--retries", "0", "--quiet", "--json"),
        code=None,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80)),
    )
    assert json.loads(result.stdout)["runs"][0]["failures"] == {}
    assert 16 <= server.most_in_flight <= 80


def test_a_rate_limit_costs_time_and_no_questions(scripted: Start, tmp_path: Path) -> None:
    """A third of all requests are turned away; nothing fails."""
    server = scripted(chance={"429:0.05": 0.33})
    finished = eyechart("run", "starter", "-m", f"{server.url}#m", "--quiet", folder=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert failures(journal(tmp_path)) == {}


@pytest.mark.parametrize(
    ("word", "said"),
    [("401", "does not accept the key"), ("404", "no model named 'm'"), ("no-credit", "no credit")],
)
def test_what_no_question_can_survive_stops_the_run(scripted: Start, tmp_path: Path, word: str, said: str) -> None:
    """The run ends at once with exit code 4 and a way out, and asks no further."""
    server = scripted(script={"": word})
    finished = eyechart("run", "starter", "-m", f"{server.url}#m", "--quiet", folder=tmp_path)
    assert finished.returncode == 4, finished.stderr
    assert said in finished.stderr
    assert len(server.requests) <= 16


def test_what_stops_a_run_half_way_says_that_nothing_is_lost(scripted: Start, tmp_path: Path) -> None:
    """Credit that runs out after some answers: they are kept, the person is told so, and the rest is asked later."""
    server = scripted(script={"largest": "no-credit"})
    words = ("run", "starter", "-m", f"{server.url}#m", "-j", "4", "--quiet")
    stopped = eyechart(*words, folder=tmp_path)
    assert stopped.returncode == 4
    kept = [line for line in journal(tmp_path) if "response" in line]
    assert kept
    assert "every finished answer is in" in stopped.stderr
    server.script = {}
    before = len(server.requests)
    assert eyechart(*words, folder=tmp_path).returncode == 0
    assert len(server.requests) == before + 120 - len(kept)


def test_a_server_that_is_not_there_stops_the_run(tmp_path: Path) -> None:
    """A refused connection says which address, in a few seconds."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        finished = eyechart("run", "starter", "-m", f"http://127.0.0.1:{port}/v1#m", "--quiet", folder=tmp_path)
    assert finished.returncode == 4, finished.stderr
    assert f"cannot reach the server at http://127.0.0.1:{port}/v1" in finished.stderr
    assert "finished answer" not in finished.stderr  # there is none


@pytest.mark.node
def test_a_server_that_others_wrote(tmp_path: Path) -> None:
    """aimock, turning requests away and breaking connections, gets every picture right and leaves no question open."""
    options = ("--chaos-ratelimit", "0.1", "--chaos-drop", "0.05", "--chaos-disconnect", "0.05", "--log-level", "info")
    with Aimock(tmp_path, *options) as server:
        runs = tmp_path / "runs"
        finished = eyechart("run", "starter", "-m", f"{server.url}#gpt-x", "--quiet", "--limit", "60", folder=runs)
        assert finished.returncode == 0, finished.stderr
        received = server.journal()
    lines = journal(runs)
    assert len(lines) == 60
    assert failures(lines) == {}
    answered = Counter(pictures_in(entry["body"]) for entry in received if entry["response"]["status"] == 200)
    assert answered == Counter(tuple(media["sha256"] for media in line["media"]) for line in lines)
    assert any(entry["response"]["status"] == 429 for entry in received)


def pictures_in(body: dict[str, Any]) -> tuple[str, ...]:
    """The hashes of the pictures in a request body."""
    parts = [part for message in body["messages"] for part in message["content"] if isinstance(part, dict)]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return tuple(hashlib.sha256(base64.b64decode(url.partition(",")[2])).hexdigest() for url in urls)
