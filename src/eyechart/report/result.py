"""A run's result as text: the table with intervals, both readings of failures, the signature."""

from __future__ import annotations

from eyechart.marking.document import Document, GroupScore, MetricResult
from eyechart.registry import unknown
from eyechart.report.table import table
from eyechart.store import Manifest

_HEADER = ("", "n", "score", "95% CI", "no answer")


def result_text(document: Document, *, by: str = "", markdown: bool = False, stamp: str = "") -> str:
    """The headline's table with one row per group and the overall row last; the other scorers in a line below."""
    result = document.result
    if by and by not in result.by:
        raise unknown("tag", by, list(result.by))
    group = by or next(iter(result.by), "")
    rows = [group_row(name, score) for name, score in sorted(result.by.get(group, {}).items())]
    rows.append(overall_row(document))
    columns = len(_HEADER) if any(row[-1] for row in rows) else len(_HEADER) - 1  # no failures, no column for them
    header = (group or "score", *_HEADER[1:])[:columns]
    lines = [table(header, [row[:columns] for row in rows], right=(1, 2, 4), markdown=markdown)]
    if markdown:  # a table stands apart from the lines around it
        lines = ["", *lines, ""]
    lines += notes(document)
    if stamp:
        lines.insert(0, stamp)
    return "\n".join(lines)


def heading(document: Document, model: str, *, control: str = "") -> str:
    """The line above the table: what was asked, how it is marked, how much of it, of whom, under which control."""
    words = [document.benchmark, document.headline, f"n = {document.n.total:,}", model, control]
    return " · ".join(word for word in words if word)


def part_of(manifest: Manifest, document: Document) -> str:
    """What must be said of a stored result that is not about the whole benchmark, or not yet."""
    marked, wanted = document.n.total, manifest.questions * manifest.repeats
    parts = [f"UNFINISHED: {marked:,} of {wanted:,} questions"] if marked < wanted else []
    parts += [f"PART of the benchmark: {manifest.selection}"] if manifest.selection != "all" else []
    return " · ".join(parts)


def group_row(name: str, score: GroupScore) -> tuple[str, ...]:
    """One line of the table."""
    return name, f"{score.n:,}", score.printed, interval(score.ci), f"{score.unanswered:,}" if score.unanswered else ""


def overall_row(document: Document) -> tuple[str, ...]:
    """The headline itself."""
    result, n = document.result, document.n
    unanswered = n.failed + n.missing
    share = f"{unanswered:,} ({unanswered / n.total:.1%})" if unanswered else ""
    return "overall", f"{result.n:,}", result.printed, interval(result.ci), share


def interval(ci: tuple[float, float] | None) -> str:
    """`[77.3, 77.7]`, in per cent."""
    return "" if ci is None else f"[{100 * ci[0]:.1f}, {100 * ci[1]:.1f}]"


def notes(document: Document) -> list[str]:
    """What must stand beside the number: readings of failures, replies that were no answers, other scorers."""
    result, n = document.result, document.n
    lines = []
    if n.failed or n.missing:
        left_out = "–" if result.value_left_out is None else f"{100 * result.value_left_out:.2f}"
        kinds = [f"{kind} {count:,}" for kind, count in sorted(document.failures.items())]
        kinds += [f"missing {n.missing:,}"] if n.missing else []
        above = "left out above" if document.missing == "skip" and not n.failed else "counted wrong above"
        lines.append(f"no answer: {' · '.join(kinds)}; {above}, {left_out} if left out")
    odd = [(name, getattr(n, name)) for name in ("unreadable", "empty", "truncated", "refusal")]
    if any(count for _, count in odd):
        lines.append("replies:   " + " · ".join(f"{name} {count:,}" for name, count in odd if count))
    if result.undefined:
        reasons = ", ".join(f"{kind} {count:,}" for kind, count in sorted(result.errors.items()))
        lines.append(f"undefined: {result.undefined:,} questions have no score ({reasons}) and are in no mean")
    if result.oddities:
        odd_gold = ", ".join(f"{kind} {count:,}" for kind, count in sorted(result.oddities.items()))
        lines.append(f"questions: {odd_gold}: scored as the official program scores them")
    lines += [f"note:      {note}" for note in (*result.notes, *document.notes)]
    others = [other(name, score, result.n) for name, score in document.metrics.items() if name != document.headline]
    if others:
        lines.append("beside it: " + " · ".join(others))
    if result.interval:
        lines.append(f"intervals: 95 %, {result.interval}, {document.clusters.n:,} clusters ({document.clusters.of})")
    lines.append(f"signature: {document.signature}")
    if document.answered_by:
        lines.append(f"           {document.answered_by}")
    return lines


def other(name: str, score: MetricResult, headline_n: int) -> str:
    """Another scorer's number in few words; with its denominator where that is not the headline's."""
    words = (
        name,
        score.printed or "undefined",
        interval(score.ci),
        "" if score.n == headline_n else f"(n = {score.n:,})",
    )
    return " ".join(filter(None, words))
