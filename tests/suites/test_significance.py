"""Which differences of published tables their test sets can show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm, pearsonr, spearmanr

import lingprobe
from lingprobe.suites.significance import compute_detectable_difference


@pytest.mark.parametrize(
    ("task", "scores"), [("ObjNum", (82.64, 82.53)), ("SentType", (98.57, 98.39))]
)
def test_bert_and_laser_cannot_be_told_apart_in_polish(task, scores):
    """Krasnowska-Kieraś & Wróblewska 2019, Table 1: 7,500 test sentences each."""
    [pair] = [
        one
        for one in lingprobe.compare_published("ud2019", task).content
        if (one.block, one.first, one.second) == ("Polish", "BERT-mean", "LASER")
    ]
    assert (pair.first_score, pair.second_score, pair.n) == (*scores, 7500)
    assert pair.p > 0.2
    assert pair.corrected == 1
    assert "BERT-mean" in str(lingprobe.compare_published("ud2019", task))


def test_p_is_that_of_two_independent_shares():
    for one in lingprobe.compare_published("conneau2018").content[::50]:
        shares = one.first_score / 100, one.second_score / 100
        error = math.sqrt(sum(x * (1 - x) for x in shares) / 10_000)
        assert one.p == pytest.approx(2 * norm.sf((shares[0] - shares[1]) / error), abs=1e-12)
        assert one.n == 10_000


def test_on_as_many_examples_as_may_disagree_a_paired_test_just_tells():
    for one in lingprobe.compare_published("ud2019", "ObjNum").content:
        gap = one.difference * one.n / 100
        if gap > 20:  # McNemar's test is near the normal distribution
            few, many = (
                binomtest(round((n + gap) / 2), round(n), 0.5).pvalue
                for n in (one.disagree * 0.85, one.disagree * 1.15)
            )
            assert few < 0.05 < many


@pytest.mark.parametrize(("sign", "spoken"), [("r", pearsonr), ("ρ", spearmanr)])
def test_correlations_are_told_apart_as_far_as_drawing_other_pairs_would_change_them(sign, spoken):
    """CDSCorpus' 1,000 test pairs in Polish: BERT-max and fastText-max, .7846 and .7610 as r."""
    [one] = [
        one
        for one in lingprobe.compare_published("ud2019", f"Relatedness {sign}").content
        if one.block == "Polish" and {one.first, one.second} == {"BERT-max", "fastText-max"}
    ]
    assert (one.n, one.disagree) == (1_000, 0)
    draws = np.random.default_rng(0)
    pairs = draws.multivariate_normal([0, 0], [[1, 0.78], [0.78, 1]], (600, one.n))
    drawn = np.std([spoken(*pair.T).statistic for pair in pairs])
    error = one.difference / 100 / norm.isf(one.p / 2)
    assert error == pytest.approx(math.sqrt(2) * drawn, rel=0.1)


def test_only_rows_over_the_same_test_examples_are_compared():
    english = {
        one.first for one in lingprobe.compare_published("ud2019").content if one.block == "English"
    }
    assert "USE" in english
    assert all(one.block for one in lingprobe.compare_published("ud2019").content)
    pairs = lingprobe.compare_published("conneau2018", "SentLen").content
    assert len(pairs) == math.comb(len({n for p in pairs for n in (p.first, p.second)}), 2)
    assert not any("Hum. Eval." in one.first or "Length" in one.second for one in pairs)


def test_what_is_detectable_is_shown_four_times_in_five():
    draws, n = np.random.default_rng(0), 7500
    gap = compute_detectable_difference(math.sqrt(0.8 * 0.2 / n))
    one, other = draws.binomial(n, 0.8, 4000) / n, draws.binomial(n, 0.8 - gap, 4000) / n
    error = np.sqrt((one * (1 - one) + other * (1 - other)) / n)
    assert (np.abs(one - other) / error > norm.ppf(0.975)).mean() == pytest.approx(0.8, abs=0.03)


def test_a_task_or_paper_that_is_not_known_is_refused():
    with pytest.raises(lingprobe.UsageProblem, match="no task of ud2019 is called 'Voice'"):
        lingprobe.compare_published("ud2019", "Voice")
    with pytest.raises(lingprobe.UsageProblem, match="choose conneau2018 or ud2019"):
        lingprobe.compare_published("tenney2019")
