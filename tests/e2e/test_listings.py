"""`eyechart ls`: readable on any terminal, one line each in a pipe."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
from fcntl import ioctl
from termios import TIOCSWINSZ

import pytest

from command_line import COMMAND, CommandLine
from eyechart.report.table import stacked, width


def on_a_terminal(columns: int, *words: str) -> list[str]:
    """The lines that a command writes on a terminal of this width."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen([*COMMAND, *words], stdout=theirs, env=environment) as process:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:  # Linux says so when the other side has closed
            pass
    os.close(ours)
    assert process.returncode == 0
    return written.decode().splitlines()


@pytest.mark.parametrize("what", ["benchmarks", "models", "metrics", "prompts"])
@pytest.mark.parametrize("columns", [80, 100])
def test_a_listing_fits_the_terminal(what: str, columns: int) -> None:
    """No line is wider than the terminal, and no name is left out."""
    lines = on_a_terminal(columns, "ls", what)
    assert max(map(width, lines)) <= columns
    piped = subprocess.run([*COMMAND, "ls", what], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0] for line in piped.splitlines()[1:]}
    assert names <= {line.split()[0] for line in lines}


def test_a_listing_in_a_pipe_is_one_line_each(eyechart: CommandLine) -> None:
    """`eyechart ls | grep …` finds whole lines, however narrow the terminal is said to be."""
    lines = eyechart("ls").stdout.splitlines()
    assert lines[0].split() == ["name", "modality", "size", "data", "headline", "parity", "licence", "about"]
    (line,) = [line for line in lines if line.startswith("vsibench ")]
    assert "5,130 questions" in line
    assert "Apache-2.0" in line


def test_no_runs_yet_is_no_error(eyechart: CommandLine) -> None:
    """Before the first run the usual folder is not there: that is said, and nothing is made."""
    result = eyechart("ls", "runs")
    assert (result.stdout, result.stderr) == ("", "no runs are there\n")
    assert not (eyechart.folder / "runs").exists()


def test_what_a_thing_is_about_comes_first_where_it_is_stacked() -> None:
    """Columns keep their names, an empty one is left out, and what is about has none."""
    rows = [("one", "1", "the first"), ("three", "", "the third of all things")]
    assert stacked(("name", "size", "about"), rows, 29).splitlines() == [
        "one    the first · size 1",
        "three  the third of all",
        "       things",
    ]
