"""Correlations of a table of scores: families of variants, p values under the null, tables."""

import numpy as np
import pytest
from scipy.stats import kstest

from lingprobe.analysis.relation import Asked, related, within
from lingprobe.analysis.score_table import Measure, Score, Scored, joined
from lingprobe.metrics.correlation import groups, permuted
from lingprobe.metrics.multiplicity import holm


def family_scores(rng, sizes, shared, columns=2):
    """Scores of variants, [variants, columns], and of which family each is; columns have nothing to
    do with each other, variants of a family correlate.
    """
    of = np.repeat(np.arange(len(sizes)), sizes)
    own = rng.normal(size=(len(sizes), columns))[of]
    return np.sqrt(shared) * own + np.sqrt(1 - shared) * rng.normal(size=(len(of), columns)), of


def table(scores, of):
    """The same as a table."""
    return joined(
        [
            [
                Score(
                    Scored(f"m{of[i]}, {i}", f"m{of[i]}"), Measure(f"t{j}", "made", f"t{j}"), value
                )
                for i, row in enumerate(scores.tolist())
                for j, value in enumerate(row)
            ]
        ]
    )


@pytest.mark.parametrize(("many", "shared"), [(8, 0.5), (8, 0.9), (12, 0.7)])
def test_p_values_of_families_are_uniform_under_the_null(many, shared):
    """Families of 2 to 10 variants; 1,000 tables each, more in benchmarks/relate.py."""
    rng = np.random.default_rng(many)
    p = []
    for seed in range(1000):
        scores, of = family_scores(rng, rng.integers(2, 11, many), shared)
        means = np.array([scores[of == f].mean(0) for f in range(many)])
        (group,) = groups(means, [(0, 1)])
        p.append(permuted(group, "pearson", 299, seed)[0, 1].p)
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.017)
    assert kstest(p, "uniform").pvalue > 0.005


def test_holm_keeps_false_alarms_of_a_table_below_one_in_twenty():
    """150 tables of eight families and four columns."""
    rng = np.random.default_rng(0)
    alarms = []
    for seed in range(150):
        scores, of = family_scores(rng, rng.integers(2, 6, 8), 0.7, 4)
        relation = related(table(scores, of), Asked(seed=seed))
        assert {one.n for one in relation.found} == {8}
        p = [one.p for one in relation.found]
        assert [one.corrected for one in relation.found] == holm(p).tolist()
        alarms.append(any(one.is_significant for one in relation.found))
    assert np.mean(alarms) <= 0.09  # 5 % and twice its standard error


def test_within_families_a_correlation_may_have_another_sign():
    """Simpson's paradox, and a family of two variants that is too small to tell."""
    scores = np.array([[0, 2], [1, 1], [2, 0], [10, 12], [11, 11], [12, 10], [20, 20], [21, 21]])
    of = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    relation = related(table(scores.astype(float), of), Asked(method="pearson"))
    (one,) = relation.found
    assert one.correlation > 0.99
    assert one.over_all > 0.95
    assert one.within == pytest.approx(-1)
    assert (one.groups, one.positive, one.negative) == (2, 0, 2)
    assert within(relation.table, ["all"] * 8, [(0, 1)], "pearson")[0, 1][1] == 1


def test_a_correlation_of_zero_within_a_family_is_of_no_sign():
    """These ranks are uncorrelated, which floating-point numbers say but for 2e-17."""
    scores = np.c_[np.arange(13.0), [10, 2, 7, 4, 5, 12, 0, 3, 6, 9, 11, 8, 1]]
    (found,) = within(table(scores, np.arange(13)), ["all"] * 13, [(0, 1)], "spearman").values()
    assert found == (pytest.approx(0), 1, 0, 0)


def test_a_family_without_a_score_is_not_counted():
    scores = np.random.default_rng(0).normal(size=(12, 3))
    scores[0:2, 1] = np.nan
    relation = related(table(scores, np.repeat(np.arange(6), 2)), Asked())
    assert [one.n for one in relation.found] == [5, 6, 5]
    assert [one.encoders for one in relation.found] == [10, 12, 10]


def test_columns_of_one_name_say_what_differs():
    """The task, the language, or the source: as little as is needed."""
    columns = [
        Measure("tense", "lingprobe", "ud/tense", "eng"),
        Measure("tense", "lingprobe", "tree/tense"),
        Measure("passive", "lingprobe", "ud/passive", "eng"),
        Measure("passive", "lingprobe", "ud/passive", "pol"),
        Measure("mr", "lingprobe", "text/mr"),
        Measure("mr", "scores.csv", "mr"),
        Measure("cr", "lingprobe", "text/cr", "eng"),
    ]
    found = joined([[Score(Scored("a", "a"), column, 1.0) for column in columns]])
    assert [column.name for column in found.columns] == [
        "ud/tense",
        "tree/tense",
        "passive (eng)",
        "passive (pol)",
        "mr (lingprobe)",
        "mr (scores.csv)",
        "cr",
    ]
