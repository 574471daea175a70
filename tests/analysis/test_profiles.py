"""Two languages side by side, and what is said of a table of scores, against loops over it."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from lingprobe.analysis.profiles import _FEWEST, compare_languages
from lingprobe.analysis.relation import RelationRequest
from lingprobe.analysis.score_table import (
    EncoderName,
    MeasuredTask,
    ScoreCell,
    average_families,
    drop_constant_columns,
    join_scores,
)
from lingprobe.data.core import DataProblem
from reference import inference, layerwise

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}
CODES = ("eng", "pol")


def table(scores, families=None):
    """Scores [encoders, 2, tasks] in two languages, NaN for none."""
    names = [f"m{i}" for i in range(len(scores))]
    rows = [EncoderName(name, of) for name, of in zip(names, families or names, strict=True)]
    return join_scores(
        [
            [
                ScoreCell(row, MeasuredTask(f"t{k}", "made", f"t{k}", code), value)
                for row, both in zip(rows, scores, strict=True)
                for code, mine in zip(CODES, both, strict=True)
                for k, value in enumerate(mine)
                if not math.isnan(value)
            ]
        ]
    )


def alike(seed, many, tasks):
    """Scores of encoders that have much in common in both languages."""
    draws = np.random.default_rng(seed)
    own = draws.normal(size=(many, 1, tasks))
    return 70 + 3 * (draws.normal(size=tasks) + own + draws.normal(size=(many, 2, tasks)))


@pytest.mark.parametrize("method", SCIPY)
def test_profiles_are_correlations_over_tasks(method):
    scores = alike(0, 6, 7)
    found = compare_languages(table(scores), *CODES, RelationRequest(method=method))
    moved = scores - scores.mean(0)
    for part, names in (
        (scores, ("correlation", "others")),
        (moved, ("centred", "centred_others")),
    ):
        r = [[SCIPY[method](one[0], other[1]).statistic for other in part] for one in part]
        for i, each in enumerate(found.profiles):
            others = [r[i][j] for j in range(6) if j != i]
            expected = r[i][i], sum(others) / 5
            assert [getattr(each, name) for name in names] == pytest.approx(expected)
            assert each.n == 7
            if part is scores:
                assert each.rank == 1 + sum(other > r[i][i] for other in others)
    own = sum(r[i][i] for i in range(6))
    ways = [sum(r[i][j] for i, j in enumerate(order)) for order in permutations(range(6))]
    assert found.p == pytest.approx(np.mean(np.array(ways) >= own - 1e-9))


def test_of_many_encoders_the_p_is_of_drawn_orders():
    scores = alike(1, 11, 6)
    found = compare_languages(table(scores), *CODES, RelationRequest())
    moved = scores - scores.mean(0)
    r = np.array([[stats.spearmanr(a[0], b[1]).statistic for b in moved] for a in moved])
    drawn = np.random.default_rng(0)
    hits = 0
    for size in (5000, 4999):
        for order in drawn.permuted(np.tile(np.arange(11), (size, 1)), axis=1):
            hits += r[np.arange(11), order].sum() >= np.trace(r) - 1e-9
    assert found.p == (hits + 1) / 10_000


@pytest.mark.parametrize("method", SCIPY)
@pytest.mark.parametrize("seed", [1, 6])  # in which more ranks would differ than do
def test_tasks_are_told_apart_by_their_correlations(method, seed):
    """Of each two tasks as Raghunathan, Rosenthal & Rubin (1996) have it, corrected by Holm."""
    scores = alike(seed, 14, 8)
    draws = np.random.default_rng([seed, 0])
    scores[:, 1, 0] = scores[:, 0, 0] + draws.normal(0, 2, 14)
    scores[:, 1, 1] = draws.normal(0, 2, 14) - scores[:, 0, 1]
    found = compare_languages(table(scores), *CODES, RelationRequest(method=method))
    pairs, p = list(combinations(range(8), 2)), []
    for i, j in pairs:
        four = scores[:, 0, i], scores[:, 1, i], scores[:, 0, j], scores[:, 1, j]
        r = [[1.0 if a is b else SCIPY[method](a, b).statistic for b in four] for a in four]
        p.append(layerwise.differ(r, 14, method == "spearman"))
    whole = dict(zip(pairs, inference.holm(p), strict=True))
    for i, each in enumerate(found.tasks):
        expected = SCIPY[method](scores[:, 0, i], scores[:, 1, i]).statistic
        assert (each.task, each.found.n) == (f"t{i}", 14)
        assert each.found.correlation == pytest.approx(expected)
        assert (each.apart, each.others) == (sum(q <= 0.05 for k, q in whole.items() if i in k), 7)
    assert max(each.apart for each in found.tasks) > 1


def test_an_encoder_without_a_correlation_leaves_no_p():
    """One that scores the same on all tasks of a language, which all have the same mean."""
    scores = alike(3, 6, _FEWEST)
    scores[:, 1] = [[60 + (i + k) % _FEWEST for k in range(_FEWEST)] for i in range(6)]
    scores[5, 1] = 60
    found = compare_languages(table(scores), *CODES, RelationRequest())
    assert len(found.profiles) == 6
    assert math.isnan(found.p)


def test_of_three_encoders_there_are_six_orders():
    scores = alike(7, 3, 6)
    found = compare_languages(table(scores), *CODES, RelationRequest())
    moved = scores - scores.mean(0)
    r = [[stats.spearmanr(a[0], b[1]).statistic for b in moved] for a in moved]
    ways = [sum(r[i][j] for i, j in enumerate(order)) for order in permutations(range(3))]
    assert found.p == pytest.approx(np.mean(np.array(ways) >= ways[0] - 1e-9))
    assert math.isnan(compare_languages(table(scores[:2]), *CODES, RelationRequest()).p)


def test_the_mean_of_a_task_is_over_the_encoders_that_have_it():
    scores = alike(8, 5, 7)
    scores[1:, :, 0], scores[2:, :, 1] = math.nan, math.nan
    found = compare_languages(table(scores), *CODES, RelationRequest(method="pearson"))
    own = scores[0] - np.nanmean(scores, 0)
    assert found.profiles[0].centred == pytest.approx(stats.pearsonr(*own).statistic)
    assert [each.n for each in found.profiles] == [7, 6, 5, 5, 5]


def test_an_encoder_of_four_tasks_has_no_profile_and_variants_are_no_others():
    scores = alike(3, 6, _FEWEST)
    scores[0, 1, 0] = math.nan
    found = compare_languages(
        table(scores, ["f", "f", "f", "g", "h", "i"]), *CODES, RelationRequest()
    )
    assert [each.encoder for each in found.profiles] == ["m1", "m2", "m3", "m4", "m5"]
    assert math.isnan(found.p)
    r = [stats.spearmanr(scores[1, 0], other[1]).statistic for other in scores[3:]]
    assert found.profiles[0].others == pytest.approx(np.mean(r))


def test_one_task_in_both_languages_is_too_few():
    with pytest.raises(DataProblem, match="1 tasks were measured in both eng and pol"):
        compare_languages(table(alike(4, 5, 1)), *CODES, RelationRequest())


def test_a_column_is_reliable_by_what_of_its_variance_is_not_that_of_seeds():
    column = MeasuredTask("t", "made", "t")
    values, noise = [60.0, 64.0, 71.0, 80.0], [2.0, 3.0, 4.0, math.nan]

    def of(values, noise):
        rows = [
            ScoreCell(EncoderName(f"m{i}", f"m{i}"), column, value, own)
            for i, (value, own) in enumerate(zip(values, noise, strict=True))
        ]
        return join_scores([rows]).reliability(0)

    assert of(values, noise) == pytest.approx(1 - 3 / np.var(values[:3], ddof=1))
    assert math.isnan(of(values[1:], noise[1:]))
    assert of([60.0] * 3, [1.0] * 3) == 0
    assert of([60.0, 61.0, 62.0], [9.0] * 3) == 0


def test_means_of_families_are_over_what_was_measured():
    scores = alike(5, 4, 2)
    scores[0, 0, 0] = scores[3, 1, 1] = math.nan
    found = average_families(table(scores, ["f", "f", "g", "h"]))
    flat = scores.reshape(4, 4)
    expected = [
        [np.nanmean(part) if not np.isnan(part).all() else math.nan for part in flat[rows].T]
        for rows in ([0, 1], [2], [3])
    ]
    np.testing.assert_allclose(np.sort(found, 1), np.sort(expected, 1))


def test_columns_of_two_scores_and_of_one_value_are_left_out():
    scores = alike(6, 4, 3)
    scores[2:, 0, 0] = math.nan
    scores[:, 1, 2] = 50
    found = drop_constant_columns(table(scores))
    assert [column.name for column in found.columns] == [
        "t1 (eng)",
        "t2 (eng)",
        "t0 (pol)",
        "t1 (pol)",
    ]
    assert found.remarks == (
        "t0 (eng): excluded, fewer than three encoders have a score",
        "t2 (pol): excluded, all encoders have the same score",
    )
