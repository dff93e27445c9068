"""Write docs/reference/commands.md from the parsers themselves: `python tools/reference.py` (`make docs`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from eyechart.cli.commands import COMMANDS
from eyechart.cli.parser import Parser
from eyechart.registry import load

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"


def page() -> str:
    """Every command with its flags, in the order of the overview."""
    lines = [
        "# Commands",
        "",
        "Written by `make docs` from the commands themselves. `_` equals `-` in every flag; stdout is the result,",
        "stderr is progress. `eyechart help exit-codes` lists the exit codes.",
    ]
    for name, line in COMMANDS.items():
        command = load(f"eyechart.cli.{line.module}:COMMAND")
        parser = Parser(prog=f"eyechart {name}")
        command.add_arguments(parser)
        lines += ["", f"## eyechart {name}", "", command.description, ""]
        lines += ["| flag | |", "|---|---|"]
        lines += [row(action) for action in parser._actions if action.dest != "help"]
        if command.examples:
            lines += ["", "```text", command.examples.strip("\n"), "```"]
    return "\n".join(lines) + "\n"


def row(action: argparse.Action) -> str:
    """One flag with its other names and its help."""
    names = ", ".join(f"`{name}`" for name in action.option_strings) or f"`{action.metavar or action.dest}`"
    given = str(action.metavar or "|".join(action.choices or ()))
    value = f" {given}" if action.option_strings and given else ""
    return f"| {cell(names + value)} | {cell((action.help or '').replace('%%', '%'))} |"


def cell(text: str) -> str:
    """A text in a Markdown table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
    sys.stdout.write(f"{PAGE}\n")
