"""Student's t, and the normal distribution, which is that of infinitely many degrees of freedom.

scipy has both, and importing its special functions takes longer than a table of results: they are a
quarter of all that a first look at one waits for.
"""

from __future__ import annotations

import math
from functools import lru_cache

_TERMS = 500  # of a continued fraction, which needs some twenty
_CLOSE = 1e-15  # relative, of a fraction's terms
_STEPS = 60  # towards a quantile, which needs some five
_LARGE = 50.0  # from which on a series for a ratio of gamma functions is exact to 1e-14
_EXACT = 1e-13  # relative, of a quantile
_TINY = 1e-300


def t_cdf(df: float, t: float) -> float:
    """How probable it is that Student's t with so many degrees of freedom is below `t`; NaN of
    NaN.
    """
    tail = t_tail(df, abs(t))
    return tail if t < 0 else 1 - tail


def t_tail(df: float, t: float) -> float:
    """How probable it is that Student's t is above `t`, which is not negative; exact in proportion
    to it, however small it is.
    """
    if math.isnan(df + t):
        return math.nan
    if math.isinf(df):
        return math.erfc(t / math.sqrt(2)) / 2
    if math.isinf(t):
        return 0.0
    squared = t * t / df
    if not squared:
        return 0.5
    logs = -math.log1p(squared), -math.log1p(1 / squared)  # of x = 1 / (1 + squared), and of 1 - x
    # twice the tail is the regularised beta function I_x(df / 2, 1 / 2), by a fraction that
    # converges fast where x is not too near to 1
    scale = math.exp(_log_gamma_ratio(df / 2) - math.lgamma(0.5) + (df * logs[0] + logs[1]) / 2)
    if squared / (1 + squared) > 3 / (df + 5):
        return scale * _fraction(df / 2, 0.5, math.exp(logs[0])) / df
    return 0.5 - scale * _fraction(0.5, df / 2, math.exp(logs[1]))


@lru_cache(maxsize=1 << 12)
def t_quantile(df: float, share: float) -> float:
    """The number below which Student's t lies with this probability; NaN of NaN."""
    if share < 0.5:
        return -t_quantile(df, 1 - share)
    if math.isnan(df + share):
        return math.nan
    wanted = 1 - share
    if not wanted:
        return math.inf
    # Newton's method for the logarithm of the tail, which is concave, within what is known
    low, high, t = 0.0, math.inf, math.sqrt(-2 * math.log(2 * wanted)) if wanted < 0.5 else 0.0
    for _ in range(_STEPS):
        tail = t_tail(df, t)
        low, high = (t, high) if tail > wanted else (low, t)
        slope = t_density(df, t)
        new = t + tail * math.log(tail / wanted) / slope if tail and slope else -1.0
        if not low <= new <= high:
            new = (low + high) / 2 if math.isfinite(high) else 2 * t + 1
        if abs(new - t) <= _EXACT * max(t, 1e-3):
            return new
        t = new
    return t


def t_density(df: float, t: float) -> float:
    """The density of Student's t."""
    if math.isinf(df):
        return math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    power = (df + 1) / 2 * math.log1p(t * t / df)
    return math.exp(_log_gamma_ratio(df / 2) - power - math.log(df * math.pi) / 2)


def _log_gamma_ratio(a: float) -> float:
    """log(gamma(a + 1/2) / gamma(a)); of large numbers by a series, as the two are alike."""
    if a < _LARGE:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return math.log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (Lentz's method; Press et al. 2007,
    section 6.4), which converges fast below x = (a + 1) / (a + b + 2).
    """
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _away(1 + even * d), _away(1 + even / c)
        found *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _away(1 + odd * d), _away(1 + odd / c)
        found *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    return found


def _away(value: float) -> float:
    """Not 0, by which is divided."""
    return value if abs(value) > _TINY else _TINY
