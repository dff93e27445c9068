"""Two runs on disk, compared: what `eyechart compare` and `eyechart.compare` share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from eyechart.marking.compare import Comparison, Side, compare
from eyechart.marking.stored import read_document, read_rows
from eyechart.metrics import get_metric
from eyechart.registry import unknown
from eyechart.store import RunFolder

FIELDS = ("benchmark", "ids", "data", "prompt", "method", "media", "gen", "seed", "control", "repeats", "metric")


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """In what the two may differ."""

    fields: Collection[str] = ()
    anything: bool = False

    def __post_init__(self) -> None:
        for name in self.fields:
            if name not in FIELDS:
                raise unknown("field of a signature", name, list(FIELDS))


def compare_runs(
    first: RunFolder, second: RunFolder, *, metric: str = "", allowed: Allowed | None = None, seed: int = 0
) -> Comparison:
    """Compare under the first one's headline, or under a metric that both were marked with."""
    allowed = allowed or Allowed()
    documents = read_document(first), read_document(second)
    names = distinct_names(first, second)
    sides = [
        Side(name=name, rows=read_rows(folder), signature=document.signature, run=folder.short_id)
        for name, folder, document in zip(names, (first, second), documents, strict=True)
    ]
    across = (*allowed.fields, "metric") if metric else allowed.fields
    chosen = get_metric(metric or documents[0].headline)
    return compare(sides[0], sides[1], chosen, across=across, allow_mismatch=allowed.anything, seed=seed)


def distinct_names(first: RunFolder, second: RunFolder) -> tuple[str, str]:
    """The models' names, with the runs' ids where both are one model."""
    models = [folder.manifest().model.rpartition("#")[2] or folder.manifest().model for folder in (first, second)]
    if models[0] != models[1]:
        return models[0], models[1]
    return f"{models[0]} ({first.short_id})", f"{models[1]} ({second.short_id})"
