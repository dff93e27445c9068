"""What `eyechart run` does: one run after the other, each shown as it goes; then gates, files and exit code."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eyechart import errors
from eyechart.cli.events import EventStream
from eyechart.cli.output import as_json, say, write
from eyechart.cli.progress import ProgressDisplay, duration
from eyechart.cli.run_flags import share, specs
from eyechart.cli.told import told
from eyechart.errors import EyechartError, GateFailed
from eyechart.models import get_model
from eyechart.registry import unknown
from eyechart.report.result import heading, result_text
from eyechart.runner.finish import Result, finish, refuse_too_many_failures
from eyechart.runner.session import ask
from eyechart.runner.settle import Opened, Settled, settle
from eyechart.runner.watch import Watch
from eyechart.store import RunFolder, open_run

SCHEMA = "eyechart/run@1"


def run_all(arguments: Namespace) -> int:
    """Run every benchmark on every model; the first error decides the exit code, the others still run."""
    # All names are resolved before anything is sent: a typo must not come to light after hours.
    opened = Opened()
    settled = [settle(spec, opened=opened) for spec in specs(arguments)]
    for job in settled:
        get_model(job.spec.model, job.spec.model_args)
    gate = Gate.read(arguments, settled)
    if arguments.dry_run:
        from eyechart.cli.dry_run import describe_all

        write(describe_all(settled, as_json=arguments.json))
        return errors.OK
    results: list[Result] = []
    code = errors.OK
    for job in settled:
        ended = attempt(job, arguments, gate, results)
        if ended == errors.INTERRUPTED:
            code = ended
            break
        code = code or ended
    if arguments.layout:
        write_classic_files(results)
    if arguments.json:
        document = {"schema": SCHEMA, "runs": [result.as_json() for result in results]}
        write(as_json(document))
    return code


def attempt(job: Settled, arguments: Namespace, gate: Gate, results: list[Result]) -> int:
    """One run with all that is demanded of it, as an exit code; its result, if there is one, joins the others."""
    events = events_of(job, arguments) if arguments.events else None
    code: int | None = None  # while nothing of ours has decided it
    try:
        watch = events or ProgressDisplay(job.metrics[0], quiet=arguments.quiet)
        result = run_one(job, arguments, watch, gap="\n" if results else "")
        if result is not None:
            results.append(result)
            refuse_too_many_failures(result, job.spec.max_error_rate)
            gate.check(result)
        code = errors.INTERRUPTED if result is None else errors.OK
    except EyechartError as error:
        say(told(error))
        code = error.exit_code
    except KeyboardInterrupt:
        code = errors.INTERRUPTED
        raise
    finally:
        if events:
            events.finished(code)
    return code


def events_of(job: Settled, arguments: Namespace) -> EventStream:
    """Progress for programs; what the model is called once it is asked, it will hear."""
    return EventStream(job.metrics[0], benchmark=job.benchmark.id, model=job.spec.model, quiet=arguments.quiet)


def run_one(job: Settled, arguments: Namespace, watch: Watch, *, gap: str = "") -> Result | None:
    """One run, shown as it goes; None if it was interrupted. `gap` stands between its table and the one before."""
    for name, note in ((job.benchmark.id, job.benchmark.note), (job.style.name, job.style.note)):
        if note and not arguments.quiet:
            watch.note(f"{name}: {note}")
    asked = ask(job, watch)
    if asked.interrupted:
        say(f"interrupted: every finished answer is in {asked.folder.path}; the same command continues")
        return None
    result = finish(job, asked.folder, asked.seconds)
    if not arguments.json:
        write(gap + title(job, result))
        write(result_text(result.document, by=arguments.by, markdown=arguments.md, stamp=stamp(job)))
    if not arguments.events:  # whose `done` says it
        hints(result)
    return result


def title(job: Settled, result: Result) -> str:
    """The line above the table."""
    return heading(result.document, result.model, control=job.spec.control)


def stamp(job: Settled) -> str:
    """What must be said of a part of a benchmark before its number is read."""
    chosen, total, selection = len(job.entries), len(job.index.entries), job.spec.selection
    tags = ", ".join(f"{tag}={value}" for tag, value in selection.where)
    only = f"; only those with {tags} (--filter)" if tags else ""
    if selection.limit and chosen < total:
        return f"LIMITED to {chosen:,} of {total:,} questions (--limit {selection.limit}): not a benchmark score{only}"
    if selection.sample and chosen < total:
        return f"SAMPLE of {chosen:,} of {total:,} questions, every type in proportion, seed {job.spec.seed}{only}"
    if selection.where:
        return f"FILTERED to {chosen:,} of {total:,} questions (--{selection})"
    if selection.ids:
        return f"{chosen:,} chosen questions of {total:,}"
    return ""


def hints(result: Result) -> None:
    """Where the run is and what can be done with it."""
    run, time, cost = result.folder, result.time, result.cost
    tokens = ""
    if cost.input_tokens or cost.output_tokens:
        tokens = f" · {cost.input_tokens or 0:,}+{cost.output_tokens or 0:,} tokens"
    say(f"Time   {duration(time.last_start_s)}{tokens}")
    say(f"Saved  {run.path}/    Look  eyechart show {run.typed}    Compare  eyechart compare {run.typed} RUN")


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What must hold of a result for exit code 0, beside its being complete."""

    under: float | None
    standard: RunFolder | None  # the run that no other may be shown to be worse than

    @classmethod
    def read(cls, arguments: Namespace, settled: Sequence[Settled]) -> Gate:
        """The flags, refused at once where they cannot be meant."""
        for job in settled:
            if arguments.by and arguments.by not in job.benchmark.groups:
                raise unknown("tag", arguments.by, list(job.benchmark.groups))
        standard = arguments.fail_if_worse_than
        return cls(
            under=None if arguments.fail_under is None else share(arguments.fail_under, "--fail-under"),
            standard=open_run(standard, Path(arguments.output)) if standard else None,
        )

    def check(self, result: Result) -> None:
        """Raise GateFailed where it does not hold."""
        value = result.document.result.value
        if self.under is not None and (value is None or value < self.under):
            shown = "no score" if value is None else f"{value:.4f}"
            raise GateFailed(f"{result.model} on {result.document.benchmark}: {shown} is below {self.under:g}")
        if self.standard is not None:
            from eyechart.report.verdict import sentence
            from eyechart.runner.versus import compare_runs

            comparison = compare_runs(result.folder, self.standard)
            if comparison.shown and comparison.difference < 0:
                raise GateFailed(sentence(comparison))


def write_classic_files(results: list[Result]) -> None:
    """The files that the benchmark's own scripts leave behind, all runs on one benchmark together."""
    from eyechart.report.exports import export_run, seed_layout

    by_layout: dict[tuple[str, str], list[RunFolder]] = {}
    for result in results:
        name = result.document.benchmark
        by_layout.setdefault((name.partition(":")[0], seed_layout(name)), []).append(result.folder)
    for (_, layout), folders in by_layout.items():
        for path in export_run(folders, layout, Path()):
            say(f"Wrote  {path}")
