"""How many questions it takes to see a difference."""

from __future__ import annotations

import math

from eyechart.stats.quantiles import normal_quantile


def questions_needed(
    difference: float, mean_square: float, *, design_effect: float = 1.0, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """Paired questions after which this difference is seen `power` of the time; None where no number is enough.

    `mean_square` is the mean of the squared paired differences: for right and wrong answers the share of questions on
    which the two disagree (Connor 1987, the formula for McNemar's test). `design_effect` is what clustering costs.
    """
    gap = abs(difference)
    if gap == 0.0 or mean_square <= 0.0:
        return None
    # A mean cannot exceed its root mean square: a larger gap than seen needs at least that much disagreement.
    square = max(mean_square, gap * gap)
    reach = normal_quantile(1.0 - alpha / 2.0) * math.sqrt(square)
    reach += normal_quantile(power) * math.sqrt(square - gap * gap)
    return math.ceil(design_effect * (reach / gap) ** 2)


def smallest_difference(
    questions: int, mean_square: float, *, design_effect: float = 1.0, power: float = 0.8, alpha: float = 0.05
) -> float | None:
    """The smallest difference that this many paired questions show `power` of the time."""
    if questions < 1 or mean_square <= 0.0:
        return None
    low, high = 0.0, math.sqrt(mean_square)
    if (questions_needed(high, mean_square, design_effect=design_effect, power=power, alpha=alpha) or 0) > questions:
        return None
    for _ in range(100):
        middle = (low + high) / 2.0
        needed = questions_needed(middle, mean_square, design_effect=design_effect, power=power, alpha=alpha)
        if needed is None or needed > questions:
            low = middle
        else:
            high = middle
    return high
