"""`eyechart show`: a run, or single questions of it, in the terminal."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from eyechart import errors
from eyechart.benchmarks import BENCHMARKS
from eyechart.cli.commands import Command
from eyechart.cli.output import as_json, say, write
from eyechart.cli.parser import Parser, pairs
from eyechart.errors import ModelError, UsageError
from eyechart.marking.rows import ScoredRow
from eyechart.marking.stored import read_document, read_rows
from eyechart.records import FAILURE_KINDS, REPLY_STATUSES
from eyechart.registry import nearest, unknown
from eyechart.report.question import question_text
from eyechart.report.result import heading, part_of, result_text
from eyechart.report.sheet import sheet_text
from eyechart.runner.asking import as_sent
from eyechart.runner.settle import Settled
from eyechart.store import RunFolder, open_run, read_exchanges

# Above so many ids, looking for the nearest one takes longer than it helps.
SUGGEST_UP_TO = 20_000


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "run", metavar="RUN", help="a run's path, name or four-letter id; or a benchmark, with --prompt"
    )
    parser.add_argument(
        "question", metavar="QUESTION", nargs="*", help="ids of questions to show whole; with --ticks, more runs"
    )
    parser.add_argument("--wrong", action="store_true", help="questions that earned less than full marks")
    parser.add_argument("--status", metavar="KIND,…", help="questions whose reply was unreadable, empty, failed …")
    parser.add_argument("--ticks", action="store_true", help="questions × models, ✓ for each right answer")
    parser.add_argument("-n", type=int, metavar="N", help="how many questions (5; 100 with --ticks)")
    parser.add_argument("--by", default="", metavar="TAG", help="the grouping that the table shows")
    parser.add_argument("--prompt", action="store_true", help="prompts of a benchmark as they are sent")
    parser.add_argument("--style", default="", metavar="STYLE", help="with --prompt: in this style")
    parser.add_argument("--model", "-m", default="", metavar="MODEL", help="with --prompt: as this model is asked")
    parser.add_argument(
        "--task-args", "-T", action="append", default=[], metavar="K=V", help="with --prompt: the benchmark's options"
    )
    parser.add_argument("--sheet", action="store_true", help="how the run was made: versions, machine, commands")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--md", action="store_true", help="tables as Markdown")
    parser.add_argument("-o", "--output", default="runs", metavar="DIR", help="the folder that holds runs (./runs)")


def show(arguments: Namespace) -> int:
    """Show what was asked for."""
    if arguments.prompt or arguments.run.partition(":")[0] in BENCHMARKS:
        return show_prompts(arguments)
    if arguments.ticks:
        return show_ticks(arguments)
    folder = open_run(arguments.run, Path(arguments.output))
    if arguments.sheet:
        manifest = folder.manifest()
        write(as_json(manifest) if arguments.json else sheet_text(manifest))
    elif arguments.question or arguments.wrong or arguments.status:
        show_questions(folder, arguments)
    elif arguments.json:
        read_document(folder)  # one that is damaged or not there is an error, not an answer
        sys.stdout.write(folder.summary.read_text())
    else:
        manifest, document = folder.manifest(), read_document(folder)
        stamp = part_of(manifest, document)
        text = result_text(document, by=arguments.by, markdown=arguments.md, stamp=stamp)
        write(f"{heading(document, manifest.model, control=manifest.control)} · run {folder.name}\n{text}")
    return errors.OK


def show_questions(folder: RunFolder, arguments: Namespace) -> None:
    """Questions with their prompt, reply, and what each scorer made of it."""
    rows = {(row.sample, row.repeat): row for row in islice(chosen(folder, arguments), how_many(arguments, 5))}
    if not rows:
        say("no question is like that")
    # Of a step that was asked again, because its failure was curable, the last one counts.
    steps = {
        (exchange.sample, exchange.repeat, exchange.step): exchange
        for exchange in read_exchanges(folder.journal)
        if (exchange.sample, exchange.repeat) in rows
    }
    told = [(rows[sample, repeat], exchange) for (sample, repeat, _), exchange in steps.items()]
    if arguments.json:
        write(as_json([{"row": row, "exchange": exchange} for row, exchange in told]))
    else:
        for row, exchange in told:
            write(question_text(folder, row, exchange) + "\n")


def show_ticks(arguments: Namespace) -> int:
    """Which model got which question right."""
    from eyechart.report.exports.answers import RunAnswers
    from eyechart.report.ticks import ticks_of, ticks_text

    folders = [open_run(name, Path(arguments.output)) for name in (arguments.run, *arguments.question)]
    ticks = ticks_of([RunAnswers(folder) for folder in folders], arguments.by)
    if arguments.json:
        write(as_json(ticks))
    else:
        write(ticks_text(ticks, at_most=how_many(arguments, 100), markdown=arguments.md))
    return errors.OK


def how_many(arguments: Namespace, otherwise: int) -> int:
    """How many questions to show."""
    if arguments.n is not None and arguments.n < 1:
        raise UsageError(f"-n takes a number from 1 on, not {arguments.n}")
    return arguments.n or otherwise


def chosen(folder: RunFolder, arguments: Namespace) -> Iterator[ScoredRow]:
    """The rows that the flags describe, in data order."""
    headline = folder.manifest().headline
    wanted, statuses = set(arguments.question), set((arguments.status or "").split(",")) - {""}
    for status in sorted(statuses - {*REPLY_STATUSES, *FAILURE_KINDS}):
        raise unknown("status", status, [*REPLY_STATUSES, *FAILURE_KINDS])
    seen = []
    for row in read_rows(folder):
        seen.append(row.sample)
        value = row.marks[headline].value if headline in row.marks else None
        if wanted:
            if row.sample in wanted:
                yield row
        elif statuses:
            if row.status in statuses or row.failure in statuses:
                yield row
        elif value is not None and value < 1:
            yield row
    for sample_id in sorted(wanted - set(seen)):
        hints = nearest(sample_id, seen) if len(seen) <= SUGGEST_UP_TO else []
        raise UsageError(
            f"run {folder.name} has no question {sample_id!r}",
            why=f"it has {len(seen):,}",
            fix=f"did you mean {', '.join(hints)}?" if hints else "eyechart show RUN --wrong lists some",
        )


def show_prompts(arguments: Namespace) -> int:
    """Prompts of a benchmark as they are sent."""
    from eyechart.cli.dry_run import describe_prompts
    from eyechart.runner.settle import settle
    from eyechart.runner.spec import RunSpec

    spec = RunSpec(
        benchmark=arguments.run,
        benchmark_options=pairs(arguments.task_args, flag="--task-args"),
        model=arguments.model or "baseline:random",
        style=arguments.style,
    )
    # Put directly, whatever the method: the words are to be seen, also where the method is not there yet.
    job = settle(spec, method="direct")
    if job.benchmark.note:
        say(f"{job.benchmark.id}: {job.benchmark.note}")
    count = how_many(arguments, 5)
    write(as_json(prompt_records(job, count)) if arguments.json else describe_prompts(job, count))
    return errors.OK


def prompt_records(job: Settled, count: int) -> list[dict[str, object]]:
    """The same for programs: turns as the journal would have them, pictures by name."""
    records: list[dict[str, object]] = []
    for entry in job.entries[:count]:
        try:
            sample = job.source.fetch(entry)
        except ModelError:  # its pictures cannot be had; its words can
            sample = job.source.fetch(entry, media=False)
        prompt = next(job.method(sample, job.style)).prompt
        records.append({"sample": sample.id, "style": prompt.style, "prompt": as_sent(prompt)})
    return records


COMMAND = Command(
    description="A run, or single questions of it, in the terminal.",
    add_arguments=add_arguments,
    run=show,
    examples="""\
examples
  eyechart show 7f3c                        the table again
  eyechart show 7f3c --wrong -n 3           three questions that went wrong, with prompt and reply
  eyechart show 7f3c --status unreadable    replies in which no answer was found
  eyechart show 7f3c --sheet                how the run was made
  eyechart show 7f3c a1b9 90aa --ticks      which model got which question right
  eyechart show starter --prompt -n 3       prompts as they are sent
  eyechart show vqav2 --prompt -T data=DIR  the same, from files of yours""",
)
