"""Correlations of a table of scores: families of variants, p values under the null, tables."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kstest

from lingprobe.analysis.relation import RelationRequest, correlate_within_groups, relate_columns
from lingprobe.analysis.score_table import EncoderName, MeasuredTask, ScoreCell, join_scores
from lingprobe.metrics.correlation import group_column_pairs, permutation_p_values
from lingprobe.metrics.multiplicity import correct_holm
from reference import agreement, inference, score_tables


def family_scores(rng, sizes, shared, columns=2):
    """Scores of variants, [variants, columns], and of which family each is; columns have nothing to
    do with each other, variants of a family correlate.
    """
    of = np.repeat(np.arange(len(sizes)), sizes)
    own = rng.normal(size=(len(sizes), columns))[of]
    return np.sqrt(shared) * own + np.sqrt(1 - shared) * rng.normal(size=(len(of), columns)), of


def table(scores, of):
    """The same as a table."""
    return join_scores(
        [
            [
                ScoreCell(
                    EncoderName(f"m{of[i]}, {i}", f"m{of[i]}"),
                    MeasuredTask(f"t{j}", "made", f"t{j}"),
                    value,
                )
                for i, row in enumerate(scores.tolist())
                for j, value in enumerate(row)
            ]
        ]
    )


@pytest.mark.parametrize(("many", "shared"), [(8, 0.9), (12, 0.5)])
def test_p_values_of_families_are_uniform_under_the_null(many, shared):
    """Families of 2 to 10 variants; 1,000 tables each, more in benchmarks/relate.py."""
    rng = np.random.default_rng(many)
    p = []
    for seed in range(1000):
        scores, of = family_scores(rng, rng.integers(2, 11, many), shared)
        means = np.array([scores[of == f].mean(0) for f in range(many)])
        (group,) = group_column_pairs(means, [(0, 1)])
        p.append(permutation_p_values(group, "pearson", 299, seed)[0, 1].p)
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.017)
    assert kstest(p, "uniform").pvalue > 0.005


def test_holm_keeps_false_alarms_of_a_table_below_one_in_twenty():
    """150 tables of eight families and four columns."""
    rng = np.random.default_rng(0)
    alarms = []
    for seed in range(150):
        scores, of = family_scores(rng, rng.integers(2, 6, 8), 0.7, 4)
        relation = relate_columns(table(scores, of), RelationRequest(seed=seed))
        assert {one.n for one in relation.found} == {8}
        p = [one.p for one in relation.found]
        assert [one.corrected for one in relation.found] == correct_holm(p).tolist()
        alarms.append(any(one.is_significant for one in relation.found))
    assert np.mean(alarms) <= 0.09  # 5 % and twice its standard error


def test_within_families_a_correlation_may_have_another_sign():
    """Simpson's paradox, and a family of two variants that is too small to tell."""
    scores = np.array([[0, 2], [1, 1], [2, 0], [10, 12], [11, 11], [12, 10], [20, 20], [21, 21]])
    of = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    relation = relate_columns(table(scores.astype(float), of), RelationRequest(method="pearson"))
    (one,) = relation.found
    assert one.correlation > 0.99
    assert one.over_all > 0.95
    assert one.within == pytest.approx(-1)
    assert (one.groups, one.positive, one.negative) == (2, 0, 2)
    assert correlate_within_groups(relation.table, ["all"] * 8, [(0, 1)], "pearson")[0, 1][1] == 1


METHODS = {
    each.__name__: each for each in (agreement.pearson, agreement.spearman, agreement.kendall)
}
CORRECTED = {"holm": inference.holm, "bh": inference.benjamini_hochberg}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_correlations_within_groups_are_weighted_by_what_both_columns_have(method, seed):
    draws = np.random.default_rng(seed)
    scores, of = family_scores(draws, draws.integers(1, 9, 7), 0.3, 3)
    scores[draws.random(scores.shape) < 0.2] = np.nan
    groups = [f"g{f}" for f in of]
    pairs = list(combinations(range(3), 2))
    found = correlate_within_groups(table(scores, of), groups, pairs, method)
    for pair in pairs:
        expected = score_tables.within(groups, *scores[:, pair].T.tolist(), METHODS[method])
        assert found[pair] == (pytest.approx(expected[0]), *expected[1:])
    assert all(groups > 1 for _, groups, *_ in found.values())


@pytest.mark.parametrize("correction", CORRECTED)
@pytest.mark.parametrize("method", METHODS)
def test_over_families_p_is_that_of_all_orders_of_their_means(method, correction):
    draws = np.random.default_rng(2)
    scores, of = family_scores(draws, [1, 2, 3, 2, 1, 2], 0.7, 3)
    scores[:, 1] += 3 * scores[:, 0]
    scores[3, 2] = np.nan  # one of three variants
    relation = relate_columns(table(scores, of), RelationRequest(method, correction))
    means = [np.nanmean(scores[of == f], 0).tolist() for f in range(6)]
    columns, p = list(zip(*means, strict=True)), []
    assert relation.families
    np.testing.assert_allclose(relation.values, means)
    for one, (i, j) in zip(relation.found, combinations(range(3), 2), strict=True):
        p.append(score_tables.exact_p(columns[i], columns[j], METHODS[method]))
        assert (one.first, one.second, one.first_source) == (f"t{i}", f"t{j}", "made")
        assert one.correlation == pytest.approx(METHODS[method](columns[i], columns[j]))
        assert (one.p, one.how, one.n) == (pytest.approx(p[-1]), "exact", 6)
        both = scores[~np.isnan(scores[:, [i, j]]).any(1)][:, [i, j]].T.tolist()
        assert one.over_all == pytest.approx(METHODS[method](*both))
        assert one.low <= one.correlation <= one.high
    corrected = CORRECTED[correction](p)
    assert [one.corrected for one in relation.found] == pytest.approx(corrected)
    assert [one.is_significant for one in relation.found] == [each <= 0.05 for each in corrected]


