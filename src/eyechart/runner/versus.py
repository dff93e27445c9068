"""Two runs on disk, compared: what `eyechart compare` and `eyechart.compare` share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from eyechart.marking.compare import Comparison, Side, compare
from eyechart.marking.stored import read_document, read_rows
from eyechart.metrics import get_metric
from eyechart.registry import unknown
from eyechart.store import Manifest, RunFolder

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
        Side(name=name, rows=read_rows(folder), signature=document.signature, run=folder.typed)
        for name, folder, document in zip(names, (first, second), documents, strict=True)
    ]
    across = (*allowed.fields, "metric") if metric else allowed.fields
    chosen = get_metric(metric or documents[0].headline)
    return compare(sides[0], sides[1], chosen, across=across, allow_mismatch=allowed.anything, seed=seed)


def distinct_names(first: RunFolder, second: RunFolder) -> tuple[str, str]:
    """The models' names, with the control where there is one, and the runs' ids where both are still the same."""
    names = [name_of(folder.manifest()) for folder in (first, second)]
    if names[0] != names[1]:
        return names[0], names[1]
    return f"{names[0]} ({first.short_id})", f"{names[1]} ({second.short_id})"


def name_of(manifest: Manifest) -> str:
    """Who answered, in few words."""
    model = manifest.model.rpartition("#")[2] or manifest.model
    return f"{model} {manifest.control}".rstrip()
