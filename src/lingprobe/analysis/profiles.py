"""Whether scores in one language go with those in another: of each task over encoders, and of each
encoder over tasks (Krasnowska-Kieraś & Wróblewska 2019, Figure 3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lingprobe.analysis.relation import (
    Correlation,
    CorrelationTable,
    RelationRequest,
    relate_columns,
)
from lingprobe.analysis.score_table import MeasuredTask, ScoreTable
from lingprobe.data.core import DataProblem
from lingprobe.metrics.correlation import (
    MAX_EXACT_OBSERVATIONS,
    MIN_CORRELATED_OBSERVATIONS,
    coefficients,
    draw_permutations,
)
from lingprobe.metrics.dependent import every_pair
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.multiplicity import SIGNIFICANCE_LEVEL, correct_p_values

_FEWEST = 5  # tasks of an encoder, below which it has no profile


class CrossLanguageAgreement(NamedTuple):
    """A task in two languages over encoders.

    apart   from how many of the correlations of other tasks this one is told, after correction
    others  how many of these can be compared with it
    """

    task: str
    found: Correlation
    apart: int
    others: int


@dataclass(frozen=True, slots=True)
class CrossLanguageProfile:
    """An encoder's scores on the tasks of two languages.

    correlation    of the two, over n tasks
    others         the mean correlation with other encoders' scores in the second language
    rank           the place of its own among all encoders' in the second language, from 1
    centred        the correlation with the mean of each task, over encoders, removed
    centred_others the mean of the same with other encoders
    """

    encoder: str
    correlation: float
    others: float
    rank: int
    centred: float
    centred_others: float
    n: int


@dataclass(frozen=True, slots=True)
class LanguagePair:
    """How two languages go together.

    relation  of the tasks' columns, one pair a task
    p         that encoders' centred profiles are no more like their own than like others'
    """

    first: str
    second: str
    relation: CorrelationTable
    tasks: tuple[CrossLanguageAgreement, ...]
    profiles: tuple[CrossLanguageProfile, ...]
    p: float

    def __len__(self) -> int:
        return len(self.tasks)


def compare_languages(
    table: ScoreTable, first: str, second: str, request: RelationRequest
) -> LanguagePair:
    """How the tasks of a table go together that were measured in both languages; DataProblem where
    there are fewer than two.
    """
    pairs = pair_columns(table.columns, first, second)
    if len(pairs) < 2:
        codes = sorted({column.language for column in table.columns} - {""})
        raise DataProblem(
            f"{len(pairs)} tasks were measured in both {first} and {second}, by one source each; it"
            f" takes two (languages here: {', '.join(codes) or 'none is known'})"
        )
    kept = [i for pair in pairs for i in pair]
    halves = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    part = table.with_columns(kept)
    places = [(2 * i, 2 * i + 1) for i in range(len(pairs))]
    relation = relate_columns(part, request, pairs=places)
    ends = table.scores[:, halves[0]], table.scores[:, halves[1]]
    profiles, p = _profiles(table, *ends, request)
    agreements = _agreements(relation, [table.columns[i].task for i, _ in pairs])
    return LanguagePair(first, second, relation, tuple(agreements), tuple(profiles), p)


def pair_columns(columns: Sequence[MeasuredTask], first: str, second: str) -> list[tuple[int, int]]:
    """The columns of the tasks that one source measured in both languages."""
    known: dict[tuple[str, str, str], dict[str, int]] = {}
    for i, column in enumerate(columns):
        known.setdefault((column.task, column.source, column.metric), {})[column.language] = i
    return [(ways[first], ways[second]) for ways in known.values() if {first, second} <= set(ways)]


def _agreements(relation: CorrelationTable, tasks: Sequence[str]) -> list[CrossLanguageAgreement]:
    """Each task's correlation, and from how many of the others it differs."""
    found = relation.found
    values = relation.values
    many = len(found)
    order = [*range(0, 2 * many, 2), *range(1, 2 * many, 2)]
    complete = values[~np.isnan(values).any(1)]
    every = [(i, j) for i in range(2 * many) for j in range(i)]
    matrix = np.eye(2 * many)
    for (i, j), one in coefficients(complete, every, relation.asked.method).items():
        matrix[i, j] = matrix[j, i] = one.value
    ranked = relation.asked.method != "pearson"
    p = every_pair(matrix[np.ix_(order, order)], len(complete), ranked)
    upper = np.triu_indices(many, 1)
    whole = np.full_like(p, math.nan)
    whole[upper] = correct_p_values(p[upper], relation.asked.correction)
    apart = (np.fmin(whole, whole.T) <= SIGNIFICANCE_LEVEL).sum(1)
    known = (~np.isnan(p)).sum(1)
    return [
        CrossLanguageAgreement(task, one, int(a), int(k))
        for task, one, a, k in zip(tasks, found, apart, known, strict=True)
    ]


def _profiles(
    table: ScoreTable, first: Doubles, second: Doubles, asked: RelationRequest
) -> tuple[list[CrossLanguageProfile], float]:
    """The encoders that have at least five tasks in both languages."""
    both = ~np.isnan(first) & ~np.isnan(second)
    rows = np.flatnonzero(both.sum(1) >= _FEWEST)
    families = np.array([table.rows[i].family for i in rows])
    raw = _between(first[rows], second[rows], asked.method)
    centred = _between(_center_scores(first[rows]), _center_scores(second[rows]), asked.method)
    strange = families[:, None] != families[None, :]
    profiles = [
        CrossLanguageProfile(
            encoder=table.rows[i].name,
            correlation=float(raw[place, place]),
            others=_compute_mean(raw[place, strange[place]]),
            rank=1 + int((raw[place] > raw[place, place]).sum()),
            centred=float(centred[place, place]),
            centred_others=_compute_mean(centred[place, strange[place]]),
            n=int(both[i].sum()),
        )
        for place, i in enumerate(rows)
    ]
    return profiles, _test_self_similarity(centred, len(set(families)) == len(rows), asked.seed)


def _center_scores(scores: Doubles) -> Doubles:
    """Centred scores: without the mean of each task over the encoders that have it."""
    known = ~np.isnan(scores)
    return np.asarray(scores - np.where(known, scores, 0).sum(0) / np.maximum(known.sum(0), 1))


def _between(first: Doubles, second: Doubles, method: str) -> Doubles:
    """The correlation over tasks of each row of the one with each of the other."""
    many = len(first)
    pairs = [(i, many + j) for i in range(many) for j in range(many)]
    found = coefficients(np.concatenate([first, second]).T, pairs, method)
    return np.array([one.value for one in found.values()]).reshape(many, many)


def _compute_mean(values: Doubles) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _test_self_similarity(matrix: Doubles, independent: bool, seed: int) -> float:
    """How likely it is that encoders are as like themselves as they are, if it were no matter which
    is which: by permutation. NaN where variants of one model are among them.
    """
    if not independent or len(matrix) < MIN_CORRELATED_OBSERVATIONS or np.isnan(matrix).any():
        return math.nan
    at_least, total = 0, 0
    own = float(np.trace(matrix)) - 1e-9
    for some in draw_permutations(len(matrix), 9999, 5000, seed):
        at_least += int((matrix[np.arange(len(matrix)), some].sum(1) >= own).sum())
        total += len(some)
    exact = len(matrix) <= MAX_EXACT_OBSERVATIONS
    return at_least / total if exact else (at_least + 1) / (total + 1)
