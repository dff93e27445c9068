"""A comparison in words: who is better, by how much, and whether it could be luck."""

from __future__ import annotations

from eyechart.marking.compare import Comparison, SideResult
from eyechart.report.table import table

MINUS = "−"


def verdict(comparison: Comparison) -> str:
    """Both scores, the sentence, and the flips."""
    c = comparison
    lines = [
        f"{_score(c.first)}      {_score(c.second)}      paired on {c.n:,} of {c.total:,}",
        "Summary",
        f"  {sentence(c)}",
    ]
    won, lost = (c.won, c.lost) if c.difference >= 0 else (c.lost, c.won)
    if c.shown:
        lines.append(f"  {won:,} won · {lost:,} lost · {c.same:,} same")
    lines += _notes(c)
    return "\n".join(lines)


def sentence(c: Comparison) -> str:
    """The one sentence that people came for."""
    if not c.shown:
        return no_difference(c)
    better, worse = (c.first, c.second) if c.difference >= 0 else (c.second, c.first)
    low_high = c.ci if c.ci is None or c.difference >= 0 else (-c.ci[1], -c.ci[0])
    return (
        f"{better.name} is {points(abs(c.difference))} points{_range(low_high)} better than {worse.name}"
        f"   ({_p(c.p)}, {c.test})"
    )


def worth_of_the_picture(c: Comparison, model: str) -> str:
    """The same model with and without its pictures: what seeing them adds."""
    seeing, blind = (f"{100 * side.value:.1f}" for side in (c.first, c.second))
    if not c.shown:
        return (
            f"The picture is not shown to be worth anything to {model}: {seeing} with it, {blind} without, "
            f"{points(c.difference)} points{_range(c.ci)}, {_p(c.p)}."
        )
    return (
        f"The picture is worth {points(c.difference)} points{_range(c.ci)} to {model}: "
        f"{seeing} with it, {blind} without   ({_p(c.p)}, {c.test})"
    )


def no_difference(c: Comparison) -> str:
    """What can be said where luck explains the difference, and how many questions it would take."""
    text = (
        f"No difference shown: {points(c.difference)}{_range(c.ci)}, {c.won:,} won, {c.lost:,} lost of {c.n:,}, "
        f"{_p(c.p)}, {c.test}."
    )
    if c.questions_needed is not None:
        needed = rounded(c.questions_needed)
        gap = f"{abs(c.difference) * 100:.3g}-point gap"
        text += f" To see a {gap} 4 times in 5 at this disagreement rate you need about {needed:,} questions."
    return text


def groups_table(c: Comparison, *, markdown: bool = False) -> str:
    """The differences per group; p is Holm's, so that looking at many lines finds no more than there is."""
    blocks = []
    for tag, lines in c.by.items():
        rows = [
            [
                name,
                f"{line.n:,}",
                points(line.difference),
                _range(line.ci).strip(),
                f"{line.won:,}",
                f"{line.lost:,}",
                _p(line.p_holm).removeprefix("p = ").removeprefix("p "),
            ]
            for name, line in lines.items()
        ]
        header = [tag, "n", "difference", "95% CI", "won", "lost", "p (Holm)"]
        blocks.append(table(header, rows, right=(1, 2, 4, 5, 6), markdown=markdown))
    return "\n\n".join(blocks)


def points(difference: float) -> str:
    """A signed difference in points: +2.23."""
    text = f"{difference * 100:+.2f}"
    return text.replace("-", MINUS)


def rounded(count: int) -> int:
    """Two leading digits are all that a plan can promise."""
    unit = int(10 ** max(0, len(str(count)) - 2))
    return round(count / unit) * unit


def _range(ci: tuple[float, float] | None) -> str:
    return "" if ci is None else f" [{points(ci[0])}, {points(ci[1])}]"


def _score(side: SideResult) -> str:
    ci = "" if side.ci is None else f" [{side.ci[0] * 100:.2f}, {side.ci[1] * 100:.2f}]"
    return f"{side.name}  {side.printed}{ci}"


def _p(p: float) -> str:
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2g}" if p >= 0.001 else f"p = {p:.4f}"


def _notes(c: Comparison) -> list[str]:
    notes = [
        f"{side.unanswered:,} of {side.name}'s questions have no answer and count as wrong"
        for side in (c.first, c.second)
        if side.unanswered
    ]
    if c.undefined:
        notes.append(f"{c.undefined:,} shared questions have no defined score and are in neither mean")
    if c.ci is not None and c.shown == (c.ci[0] <= 0 <= c.ci[1]):
        notes.append("the interval alone would say otherwise; the test gives the verdict")
    for name, (one, other) in c.differs.items():
        notes += [f"{name} differs: {one or '(nothing)'} and {other or '(nothing)'}"]
    return [f"  note: {note}" for note in notes]
