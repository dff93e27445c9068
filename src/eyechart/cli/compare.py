"""`eyechart compare`: is A better than B? Paired on shared questions, with an interval."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import msgspec

from eyechart import errors
from eyechart.cli.commands import Command
from eyechart.cli.output import as_json, write
from eyechart.cli.parser import Parser
from eyechart.errors import GateFailed
from eyechart.marking.compare import Comparison
from eyechart.report.verdict import groups_table, verdict
from eyechart.runner.versus import Allowed, compare_runs
from eyechart.store import open_run

EXAMPLES = """\
examples
  eyechart compare 7f3c a1b9
  eyechart compare runs/A runs/B --by question_type
  eyechart compare 7f3c 90aa --across prompt      two prompts are what is compared
A run is named by its path, its folder's name, or its four letters."""


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("first", metavar="RUN", help="is this one better …")
    parser.add_argument("second", metavar="RUN", help="… than that one?")
    parser.add_argument("--output", "-o", type=Path, default=Path("runs"), metavar="DIR", help="the folder of runs")
    parser.add_argument("--metric", default="", metavar="ID", help="compare under this metric, not the headline")
    parser.add_argument("--by", default="", metavar="TAG", help="also a table by this tag; all: every tag")
    parser.add_argument(
        "--across", action="append", default=[], metavar="FIELD", help="a field of the signature that may differ"
    )
    parser.add_argument("--allow-mismatch", action="store_true", help="compare whatever differs, and say so")
    parser.add_argument("--fail-if-worse", action="store_true", help="exit code 1 if the first is shown to be worse")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of resampling and permutation")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--md", action="store_true", help="tables as Markdown")


def run(arguments: Namespace) -> int:
    """Compare, print, and apply the gate."""
    fields = [name for word in arguments.across for name in word.split(",") if name]
    comparison = compare_runs(
        open_run(arguments.first, arguments.output),
        open_run(arguments.second, arguments.output),
        metric=arguments.metric,
        allowed=Allowed(fields=fields, anything=arguments.allow_mismatch),
        seed=arguments.seed,
    )
    if arguments.json:
        write(as_json(comparison))
    else:
        write(text_of(comparison, by=arguments.by, markdown=arguments.md))
    if arguments.fail_if_worse and comparison.shown and comparison.difference < 0:
        raise GateFailed(
            f"{comparison.first.name} is shown to be worse than {comparison.second.name}",
            why=f"{100 * comparison.difference:+.2f} points, p = {comparison.p:.2g} ({comparison.test})",
        )
    return errors.OK


def text_of(comparison: Comparison, *, by: str = "", markdown: bool = False) -> str:
    """The verdict, and the table that was asked for."""
    blocks = [verdict(comparison)]
    if by:
        tags = list(comparison.by) if by == "all" else [by]
        for tag in tags:
            if tag not in comparison.by:
                from eyechart.registry import unknown

                raise unknown("tag", tag, list(comparison.by))
        chosen = msgspec.structs.replace(comparison, by={tag: comparison.by[tag] for tag in tags})
        blocks.append(groups_table(chosen, markdown=markdown))
    return "\n\n".join(blocks)


COMMAND = Command(
    description="Is A better than B? Paired on shared questions: difference, interval, one test.",
    add_arguments=add_arguments,
    run=run,
    examples=EXAMPLES,
)
