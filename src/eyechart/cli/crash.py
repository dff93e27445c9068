"""Our own bugs: one line for the user, the whole story in a file that can be sent."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from eyechart import __version__
from eyechart.errors import BUG


def report_crash(error: BaseException, words: Sequence[str]) -> int:
    """Write traceback and versions to a file, say where it is, and return the exit code of a bug."""
    text = "\n".join(
        [
            f"eyechart {__version__} · Python {platform.python_version()} · {platform.platform()}",
            f"command: {' '.join(mask(word) for word in words)}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )
    handle, name = tempfile.mkstemp(prefix="eyechart-crash-", suffix=".log")
    os.write(handle, text.encode(errors="replace"))
    os.close(handle)
    sys.stderr.write(
        f"error: {type(error).__name__}: {error}\n"
        "  why:  this is a bug in Eyechart, not in what you did; finished answers are safe on disk\n"
        f"  fix:  please report it with {Path(name)}\n"
    )
    return BUG


def mask(word: str) -> str:
    """A word of the command line without the secret that it may carry (`key=…`, `token=…`)."""
    name, equals, _ = word.partition("=")
    secret = any(part in name.casefold() for part in ("key", "token", "secret", "password"))
    return f"{name}=…" if equals and secret else word
