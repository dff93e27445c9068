"""`eyechart rescore`: mark a run again, with other metrics or after an update; no model is called."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import msgspec

from eyechart import errors
from eyechart.cli.commands import Command
from eyechart.cli.parser import Parser
from eyechart.marking.choose import split_metrics
from eyechart.report.result import heading, part_of, result_text
from eyechart.runner.rescore import Rescored, rescore
from eyechart.store import open_run

EXAMPLES = """\
examples
  eyechart rescore 7f3c
  eyechart rescore 7f3c --metric wups@0.9 --metric bleu1
  eyechart rescore runs/A runs/B --metric all"""


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="path, name or four letters")
    parser.add_argument("--output", "-o", type=Path, default=Path("runs"), metavar="DIR", help="the folder of runs")
    parser.add_argument("--metric", action="append", default=[], metavar="ID", help="mark with this too; all: with all")
    parser.add_argument("--by", default="", metavar="TAG", help="the grouping that the table shows")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--md", action="store_true", help="the table as Markdown")


def run(arguments: Namespace) -> int:
    """Rescore every run that is named."""
    wanted = [name for word in arguments.metric for name in split_metrics(word)]
    folders = [open_run(name, arguments.output) for name in arguments.runs]
    done = [rescore(folder, wanted) for folder in folders]
    if arguments.json:
        document = {"schema": "eyechart/run@1", "runs": [one.result.as_json() for one in done]}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")
        return errors.OK
    for number, one in enumerate(done):
        document_ = one.result.document
        title = heading(document_, one.result.model, control=one.result.folder.manifest().control)
        stamp = part_of(one.result.folder.manifest(), document_)
        text = result_text(document_, by=arguments.by, markdown=arguments.md, stamp=stamp)
        sys.stdout.write(("\n" if number else "") + f"{title}\n{text}\n")
        sys.stdout.write(f"{moved(one)}\n")
    return errors.OK


def moved(one: Rescored) -> str:
    """What changed, in one line."""
    document = one.result.document
    if not one.marked_before:
        return "marked for the first time"
    if not one.changed:
        return f"{document.headline}: no question's mark changed"
    return f"{document.headline}: marks that changed: {one.changed:,}; the old ones are in scores/"


COMMAND = Command(
    description="Mark a run again: other metrics, or after an update. Old scores are kept.",
    add_arguments=add_arguments,
    run=run,
    examples=EXAMPLES,
)
