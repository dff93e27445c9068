"""The model in the box, from the command line: in process, through its server, and in the demo."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from command_line import CommandLine
from eyechart.models.builtin.weights import load
from eyechart.sources.starter.source import StarterSource
from servers.builtin import BuiltinServer

SOME = ("--limit", "30", "--quiet", "--json")


@pytest.fixture(scope="module")
def server() -> Iterator[BuiltinServer]:
    with BuiltinServer() as running:
        yield running


def run(eyechart: CommandLine, *words: str) -> dict[str, Any]:
    (document,) = json.loads(eyechart("run", *words, *SOME).stdout)["runs"]
    return document


def answers(eyechart: CommandLine, document: dict[str, Any]) -> dict[str, str]:
    """What was answered, by question, from the journal."""
    lines = (eyechart.folder / document["run"] / "outcomes.jsonl").read_bytes().splitlines()
    records = [msgspec.json.decode(line) for line in lines]
    return {record["sample"]: record["response"]["text"] for record in records if "response" in record}


def test_in_process_and_through_the_server_are_the_same(eyechart: CommandLine, server: BuiltinServer) -> None:
    """The same questions and pictures, once by a call and once over HTTP: the same words, the same score."""
    direct = run(eyechart, "starter", "-m", "builtin/tiny")
    served = run(eyechart, "starter", "-m", f"{server.url}#tiny")
    assert answers(eyechart, direct) == answers(eyechart, served)
    assert len(answers(eyechart, direct)) == 30
    assert direct["metrics"]["starter"]["value"] == served["metrics"]["starter"]["value"]


def test_the_weights_are_named_in_the_signature(eyechart: CommandLine) -> None:
    """Who answered: the hash of the file that did."""
    document = run(eyechart, "starter", "-m", "builtin/tiny-early")
    manifest = json.loads((eyechart.folder / document["run"] / "run.json").read_text())
    assert f"weights={load('tiny-early').sha256[:12]}" in manifest["answered_by"]


@pytest.mark.parametrize("control", ["blind", "shuffled"])
def test_controls_change_what_is_seen(eyechart: CommandLine, control: str) -> None:
    """Without the right picture the same model does worse, and the signature says how it was asked."""
    seeing = run(eyechart, "starter", "-m", "builtin/tiny")
    controlled = run(eyechart, "starter", "-m", "builtin/tiny", "--control", control)
    assert controlled["metrics"]["starter"]["value"] < seeing["metrics"]["starter"]["value"] - 0.2
    assert f"control={control}" in controlled["signature"]


def test_other_benchmarks_get_unknown_and_no_crash(eyechart: CommandLine, tmp_path: Path) -> None:
    """Questions about the world: a table, and an honest zero."""
    (tmp_path / "world.jsonl").write_text(
        '{"id": 1, "question": "What is the capital of France?", "answer": "Paris"}\n'
        '{"id": 2, "question": "Who painted this?", "answer": "Vermeer"}\n'
    )
    document = run(eyechart, "world.jsonl", "-m", "builtin/tiny")
    assert set(answers(eyechart, document).values()) == {"unknown"}
    assert document["n"]["failed"] == 0


@pytest.mark.slow
def test_the_demo(eyechart: CommandLine) -> None:
    """Table, comparison, and what the picture was worth, with intervals; twice is as good as once."""
    text = eyechart("demo").stdout
    assert text.count("signature: starter|") == 1
    assert "builtin/tiny is +" in text
    assert "better than builtin/tiny-early" in text
    assert "The picture is worth +" in text
    assert "] to builtin/tiny: " in text
    again = eyechart("demo").stdout
    table, _, _ = text.partition("\nSaved")
    assert table in again


# ── the server alone ──────────────────────────────────────────────────────────


def post(server: BuiltinServer, body: bytes) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(f"{server.url}/chat/completions", body)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def chat(*parts: dict[str, Any], **fields: Any) -> bytes:
    return json.dumps({"model": "tiny", "messages": [{"role": "user", "content": list(parts)}], **fields}).encode()


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def image(data: bytes, head: str = "data:image/png;base64,") -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": head + base64.b64encode(data).decode()}}


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"not json", 400, "cannot be read"),
        (b'{"model": "tiny"}', 400, "messages"),
        (b'{"model": "tiny", "messages": []}', 400, "last message"),
        (b'{"model": "gpt-9", "messages": []}', 404, "no model 'gpt-9'"),
        (chat({"type": "audio"}), 400, "'audio'"),
        (chat(image(b"no picture")), 400, "picture 1"),
        (chat(image(b"", head="http://example.org/a.png?")), 400, "nothing is fetched"),
        (chat({"type": "image_url", "image_url": {"url": "data:image/png;base64,***"}}), 400, "not valid base64"),
    ],
)
def test_bad_requests_are_refused_in_words(server: BuiltinServer, body: bytes, status: int, says: str) -> None:
    """As the protocol has it: a status and an error that says what is wrong."""
    code, document = post(server, body)
    assert code == status
    assert says in document["error"]["message"]


def test_a_chat_with_a_picture(server: BuiltinServer) -> None:
    """What any client of the protocol gets: a choice, a finish reason, usage, who answered."""
    source = StarterSource(seed=12, count=1)
    sample = source.fetch(source.index().entries[0])
    assert sample.media[0].data
    code, document = post(server, chat(text(sample.question), image(sample.media[0].data)))
    assert code == 200
    assert document["choices"][0]["message"]["content"] in {"yes", "no"}
    assert document["choices"][0]["finish_reason"] == "stop"
    assert document["usage"]["completion_tokens"] == 1
    assert document["system_fingerprint"] == load("tiny").sha256[:12]


def test_models_are_listed(server: BuiltinServer) -> None:
    """As `eyechart doctor` and every client ask."""
    with urllib.request.urlopen(f"{server.url}/models", timeout=30) as reply:
        assert [model["id"] for model in json.load(reply)["data"]] == ["tiny", "tiny-early"]


def test_streamed_answers_are_the_same(eyechart: CommandLine, server: BuiltinServer) -> None:
    """Piece by piece over the wire, whole in the journal."""
    whole = run(eyechart, "starter", "-m", f"{server.url}#tiny")
    streamed = run(eyechart, "starter", "-m", f"{server.url}#tiny", "-M", "stream=true", "-o", "streamed")
    assert answers(eyechart, whole) == answers(eyechart, streamed)


def test_ctrl_c_stops_the_server() -> None:
    """At once, and as something that was meant."""
    with BuiltinServer() as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=20) == 0


def test_a_taken_port_is_said(server: BuiltinServer) -> None:
    """With another way; nothing listens twice."""
    port = server.url.rpartition(":")[2].removesuffix("/v1")
    words = [sys.executable, "-m", "eyechart.cli.main", "serve-builtin", "--port", port]
    result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 4
    assert f"cannot listen on port {port}\n" in result.stderr
    assert "--port 0" in result.stderr
