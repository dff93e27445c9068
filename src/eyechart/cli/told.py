"""An error as a person reads it: what, why, how to fix, with nothing in it that could move the cursor."""

from __future__ import annotations

from eyechart.errors import EyechartError


def told(error: EyechartError) -> str:
    """The lines for stderr. What a server or a file said may be quoted in them, and is not ours."""
    from eyechart.report.table import printable

    return "\n".join(map(printable, f"error: {error}".split("\n")))
