"""The Python interface as a person uses it: in a script, in a notebook's running loop, interrupted there."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import eyechart
from eyechart.errors import UsageError
from eyechart.store import read_exchanges
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]

# A notebook's cell runs while the kernel's loop runs in the same thread.
CELL = """
import asyncio, sys, threading
import eyechart

async def cell():
    run = eyechart.run("starter", sys.argv[1], runs=sys.argv[2], concurrency=4)
    print(run.interrupted, sorted(t.name for t in threading.enumerate() if t.name.startswith("eyechart")))

asyncio.new_event_loop().run_until_complete(cell())
"""


def start_cell(server: ScriptedServer, runs: Path) -> subprocess.Popen[str]:
    """Run the cell, and leave it running."""
    command = [sys.executable, "-c", CELL, f"{server.url}#scripted", str(runs)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_run_inside_a_running_loop(scripted: Start, tmp_path: Path) -> None:
    """A notebook asks all questions and gets the run back."""
    server = scripted()
    with start_cell(server, tmp_path) as cell:
        said, errors = cell.communicate(timeout=60)
    assert (said, cell.returncode) == ("False []\n", 0), errors
    assert len(server.requests) == 120


def test_patience_and_the_run_to_continue_are_said_as_on_the_command_line(scripted: Start, tmp_path: Path) -> None:
    """`retries` and `resume` are words here too; another configuration of the same run is refused."""
    server = scripted(script={"": "500"})
    run = eyechart.run("starter", f"{server.url}#m", limit=3, retries=0, runs=tmp_path)
    assert [exchange.tries for exchange in run.exchanges()] == [1, 1, 1]
    server.script = {}
    again = eyechart.run("starter", f"{server.url}#m", limit=3, resume=run, runs=tmp_path)
    assert (again.path, again.document.n.failed) == (run.path, 0)
    with pytest.raises(UsageError, match="cannot be continued with a changed configuration"):
        eyechart.run("starter", f"{server.url}#m", limit=3, resume=run, gen={"temperature": 1}, runs=tmp_path)


def test_an_interrupted_cell_interrupts_its_run(scripted: Start, tmp_path: Path) -> None:
    """What is in flight is written down, nothing more is sent, and no thread goes on asking unseen."""
    server = scripted(chance={"slow:0.2": 1.0})
    with start_cell(server, tmp_path) as cell:
        server.wait_for(8, cell)
        cell.send_signal(signal.SIGINT)
        said, errors = cell.communicate(timeout=60)
    assert (said, cell.returncode) == ("True []\n", 0), errors
    (journal,) = tmp_path.glob("*/outcomes.jsonl")
    assert sum(1 for _ in read_exchanges(journal)) == len(server.requests) < 120


def test_the_same_words_as_on_the_command_line(tmp_path: Path) -> None:
    """A larger limit draws more questions, a single word is as good as a list of one."""
    run = eyechart.run("starter", "baseline:majority", limit=130, metrics="exact", runs=tmp_path)
    assert run.document.n.total == 130
    assert "exact" in run.document.metrics
    one = eyechart.run("starter", "baseline:majority", ids="s0-p0000-existence", runs=tmp_path)
    assert [row.sample for row in one.rows()] == ["s0-p0000-existence"]
    with pytest.raises(UsageError, match="unknown failure kind 'timeot'"):
        eyechart.run("starter", "baseline:majority", retry="timeot", runs=tmp_path)


def test_a_run_is_opened_compared_and_shown(tmp_path: Path) -> None:
    """Scores, intervals, tables and the verdict, as objects and as text that a notebook may show."""
    gold = eyechart.run("starter", "baseline:echo-gold", runs=tmp_path)
    constant = eyechart.run("starter", "baseline:constant=<b>red</b>", runs=tmp_path)
    assert eyechart.open_run(gold.path.name, tmp_path) == gold
    assert gold.score == pytest.approx(1.0)
    verdict = eyechart.compare(gold, constant)
    assert verdict.shown
    assert verdict.difference == pytest.approx(1.0 - (constant.score or 0.0))
    assert "echo-gold" in str(verdict)
    assert "overall" in gold.table()
    assert "<b>" not in constant._repr_html_() + verdict._repr_html_()


def test_a_part_says_that_it_is_one(tmp_path: Path) -> None:
    """Neither the table nor a notebook shows the number of twenty questions as if it were the benchmark's."""
    part = eyechart.run("starter", "baseline:majority", limit=20, runs=tmp_path)
    assert part.table().startswith("PART of the benchmark: limit 20\n")
    assert "PART of the benchmark" in part._repr_html_()
    assert "PART" not in eyechart.run("starter", "baseline:majority", runs=tmp_path).table()
