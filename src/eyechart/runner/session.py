"""One run from beginning to end: continue what there is, ask, mark, write down."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from eyechart import __version__
from eyechart.errors import ModelError, SetupError, UsageError
from eyechart.marking.signature import answered_by, asked_and_marked, describe_sampling
from eyechart.models import Model, get_model
from eyechart.records import Entry, Sample
from eyechart.runner.asking import Asking, Job
from eyechart.runner.interrupt import Interrupts
from eyechart.runner.limits import CEILING, AdaptiveLimit, FixedLimit, Limit
from eyechart.runner.log import logged
from eyechart.runner.loop import Loop
from eyechart.runner.plan import order
from eyechart.runner.progress import Progress
from eyechart.runner.retry import RetryPolicy
from eyechart.runner.settle import Settled
from eyechart.runner.surroundings import git_state, hardware, is_secret, room_for_connections, versions
from eyechart.runner.watch import Watch
from eyechart.store import Journal, Manifest, RunFolder, open_run, read_finals
from eyechart.store.folder import create_run, runs_that_asked
from eyechart.store.journal import Key, asked_about, copy_lines, recover
from eyechart.store.lock import locked, one_at_a_time
from eyechart.store.manifest import Session


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How the asking ended."""

    folder: RunFolder
    interrupted: bool
    seconds: float  # of this start


