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
from eyechart.runner.surroundings import without_secrets


def report_crash(error: BaseException, words: Sequence[str]) -> int:
    """Write traceback and versions to a file, say where it is, and return the exit code of a bug."""
    text = "\n".join(
        [
            f"eyechart {__version__} · Python {platform.python_version()} · {platform.platform()}",
            f"command: {without_secrets(words)}",
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
