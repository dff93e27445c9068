"""A reconciliation as text: which scorers disagree, how often, and the reason in words."""

from __future__ import annotations

from eyechart.marking.reconcile import Reconciliation
from eyechart.report.table import shorten, table


def reconciled(found: Reconciliation, *, markdown: bool = False) -> str:
    """The matrix of disagreements, then the questions on which scorers are furthest apart."""
    names = list(found.means)
    differ = {(pair.first, pair.second): pair.differ for pair in found.pairs}
    rows = [[name, _percent(found.means[name]), *(_cell(differ, name, other) for other in names)] for name in names]
    header = ["scorer", "mean", *names]
    share = f" ({found.disputed / found.n:.1%})" if found.n else ""
    lines = [
        f"{found.benchmark} · {found.model} · {found.n:,} answers · scorers disagree on {found.disputed:,}{share}",
        *([""] if markdown else []),
        table(header, rows, right=tuple(range(1, len(header))), markdown=markdown),
    ]
    for question in found.questions:
        lines += [
            "",
            f"question {question.sample}: {shorten(question.question, 100)}",
            f"  answer: {shorten(question.answer, 100)!r}   gold: {shorten(', '.join(question.references), 80)}",
        ]
        width = max(len(name) for name in names)
        lines += [
            f"  {name:<{width}}  {_mark(question.values[name]):>5}  {shorten(told(question.why[name]), 160)}"
            for name in names
        ]
    return "\n".join(lines)


def told(why: str) -> str:
    """An explanation of several lines on one."""
    return "; ".join(line.strip() for line in why.splitlines())


def _cell(differ: dict[tuple[str, str], int], name: str, other: str) -> str:
    if name == other:
        return "·"
    return f"{differ.get((name, other), differ.get((other, name), 0)):,}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def _mark(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
