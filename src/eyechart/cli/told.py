"""An error as a person reads it: what, why, how to fix, with nothing in it that could move the cursor."""

from __future__ import annotations

import errno
from pathlib import Path

from eyechart.errors import EyechartError, SetupError


def told(error: EyechartError) -> str:
    """The lines for stderr. What a server or a file said may be quoted in them, and is not ours."""
    from eyechart.report.table import printable

    return "\n".join(map(printable, f"error: {error}".split("\n")))


def refused_by_the_system(error: Exception) -> SetupError | None:
    """What it means that a file could not be used, or that the disk is full; None for anything else."""
    if not isinstance(error, OSError):
        return None
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SetupError("the disk is full: the output could not be written")
    if not isinstance(error.filename, str) or is_ours(Path(error.filename)):
        return None
    return SetupError(
        f"{error.filename}: {error.strerror}",
        why="the operating system refused to use it so",
        fix="name another place, or mend that one",
    )


def is_ours(path: Path) -> bool:
    """Whether a file belongs to the program: if one of those is missing, nobody who uses it can help."""
    return path.absolute().is_relative_to(Path(__file__).absolute().parents[1])
