"""`eyechart ls`: readable on any terminal, whole in a pipe, and not spoilt by somebody's package."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
from fcntl import ioctl
from termios import TIOCSWINSZ

import pytest

from conftest import COMMAND, CommandLine
from eyechart.models.presets import PRESETS
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


def test_what_a_thing_is_about_comes_first_where_it_is_stacked() -> None:
    """Columns keep their names, an empty one is left out, and what is about has none."""
    rows = [("one", "1", "the first"), ("three", "", "the third of all things")]
    assert stacked(("name", "size", "about"), rows, 29).splitlines() == [
        "one    the first · size 1",
        "three  the third of all",
        "       things",
    ]


def test_every_provider_says_who_it_is(eyechart: CommandLine) -> None:
    """`ls models` names the provider and where the key or the server is looked for."""
    about = dict(line.split(maxsplit=1) for line in eyechart("ls", "models").stdout.splitlines())
    for name, preset in PRESETS.items():
        assert about[name].startswith(preset.about)
        assert about[name].endswith(preset.key_env[-1] if preset.key_needed else preset.base_url)


@pytest.fixture
def spoilt(eyechart: CommandLine) -> CommandLine:
    """The command line beside an installed package whose entry points lead nowhere."""
    site = eyechart.folder / "site"
    folder = site / "broken_package-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-package\nVersion: 1.0\n")
    groups = ("benchmarks", "metrics", "models")
    (folder / "entry_points.txt").write_text("".join(f"[eyechart.{g}]\nspoilt = not_there:thing\n" for g in groups))
    eyechart.environment["PYTHONPATH"] = str(site)
    return eyechart


@pytest.mark.parametrize(("listing", "other"), [("benchmarks", "starter"), ("metrics", "exact"), ("models", "replay")])
def test_a_package_that_cannot_be_loaded_hides_no_other(spoilt: CommandLine, listing: str, other: str) -> None:
    """It is listed with its fault, and the rest is there."""
    lines = {line.split()[0]: line for line in spoilt("ls", listing).stdout.splitlines()}
    assert "of the package broken-package cannot be loaded" in lines["spoilt"]
    assert other in lines


def test_a_package_that_cannot_be_loaded_is_not_our_bug(spoilt: CommandLine) -> None:
    """Exit code 4 and the package's name, not a crash log."""
    assert spoilt("run", "starter", "-m", "spoilt/x", code=4).stderr.splitlines() == [
        "error: the model 'spoilt' of the package broken-package cannot be loaded",
        "  why:  No module named 'not_there'",
        "  fix:  update broken-package, or uninstall it",
    ]
