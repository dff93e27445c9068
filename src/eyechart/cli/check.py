"""`eyechart check`: prove that a benchmark's marking is sound before any model is called."""

from __future__ import annotations

from argparse import Namespace

from eyechart import errors
from eyechart.benchmarks import get_benchmark
from eyechart.cli.commands import Command
from eyechart.cli.output import as_json, write
from eyechart.cli.parser import Parser, pairs
from eyechart.errors import UsageError
from eyechart.marking.check import CheckReport, Finding, check
from eyechart.marking.choose import choose_metrics, split_metrics
from eyechart.report.table import shorten, table

EXAMPLES = """\
examples
  eyechart check starter
  eyechart check my-questions.tsv
  eyechart check vsibench -T data=test.jsonl --limit 1000"""
_SHOWN = 10


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="name, name:part, or a file of your own")
    parser.add_argument("--task-args", "-T", action="append", default=[], metavar="K=V", help="its options")
    parser.add_argument("--metric", action="append", default=[], metavar="ID", help="check this metric too")
    parser.add_argument("--limit", "-n", type=int, default=200, metavar="N", help="questions, of every type (200)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(arguments: Namespace) -> int:
    """Check, print, and fail where something is not sound."""
    if arguments.limit < 1:
        raise UsageError(f"--limit takes a number from 1 on, not {arguments.limit}")
    benchmark = get_benchmark(arguments.benchmark, pairs(arguments.task_args, flag="--task-args"))
    wanted = [name for word in arguments.metric for name in split_metrics(word)]
    metrics = choose_metrics(benchmark, wanted, 0)
    report = check(benchmark, metrics, limit=arguments.limit)
    write(as_json(report) if arguments.json else told(report))
    return errors.OK if report.sound else errors.GATE_FAILED


def told(report: CheckReport) -> str:
    """The report for people."""
    rows = [
        [
            name,
            percent(seen.ceiling),
            f"{seen.full:,} of {report.checked:,}",
            percent(seen.wrong),
            f"{seen.undefined:,}" if seen.undefined else "",
        ]
        for name, seen in report.metrics.items()
    ]
    header = ["metric", "gold answers", "full marks", "wrong answers", "undefined"]
    lines = [
        f"{report.benchmark} · {report.checked:,} of {report.questions:,} questions",
        table(header, rows, right=(1, 2, 3, 4)),
        f"odd answers: {report.odd_answers:,} marked without trouble",
    ]
    for level in ("error", "note"):
        lines += found(level, [finding for finding in report.findings if finding.level == level])
    lines.append("sound: marking may be trusted" if report.sound else "not sound: see the errors above")
    return "\n".join(lines)


def found(level: str, findings: list[Finding]) -> list[str]:
    """The first findings of a level, and how many more there are."""
    lines = []
    for finding in findings[:_SHOWN]:
        where = f" (question {finding.sample})" if finding.sample else ""
        lines.append(f"{level}: {finding.metric}: {shorten(finding.what, 160)}{where}")
    if len(findings) > _SHOWN:
        lines.append(f"       … and {len(findings) - _SHOWN:,} more")
    return lines


def percent(value: float | None) -> str:
    """A mean score in per cent."""
    return "" if value is None else f"{100 * value:.2f}"


COMMAND = Command(
    description="Prove that a benchmark's marking is sound before any model is called.",
    add_arguments=add_arguments,
    run=run,
    examples=EXAMPLES,
)