def ask(settled: Settled, watch: Watch) -> Asked:
    """Ask what is open, also from inside a notebook's running loop (then in a thread of its own)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_ask(settled, watch, Interrupts()))
    outcome: list[Asked | BaseException] = []
    interrupts, over = Interrupts(), threading.Event()

    def work() -> None:
        try:
            outcome.append(asyncio.run(_ask(settled, watch, interrupts)))
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread, whatever it is
            outcome.append(error)
        finally:
            over.set()

    threading.Thread(target=work, name="eyechart-run").start()
    while not over.is_set():
        try:
            over.wait()  # not the thread's own join: on Python 3.11 one that was interrupted takes it for ended
        except KeyboardInterrupt:  # the cell was interrupted: so is the run, which would go on unseen otherwise
            interrupts.send()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


async def _ask(settled: Settled, watch: Watch, interrupts: Interrupts) -> Asked:
    spec, began = settled.spec, time.monotonic()
    model = get_model(spec.model, spec.model_args)
    try:
        await model.open(settled.samples)
        if model.looks:
            look_at_the_first(settled)
        with ExitStack() as held:
            with one_at_a_time(spec.runs):
                folder = folder_for(settled, model)
                held.enter_context(locked(folder.path))
                log = held.enter_context(logged(watch, folder, verbose=spec.verbose))
                torn = recover(folder.journal)
                progress = Progress.read(folder.journal, spec.retry)
                write_manifest(settled, model, folder)
            if torn:
                log.note(f"the last line of the journal was torn ({torn} bytes) and has been cut off")
            try:
                interrupted = await _put_questions(settled, model, folder, progress, watch=log, interrupts=interrupts)
            except SetupError:
                if any(final.response for final in read_finals(folder.journal).values()):
                    log.note(f"stopped: every finished answer is in {folder.path}; the same command continues")
                raise
    finally:
        with suppress(asyncio.CancelledError):
            await model.close()
    return Asked(folder=folder, interrupted=interrupted, seconds=time.monotonic() - began)


def look_at_the_first(settled: Settled) -> None:
    """Read one question with its pictures: an archive that is refused leaves no empty run behind."""
    with suppress(ModelError):  # the failure of that question alone
        settled.source.fetch(settled.entries[0])


async def _put_questions(
    settled: Settled, model: Model, folder: RunFolder, progress: Progress, *, watch: Watch, interrupts: Interrupts
) -> bool:
    spec = settled.spec
    total = len(settled.entries) * spec.repeats
    done = sum((e.id, spec.control, r) in progress.done for e in settled.entries for r in range(spec.repeats))
    watch.started(benchmark=settled.benchmark.id, model=model.name, run=folder, total=total, done=done)
    if done == total:
        watch.ended()
        return False
    journal = Journal(folder.journal)
    try:
        loop = Loop(
            asking(settled, model),
            journal=journal,
            limit=limit_for(model, spec.concurrency, spec.timeout_s),
            policy=RetryPolicy(tries=spec.tries, timeout_s=spec.timeout_s, seed=spec.seed),
            watch=watch,
            interrupts=interrupts,
        )
        await loop.run(open_jobs(settled, progress))
        return loop.interrupted
    finally:
        watch.ended()
        journal.close()


def asking(settled: Settled, model: Model) -> Asking:
    """How the questions of this run are put."""

    def fetch(entry: Entry) -> Sample:
        return settled.source.fetch(entry, media=model.looks)

    return Asking(
        fetch=fetch,
        model=model,
        method=settled.method,
        style=settled.style,
        sampling=settled.sampling,
        media=settled.media,
        variant=settled.spec.control,
    )


def open_jobs(settled: Settled, progress: Progress) -> Iterator[Job]:
    """What is still to be asked, one repeat after the other."""
    for repeat in range(settled.spec.repeats):
        ordered = order(settled.entries, settled.spec.seed + repeat)
        yield from progress.open_jobs(ordered, repeat, settled.spec.control)


def limit_for(model: Model, asked: int | None, timeout_s: float) -> Limit:
    """As many at once as was asked for, else as the model says, else as the server turns out to bear."""
    known, most = asked or model.concurrency, room_for_connections()
    return FixedLimit(min(known, most)) if known else AdaptiveLimit(min(CEILING, most), timeout_s=timeout_s)


def folder_for(settled: Settled, model: Model) -> RunFolder:
    """The run that this continues, or a new one."""
    spec, identity = settled.spec, identity_of(settled, model)
    if spec.resume:
        folder = open_run(spec.resume, spec.runs)
        refuse_other_run(folder, identity)
        return folder
    same = [] if spec.fresh else list(runs_that_asked(spec.runs, identity))
    asked = (str(spec.selection), len(settled.entries), spec.repeats)
    for folder, manifest in same:
        if (manifest.selection, manifest.questions, manifest.repeats) == asked:
            return folder
    wanted = {Key(entry.id, spec.control, repeat) for entry in settled.entries for repeat in range(spec.repeats)}
    for folder, manifest in same:
        if manifest.questions <= len(settled.entries) and asked_about(folder.journal) <= wanted:
            return folder  # a part of this one: it grows
    folder = create_run(spec.runs, settled.benchmark.id, model.name, spec.control)
    if same:  # they hold other questions too: their results stay what they are, their answers are not asked for again
        copy_lines((other.journal for other, _ in same), folder.journal, wanted)
    return folder


def identity_of(settled: Settled, model: Model) -> dict[str, str]:
    """All fields that must be equal for a run to be continued."""
    return settled.asked() | {"model": model.name} | {f"model.{k}": v for k, v in model.identity.items()}


def refuse_other_run(folder: RunFolder, identity: dict[str, str]) -> None:
    """Refuse to continue a run that asked something else, naming the fields."""
    before = folder.manifest().identity
    changed = [name for name in {**before, **identity} if before.get(name) != identity.get(name)]
    if changed:
        described = ", ".join(f"{n}: {before.get(n, 'none')} → {identity.get(n, 'none')}" for n in sorted(changed))
        raise UsageError(
            f"run {folder.name} cannot be continued with a changed configuration",
            why=described,
            fix="give the old values back, or leave out --resume to start a run of its own",
        )


def write_manifest(settled: Settled, model: Model, folder: RunFolder) -> None:
    """Say in run.json what this run is; a continued run keeps the record of its earlier starts."""
    spec, headline = settled.spec, settled.metrics[0]
    earlier = folder.manifest().sessions if (folder.path / "run.json").exists() else []
    now = datetime.now(UTC).isoformat(timespec="seconds")
    folder.write_manifest(
        Manifest(
            run=folder.name,
            benchmark=settled.benchmark.id,
            benchmark_options=dict(settled.benchmark.options),
            model=model.name,
            model_args={name: "…" if is_secret(name) else value for name, value in spec.model_args.items()},
            method=settled.benchmark.method,
            control=spec.control,
            style=settled.style.name,
            style_hash=settled.style.hash,
            prompt=msgspec.to_builtins(settled.style),
            media=str(settled.media),
            sampling=msgspec.to_builtins(settled.sampling),
            seed=spec.seed,
            repeats=spec.repeats,
            headline=headline.id,
            metrics=[metric.id for metric in settled.metrics],
            selection=str(spec.selection),
            questions=len(settled.entries),
            data=settled.index.data,
            signature=signature_of(settled),
            answered_by=answered_by(model=model.name, identity=model.identity),
            identity=identity_of(settled, model),
            versions=versions(),
            hardware=hardware(),
            git=git_state(),
            sessions=[
                *earlier,
                Session(started=now, command=spec.command, eyechart=__version__, settings=spec.settings()),
            ],
        )
    )


def signature_of(settled: Settled) -> str:
    """The first part of the signature: what was asked and how it is marked."""
    further = {"control": settled.spec.control} if settled.spec.control else {}
    if settled.spec.repeats > 1:
        further["repeats"] = str(settled.spec.repeats)
    return asked_and_marked(
        benchmark=settled.benchmark.id,
        ids=(entry.id for entry in settled.entries),
        data=settled.index.data,
        metric=settled.metrics[0],
        prompt=settled.style.name,
        method=settled.benchmark.method,
        media=str(settled.media),
        gen=describe_sampling(settled.sampling),
        seed=settled.spec.seed,
        further=further,
    )
