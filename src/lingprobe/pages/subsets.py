"""Correlations averaged over subsets of the test examples: the ways in which scores of STS are
published beside that over all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lingprobe.analysis.answers import join_answers
from lingprobe.analysis.row import PERCENT, ResultRow
from lingprobe.analysis.rows import groups_of, repeats, rows
from lingprobe.data.core import Result
from lingprobe.data.vectors import Ints
from lingprobe.metrics import METRICS
from lingprobe.metrics.subsets import average_over_subsets

# how a mean is called where values of the stratum stand, and whether subsets count by their size
MEANS = {"(mean)": False, "(mean by size)": True}


def averages(results: Sequence[Result], stratum: str) -> list[ResultRow]:
    """Rows with the means of correlations over the values of a stratum, each counting the same and
    each by its size; none where scores are no correlations, or where there is one value.
    """
    tagged = [r for r in results if stratum in r.strata and r.gold.numbers is not None]
    return [
        mean for group in groups_of(tagged).values() for mean in _averages(list(group), stratum)
    ]


def _averages(group: list[Result], stratum: str) -> Iterator[ResultRow]:
    [row], fits = rows(group), repeats(group)
    answers, codes = join_answers(fits), _codes(fits[0], stratum)
    if len(np.unique(codes[codes >= 0])) < 2:
        return
    for name, by_size in MEANS.items():
        metric = average_over_subsets(METRICS.make(row.metric), codes, by_size)
        low, high = answers.interval(metric)
        yield replace(
            row,
            stratum=name,
            score=PERCENT * float(np.mean(answers.scores(metric))),
            low=PERCENT * low,
            high=PERCENT * high,
            n=int((codes >= 0).sum()),
        )


def _codes(folds: Sequence[Result], stratum: str) -> Ints:
    """The value of each example of some folds as a number, -1 for none."""
    tags = [fold.strata[stratum] for fold in folds]
    names = {name: k for k, name in enumerate(dict.fromkeys(n for t in tags for n in t.names))}
    return np.concatenate(
        [np.array([*(names[n] for n in t.names), -1], np.int64)[t.codes] for t in tags]
    )
