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


COMMANDS: dict[str, Line] = {
    "run": Line("run", "put questions to a model, mark the answers, print the table", "evaluate"),
    "score": Line("score", "mark a file of answers that you already have", "evaluate"),
    "rescore": Line("rescore", "mark a run again: other metrics, no model calls", "evaluate"),
    "compare": Line("compare", "is A better than B? paired, with an interval", "evaluate"),
    "show": Line("show", "a run, or one question of it, in the terminal", "look"),
    "ls": Line("ls", "benchmarks, models, metrics and runs", "look"),
    "list": Line("ls", "the same as ls", "look"),
    "reconcile": Line("reconcile", "where scorers disagree about the same answers, and why", "look"),
    "export": Line("export", "a run in another tool's format", "look"),
    "demo": Line("demo", "the bundled benchmark, offline, in seconds", "start"),
    "doctor": Line("doctor", "check this machine, and a server if you name one", "start"),
    "init": Line("init", "a commented benchmark file for your own data", "start"),
    "data": Line("data", "get, check and find the data of a benchmark", "start"),
    "check": Line("check", "is a benchmark's marking sound? before any model is called", "tools"),
    "metric": Line("metric", "mark JSON lines with one metric", "tools"),
    "serve-builtin": Line("serve_builtin", "the model in the box behind an OpenAI-compatible server", "tools"),
}

TOPIC = "exit-codes"  # the one thing that has help and is no command

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
    if topic and topic[0] == TOPIC:
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
    lines += ["", "eyechart COMMAND --help tells more; eyechart help exit-codes lists exit codes."]
    return "\n".join(lines)
