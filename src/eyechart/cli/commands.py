"""The table of commands: names and one line each, so that `--help` imports none of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import NamedTuple

from eyechart.cli.parser import Parser


class Command(NamedTuple):
    """What a command's module gives as COMMAND."""

    description: str
    add_arguments: Callable[[Parser], None]
    run: Callable[[Namespace], int]
    examples: str = ""


class Line(NamedTuple):
    """One line of the overview."""

    module: str
    help: str
    group: str


COMMANDS: dict[str, Line] = {}

_EXIT_CODES = """\
exit codes
  0    done
  1    a gate failed
  2    usage, or malformed input
  3    incomplete, or too many questions ended in a failure (results kept; the same command resumes)
  4    environment: a key, server, data or extra is missing
  70   our bug; a log to send is written
  130  interrupted; the same command resumes"""


def overview(topic: Sequence[str] = ()) -> str:
    """The text of `eyechart --help`, or of `eyechart help exit-codes`."""
    if topic and topic[0] == "exit-codes":
        return _EXIT_CODES
    lines = [
        "Eyechart: an eye test for vision-language models.",
        "",
        "usage: eyechart COMMAND …   (or: eyechart --model MODEL --tasks BENCHMARK)",
    ]
    width = max((len(name) for name in COMMANDS), default=0)
    for group in dict.fromkeys(line.group for line in COMMANDS.values()):
        lines += ["", group]
        lines += [f"  {name:<{width}}  {line.help}" for name, line in COMMANDS.items() if line.group == group]
    lines += ["", "eyechart COMMAND --help tells more; eyechart help exit-codes lists what they return."]
    return "\n".join(lines)
