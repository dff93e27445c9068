"""Mark the official VQA files (VQA v2, VQA-CP): questions, annotations and results in, columns out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from eyechart.marking.columns import Columns
from eyechart.marking.matching import Predictions
from eyechart.marking.status import is_refusal
from eyechart.marking.tally import UNDEFINED
from eyechart.marking.vqa_columns import MarkColumn, TableMarker
from eyechart.marking.vqa_table import read_table
from eyechart.metrics.base import Metric


def mark_vqa_files(
    annotations: Path,
    predictions: Predictions,
    metrics: Sequence[Metric],
    *,
    questions: Path | None = None,
    missing: Literal["wrong", "skip"] = "wrong",
) -> Columns:
    """Mark all annotated questions with every metric, the headline first.

    A question without an answer counts as wrong, or with missing="skip" has no row. Whether the ids match as the
    official program demands is for the caller to judge: see `Columns.match`.
    """
    table = read_table(annotations, predictions, missing=missing)
    marker = TableMarker(table)
    headline = marker.mark(metrics[0])
    statuses = _statuses(marker, headline)
    if missing == "skip":
        statuses["missing"] = len(table.unanswered)
    return Columns(
        ids=table.ids,
        frame=table.frame,
        tallies=[headline.tally(metrics[0]), *(marker.mark(metric).tally(metric) for metric in metrics[1:])],
        statuses=statuses,
        match=table.match(questions),
        missing=missing,
    )


def _statuses(marker: TableMarker, headline: MarkColumn) -> Counter[str]:
    """What kind of reply each is, by the same rules and in the same order as for a run."""
    import numpy as np

    answered, blank = marker.answered, marker.blank
    earned = (headline.values > 0) & (headline.states != UNDEFINED)
    declines = np.zeros(len(marker.strings), dtype=bool)
    # Most strings are humans' words only: what was answered, and earned nothing, is looked at.
    idle = np.unique(marker.answers[answered & ~blank & ~earned])
    declines[idle] = [is_refusal(marker.strings[number]) for number in idle.tolist()]
    refusal = answered & ~blank & ~earned & declines[marker.answers]
    unreadable = answered & ~blank & ~refusal & ~headline.read
    statuses = Counter(
        missing=int((~answered).sum()),
        empty=int(blank.sum()),
        refusal=int(refusal.sum()),
        unreadable=int(unreadable.sum()),
    )
    statuses["ok"] = len(answered) - statuses.total()
    return statuses
