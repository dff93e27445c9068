"""`eyechart demo`: the bundled benchmark on the models in the box, offline, in seconds."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from eyechart import errors
from eyechart.cli import output
from eyechart.cli.commands import Command
from eyechart.cli.parser import Parser
from eyechart.cli.run_jobs import stamp, title
from eyechart.report.result import result_text
from eyechart.report.verdict import verdict, worth_of_the_picture
from eyechart.runner.finish import Result, finish
from eyechart.runner.plan import Selection
from eyechart.runner.session import ask
from eyechart.runner.settle import settle
from eyechart.runner.spec import RunSpec
from eyechart.runner.versus import Allowed, compare_runs
from eyechart.runner.watch import Watch

MODEL, WEAKER = "builtin/tiny", "builtin/tiny-early"


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--output", "-o", default="runs", metavar="DIR", help="the folder that holds runs (./runs)")
    parser.add_argument("--limit", "-n", default="", metavar="N", help="the first N questions only")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="other pictures, other questions")


def demo(arguments: Namespace) -> int:
    """Two models, one of them also without the picture: table, comparison, and what the picture was worth."""
    write("Drawing pictures, asking two small models that come with Eyechart. Nothing is downloaded.\n")
    seeing = one(arguments, MODEL)
    weaker = one(arguments, WEAKER)
    blind = one(arguments, MODEL, control="blind")
    write("\nIs the one better than the other?\n")
    write(verdict(compare_runs(seeing.folder, weaker.folder)))
    write("\nWhat was the picture worth?\n")
    comparison = compare_runs(seeing.folder, blind.folder, allowed=Allowed(fields=["control"]))
    write(worth_of_the_picture(comparison, MODEL))
    run = seeing.folder
    write(f"\nSaved {run.path}/ and two more.    What went wrong: eyechart show {run.typed} --wrong")
    write("Your own model: eyechart run starter -m http://localhost:8000/v1#NAME")
    return errors.OK


def one(arguments: Namespace, model: str, control: str = "") -> Result:
    """One run, with its table; the first also shows the kinds of questions."""
    spec = RunSpec(
        benchmark="starter",
        model=model,
        control=control,
        selection=Selection(limit=arguments.limit),
        seed=arguments.seed,
        runs=Path(arguments.output),
        command="eyechart demo",
    )
    job = settle(spec)
    asked = ask(job, Watch())
    result = finish(job, asked.folder, asked.seconds)
    if model == MODEL and not control:
        write(title(job, result))
        write(result_text(result.document, stamp=stamp(job)))
    return result


def write(text: str) -> None:
    """The result, at once: the next part takes seconds."""
    output.write(text)
    sys.stdout.flush()


COMMAND = Command(
    description="The bundled benchmark on the models in the box: offline, in seconds.",
    add_arguments=add_arguments,
    run=demo,
    examples="examples\n  eyechart demo\n  eyechart demo --limit 24 --seed 7    fewer questions, about other pictures",
)
