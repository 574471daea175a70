"""How the two sites of a pair become one row of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lingprobe.data.errors import ReadingProblem
from lingprobe.data.vectors import Floats


def _contrast(sites: Sequence[Floats]) -> Floats:
    """|u - v| ; u * v of two sites, as SentEval and Krasnowska-Kieraś & Wróblewska read pairs."""
    u, v = _two(sites, "contrast")
    return np.concatenate([np.abs(u - v), u * v], 1)


def _infersent(sites: Sequence[Floats]) -> Floats:
    """Both sites, |u - v| and u * v, as InferSent reads a premise and its hypothesis (Conneau et
    al. 2017, Figure 1).
    """
    u, v = _two(sites, "infersent")
    return np.concatenate([u, v, np.abs(u - v), u * v], 1)


def _second(sites: Sequence[Floats]) -> Floats:
    """The second site alone."""
    return _two(sites, "second")[1]


def _difference(sites: Sequence[Floats]) -> Floats:
    """The first site minus the second."""
    first, second = _two(sites, "difference")
    return np.asarray(first - second, np.float32)


def _margin(sites: Sequence[Floats]) -> Floats:
    """By how much the first site's score is above the second's, [examples, 1]."""
    first, second = (site.sum(1, dtype=np.float64) for site in _two(sites, "margin"))
    return np.asarray((first - second)[:, None], np.float32)


def _two(sites: Sequence[Floats], part: str) -> Sequence[Floats]:
    if len(sites) != 2:
        raise ReadingProblem(f"{part} reads two sites, the task has {len(sites)}")
    return sites


PAIR_COMBINATIONS: dict[str, Callable[[Sequence[Floats]], Floats]] = {
    "contrast": _contrast,
    "infersent": _infersent,
    "second": _second,
    "difference": _difference,
    "margin": _margin,
}
"""How the two sites of a pair become one row."""
