"""Metrics of parts of the examples, and the tests that draw parts, against plain loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from lingprobe.data.labels import Classes, Column, ScoreLabels, build_column
from lingprobe.metrics import METRICS, FitAnswers
from lingprobe.metrics.metric import MetricProblem
from lingprobe.metrics.resampling import bootstrap_difference, compute_permutation_p
from lingprobe.metrics.subsets import average_over_subsets
from reference import drawing

NAMES = ("a", "b", "c")


def two(kind: str, draws: np.random.Generator, n: int) -> tuple[Column, Column]:
    """Gold labels of a kind, and answers that are right in more than half."""
    if kind == "scores":
        gold = draws.normal(3, 2, n)
        return ScoreLabels(gold), ScoreLabels(gold + draws.normal(1, 1, n))
    gold = draws.integers(3, size=n)
    said = np.where(draws.random(n) < 0.6, gold, draws.integers(3, size=n))
    if kind == "classes":
        return Classes(gold, NAMES), Classes(said, NAMES)
    held = [[{name for name in NAMES if draws.random() < 0.5} for _ in gold] for _ in range(2)]
    whole = set(NAMES)  # so that both know all labels
    both = [build_column([whole, *map(frozenset, some)]) for some in held]
    return both[0], both[1]


KINDS = {
    "accuracy": ("classes", "sets"),
    "macro-f1": ("classes", "sets"),
    "micro-f1": ("classes", "sets"),
    "mcc": ("classes", "sets"),
    "pearson": ("scores",),
    "r2": ("scores",),
}


@pytest.mark.parametrize(("metric", "kind"), [(m, k) for m, kinds in KINDS.items() for k in kinds])
@pytest.mark.parametrize("seed", range(5))
def test_of_sums_over_parts_a_metric_is_that_of_each_part(metric, kind, seed):
    draws = np.random.default_rng(seed)
    gold, said = two(kind, draws, 30)
    made, blocks = METRICS.make(metric), draws.permutation(np.arange(len(gold)) % 3)
    each = made.value(made.sums(gold, said, blocks, 3))
    parts = [np.flatnonzero(blocks == k) for k in range(3)]
    assert each == pytest.approx([made(gold.take(part), said.take(part)) for part in parts])
    whole = made.sums(gold, said, np.zeros(len(gold), np.int64), 1)[0]
    np.testing.assert_allclose(made.sums(gold, said, blocks, 3).sum(0), whole, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_a_mean_over_subsets_are_those_of_each_subset(seed):
    draws = np.random.default_rng(seed)
    gold, said = two("classes", draws, 30)
    codes, blocks = draws.permutation(np.arange(30) % 4) - 1, draws.integers(5, size=30)
    made = METRICS.make("macro-f1")
    found = average_over_subsets(made, codes).sums(gold, said, blocks, 5)
    for k in range(3):
        part = np.flatnonzero(codes == k)
        expected = made.sums(gold.take(part), said.take(part), blocks[part], 5)
        assert found[:, k].tolist() == expected.tolist()


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=40), st.sampled_from([-7.0, 0.3, 1e-9]))
def test_no_correlation_is_beyond_1(values, slope):
    x = np.array(values, float)
    for metric in ("pearson", "spearman"):
        found = METRICS.make(metric)(ScoreLabels(x), ScoreLabels(slope * x + 0.1))
        assert abs(found) <= 1
        assert found == pytest.approx(np.sign(slope) if np.ptp(x) else 0)


def test_two_classes_the_wrong_way_round_correlate_by_minus_1_and_no_less():
    mcc = METRICS.make("mcc")
    for n in range(2, 40):
        for first in range(1, n):
            gold = (np.arange(n) < first).astype(np.int64)
            found = mcc(Classes(gold, NAMES[:2]), Classes(1 - gold, NAMES[:2]))
            assert found >= -1
            assert found == pytest.approx(-1)


@pytest.mark.parametrize("metric", ["accuracy", "micro-f1", "macro-f1", "mcc", "pearson", "r2"])
def test_scores_and_classes_are_not_compared(metric):
    scores, classes = ScoreLabels(np.arange(3.0)), Classes(np.array([0, 1, 0]), NAMES)
    for pair in ((scores, classes), (classes, scores)):
        with pytest.raises(MetricProblem):
            METRICS.make(metric)(*pair)


def f1(pairs) -> float:
    """Macro F1 of pairs of gold and predicted."""
    scores = []
    for label in sorted({label for pair in pairs for label in pair}):
        right = sum(pair == (label, label) for pair in pairs)
        scores.append(2 * right / sum(pair.count(label) for pair in pairs))
    return sum(scores) / len(scores)


def answers(pairs, clusters) -> FitAnswers:
    """Answers to gold labels, from pairs of both."""
    gold, said = (np.array(ids, np.int64) for ids in zip(*pairs, strict=True))
    return FitAnswers(Classes(gold, NAMES), [Classes(said, NAMES)], {"form": np.array(clusters)})


def drawn(seed: int, many: int, size: int):
    """Two answers to the same questions, as pairs with gold, and the clusters of these."""
    draws = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(many), draws.integers(1, size + 1, many)).tolist()
    gold = draws.integers(3, size=len(clusters)).tolist()
    both = [
        [(g, g if draws.random() < right else int(draws.integers(3))) for g in gold]
        for right in (0.7, 0.5)
    ]
    return *both, clusters


@pytest.mark.parametrize("size", [1, 2, 3])
def test_of_many_clusters_it_swaps_as_many_ways_as_told(size):
    one, other, clusters = drawn(size, 40, size)
    found = compute_permutation_p("macro-f1", answers(one, clusters), answers(other, clusters), 60)
    assert found == pytest.approx(drawing.swapped(f1, one, other, clusters, 60))


@pytest.mark.parametrize(("many", "size"), [(2, 3), (8, 1), (20, 3)])
def test_the_bootstrap_draws_clusters_with_replacement(many, size):
    one, other, clusters = drawn(many, many, size)
    found = bootstrap_difference("macro-f1", answers(one, clusters), answers(other, clusters), 119)
    values, low, high, p = drawing.bootstrap(f1, one, other, clusters, 119)
    np.testing.assert_allclose(found.draws, values, atol=1e-12)
    assert (found.low, found.high, found.p) == pytest.approx((low, high, p))
    assert found.value == pytest.approx(f1(one) - f1(other))


def test_what_all_examples_share_is_nothing_to_draw():
    one, other, _ = drawn(0, 30, 1)
    shared, alone = [0] * 30, list(range(30))
    for test in (compute_permutation_p, lambda *pair: bootstrap_difference(*pair, 99).p):
        found = [
            test("macro-f1", answers(one, codes), answers(other, codes))
            for codes in (shared, alone)
        ]
        assert found[0] == found[1]


def test_of_two_ways_of_sharing_it_is_the_one_whose_clusters_move_the_difference_most():
    """By the sum of squares, however many clusters there are: of ten pairs that agree, and of two
    halves, one of which gains by four examples.
    """
    gains = np.repeat([1, -1] * 5, 2)
    half = np.ones(20, np.int64)
    half[np.flatnonzero(gains > 0)[:7]] = half[np.flatnonzero(gains < 0)[:3]] = 0
    ways = {"half": half, "pair": np.repeat(np.arange(10), 2)}
    squares = [(np.bincount(codes, gains) ** 2).sum() for codes in ways.values()]
    assert squares == [2 * 4**2, 10 * 2**2]
    both = [[(1, int(hit)) for hit in hits] for hits in (gains > 0, gains < 0)]
    found = [
        bootstrap_difference(
            "accuracy", *(replace(answers(each, [0]), clusters=some) for each in both), 99
        ).high
        for some in (ways, {"pair": ways["pair"]}, {"half": half})
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("values", [[3.0, 1.0, 2.0, 9.0], [1.0, 2.0, 2.0, 5.0, 2.0]])
def test_ranks_are_moved_to_a_mean_of_0_and_ties_share_theirs(values):
    n = len(values)
    ranks = rankdata(values) - (n + 1) / 2
    found = METRICS.make("spearman").sums(
        ScoreLabels(np.array(values)), ScoreLabels(np.arange(float(n))), np.zeros(n, np.int64), 1
    )
    even = np.arange(n) - (n - 1) / 2
    assert found[0] == pytest.approx(
        [n, 0, 0, sum(ranks**2), sum(even**2), sum(ranks * even)], abs=1e-12
    )
