"""What folds that share training examples err together: its formula, and that it is what scores of
real fits vary by.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

import lingprobe
from fixtures.scored import to_scores as rows_of
from lingprobe.analysis.answers import tie_densities
from lingprobe.data.labels import Classes
from lingprobe.data.notes import BoundaryDensity
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.metrics import FitAnswers, compute_difference
from lingprobe.metrics.fold_dependence import (
    VarianceInflation,
    compute_fold_dependence,
    correlate_ties,
    scatter_of_area,
    scatter_of_share,
    widen_for_shared_training,
)
from lingprobe.probes.linear.decomposition import SharedDecomposition
from lingprobe.probes.linear.discriminant import ShrunkDiscriminant
from lingprobe.probes.linear.targets import ClassTargets

NORMAL = 1 / math.sqrt(2 * math.pi)  # the density of a standard normal distribution at 0


def answers(seed, share=0.5, n=400, tied=()):
    rng = np.random.default_rng(seed)
    gold = np.arange(n) % 2
    said = np.where(rng.random(n) < share, gold, 1 - gold)
    return FitAnswers(Classes(gold, ("a", "b")), (Classes(said, ("a", "b")),), {}, (), ties(tied))


def ties(values):
    return tuple(map(VarianceInflation, values))


def test_pairs_of_classes_that_vie_for_each_other():
    """Of two classes all, of K classes K / (2 (K - 1)): the chance that two examples are of one
    class, or of two that are each other's rival, over the variance of a difference of indicators.
    """
    for many in (2, 3, 10):
        one_class, rivals = 1 / many, (1 - 1 / many) / (many - 1) ** 2
        expected = (one_class + rivals) / (2 / many)
        assert compute_fold_dependence(1.0, [7] * many) == pytest.approx(expected)
        assert compute_fold_dependence(0.3, [7] * many) == pytest.approx(0.09 * expected)
    assert math.isnan(compute_fold_dependence(math.nan, [5, 5]))
    assert compute_fold_dependence(0.4, [100, 0]) == pytest.approx(0.16)


def test_of_accuracy_the_tie_is_added_as_it_is():
    one = answers(0, 0.7, tied=(0.16,))
    influences = one.fits(lingprobe.metrics.METRICS.make("accuracy")).influences[0]
    scatter = scatter_of_share(one.scores("accuracy")[0])
    assert widen_for_shared_training(influences, scatter, 0.16) == pytest.approx(0.16 / 400)
    assert widen_for_shared_training(influences, scatter, math.nan) == 0
    assert widen_for_shared_training(influences, scatter_of_share(1.0), 0.16) == 0


def test_errors_alone_double_a_variance_and_nothing_does_more():
    """Of a hundred classes at chance the formula of margins says eight times."""
    influences, scatter = np.full(100, 0.001), scatter_of_share(0.01)
    tie = compute_fold_dependence(NORMAL, [10] * 100)
    assert tie > 8 * scatter
    assert widen_for_shared_training(influences, scatter, tie) == pytest.approx(
        float((influences**2).sum())
    )


def width(one, metric="accuracy"):
    low, high = one.interval(metric)
    return high - low


@pytest.mark.parametrize("metric", ["accuracy", "macro-f1", "kappa", "balanced-accuracy"])
def test_intervals_at_chance_are_wider_by_what_the_formula_says(metric):
    wide, plain = answers(1, tied=(NORMAL**2,)), answers(1)
    assert width(wide, metric) / width(plain, metric) == pytest.approx(math.sqrt(1.64), rel=0.02)
    assert width(answers(1, tied=(math.nan,))) == width(plain)
    assert width(answers(1, tied=(0.0,))) == width(plain)


def test_a_difference_has_the_ties_of_both_as_far_as_they_are_not_the_same():
    tie = NORMAL**2
    one, other = answers(2, tied=(tie,)), answers(3, tied=(tie,))
    plain = compute_difference("accuracy", answers(2), answers(3))
    wide = compute_difference("accuracy", one, other)
    assert wide.error**2 - plain.error**2 == pytest.approx(2 * tie / 400, rel=0.1)
    constant = compute_difference("accuracy", one, answers(4, 1.0))
    assert constant.error**2 == pytest.approx(
        compute_difference("accuracy", answers(2), answers(4, 1.0)).error ** 2 + tie / 400
    )
    same = compute_difference("accuracy", one, one)
    assert same.error == pytest.approx(compute_difference("accuracy", answers(2), answers(2)).error)


@given(st.integers(0, 500), st.floats(0.0, 0.99))
def test_ties_correlate_as_the_margins_behind_the_answers(seed, shared):
    """Signs of two normal variables that correlate by r correlate by 2 / pi asin r."""
    rng = np.random.default_rng(seed)
    one, more = rng.normal(size=(2, 4000))
    other = shared * one + math.sqrt(1 - shared**2) * more
    signs = [np.sign(each) - np.sign(each).mean() for each in (one, other)]
    assert correlate_ties(*signs) == pytest.approx(shared, abs=0.09)
    assert correlate_ties(signs[0], -signs[0]) == 0
    assert correlate_ties(signs[0], np.zeros(4000)) == 0


def test_only_what_is_tested_in_turn_errs_together():
    """Five folds that test all of their examples, and one of three folds of many more."""
    known = BoundaryDensity(0.4, 0.2)
    whole = tie_densities([(known, 80, 320)] * 5, [200, 200])
    assert whole == pytest.approx((0.16, 0.04))
    few = tie_densities([(known, 100, 1000)] * 3, [500, 500])
    assert few == pytest.approx((0.16 * 0.2, 0.04 * 0.2))
    for lost in (BoundaryDensity(), BoundaryDensity(0.4)):  # as an older version wrote it
        some = tie_densities([(known, 80, 320), (lost, 80, 320)], [80, 80])
        assert math.isnan(some.ranks)
        assert math.isnan(some.answers) == math.isnan(lost.density)


def test_placements_vary_by_a_twelfth_at_chance_and_less_the_surer_they_are():
    assert scatter_of_area(0.5) == pytest.approx(1 / 12, rel=1e-6)
    assert scatter_of_area(1.0) == scatter_of_area(0.0) == 0
    rng, normal = np.random.default_rng(3), NormalDist()
    for area in (0.6, 0.8, 0.95, 0.99):
        scores = rng.normal(math.sqrt(2) * normal.inv_cdf(area), size=200_000)
        placements = ndtr(scores)
        assert placements.mean() == pytest.approx(area, abs=0.003)
        assert scatter_of_area(area) == pytest.approx(placements.var(), rel=0.05)
        assert scatter_of_area(1 - area) == pytest.approx(scatter_of_area(area))


def answer_folds(x, codes, folds):
    """The answers to each example in one of five folds, with what these err together."""
    classes = int(codes.max()) + 1
    scores, densities = np.empty((len(codes), classes)), []
    for k in range(5):
        test = folds == k
        decomposition = SharedDecomposition.of(x[~test], False)
        closed = ClassTargets(codes[~test], classes).fit_closed(decomposition, with_boundary=True)
        model = closed.model
        scores[test] = decomposition.scale.apply(x[test]) @ model.weights.T + model.bias
        densities.append((closed.boundary, int(test.sum()), int((~test).sum())))
    names = tuple(f"c{k}" for k in range(classes))
    logits = scores.astype(np.float16)
    said = ScoredLabels(Classes(scores.argmax(1), names), names, logits, logits[:5], folds)
    tie = tie_densities(densities, np.bincount(codes).tolist())
    return FitAnswers(Classes(codes, names), (said,), {}, (), (tie,))


@pytest.mark.parametrize(("classes", "apart", "inflated"), [(2, 0.0, 1.28), (2, 3.0, 1.0)])
def test_scores_of_folds_vary_by_what_the_tie_says(classes, apart, inflated):
    """At chance by 28 % more than independent examples, where classes are far apart by no more."""
    rng, n, codes = np.random.default_rng(0), 200, np.arange(200) % classes
    scores, plain, tied = [], [], []
    for _ in range(150):
        x = rng.normal(size=(n, 10)).astype(np.float32)
        x[:, 0] += apart * codes
        found = answer_folds(x, codes, (np.arange(n) // classes) % 5)
        (score,) = found.scores("accuracy")
        scores.append(score)
        plain.append(scatter_of_share(score) / n)
        tied.append(found.tied[0].answers / n)
    told = math.sqrt(np.mean(plain) + np.mean(tied))
    assert told / math.sqrt(np.mean(plain)) == pytest.approx(inflated, abs=0.05)
    # the standard deviation of 150 draws is known to 6 %
    assert np.std(scores) == pytest.approx(told, rel=0.15)
    if inflated > 1.2:
        assert np.std(scores) > 1.1 * math.sqrt(np.mean(plain))


@pytest.mark.parametrize(("apart", "inflated"), [(0.0, 1.3), (2.5, 1.05)])
def test_areas_of_a_rare_class_vary_by_what_the_tie_says(apart, inflated):
    """Where all answers are the frequent class, which margins far from 0 say is sure."""
    rng, n = np.random.default_rng(1), 600
    codes = (np.arange(n) < n // 20).astype(int)
    scores, plain, tied, held = [], [], [], []
    measure = lingprobe.metrics.METRICS.make("auroc")
    for _ in range(150):
        x = rng.normal(size=(n, 10)).astype(np.float32)
        x[:, 0] += apart * codes
        found = answer_folds(x, codes, np.arange(n) % 5)
        scores += found.scores(measure)
        influences = found.fits(measure).influences[0]
        # six positive examples a fold, each compared with the mean of six
        plain.append(float(6 / 5 * (influences[codes == 1] ** 2).sum()))
        plain[-1] += float((influences[codes == 0] ** 2).sum())
        tied.append(found.tied_variance(measure))
        held.append(found.interval(measure))
        if apart == 0:
            assert found.tie("accuracy") < 0.02
    told = math.sqrt(np.mean(plain) + np.mean(tied))
    assert told / math.sqrt(np.mean(plain)) == pytest.approx(inflated, abs=0.05)
    assert np.std(scores) == pytest.approx(told, rel=0.15)
    truth = float(np.mean(scores))
    assert (
        sum(low <= truth <= high for low, high in held) >= 137
    )  # 0.9 % of draws of 95 % are below
    if apart == 0:
        assert np.std(scores) > 1.2 * math.sqrt(np.mean(plain))


@pytest.mark.parametrize("many", [2, 4])
def test_the_density_of_ranks_is_that_of_pairs_of_examples(many):
    """By its definition over all pairs, where those of the probe are a sample."""
    rng, n = np.random.default_rng(7), 240
    codes = np.where(rng.random(n) < 0.3, 1, rng.integers(many, size=n))
    x = rng.normal(size=(n, 4)).astype(np.float32)
    x[np.arange(n), codes % 4] += 0.6
    decomposition = SharedDecomposition.of(x, False)
    penalty, at = 0.3, np.arange(n)
    discriminant = ShrunkDiscriminant.of(decomposition, codes, at)
    _, parts, logits = discriminant.judge(penalty)
    counts = np.bincount(codes)
    spread = decomposition.measure_distances(at, discriminant.means, penalty)
    variance = parts.linear**2 * spread / counts
    probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    shares = []
    for k in range(many):
        mine = np.flatnonzero(codes == k)
        ranked, error = logits[:, 1] - logits[:, 0], np.sqrt(variance.sum(1))
        if many > 2:  # one class against the rest, by its log probability
            ranked = np.log(probabilities[:, k])
            slopes = np.eye(many)[k] - probabilities
            error = np.sqrt((slopes**2 * variance).sum(1))
        apart = np.abs(ranked[mine][:, None] - ranked[codes != k])
        shares.append(float((apart < error[mine][:, None]).mean()))
    closed = ClassTargets(codes, many).fit_closed(decomposition, penalty, with_boundary=True)
    within = 2 * NormalDist().cdf(1 / math.sqrt(2)) - 1
    expected = np.mean(shares) / within * NORMAL / math.sqrt(2)
    assert closed.boundary.ranks == pytest.approx(expected, rel=0.06)
    assert 0.02 < closed.boundary.ranks < NORMAL / math.sqrt(2)


def test_the_density_is_that_of_margins_by_their_training_error():
    """By its definition, with inverted matrices, an example at a time."""
    rng = np.random.default_rng(4)
    n, codes = 120, np.arange(120) % 2
    x = rng.normal(size=(n, 5)).astype(np.float32)
    x[:, 0] += 0.5 * codes
    decomposition = SharedDecomposition.of(x, False)
    penalty, rows = 0.3, np.arange(n)
    discriminant = ShrunkDiscriminant.of(decomposition, codes, rows)
    _, parts, logits = discriminant.judge(penalty)
    scaled = decomposition.scale.apply(x)
    gram = scaled.T @ scaled / n
    inverse = np.linalg.inv(gram + penalty * np.eye(5))
    shape = inverse @ gram @ inverse
    near = 0
    for i in range(n):
        variance = 0.0
        for k in (0, 1):
            away = scaled[i] - scaled[codes == k].mean(0)
            variance += away @ shape @ away / (codes == k).sum()
        margin = logits[i, codes[i]] - logits[i, 1 - codes[i]]
        near += abs(margin) < parts.linear * math.sqrt(variance)
    closed = ClassTargets(codes, 2).fit_closed(decomposition, penalty, with_boundary=True)
    found = closed.boundary.density
    within = NormalDist().cdf(1) - NormalDist().cdf(-1)
    assert found == pytest.approx(NORMAL * near / n / within)
    assert 0.1 < found < NORMAL


def test_a_run_over_folds_knows_its_ties_and_one_with_a_test_split_has_none(tmp_path):
    rng = np.random.default_rng(6)
    texts = [f"a text {i}" for i in range(300)]
    labels = [str(label) for label in rng.permutation(np.arange(300) % 2)]
    known = dict(zip(texts, rng.normal(size=(300, 12)), strict=True))
    encoder = {"noise": lambda some: np.stack([known[text] for text in some])}
    shown = {}
    for probe in ("linear", "logreg"):
        done = lingprobe.evaluate(
            encoder,
            {"own": (texts, labels)},
            probes=[probe],
            output=tmp_path / probe,
            cache=tmp_path / "cache",
            baselines="none",
        )
        (row,) = (row for row in rows_of(done.results) if row.control == "none")
        shown[probe] = row, str(done)
    assert 0.05 < shown["linear"][0].tied < 0.2
    assert math.isnan(shown["logreg"][0].tied)
    assert "Folds share training examples" not in shown["linear"][1]
    assert "Folds share training examples" in shown["logreg"][1]
