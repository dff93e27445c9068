"""Ten people answer: most agree, some write it another way, now and then one is mistaken."""

from __future__ import annotations

from collections.abc import Sequence

from eyechart.sources.starter.dice import Dice

PEOPLE = 10


def ten(dice: Dice, answer: str, *, variants: Sequence[str] = (), mistakes: Sequence[str] = ()) -> tuple[str, ...]:
    """Ten answers of which at least seven are the answer itself, so that it always earns full marks.

    One question in eight is unanimous. The official VQA rule treats those differently (it compares them letter by
    letter), so there have to be some, and few enough that a reply such as "Yes." is not punished for its style.
    """
    if dice.chance(8):
        return (answer,) * PEOPLE
    others = dice.choice((1, 1, 2, 2, 3))
    said = [answer] * (PEOPLE - others)
    for _ in range(others):
        pool = mistakes if mistakes and (not variants or dice.chance(3)) else variants
        said.append(dice.choice(pool))
    return tuple(dice.shuffled(said))
