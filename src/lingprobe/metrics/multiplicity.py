"""p values of several tests at once, corrected for their number: what holds of a whole table, not
of one cell that somebody picked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from lingprobe.errors import UsageProblem
from lingprobe.metrics.metric import Doubles

ALPHA = 0.05
"""The level of significance of all that is called told apart, or significant."""


def holm(p: ArrayLike) -> Doubles:
    """The p values [n] of several tests, corrected for their number (Holm 1979): at 0.05, one table
    in twenty has any false alarm, however the tests depend on each other. NaN is no test.
    """
    return _of_tests(p, _holm)


def benjamini_hochberg(p: ArrayLike) -> Doubles:
    """The p values [n] of several tests, corrected so that at 0.05 a twentieth of what is called
    significant is expected to be a false alarm (Benjamini & Hochberg 1995). NaN is no test.

    It holds for independent tests and for those that depend positively, and finds more than `holm`.
    """
    return _of_tests(p, _benjamini_hochberg)


CORRECTIONS: Mapping[str, Callable[[ArrayLike], Doubles]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
}
NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg"}
"""How tables call them."""


def corrected(p: ArrayLike, correction: str = "holm") -> Doubles:
    """The p values [n] under one of `CORRECTIONS`; UsageProblem for another name."""
    if correction not in CORRECTIONS:
        raise UsageProblem(f"no correction {correction!r}: choose one of {', '.join(CORRECTIONS)}")
    return CORRECTIONS[correction](p)


def _of_tests(p: ArrayLike, correct: Callable[[Doubles], Doubles]) -> Doubles:
    values = np.array(p, np.float64)
    tests = ~np.isnan(values)
    values[tests] = correct(values[tests])
    return values


def _holm(values: Doubles) -> Doubles:
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    return np.minimum(np.maximum.accumulate(steps), 1)[np.argsort(order, kind="stable")]


def _benjamini_hochberg(values: Doubles) -> Doubles:
    order = np.argsort(values, kind="stable")[::-1]
    steps = values[order] * len(values) / np.arange(len(values), 0, -1)
    return np.minimum(np.minimum.accumulate(steps), 1)[np.argsort(order, kind="stable")]
