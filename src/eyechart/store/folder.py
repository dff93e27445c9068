"""A run's folder: where its files are, how it is named, and how it is found again."""

from __future__ import annotations

import filecmp
import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from eyechart.errors import InputError, SetupError, UsageError
from eyechart.records import UNDECODABLE
from eyechart.registry import nearest
from eyechart.store.atomic import replacing, write_json
from eyechart.store.journal import JOURNAL, SCORES, unwritable
from eyechart.store.manifest import Manifest

MANIFEST = "run.json"
DEFAULT_RUNS = Path("runs")  # where commands look for a run that is named by its letters


@dataclass(frozen=True)
class RunFolder:
    """The paths of one run."""

    path: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def short_id(self) -> str:
        """Four letters that stand for this run in messages and on the command line."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:4]

    @property
    def typed(self) -> str:
        """What stands for this run in a command that is pasted: four letters in ./runs, elsewhere the path."""
        return self.short_id if self.path.parent == DEFAULT_RUNS else shlex.quote(str(self.path))

    @property
    def journal(self) -> Path:
        """outcomes.jsonl: the truth."""
        return self.path / JOURNAL

    @property
    def scores(self) -> Path:
        """scores.jsonl: derived, one line per question."""
        return self.path / SCORES

    @property
    def summary(self) -> Path:
        """summary.json: derived, what the tables show."""
        return self.path / "summary.json"

    @property
    def log(self) -> Path:
        """run.log: warnings and tracebacks."""
        return self.path / "run.log"

    def manifest(self) -> Manifest:
        """What run.json says."""
        path = self.path / MANIFEST
        try:
            return msgspec.json.decode(path.read_bytes(), type=Manifest)
        except FileNotFoundError:
            raise InputError(f"{self.path} is not a run folder", why=f"it holds no {MANIFEST}") from None
        except UNDECODABLE as error:
            raise InputError(f"{path} cannot be read", why=str(error)) from error

    def write_manifest(self, manifest: Manifest) -> None:
        """Write run.json whole."""
        write_json(self.path / MANIFEST, manifest)

    @contextmanager
    def new_scores(self) -> Iterator[BinaryIO]:
        """A file that becomes scores.jsonl; the old one goes to scores/, numbered, if anything in it changed."""
        # Of this process alone: two starts that find a finished run may mark it at the same moment.
        fresh = self.path / f".scores.{os.getpid()}.jsonl"
        with replacing(fresh) as file:
            yield file
        try:
            if self.scores.exists() and not filecmp.cmp(fresh, self.scores, shallow=False):
                revisions = self.path / "scores"
                revisions.mkdir(exist_ok=True)
                number = 1 + max((int(p.stem) for p in revisions.glob("*.jsonl") if p.stem.isdigit()), default=0)
                self.scores.rename(revisions / f"{number:04}.jsonl")
            fresh.replace(self.scores)
        except OSError as error:
            raise unwritable(self.scores, error) from error


def create_run(runs: Path, benchmark: str, model: str, control: str = "") -> RunFolder:
    """A new folder, named for when, what, who, and under which control."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    words = (stamp, slug(benchmark), slug(model.rpartition("#")[2] or model), control)
    base = "_".join(word for word in words if word)
    try:
        runs.mkdir(parents=True, exist_ok=True)
        for attempt in range(1000):
            path = runs / (f"{base}.{attempt}" if attempt else base)
            try:
                path.mkdir()
            except FileExistsError:
                continue
            return RunFolder(path)
    except OSError as error:
        raise SetupError(f"cannot make a run folder in {runs}: {error.strerror}", fix="name another with -o") from error
    raise SetupError(f"cannot make a run folder in {runs}", why="a thousand runs began in this second")


def slug(text: str) -> str:
    """A name that is safe as a part of a file name."""
    tail = text.rsplit("/", 1)[-1]
    return re.sub(r"[^\w.=-]+", "-", tail).strip("-.")[:60] or "model"


def find_runs(runs: Path) -> Iterator[RunFolder]:
    """All runs in a folder, newest first."""
    if not runs.is_dir():
        return
    for path in sorted(runs.iterdir(), key=lambda p: p.name, reverse=True):
        if (path / MANIFEST).is_file():
            yield RunFolder(path)


def runs_that_asked(runs: Path, identity: dict[str, str]) -> Iterator[tuple[RunFolder, Manifest]]:
    """The runs that asked the same in the same way, however much of it, newest first."""
    for folder in find_runs(runs):
        try:
            manifest = folder.manifest()
        except InputError:
            continue  # somebody else's folder, or one that a crash left unfinished: not ours to continue
        if manifest.identity == identity:
            yield folder, manifest


def open_run(which: str | Path, runs: Path = DEFAULT_RUNS) -> RunFolder:
    """The run that a path, a folder name, its beginning or its four-letter id stands for."""
    path = Path(which)
    if (path / MANIFEST).is_file():
        return RunFolder(path)
    if path.is_dir():
        raise InputError(f"{path} is not a run folder", why=f"it holds no {MANIFEST}")
    word = str(which)
    known = list(find_runs(runs))
    matches = [run for run in known if word in (run.name, run.short_id)]
    matches = matches or [run for run in known if word and run.name.startswith(word)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(
            f"{word!r} may mean {len(matches)} runs",
            why=", ".join(run.name for run in matches[:3]) + (" …" if len(matches) > 3 else ""),
            fix="give more of the name, or the path",
        )
    hints = nearest(word, [run.name for run in known])
    raise UsageError(
        f"no run {word!r} in {runs}/",
        why=f"{len(known)} runs are there",
        fix=f"did you mean {', '.join(hints)}?" if hints else "eyechart ls runs shows them; -o names another folder",
    )
