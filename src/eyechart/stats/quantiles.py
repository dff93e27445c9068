"""Quantiles of the normal and of Student's t distribution, so that no statistics library need be installed."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

# From here on the expansion is as exact as the search, which needs a thousand steps for each probability.
_MANY = 1000


def normal_quantile(p: float) -> float:
    """The point below which a standard normal variable falls with probability p."""
    return NormalDist().inv_cdf(p)


@lru_cache(maxsize=256)
def student_quantile(p: float, degrees: int) -> float:
    """The point below which Student's t with this many degrees of freedom falls with probability p."""
    if degrees < 1:
        raise ValueError(f"Student's t needs at least one degree of freedom, not {degrees}")
    if p < 0.5:
        return -student_quantile(1.0 - p, degrees)
    if degrees >= _MANY:
        return _near_normal(normal_quantile(p), degrees)
    low, high = 0.0, 1.0
    while student_cdf(high, degrees) < p:
        low, high = high, high * 2.0
    for _ in range(200):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if student_cdf(middle, degrees) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _near_normal(z: float, n: int) -> float:
    """Student's quantile from the normal one, by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5)."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / n**power for power, term in enumerate(terms, 1))


def student_cdf(t: float, degrees: int) -> float:
    """The probability that Student's t with this many degrees of freedom is below t."""
    tail = 0.5 * _incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
    return 1.0 - tail if t > 0 else tail


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz's method)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        # The fraction converges fast on one side only; the function's symmetry gives the other.
        return 1.0 - _incomplete_beta(1.0 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    fraction = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return math.exp(log_front) * fraction / a