def test_encoders_of_as_many_families_are_no_variants():
    scores = np.random.default_rng(0).normal(size=(12, 3))
    alone, two = (
        relate_columns(table(scores, np.arange(12)), RelationRequest()),
        np.repeat([0, 1], 6),
    )
    assert not alone.families
    assert alone.values is alone.table.scores
    assert len(alone) == 3
    assert not alone.notes
    few = relate_columns(table(scores, two), RelationRequest())
    assert not few.families
    assert all(math.isnan(one.p) and math.isnan(one.low) for one in few.found)
    assert [one.n for one in few.found] == [12, 12, 12]
    assert few.notes == (
        "12 encoders of 2 families: variants of one model (layers, pooling, seeds) are not"
        " independent, so the effective number of encoders is 2.",
        "With two families there are no p values: correlations are over all encoders, and hold"
        " only for these.",
    )


@pytest.mark.parametrize(
    ("correction", "encoders", "columns", "enough"),
    [("holm", 5, 4, 6), ("bh", 5, 4, 0), ("holm", 4, 2, 5), ("bh", 4, 4, 5), ("holm", 6, 4, 0)],
)
def test_a_table_that_can_show_nothing_says_how_many_encoders_would(
    correction, encoders, columns, enough
):
    """The least p of n is 2 / n!, of m pairs at 0.05 by Holm at 0.05 / m: 2 / 5! is above 0.05 / 6."""
    scores = np.random.default_rng(0).normal(size=(encoders, columns))
    relation = relate_columns(
        table(scores, np.arange(encoders)), RelationRequest(correction=correction)
    )
    few, *notes = relation.notes
    assert few.startswith(f"Warning: {encoders} encoders are few;")
    assert [note.partition(": measure ")[2][:10] for note in notes] == (
        [f"{enough} encoders"] if enough else []
    )


def test_columns_are_related_with_others_once_and_never_with_themselves():
    scores = np.random.default_rng(0).normal(size=(12, 4))
    relation = relate_columns(
        table(scores, np.arange(12)), RelationRequest(rows=("t3", "t1"), columns=("t1", "t0"))
    )
    assert (relation.down, relation.across) == ((1, 3), (0, 1))
    names = [(one.first, one.second) for one in relation.found]
    assert names == [("t0", "t1"), ("t0", "t3"), ("t1", "t3")]
    same = relate_columns(
        table(scores, np.arange(12)), RelationRequest(rows=("t3", "t1"), columns=("t1", "t3"))
    )
    assert [(one.first, one.second) for one in same.found] == [("t1", "t3")]


def test_a_correlation_of_zero_within_a_family_is_of_no_sign():
    """These ranks are uncorrelated, which floating-point numbers say but for 2e-17."""
    scores = np.c_[np.arange(13.0), [10, 2, 7, 4, 5, 12, 0, 3, 6, 9, 11, 8, 1]]
    (found,) = correlate_within_groups(
        table(scores, np.arange(13)), ["all"] * 13, [(0, 1)], "spearman"
    ).values()
    assert found == (pytest.approx(0), 1, 0, 0)


def test_a_family_without_a_score_is_not_counted():
    scores = np.random.default_rng(0).normal(size=(12, 3))
    scores[0:2, 1] = np.nan
    relation = relate_columns(table(scores, np.repeat(np.arange(6), 2)), RelationRequest())
    assert [one.n for one in relation.found] == [5, 6, 5]
    assert [one.encoders for one in relation.found] == [10, 12, 10]


def test_columns_of_one_name_say_what_differs():
    """The task, the language, or the source: as little as is needed."""
    columns = [
        MeasuredTask("tense", "lingprobe", "ud/tense", "eng"),
        MeasuredTask("tense", "lingprobe", "tree/tense"),
        MeasuredTask("passive", "lingprobe", "ud/passive", "eng"),
        MeasuredTask("passive", "lingprobe", "ud/passive", "pol"),
        MeasuredTask("mr", "lingprobe", "text/mr"),
        MeasuredTask("mr", "scores.csv", "mr"),
        MeasuredTask("cr", "lingprobe", "text/cr", "eng"),
    ]
    found = join_scores([[ScoreCell(EncoderName("a", "a"), column, 1.0) for column in columns]])
    assert [column.name for column in found.columns] == [
        "ud/tense",
        "tree/tense",
        "passive (eng)",
        "passive (pol)",
        "mr (lingprobe)",
        "mr (scores.csv)",
        "cr",
    ]
