"""What marking a file leaves: one row a question, as columns, and the document that they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eyechart.marking.document import Clusters, Counts, Document
from eyechart.marking.matching import Id, IdMatch
from eyechart.marking.tally import Frame, Tally


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Ids, groups and marks, one row a question, in the order of the annotations."""

    ids: Sequence[Id]
    frame: Frame  # clusters and groups
    tallies: Sequence[Tally]  # one a metric, the headline first: `sums` holds the values, `state` what they mean
    statuses: Counter[str]  # ok, empty, refusal, unreadable, missing
    match: IdMatch
    missing: Literal["wrong", "skip"]  # with "skip" questions without an answer have no row
    cluster: str = "picture"  # what questions share

    def document(self, *, benchmark: str, signature: str = "", answered_by: str = "", seed: int = 0) -> Document:
        """The numbers, tables and intervals of all metrics."""
        found = self.statuses
        return Document(
            benchmark=benchmark,
            signature=signature,
            answered_by=answered_by,
            headline=self.tallies[0].metric.id,
            n=Counts(
                total=found.total(),
                answered=found.total() - found["missing"],
                missing=found["missing"],
                failed=0,
                ok=found["ok"],
                unreadable=self.tallies[0].unreadable,
                empty=found["empty"],
                truncated=0,
                refusal=found["refusal"],
            ),
            clusters=Clusters(n=len(self.frame.clusters.numbers), of=self.cluster),
            seed=seed,
            missing=self.missing,
            metrics={tally.metric.id: tally.result(self.frame, seed=seed) for tally in self.tallies},
        )
