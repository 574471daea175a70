"""What claims say of correlations, from the scores of a paper's own table: each pair of rows over
tasks, or each task over pairs of rows (Spearman's rho, on Fisher's scale).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.extend import coefficients, error
from lingprobe_extensions.papers.claims import PaperClaim, match_names, pair_entries
from lingprobe_extensions.papers.verdicts import DifferenceEstimate

_METHOD = "spearman"
Figures = Mapping[tuple[str, str], float]
"""Scores by row and task."""


class CorrelationDifference(NamedTuple):
    """A correlation on Fisher's scale less another one, or 0; `found` and `other` are the two in
    percent, and `low` and `high` the interval of a single one.
    """

    estimate: DifferenceEstimate
    first: str
    second: str
    task: str
    found: float
    other: float = math.nan
    low: float = math.nan
    high: float = math.nan


def find_claimed_correlations(
    claim: PaperClaim, scores: Figures, rows: Sequence[str], tasks: Sequence[str]
) -> list[CorrelationDifference]:
    """What a claim about correlations compares; nothing whose error cannot be known."""
    matched = [
        (one.rows[0][1], other.rows[0][1]) for one, other in pair_entries(claim, rows, str) if other
    ]
    here, others = (match_names(side, tasks) for side in claim.sides)
    every = _over_tasks(matched, here, scores)
    if claim.over == "tasks":
        every = _over_rows(matched, (here, others), scores)
    return [each for each in every if each.estimate.error > 0]


def _over_tasks(
    matched: Sequence[tuple[str, str]], tasks: Sequence[str], scores: Figures
) -> Iterator[CorrelationDifference]:
    """Whether each two rows correlate."""
    for first, second in matched:
        [one] = coefficients(
            _arrange_scores([first, second], tasks, scores).T, [(0, 1)], _METHOD
        ).values()
        variance = (1 + one.value**2 / 2) / (one.n - 3)  # Bonett & Wright 2000
        estimate = DifferenceEstimate(math.atanh(one.value), math.sqrt(variance))
        low, high = (100 * math.tanh(end) for end in estimate.interval)
        name = f"{len(tasks)} tasks"
        yield CorrelationDifference(
            estimate, first, second, name, 100 * one.value, low=low, high=high
        )


def _over_rows(
    matched: Sequence[tuple[str, str]], sides: tuple[list[str], list[str]], scores: Figures
) -> Iterator[CorrelationDifference]:
    """How much less each task of the first side correlates than each of the second."""
    for task, other in product(*sides):
        left, right = ([pair[side] for pair in matched] for side in range(2))
        four = np.column_stack(
            [
                _arrange_scores(rows, [each], scores)
                for each in (task, other)
                for rows in (left, right)
            ]
        )
        four = four[~np.isnan(four).any(1)]
        places = [(i, j) for i in range(4) for j in range(4)]
        found = coefficients(four, places, _METHOD)
        known = np.array([found[place].value for place in places]).reshape(4, 4)
        first, second = float(known[0, 1]), float(known[2, 3])
        spread = error(known, len(four), ranked=True)
        estimate = DifferenceEstimate(math.atanh(first) - math.atanh(second), spread)
        yield CorrelationDifference(
            estimate, task, other, f"{len(four)} encoders", 100 * first, 100 * second
        )


def _arrange_scores(
    rows: Sequence[str], tasks: Sequence[str], scores: Figures
) -> NDArray[np.float64]:
    """Scores [rows, tasks], NaN where there is none."""
    return np.array([[scores.get((row, task), math.nan) for task in tasks] for row in rows])
