"""Eyechart: an eye test for vision-language models.

The public names are imported when they are first used, so that `import eyechart` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eyechart.interface import Marked, Run, Verdict, compare, open_run, run, score

__version__ = "0.1.0"

_PUBLIC = {
    name: f"eyechart.interface:{name}" for name in ("Marked", "Run", "Verdict", "compare", "open_run", "run", "score")
}

__all__ = ["Marked", "Run", "Verdict", "__version__", "compare", "open_run", "run", "score"]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        from eyechart.registry import load

        return load(_PUBLIC[name])
    raise AttributeError(f"module 'eyechart' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
