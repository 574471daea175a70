"""What views compute of courses: of scores along layers, or along the points of a training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lingprobe.analysis.answers import mark_test_sets
from lingprobe.analysis.frame import Columns, ResultFrame
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.analysis.statistics import list_test_sets
from lingprobe.metrics.correlation import (
    MIN_APPROXIMATED_OBSERVATIONS,
    coefficients,
    least_p,
    p_values,
)
from lingprobe.metrics.correlation_intervals import compute_correlation_intervals
from lingprobe.metrics.layers import (
    ExpectedLayer,
    centre_of_gravity,
    drawn_scores,
    expected_layer,
    from_uniform,
    gain_divergence,
    over_seeds,
)
from lingprobe.metrics.multiplicity import SIGNIFICANCE_LEVEL, correct_p_values

_EVEN_BITS = 0.05  # below which weights are as good as equal: 0.25 among six of 0.125 is 0.06
_NO_MEANS = (math.nan,) * 3


@dataclass(frozen=True)
class RankTrend:
    """The trend: how the scores of a family of rows go with a column after its beginning, 0.
    Spearman's ρ over the points of the test set that most of them share, with its interval (`NAME`,
    `NAME_low`, `NAME_high`), p by permutation, alone and for all families (`NAME_p`,
    `NAME_corrected`; Holm), and over how many points (`NAME_n`). Of all tests how many there are
    (`NAME_of`), the fewest and the most points (`NAME_fewest`, `NAME_most`), and where none of them
    can be significant the smallest possible p, and how many points are needed (`NAME_least`,
    `NAME_enough`).

    seed  of the permutations of many points
    """

    name: str
    family: Sequence[str]
    along: str
    seed: int = 0

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        places, sets = shown.column(self.along), list_test_sets(shown)
        families = list(shown.groups(self.family).values())
        courses: list[dict[int, float]] = []
        for numbers in families:
            scores = {k: shown.score(k) for k in numbers}
            known = [k for k in numbers if places[k] > 0 and not math.isnan(scores[k])]
            signs = mark_test_sets([sets[k] for k in known])
            able = [k for k, sign in zip(known, signs, strict=True) if not sign]
            courses.append({places[k]: scores[k] for k in able})
        rows = self._test(courses)
        cells: list[tuple[Any, ...]] = [()] * len(shown)
        for numbers, row in zip(families, rows, strict=True):
            for number in numbers:
                cells[number] = (*row, *_judge_power(rows))
        ends = (
            *("", "_low", "_high", "_p", "_corrected", "_n"),
            *("_of", "_fewest", "_most", "_least", "_enough"),
        )
        return {f"{self.name}{end}": [cell[i] for cell in cells] for i, end in enumerate(ends)}

    def _test(self, courses: Sequence[Mapping[int, float]]) -> list[tuple[Any, ...]]:
        """The trend of each of some courses."""
        points = sorted({at for course in courses for at in course})
        columns = [[float(at) for at in points]]
        columns += [[course.get(at, math.nan) for at in points] for course in courses]
        values, pairs = np.array(columns).T, [(0, column) for column in range(1, len(columns))]
        observed, tests = coefficients(values, pairs), p_values(values, pairs, seed=self.seed)
        sure = compute_correlation_intervals(values, pairs)
        p = [math.nan if math.isnan(observed[pair].value) else tests[pair].p for pair in pairs]
        rows = zip(pairs, observed.values(), p, correct_p_values(p), strict=True)
        return [
            (value, *sure[pair], one, float(corrected), n)
            for pair, (value, n), one, corrected in rows
        ]


def _judge_power(trends: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """How many trends were tested, over how few and how many points, and where these are too few
    for any to be significant the smallest possible p, and how many are enough.
    """
    counts = [n for *_, p, _, n in trends if not math.isnan(p)]
    if not counts:
        return (0, 0, 0, math.nan, 0)
    fewest, most, needed = min(counts), max(counts), SIGNIFICANCE_LEVEL / len(counts)
    if most >= MIN_APPROXIMATED_OBSERVATIONS or least_p(most) <= needed:
        return (len(counts), fewest, most, math.nan, 0)
    enough = next(n for n in range(most, MIN_APPROXIMATED_OBSERVATIONS) if least_p(n) <= needed)
    return (len(counts), fewest, most, least_p(most), enough)


@dataclass(frozen=True)
class MixWeights:
    """What other rows with the same keys but for some say of layers by the weights of a mix, the
    mean over its fits: that of the layer of a row (`NAME`), NaN without, and of all layers the
    largest (`NAME_most`), how far they are from equal ones in bits (`NAME_bits`), and their centre
    of gravity with its interval over seeds (`NAME_centre`, `NAME_low`, `NAME_high`), NaN where they
    are as good as equal, as before training.

    layer  the column that has the layer of a row
    """

    name: str
    other: Mapping[str, Any]
    layer: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows = []
        layers = shown.column(self.layer)
        others = frame.find_others(shown, self.other)
        known = {tuple(some): self._weights(frame, some) for some in others}
        for layer, some in zip(layers, others, strict=True):
            mean, *told = known[tuple(some)]
            rows.append((mean[layer] if 0 <= layer < len(mean) else math.nan, *told))
        ends = ("", "_most", "_bits", "_centre", "_low", "_high")
        return {f"{self.name}{end}": [row[i] for row in rows] for i, end in enumerate(ends)}

    def _weights(self, frame: ResultFrame, rows: Sequence[int]) -> tuple[Any, ...]:
        """The mean weights of a mix, and what they say, as their centre of gravity; those of a
        shorter mix are left out.
        """
        mixes = [fold.mix for k in rows for folds in frame.folds(k) for fold in folds]
        longest = max(map(len, mixes), default=0)
        weights = [list(mix) for mix in mixes if longest > 1 and len(mix) == longest]
        if not weights:
            return ((), math.nan, math.nan, *_NO_MEANS)
        bits, mean = float(np.mean(list(map(from_uniform, weights)))), np.mean(weights, 0).tolist()
        is_moved = bits >= _EVEN_BITS
        centre = over_seeds(list(map(centre_of_gravity, weights))) if is_moved else _NO_MEANS
        return (mean, max(mean), bits, *centre)


@dataclass(frozen=True)
class GrowingMixes:
    """The expected layer of rows by the scores of other rows with the same keys but for some, the
    growing mixes of layers (Tenney et al. 2019b): with its interval (`NAME`, `NAME_low`,
    `NAME_high`), the gain in all and its error (`NAME_gain`, `NAME_error`), how unevenly layers add
    to it, in bits (`NAME_bits`), and why there is none (`NAME_why`).

    layer, last  the columns that have the layer of a row, and the last one of its encoder
    """

    name: str
    other: Mapping[str, Any]
    layer: str
    last: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        others = frame.find_others(shown, self.other)
        lasts = shown.column(self.last)
        pairs = [(last, tuple(some)) for last, some in zip(lasts, others, strict=True)]
        known = {pair: self._find_layer(frame, *pair) for pair in dict.fromkeys(pairs)}
        ends = ("", "_low", "_high", "_gain", "_error", "_why", "_bits")
        return {f"{self.name}{end}": [known[p][i] for p in pairs] for i, end in enumerate(ends)}

    def _find_layer(self, frame: ResultFrame, last: int, rows: Sequence[int]) -> tuple[Any, ...]:
        layers, fits = frame.column(self.layer), frame.column("fits")
        mixes = {layers[k]: k for k in rows}
        missing = [f"mix:0-{layer}" for layer in range(last + 1) if layer not in mixes]
        if missing or last < 2:
            rest = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            why = f"not measured: {', '.join(missing[:3])}{rest} (--layers cumulative)"
            return self._nothing(why if last else "there is only one layer")
        order = [mixes[layer] for layer in range(last + 1)]
        if len({fits[k] for k in order}) > 1:
            return self._nothing("the mixes have no seeds in common")
        answers = [frame.answers(k) for k in order]
        first, metric = answers[0], frame.column("metric")[order[0]]
        if any(len(each.gold) != len(first.gold) for each in answers):
            return self._nothing("the mixes were scored over different examples")
        scores = list(map(frame.score, order))
        predicted = [each.predicted for each in answers]
        draws = drawn_scores(metric, first.gold, predicted, first.clusters)
        expected = expected_layer(scores, PERCENT_SCALE * draws)
        return (*expected, math.nan if expected.why else gain_divergence(scores))

    def _nothing(self, why: str) -> tuple[Any, ...]:
        return (*ExpectedLayer(*_NO_MEANS, math.nan, math.nan, why), math.nan)
