"""Correlations between columns of scores over the things that were scored: coefficients, and p
values by permutation. Whoever calls says what is one observation.

Values are [observations, columns], NaN where something was not measured; each pair of columns is
over the observations that have both.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.checks import check_choice
from lingprobe.data.vectors import Ints
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.multiplicity import SIGNIFICANCE_LEVEL
from lingprobe.metrics.student import t_tail

MIN_CORRELATED_OBSERVATIONS = 3  # observations, below which a correlation says nothing
MIN_APPROXIMATED_OBSERVATIONS = (
    30  # observations, from which on p values are those of an approximation
)
MAX_EXACT_OBSERVATIONS = 9  # observations, up to which all permutations are gone through
_ROOM = 4_000_000  # numbers that lie in memory at a time
_ROUNDING = 1e-9  # by which equal coefficients may differ

Pair = tuple[int, int]


class CorrelationCoefficient(NamedTuple):
    """A correlation of two columns, NaN where it is not defined, and how many observations it is
    over.
    """

    value: float
    n: int


class CorrelationTest(NamedTuple):
    """The p value of a correlation (two sides), NaN for none, and how it was found: exact,
    permutation or approximation.
    """

    p: float
    how: str = ""


@dataclass(frozen=True, slots=True)
class ColumnPairs:
    """Pairs of columns that are over the same observations.

    features  [columns, features], whose products are the coefficients
    of        where each column is among them
    """

    rows: NDArray[np.bool_]
    pairs: Sequence[Pair]
    of: Mapping[int, int]
    values: Doubles

    @property
    def n(self) -> int:
        """How many observations there are."""
        return int(self.rows.sum())


def coefficients(
    values: Doubles, pairs: Sequence[Pair], method: str = "spearman"
) -> dict[Pair, CorrelationCoefficient]:
    """The correlation of each pair of columns; Kendall's is tau-b, and ties share their mean rank.
    NaN for fewer than three observations, and where one of the columns does not vary.
    """
    get_column_transform(method)  # there is such a method
    found = {}
    for group in group_column_pairs(values, pairs):
        known = (
            correlate_columns(group.values, method)
            if group.n >= MIN_CORRELATED_OBSERVATIONS
            else None
        )
        for i, j in group.pairs:
            value = math.nan if known is None else known[group.of[i], group.of[j]]
            found[i, j] = CorrelationCoefficient(float(np.clip(value, -1, 1)), group.n)
    return {pair: found[pair] for pair in pairs}


def correlate_columns(values: Doubles, method: str) -> Doubles:
    """The correlations of all columns [n, columns] with each other."""
    return _products(get_column_transform(method)(values))


def p_values(
    values: Doubles, pairs: Sequence[Pair], method: str = "spearman", seed: int = 0
) -> dict[Pair, CorrelationTest]:
    """How likely each pair's correlation is, or a stronger one, where the two columns have nothing
    to do with each other.

    All permutations up to nine observations, below thirty so many that the least p is a tenth of
    what the best of the pairs needs (Phipson & Smyth 2010), from there on Student's t, of Kendall's
    tau a normal approximation.
    """
    get_column_transform(method)  # there is such a method
    draws = max(9999, math.ceil(10 * len(pairs) / SIGNIFICANCE_LEVEL))
    tested: dict[Pair, CorrelationTest] = {}
    for group in group_column_pairs(values, pairs):
        if group.n < MIN_CORRELATED_OBSERVATIONS:
            tested |= dict.fromkeys(group.pairs, CorrelationTest(math.nan))
        elif group.n < MIN_APPROXIMATED_OBSERVATIONS:
            tested |= permutation_p_values(group, method, draws, seed)
        else:
            tested |= _approximate_p_values(group, method)
    return {pair: tested[pair] for pair in pairs}


def least_p(n: int) -> float:
    """The least p value that so many observations without ties can have: one order and its reverse
    among all.
    """
    return min(1.0, 2 / math.factorial(n))


def group_column_pairs(values: Doubles, pairs: Sequence[Pair]) -> Iterator[ColumnPairs]:
    """Pairs of columns by the observations that have both."""
    known = ~np.isnan(values)
    same: dict[bytes, list[Pair]] = {}
    for i, j in pairs:
        same.setdefault((known[:, i] & known[:, j]).tobytes(), []).append((i, j))
    for key, mine in same.items():
        rows = np.frombuffer(key, np.bool_)
        columns = sorted({column for pair in mine for column in pair})
        of = {column: place for place, column in enumerate(columns)}
        yield ColumnPairs(rows, mine, of, values[rows][:, columns])


def permutation_p_values(
    group: ColumnPairs, method: str, draws: int, seed: int = 0
) -> dict[Pair, CorrelationTest]:
    """The p values by permutations, all of few observations, random ones of ten or more: of the
    observations of one column of each pair of a group.
    """
    form = get_column_transform(method)
    features = form(group.values)
    observed = np.abs(_products(features)) - _ROUNDING
    count, total = np.zeros_like(observed), 0
    room = max(1, _ROOM // max(features.size, 1))
    for some in draw_permutations(group.n, draws, room, seed):
        shuffled = _permute(features, some)
        products = features.reshape(len(features), -1) @ shuffled.transpose(0, 2, 1)
        count += (np.abs(products) >= observed).sum(0)
        total += len(some)
    exact = group.n <= MAX_EXACT_OBSERVATIONS
    p = count / total if exact else (count + 1) / (total + 1)
    p[np.isnan(observed)] = math.nan
    how = "exact" if exact else "permutation"
    return {
        (i, j): CorrelationTest(float(p[group.of[i], group.of[j]]), how) for i, j in group.pairs
    }


def draw_permutations(n: int, draws: int, room: int, seed: int) -> Iterator[Ints]:
    """Permutations of n, up to [room, n] at a time: all of few, else so many at random."""
    if n <= MAX_EXACT_OBSERVATIONS:
        every = _permutations(n)
        yield from (every[start : start + room] for start in range(0, len(every), room))
        return
    rng = np.random.default_rng(seed)
    for start in range(0, draws, room):
        yield rng.permuted(np.tile(np.arange(n), (min(room, draws - start), 1)), axis=1)


@functools.lru_cache(maxsize=4)
def _permutations(n: int) -> Ints:
    return np.array(list(itertools.permutations(range(n))), np.int64)


def _permute(features: Doubles, orders: Ints) -> Doubles:
    """The features [columns, ...] under each permutation, [permutations, columns, features]."""
    if features.ndim == 2:
        return features[:, orders].transpose(1, 0, 2)
    moved = features[:, orders[:, :, None], orders[:, None, :]].transpose(1, 0, 2, 3)
    return moved.reshape(len(orders), len(features), -1)


def _products(features: Doubles) -> Doubles:
    flat = features.reshape(len(features), -1)
    return flat @ flat.T


def _approximate_p_values(group: ColumnPairs, method: str) -> dict[Pair, CorrelationTest]:
    from scipy.stats import kendalltau

    r, n = correlate_columns(group.values, method), group.n
    tested = {}
    for i, j in group.pairs:
        a, b = group.of[i], group.of[j]
        value = float(np.clip(r[a, b], -1, 1))
        if method == "kendall":
            p = float(
                kendalltau(group.values[:, a], group.values[:, b], method="asymptotic").pvalue
            )
        elif abs(value) == 1:
            p = 0.0
        else:
            p = 2 * t_tail(n - 2, abs(value) * math.sqrt((n - 2) / (1 - value * value)))
        tested[i, j] = CorrelationTest(p, "approximation")
    return tested


def _standardize(values: Doubles) -> Doubles:
    """Columns [n, columns] as rows of length one around zero; NaN for what does not vary."""
    moved = (values - values.mean(0)).T
    lengths = np.sqrt((moved * moved).sum(1, keepdims=True))
    scale = np.abs(values).max(0, initial=0.0)[:, None] * math.sqrt(len(values))
    out: Doubles = np.full_like(moved, math.nan)
    np.divide(moved, lengths, out=out, where=lengths > 1e-12 * scale)
    return out


def rank_columns(values: Doubles) -> Doubles:
    """The rank of each value in its column [n, columns], ties sharing their mean."""
    ordered = np.sort(values, axis=0)
    ranked = np.empty_like(values)
    for column in range(values.shape[1]):
        below = np.searchsorted(ordered[:, column], values[:, column], "left")
        above = np.searchsorted(ordered[:, column], values[:, column], "right")
        ranked[:, column] = (below + above - 1) / 2
    return ranked


def _standardize_ranks(values: Doubles) -> Doubles:
    return _standardize(rank_columns(values))


def _compare_observations(values: Doubles) -> Doubles:
    """Which of each two observations is higher, [columns, n, n], of length one."""
    columns = values.T
    signs = np.sign(columns[:, :, None] - columns[:, None, :])
    lengths = np.sqrt((signs * signs).sum((1, 2), keepdims=True))
    out: Doubles = np.full_like(signs, math.nan)
    np.divide(signs, lengths, out=out, where=lengths > 0)
    return out


_METHODS: Mapping[str, Callable[[Doubles], Doubles]] = {
    "spearman": _standardize_ranks,
    "pearson": _standardize,
    "kendall": _compare_observations,
}
CORRELATION_SYMBOLS = {"spearman": "ρ", "pearson": "r", "kendall": "τ"}


def get_column_transform(method: str) -> Callable[[Doubles], Doubles]:
    """What makes features of columns whose products are the coefficients of a method; UsageProblem
    for one that there is not.
    """
    check_choice("correlation", method, _METHODS)
    return _METHODS[method]
