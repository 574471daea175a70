"""p values of several tests at once, corrected for their number: what holds of a whole table, not
of one cell that somebody picked. And intervals under the same correction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lingprobe.data.checks import check_choice
from lingprobe.metrics.metric import Doubles

SIGNIFICANCE_LEVEL = 0.05
"""The level of significance."""


def correct_holm(p: ArrayLike) -> Doubles:
    """The p values [n] of several tests, corrected for their number (Holm 1979): at 0.05, one table
    in twenty has any false alarm, however the tests depend on each other. NaN is no test.
    """
    return _of_tests(p, _holm)


def benjamini_hochberg(p: ArrayLike) -> Doubles:
    """The p values [n] of several tests, corrected so that at 0.05 a twentieth of what is called
    significant is expected to be a false alarm (Benjamini & Hochberg 1995). NaN is no test.

    It holds for independent tests and for those that depend positively, and finds more than
    `correct_holm`.
    """
    return _of_tests(p, _benjamini_hochberg)


P_VALUE_CORRECTIONS: Mapping[str, Callable[[ArrayLike], Doubles]] = {
    "holm": correct_holm,
    "bh": benjamini_hochberg,
}
CORRECTION_NAMES: Mapping[str, str] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg",
}
"""How tables call them."""


def correct_p_values(p: ArrayLike, correction: str = "holm") -> Doubles:
    """The values p [n] under one of `P_VALUE_CORRECTIONS`, [n]; UsageProblem for another name."""
    check_choice("correction", correction, P_VALUE_CORRECTIONS)
    return P_VALUE_CORRECTIONS[correction](p)


class CorrectedPValues(NamedTuple):
    """The p values [n] of a family of tests, corrected; and the level at which an interval around
    each estimate excludes 0 exactly where the corrected p is below the level.
    """

    p: Doubles
    level: float


def correct_bonferroni(p: ArrayLike, tests: int = 0) -> CorrectedPValues:
    """Bonferroni's correction, which holds however the tests depend on each other: in one family in
    twenty any false alarm, and any interval that misses (Dunn 1961, Journal of the American
    Statistical Association 56:52).

    tests  how many the family has, where p are only some of them (default: those in p)
    """
    values = np.array(p, np.float64)
    many = max(tests or int((~np.isnan(values)).sum()), 1)
    return CorrectedPValues(np.minimum(many * values, 1), SIGNIFICANCE_LEVEL / many)


def false_discovery(p: ArrayLike, tests: int = 0) -> CorrectedPValues:
    """Benjamini and Hochberg's correction, with intervals of which a twentieth of those that
    exclude 0 is expected to miss (Benjamini & Yekutieli 2005, Journal of the American Statistical
    Association 100:71). `tests` is as of `correct_bonferroni`; those that are not in p count as 1.
    """
    values = np.array(p, np.float64)
    rest = np.ones(max(tests - int((~np.isnan(values)).sum()), 0))
    whole = benjamini_hochberg(np.concatenate([values, rest]))[: len(values)]
    many = max(len(rest) + int((~np.isnan(values)).sum()), 1)
    return CorrectedPValues(
        whole, SIGNIFICANCE_LEVEL * max(int((whole < SIGNIFICANCE_LEVEL).sum()), 1) / many
    )


INTERVAL_CORRECTIONS: Mapping[str, Callable[[ArrayLike, int], CorrectedPValues]] = {
    "bonferroni": correct_bonferroni,
    "bh": false_discovery,
}
"""Corrections that give intervals as well."""


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
