"""Against a server that misbehaves: every question ends once, each failure under its own kind, nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from eyechart.errors import SetupError
from eyechart.runner.finish import Result, finish
from eyechart.runner.loop import Loop
from eyechart.runner.retry import RetryPolicy
from eyechart.runner.session import ask
from eyechart.runner.settle import settle
from eyechart.runner.spec import RunSpec
from eyechart.runner.watch import Watch
from eyechart.store import read_exchanges
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back-off is not what these tests are about."""
    monkeypatch.setattr("eyechart.runner.session.RetryPolicy", lambda **given: RetryPolicy(**given, base_s=0.001))


def run(server: ScriptedServer, folder: Path, **fields: object) -> Result:
    given = {"benchmark": "starter", "concurrency": 16, "runs": folder, "timeout_s": 0.4, "tries": 4, **fields}
    settled = settle(RunSpec(model=f"{server.url}#scripted", **given))  # type: ignore[arg-type]
    asked = ask(settled, Watch())
    return finish(settled, asked.folder, asked.seconds)


def test_every_question_ends_once_whatever_the_server_does(scripted: Start, tmp_path: Path) -> None:
    """Rate limits, errors, stalls, dropped connections and broken replies: one final line each, none asked again."""
    chance = {"429:0.02": 0.1, "500": 0.1, "stall": 0.02, "drop": 0.1, "truncated-json": 0.05, "slow:0.05": 0.2}
    server = scripted(chance=chance, seed=3)
    result = run(server, tmp_path)
    exchanges = list(read_exchanges(result.folder.journal))
    assert len(exchanges) == 120
    assert len({exchange.sample for exchange in exchanges}) == 120
    assert sum(exchange.tries for exchange in exchanges) == len(server.requests)  # none was asked after it ended
    failures = Counter(exchange.failure.kind for exchange in exchanges if exchange.failure)
    assert set(failures) <= {"malformed_reply", "timeout", "connection", "server_error", "rate_limited"}
    assert failures["malformed_reply"] >= 1  # half a document is not asked for again: the server meant it
    n = result.document.n
    assert (n.total, n.failed, n.missing) == (120, sum(failures.values()), 0)
    assert dict(result.document.failures) == dict(failures)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("500", "server_error"),
        ("429:0.01", "rate_limited"),
        ("400", "refused_request"),
        ("stall", "timeout"),
        ("drop", "connection"),
        ("html", "malformed_reply"),
        ("truncated-json", "malformed_reply"),
        ("empty-choices", "malformed_reply"),
        ("filter", "content_filtered"),
    ],
)
def test_each_fault_has_its_own_kind(scripted: Start, tmp_path: Path, word: str, kind: str) -> None:
    """One question meets the fault at every try; the others are answered; both readings are given."""
    server = scripted(script={"largest": word})
    result = run(server, tmp_path, timeout_s=0.2)
    kinds = {e.failure.kind for e in read_exchanges(result.folder.journal) if e.failure}
    assert kinds == {kind}
    score = result.document.result
    assert score.value is not None
    assert score.value_left_out is not None
    assert score.value < score.value_left_out


def test_curable_failures_are_asked_again_and_others_when_told(scripted: Start, tmp_path: Path) -> None:
    """A resumed run repeats what time may have cured; a refused request only with --retry."""
    first = scripted(script={"largest": "500", "smallest": "400"})
    before = run(first, tmp_path)
    assert set(before.document.failures) == {"server_error", "refused_request"}
    first.script = {}
    again = run(first, tmp_path)
    assert again.folder == before.folder
    assert set(again.document.failures) == {"refused_request"}
    cured = run(first, tmp_path, retry=frozenset({"refused_request"}))
    assert not cured.document.failures
    assert cured.document.n.answered == 120


def test_pictures_arrive_as_the_journal_says(scripted: Start, tmp_path: Path) -> None:
    """The hashes that the server took of what it received are those in the journal."""
    server = scripted()
    result = run(server, tmp_path, benchmark="starter:moved")
    received = {picture for seen in server.requests for picture in seen.pictures}
    sent = {media.sha256 for exchange in read_exchanges(result.folder.journal) for media in exchange.media}
    assert received == sent
    assert all(len(seen.pictures) == 2 for seen in server.requests)


def test_a_fatal_error_stops_the_run_at_once(scripted: Start, tmp_path: Path) -> None:
    """A wrong key ends the run with the requests that were in flight, not with one for every question."""
    server = scripted(chance={"401": 1.0})
    with pytest.raises(SetupError, match="does not accept the key"):
        run(server, tmp_path, concurrency=5)
    assert len(server.requests) <= 5


def test_the_window_is_bounded(scripted: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many questions there are, only a few more than are in flight are held ready."""
    most = 0
    original = Loop._wait_for_room

    async def spy(self: Loop) -> None:
        nonlocal most
        await original(self)
        most = max(most, len(self._tasks) + 1)

    monkeypatch.setattr(Loop, "_wait_for_room", spy)
    run(scripted(), tmp_path, benchmark_options={"n": "400"}, concurrency=4)
    assert most <= 2 * 4 + 8


def test_controls_take_the_picture_away_or_swap_it(scripted: Start, tmp_path: Path) -> None:
    """Blind sends no picture; shuffled sends pictures, but never the question's own; each is a run of its own."""
    server = scripted()
    plain = run(server, tmp_path)
    own = {e.sample: [m.sha256 for m in e.media] for e in read_exchanges(plain.folder.journal)}
    server.requests.clear()
    blind = run(server, tmp_path, control="blind")
    assert not any(seen.pictures for seen in server.requests)
    assert "control=blind" in blind.document.signature
    shuffled = run(server, tmp_path, control="shuffled")
    for exchange in read_exchanges(shuffled.folder.journal):
        assert exchange.media
        assert not {media.sha256 for media in exchange.media} & set(own[exchange.sample])
    assert len({plain.folder, blind.folder, shuffled.folder}) == 3
