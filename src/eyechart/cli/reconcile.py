"""`eyechart reconcile`: where scorers disagree about the same answers, and why."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from eyechart import errors
from eyechart.benchmarks import Benchmark, get_benchmark
from eyechart.cli.commands import Command
from eyechart.cli.output import as_json, write
from eyechart.cli.parser import Parser
from eyechart.cli.score import add_file_arguments, request_from
from eyechart.errors import UsageError
from eyechart.marking.choose import split_metrics
from eyechart.marking.reconcile import Reconciler, Reconciliation
from eyechart.marking.stored import read_document, read_rows
from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.records import Sample
from eyechart.report.reconciled import reconciled
from eyechart.store import RunFolder, open_run, read_finals
from eyechart.store.journal import Key

EXAMPLES = """\
examples
  eyechart reconcile 7f3c
  eyechart reconcile 7f3c --metric vqa_accuracy,vqa_enhanced --show 30
  eyechart reconcile vqav2 --predictions results.json --annotations annotations.json"""


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("what", metavar="RUN|BENCHMARK", help="a run, or with --predictions a benchmark")
    parser.add_argument("--predictions", "-p", type=Path, metavar="FILE", help="a file of answers")
    add_file_arguments(parser)
    parser.add_argument("--output", "-o", type=Path, default=Path("runs"), metavar="DIR", help="the folder of runs")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="how many questions are shown (10)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--md", action="store_true", help="the table as Markdown")


def run(arguments: Namespace) -> int:
    """Print where scorers disagree."""
    if arguments.show < 0:
        raise UsageError(f"--show takes a number from 0 on, not {arguments.show}")
    found = of_file(arguments) if arguments.predictions else of_run(arguments)
    if arguments.json:
        if len(found) > 1:
            raise UsageError("the file holds several models", fix="choose one with --model NAME")
        text = as_json(found[0])
    else:
        text = "\n\n".join(reconciled(one, markdown=arguments.md) for one in found)
    write(text)
    return errors.OK


def of_run(arguments: Namespace) -> list[Reconciliation]:
    """The scorers that a run was marked with."""
    folder = open_run(arguments.what, arguments.output)
    wanted = [name for word in arguments.metric for name in split_metrics(word)]
    if len(wanted) == 1 and wanted != ["all"]:  # one scorer is set against the headline
        wanted = list(dict.fromkeys([read_document(folder).headline, *wanted]))
    names = [name for name in wanted if name != "all"] or list(read_document(folder).metrics)
    metrics = at_least_two([get_metric(name) for name in names], f"eyechart rescore {folder.typed} --metric all")
    reconciler = Reconciler(metrics, keep=arguments.show)
    for row in read_rows(folder):
        missing = [metric.id for metric in metrics if metric.id not in row.marks]
        if missing:
            raise UsageError(
                f"run {folder.short_id} was not marked with {', '.join(missing)}",
                fix=f"eyechart rescore {folder.typed} --metric {','.join(missing)}",
            )
        reconciler.add(row)
    manifest = folder.manifest()
    benchmark = get_benchmark(manifest.benchmark, manifest.benchmark_options)
    answers = answers_of_run(folder, manifest.control)
    return [reconciler.result(benchmark.id, manifest.model, samples_of(benchmark), answers)]


def of_file(arguments: Namespace) -> list[Reconciliation]:
    """The scorers of a benchmark on a file of answers, model by model."""
    from eyechart.marking.score_file import score_file

    arguments.benchmark = arguments.what
    arguments.metric = arguments.metric or ["all"]
    found = []
    for result in score_file(request_from(arguments), keep_rows=True):
        metrics = at_least_two(result.metrics, "name another with --metric")
        reconciler = Reconciler(metrics, keep=arguments.show)
        for row in result.rows:
            reconciler.add(row)
        sample_of = samples_of(result.benchmark)
        found.append(reconciler.result(result.benchmark.id, result.model, sample_of, result.answers.__getitem__))
    return found


def at_least_two(metrics: Sequence[Metric], fix: str) -> Sequence[Metric]:
    """One scorer cannot disagree."""
    if len(metrics) < 2:
        raise UsageError(
            "there is only one scorer",
            why="it takes two to disagree; eyechart ls metrics shows what --metric may add",
            fix=fix,
        )
    return metrics


def samples_of(benchmark: Benchmark) -> Callable[[str], Sample]:
    """How a question is looked up."""
    entries = {entry.id: entry for entry in benchmark.source.index().entries}
    return lambda identity: benchmark.source.fetch(entries[identity], media=False)


def answers_of_run(folder: RunFolder, control: str) -> Callable[[str], str]:
    """How a run's answer to a question is looked up."""
    finals = read_finals(folder.journal)

    def answer(identity: str) -> str:
        final = finals[Key(identity, control, 0)]
        return final.response.text if final.response else ""

    return answer


COMMAND = Command(
    description="Where scorers disagree about the same answers, and why.",
    add_arguments=add_arguments,
    run=run,
    examples=EXAMPLES,
)
