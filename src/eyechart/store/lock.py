"""One writer per run: a lock that ends with the process that holds it, however that process ends."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eyechart.errors import SetupError
from eyechart.store.journal import unwritable


@contextmanager
def one_at_a_time(runs: Path) -> Iterator[None]:
    """Let one process after the other choose its run in a folder of runs.

    Two that are started together with the same command would else not see each other and ask everything twice.
    """
    try:
        runs.mkdir(parents=True, exist_ok=True)
        handle = os.open(runs, os.O_RDONLY)
    except OSError as error:
        raise SetupError(f"cannot make a run folder in {runs}: {error.strerror}", fix="name another with -o") from error
    try:
        # The folder itself is locked, so that no file is left in it. Some network file systems cannot do that: then
        # each run's own lock is all there is.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, or say who holds it."""
    path = folder / "run.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 200, 0).decode(errors="replace").strip() or "another process"
            raise SetupError(
                f"the run folder is in use: {folder}",
                why=f"{holder} is writing to it; two writers would spoil the journal",
                fix="wait for it to end, or start anew beside it with --fresh",
            ) from None
        except OSError as error:
            raise SetupError(
                f"cannot lock {path}: {error.strerror}",
                why="without a lock two processes could write to one run",
                fix="name a folder on another file system with -o",
            ) from error
        with suppress(OSError):  # a full disk keeps nobody from holding the lock; only the name is missing then
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        yield
    finally:
        os.close(handle)
