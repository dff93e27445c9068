"""Several models' answers in one file: a ranking that says which places are shown to differ, and which are not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from eyechart.marking.compare import ALPHA, Comparison, Side, compare
from eyechart.marking.file_result import FileResult
from eyechart.report.result import interval
from eyechart.report.table import table
from eyechart.stats.paired import holm

SCHEMA = "eyechart/scores@1"


def ranked(results: Sequence[FileResult]) -> list[FileResult]:
    """The best first; equals in the order of the file."""
    return sorted(results, key=lambda result: -(result.document.result.value or 0.0))


def pairs(results: Sequence[FileResult]) -> dict[tuple[str, str], tuple[Comparison, float]]:
    """Every two models compared under the headline, with Holm's p over all pairs."""
    names = [result.model for result in results]
    metric = results[0].metrics[0]
    sides = {result.model: Side(name=result.model, rows=result.rows) for result in results}
    compared = [compare(sides[a], sides[b], metric) for a, b in combinations(names, 2)]
    adjusted = holm([comparison.p for comparison in compared])
    return dict(zip(combinations(names, 2), zip(compared, adjusted, strict=True), strict=True))


def not_shown_to_differ(results: Sequence[FileResult]) -> int:
    """How many places from the top no two of which are shown to differ."""
    best = ranked(results)
    found = pairs(best)
    for count in range(2, len(best) + 1):
        last = best[count - 1].model
        if any(found[best[place].model, last][1] < ALPHA for place in range(count - 1)):
            return count - 1
    return len(best)


def ranking(results: Sequence[FileResult], *, markdown: bool = False) -> str:
    """The table, best first, and the sentence that says what it does and does not show."""
    best = ranked(results)
    document = best[0].document
    metrics = list(document.metrics)
    header = ["model", "n", *(word for name in metrics for word in (name, "95% CI")), "no answer"]
    lines = [
        f"{document.benchmark} · {document.headline} · n = {document.n.total:,} · {len(best)} models",
        *([""] if markdown else []),
        table(header, [_line(result, metrics) for result in best], right=_right(len(metrics)), markdown=markdown),
    ]
    lines += [""] if markdown else []
    lines.append(sentence(best, not_shown_to_differ(best)))
    for result in best:
        lines += recorded_lines(result)
    lines += [f"note: {note}" for note in document.notes]
    how = document.result.interval
    lines.append(f"intervals: 95 %, {how}, {document.clusters.n:,} clusters ({document.clusters.of})")
    lines.append(f"signature: {document.signature}")
    return "\n".join(lines)


def sentence(best: Sequence[FileResult], count: int) -> str:
    """What may be said about the top of the ranking."""
    if count == 1:
        return f"{best[0].model} is shown to be better than {best[1].model} (paired, Holm over all pairs)."
    which = "No two models are" if count == len(best) else f"None of the top {count} places is"
    return f"{which} shown to differ (paired on the same questions, Holm over all pairs)."


def recorded_lines(result: FileResult) -> list[str]:
    """What the file says about itself, where that is not what its answers give."""
    lines = []
    for metric, said in result.recorded.items():
        ours = result.document.metrics.get(metric)
        differing = [d for d in result.disagreements if d.metric == metric]
        if ours is None or ours.value is None or not differing:
            continue
        lines.append(
            f"note: for {result.model} the file records {metric} {100 * said:.2f}; its answers give {ours.printed}"
        )
        lines += [
            f"      question {d.sample}: recorded {d.recorded:g}, now {d.ours:g}; {d.explanation}"
            for d in differing[:3]
        ]
    return lines


def ranking_json(results: Sequence[FileResult]) -> dict[str, object]:
    """All models' documents, best first, with every comparison."""
    best = ranked(results)
    return {
        "schema": SCHEMA,
        "models": [result.as_json() for result in best],
        "top_not_shown_to_differ": not_shown_to_differ(best),
        "comparisons": [{**msgspec.to_builtins(comparison), "p_holm": p} for comparison, p in pairs(best).values()],
    }


def _line(result: FileResult, metrics: Sequence[str]) -> list[str]:
    document = result.document
    cells = [result.model, f"{document.result.n:,}"]
    for name in metrics:
        cells += [document.metrics[name].printed, interval(document.metrics[name].ci)]
    return [*cells, f"{document.n.missing + document.n.failed:,}"]


def _right(metrics: int) -> tuple[int, ...]:
    return (1, *(2 + 2 * place for place in range(metrics)), 2 + 2 * metrics)
