"""Correlations between the columns of a table of scores: over families of encoders, each of which
counts once, with p values and intervals; over all encoders; and within families.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.score_table import ScoreTable, average_families, select_columns
from lingprobe.metrics.correlation import (
    MIN_APPROXIMATED_OBSERVATIONS,
    MIN_CORRELATED_OBSERVATIONS,
    CorrelationCoefficient,
    Pair,
    coefficients,
    least_p,
    p_values,
)
from lingprobe.metrics.correlation_intervals import compute_correlation_intervals
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.multiplicity import CORRECTION_NAMES, SIGNIFICANCE_LEVEL, correct_p_values

_FEW = 10  # families, below which a correlation is a hint


@dataclass(frozen=True, slots=True)
class RelationRequest:
    """What is asked of a table.

    method         spearman, pearson or kendall
    correction     of the p values of all pairs at once: holm or bh
    rows, columns  patterns of the columns that are related; all with each other without
    seed           of permutations and resamples
    """

    method: str = "spearman"
    correction: str = "holm"
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of two columns.

    correlation         over n families, each with the mean of its variants; over encoders if there
                        are fewer than three families, then without p and interval
    low, high           its 95 % interval
    p, corrected        two-sided, uncorrected and corrected for all pairs; NaN for none
    how                 the method for p: exact, permutation, approximation
    over_all, encoders  the correlation over all encoders, variants or not, and their number
    within              the mean correlation within groups of variants, weighted by their size
    groups              the number of these groups; `positive` and `negative`: how many of them have
                        a correlation of that sign
    """

    first: str
    second: str
    first_source: str
    second_source: str
    method: str
    correlation: float
    low: float
    high: float
    p: float
    corrected: float
    how: str
    n: int
    over_all: float
    encoders: int
    within: float
    groups: int
    positive: int
    negative: int

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p is below 0.05."""
        return self.corrected <= SIGNIFICANCE_LEVEL


@dataclass(frozen=True, slots=True)
class CorrelationTable:
    """The correlations of a table.

    families      whether an observation is a family of variants, rather than an encoder
    across, down  the columns of the table that are the columns and rows of a matrix
    notes         remarks about all correlations
    """

    found: tuple[Correlation, ...]
    table: ScoreTable
    asked: RelationRequest
    families: bool
    across: tuple[int, ...]
    down: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> Doubles:
        """The correlated values, [families or encoders, columns]."""
        return average_families(self.table) if self.families else self.table.scores

    def __len__(self) -> int:
        return len(self.found)


def relate_columns(
    table: ScoreTable,
    request: RelationRequest,
    groups: Sequence[str] | None = None,
    pairs: Sequence[Pair] | None = None,
) -> CorrelationTable:
    """The correlations of a table's columns, of some pairs of them or of all that are asked for;
    `groups` says of which group of variants each encoder is where that is finer than its family.
    """
    across, down, every = _choose_pairs(table, request)
    pairs = every if pairs is None else pairs
    several = len(table.families) < len(table.rows)
    families = several and len(table.families) >= MIN_CORRELATED_OBSERVATIONS
    values = average_families(table) if families else table.scores
    observed = coefficients(values, pairs, request.method)
    correlations = _describe_pairs(table, pairs, request, groups, observed)
    if families or not several:
        correlations = _add_tests(correlations, values, pairs, request)
    relation = CorrelationTable(tuple(correlations), table, request, families, across, down)
    return replace(relation, notes=tuple(_note_sample_size(relation)))


def select_asked(table: ScoreTable, request: RelationRequest) -> ScoreTable:
    """The table with the columns that are asked about, and the families with scores that can be
    related; it says which families of its first source are in no other.
    """
    if request.rows and request.columns:
        across, down, _ = _choose_pairs(table, request)
        table = table.with_columns(sorted({*across, *down}))
    across, down, _ = _choose_pairs(table, request)
    known = ~np.isnan(average_families(table))
    both = known[:, down].any(1) & known[:, across].any(1) & (known.sum(1) > 1)
    kept = {family for family, can in zip(table.families, both, strict=True) if can}
    rows = [i for i, row in enumerate(table.rows) if row.family in kept]
    return table.with_rows(rows, *_without_partner(table, known))


def _without_partner(table: ScoreTable, known: NDArray[np.bool_]) -> list[str]:
    """Which of your models mteb does not have, or another later source: families of the first
    without a score there.
    """
    sources = list(dict.fromkeys(column.source for column in table.columns))
    if len(sources) < 2:
        return []
    own = np.array([column.source == sources[0] for column in table.columns])
    mine, theirs = known[:, own].any(1), known[:, ~own].any(1)
    alone = [table.families[i] for i in np.flatnonzero(mine & ~theirs)]
    counted = f"{(mine & theirs).sum():,} of {mine.sum():,} models of {sources[0]}"
    missing = f"not there: {', '.join(alone)}"
    return [f"{counted} have scores in {', '.join(sources[1:])}; {missing}"] if alone else []


def _choose_pairs(
    table: ScoreTable, asked: RelationRequest
) -> tuple[tuple[int, ...], tuple[int, ...], list[Pair]]:
    """The columns that stand across and down, and the pairs of them, each once."""
    every = range(len(table.columns))
    down = select_columns(table.columns, asked.rows, "rows") if asked.rows else list(every)
    across = (
        select_columns(table.columns, asked.columns, "columns") if asked.columns else list(every)
    )
    if down == across:
        return tuple(across), tuple(down), list(combinations(down, 2))
    pairs = dict.fromkeys((min(i, j), max(i, j)) for i in down for j in across if i != j)
    return tuple(across), tuple(down), list(pairs)


def _describe_pairs(
    table: ScoreTable,
    pairs: Sequence[Pair],
    asked: RelationRequest,
    groups: Sequence[str] | None,
    observed: dict[Pair, CorrelationCoefficient],
) -> list[Correlation]:
    """What is seen in the table, before anything is concluded from it."""
    over_all = coefficients(table.scores, pairs, asked.method)
    inside = correlate_within_groups(
        table, groups or [row.family for row in table.rows], pairs, asked.method
    )
    columns = table.columns
    return [
        Correlation(
            first=columns[i].name,
            second=columns[j].name,
            first_source=columns[i].source,
            second_source=columns[j].source,
            method=asked.method,
            correlation=observed[i, j].value,
            low=math.nan,
            high=math.nan,
            p=math.nan,
            corrected=math.nan,
            how="",
            n=observed[i, j].n,
            over_all=over_all[i, j].value,
            encoders=over_all[i, j].n,
            within=inside[i, j][0],
            groups=inside[i, j][1],
            positive=inside[i, j][2],
            negative=inside[i, j][3],
        )
        for i, j in pairs
    ]


def _add_tests(
    correlations: Sequence[Correlation],
    values: Doubles,
    pairs: Sequence[Pair],
    asked: RelationRequest,
) -> list[Correlation]:
    """The same with p values and intervals."""
    tests = p_values(values, pairs, asked.method, asked.seed)
    sure = compute_correlation_intervals(values, pairs, asked.method)
    whole = correct_p_values([tests[pair].p for pair in pairs], asked.correction)
    return [
        replace(
            one,
            p=tests[pair].p,
            how=tests[pair].how,
            corrected=float(p),
            low=sure[pair][0],
            high=sure[pair][1],
        )
        for one, pair, p in zip(correlations, pairs, whole, strict=True)
    ]


def correlate_within_groups(
    table: ScoreTable, groups: Sequence[str], pairs: Sequence[Pair], method: str
) -> dict[Pair, tuple[float, int, int, int]]:
    """The mean correlation within groups of at least three variants, each weighted by its size,
    and in how many groups there is one, and how many are positive and negative.
    """
    names = np.array(groups)
    parts = [
        coefficients(table.scores[names == name], pairs, method)
        for name in dict.fromkeys(groups)
        if (names == name).sum() >= MIN_CORRELATED_OBSERVATIONS
    ]
    found = {}
    for pair in pairs:
        each = [part[pair] for part in parts if not math.isnan(part[pair].value)]
        values, sizes = [one.value for one in each], [one.n for one in each]
        mean = float(np.average(values, weights=sizes)) if each else math.nan
        signs = np.sign(np.round(values, 9))  # none of a zero that rounding errors gave a sign
        found[pair] = mean, len(each), int((signs > 0).sum()), int((signs < 0).sum())
    return found


def _note_sample_size(relation: CorrelationTable) -> list[str]:
    """The note below ten families, or how many encoders are needed where nothing can be
    significant.
    """
    table, tests = relation.table, [one for one in relation.found if not math.isnan(one.p)]
    rows, families = len(table.rows), len(table.families)
    notes = []
    if families < rows:
        notes.append(
            f"{rows:,} encoders of {families:,} families: variants of one model (layers, pooling,"
            f" seeds) are not independent, so the effective number of encoders is {families:,}."
        )
    if not tests and families < MIN_CORRELATED_OBSERVATIONS:
        notes.append(
            f"With {'two families' if families == 2 else 'one family'} there are no p values:"
            " correlations are over all encoders, and hold only for these."
        )
        return notes
    many = max((one.n for one in tests), default=0)
    unit = "families" if relation.families else "encoders"
    if many < _FEW:
        notes.append(
            f"Warning: {many} {unit} are few; below ten, take correlations as hints, as their"
            " intervals are wide and one more encoder can reverse them."
        )
    needed = (
        SIGNIFICANCE_LEVEL / max(len(tests), 1)
        if relation.asked.correction == "holm"
        else SIGNIFICANCE_LEVEL
    )
    if tests and many < MIN_APPROXIMATED_OBSERVATIONS and least_p(many) > needed:
        enough = next(n for n in range(many, MIN_APPROXIMATED_OBSERVATIONS) if least_p(n) <= needed)
        notes.append(
            f"With {many} {unit} the smallest possible p value is {least_p(many):.2g}, so that"
            f" none of {len(tests):,} pairs can be significant"
            f" ({CORRECTION_NAMES[relation.asked.correction]}): measure {enough} {unit}, or choose"
            " fewer pairs (--rows, --columns)."
        )
    return notes
