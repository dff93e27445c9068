"""`eyechart ls`: what there is — benchmarks, models, metrics, prompt styles, and the runs in a folder."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from eyechart import errors
from eyechart.benchmarks import BENCHMARKS, Benchmark, get_benchmark
from eyechart.cli.commands import Command
from eyechart.cli.output import as_json, fitting, say, write
from eyechart.cli.parser import Parser
from eyechart.errors import EyechartError, UsageError
from eyechart.registry import Registry, unknown
from eyechart.report.table import table
from eyechart.sources.place import Place

Rows = list[dict[str, str]]

DEFAULT_RUNS = Path("runs")


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "what", metavar="WHAT", nargs="?", default="benchmarks", help="benchmarks, models, metrics, prompts or runs"
    )
    parser.add_argument("filter", metavar="FILTER", nargs="?", default="", help="only names that contain this")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--md", action="store_true", help="as Markdown")
    parser.add_argument("-o", "--output", default="runs", metavar="DIR", help="the folder that holds runs (./runs)")


def ls(arguments: Namespace) -> int:
    """Print one kind of thing as a table."""
    listings: dict[str, Callable[[], Rows]] = {
        "benchmarks": benchmarks,
        "models": models,
        "metrics": metrics,
        "prompts": prompts,
        "runs": lambda: runs(Path(arguments.output)),
    }
    what = {"tasks": "benchmarks"}.get(arguments.what, arguments.what)
    if what not in listings:
        raise unknown("listing", what, list(listings))
    rows = [row for row in listings[what]() if arguments.filter.casefold() in row["name"].casefold()]
    if arguments.json:
        write(as_json({what: rows}))
        return errors.OK
    if rows:
        header, cells = tuple(rows[0]), [tuple(row.values()) for row in rows]
        lines = table(header, cells, markdown=arguments.md)
        write(lines if arguments.md else fitting(lines, header, cells))
    else:
        say(f"no {what} are there" + (f" with {arguments.filter!r}" if arguments.filter else ""))
    return errors.OK


def benchmarks() -> Rows:
    """Every benchmark with what it costs, whether its data are here, and whose numbers it gives."""
    from eyechart.metrics import get_metric

    rows = []
    for name in BENCHMARKS.names():
        try:
            benchmark = get_benchmark(name)
        except EyechartError as error:  # somebody's package that cannot be loaded must not hide the others
            empty = dict.fromkeys(("modality", "size", "data", "headline", "parity", "licence"), "")
            rows.append({"name": name, **empty, "about": error.what})
            continue
        rows.append(
            {
                "name": name,
                "modality": benchmark.modality,
                "size": benchmark.size,
                "data": data_here(benchmark),
                "headline": benchmark.headline,
                "parity": parity(get_metric(benchmark.headline).upstream),
                "licence": benchmark.licence,
                "about": benchmark.title,
            }
        )
    return rows


def data_here(benchmark: Benchmark) -> str:
    """Whether the questions and pictures are on this machine; nothing is downloaded to find out."""
    place: Place | None = getattr(benchmark.source, "place", None)
    if place is None:
        return "needs none"
    return {"all": "downloaded", "questions": "questions only", "none": "not here"}[place.here()]


def parity(upstream: str) -> str:
    """The program whose numbers the headline equals, as the parity tests hold it: repository and commit."""
    return f"equals {upstream.partition(' ')[0]}" if upstream else "our own rule"


def models() -> Rows:
    """The first word of a model's name, and what it stands for."""
    from eyechart.models import MODELS
    from eyechart.models.presets import PRESETS

    providers = {name: preset.about for name, preset in PRESETS.items()}
    return [{"name": name, "about": providers.get(name) or about(MODELS, name)} for name in MODELS.names()]


def metrics() -> Rows:
    """Every metric with the program whose scores it gives."""
    from eyechart.metrics import METRICS, get_metric

    rows = []
    for name in METRICS.names():
        try:
            metric = get_metric(name)
        except EyechartError as error:  # likewise
            rows.append({"name": name, "version": "", "about": error.what, "equals": ""})
            continue
        version = f"v{metric.version}"
        rows.append({"name": metric.id, "version": version, "about": metric.title, "equals": metric.upstream})
    return rows


def prompts() -> Rows:
    """Every prompt style with its source."""
    from eyechart.prompts import load_style, style_names

    styles = [load_style(name) for name in style_names()]
    return [{"name": style.name, "about": style.about, "source": style.source} for style in styles]


def runs(folder: Path) -> Rows:
    """The runs of a folder, newest first."""
    from eyechart.marking.stored import read_document
    from eyechart.report.result import interval
    from eyechart.store import find_runs

    if not folder.is_dir() and folder != DEFAULT_RUNS:  # where nothing has been run yet, nothing is wrong
        raise UsageError(f"no folder {folder}", fix="-o names the folder that holds runs")
    rows = []
    for run in find_runs(folder):
        try:
            manifest = run.manifest()
        except EyechartError:  # one spoilt run must not hide the others
            empty = dict.fromkeys(("benchmark", "model", "questions"), "")
            rows.append({"id": run.short_id, **empty, "score": "run.json cannot be read", "name": run.name})
            continue
        part = "" if manifest.selection == "all" else f" ({manifest.selection})"
        try:
            document = read_document(run)
            score = f"{document.result.printed} {interval(document.result.ci)}"
            if document.n.total < manifest.questions * manifest.repeats:
                score = f"{score} of {document.n.total:,} so far"
        except EyechartError:
            score = "summary.json cannot be read" if run.summary.exists() else "unfinished"
        control = f" ({manifest.control})" if manifest.control else ""
        rows.append(
            {
                "id": run.short_id,
                "benchmark": manifest.benchmark,
                "model": manifest.model + control,
                "questions": f"{manifest.questions:,}{part}",
                "score": score,
                "name": run.name,
            }
        )
    return rows


def about(models: Registry, name: str) -> str:
    """The first sentence that a factory says of itself."""
    try:
        factory = models.get(name)
    except EyechartError as error:  # likewise
        return error.what
    return (factory.__doc__ or "").partition("\n")[0].removeprefix("Factory of ").strip()


COMMAND = Command(
    description="Benchmarks, models, metrics, prompt styles, and the runs in a folder.",
    add_arguments=add_arguments,
    run=ls,
    examples="""\
examples
  eyechart ls                    benchmarks
  eyechart ls metrics vqa        metrics with vqa in their name
  eyechart ls runs -o results    runs in ./results""",
)
