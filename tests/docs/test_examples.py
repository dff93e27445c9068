"""Every example in README and docs is run; what they show is what comes out.

A `console` block holds commands behind `$ ` and what they print on stdout. `…` stands for anything within a line, and
on a line of its own for any lines. A `python` block runs as it is, and its asserts must hold. The blocks of one page
run in order, in one folder; addresses of servers are those of the scripted server of the tests. Commands that need data
or a key stand elsewhere (`text` blocks, running text, the examples in help): these are parsed and not run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eyechart.cli.commands import COMMANDS, Command
from eyechart.cli.parser import Parser, kebab
from eyechart.registry import load
from servers.scripted import ScriptedServer

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SERVER = re.compile(r"http://(?:localhost|127\.0\.0\.1):8000/v1")


WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text())]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_do_what_they_show(page: Path, tmp_path: Path, scripted: Callable[..., ScriptedServer]) -> None:
    """All blocks of a page, in order, in one folder."""
    address = scripted(models=("my-model", "other-model")).url
    for kind, block in BLOCK.findall(page.read_text()):
        text = SERVER.sub(address, block)
        if kind == "python":
            script = tmp_path / "example.py"
            script.write_text(text)
            done = run([sys.executable, str(script)], tmp_path)
            assert done.returncode == 0, f"{text}\n{done.stderr}"
            continue
        for command, expected in commands(text):
            done = run(command, tmp_path)
            assert done.returncode == expected_code(command), f"$ {command}\n{done.stdout}{done.stderr}"
            assert not expected or matches(expected, done.stdout), f"$ {command}\nprints\n{done.stdout}\n{done.stderr}"


def test_commands_that_are_not_run_can_be_parsed() -> None:
    """In pages and in the examples of `--help`: the command is there, and so are its flags."""
    texts = [re.sub(r"^```console\n.*?^```", "", p.read_text(), flags=re.MULTILINE | re.DOTALL) for p in PAGES]
    texts += [command_of(name).examples for name in COMMANDS]
    lines = [line for text in texts for line in re.findall(r"^ *eyechart (.+)$", text, re.MULTILINE)]
    lines += [line for text in texts for line in re.findall(r"`eyechart ([^`…]+)`", text)]
    assert len(lines) > 60
    for line in lines:
        words = shlex.split(re.split(r" {3,}|  # ", line)[0], comments=False)
        name = "run" if words[0].startswith("-") else words.pop(0)
        if name in ("help", "--help"):
            continue
        parser = Parser(prog=name)
        command_of(name).add_arguments(parser)
        flags = {flag for action in parser._actions for flag in action.option_strings}
        assert {kebab(word).partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} <= flags, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_flags_that_a_page_names_are_there(page: Path) -> None:
    """A flag that was renamed or has gone is not promised any longer."""
    flags = {"--card"}  # of bench/tiny.py
    for name in COMMANDS:
        parser = Parser(prog=name)
        command_of(name).add_arguments(parser)
        flags.update(flag for action in parser._actions for flag in action.option_strings)
    assert {kebab(flag) for flag in re.findall(r"(?<![\w-])--[a-z][a-z_-]+", page.read_text())} <= flags


def command_of(name: str) -> Command:
    """What a command's module says of it."""
    command: Command = load(f"eyechart.cli.{COMMANDS[name].module}:COMMAND")
    return command


def run(command: str | list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A shell line as a person would type it; `eyechart` is the one under test."""
    scripts = folder / ".bin"
    scripts.mkdir(exist_ok=True)
    program = scripts / "eyechart"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m eyechart.cli.main "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{scripts}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
    environment["EYECHART_CACHE"] = str(folder / ".cache")
    shell = isinstance(command, str)
    return subprocess.run(
        command, cwd=folder, env=environment, shell=shell, capture_output=True, text=True, check=False, timeout=240
    )


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each `$ command` with the output that the page shows."""
    for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = piece.partition("\n")
        while command.endswith("\\"):
            line, _, output = output.partition("\n")
            command = f"{command[:-1]}{line}"
        yield command, output.rstrip("\n")


def expected_code(command: str) -> int:
    """`… # exit 3` says which exit code an example shows; the others show success."""
    match = re.search(r"# exit (\d+)$", command)
    return int(match[1]) if match else 0


def matches(expected: str, actual: str) -> bool:
    """Whether the output is what the page shows, `…` standing for anything."""
    lines = [
        ".*(?:\n.*)*" if line.strip() == "…" else re.escape(line).replace("…", ".*") for line in expected.split("\n")
    ]
    return re.fullmatch("\n".join(lines), actual.rstrip("\n")) is not None
