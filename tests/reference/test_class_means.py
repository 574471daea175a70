"""The probe `means` against its definition: means of classes, each example left out of its own."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

from lingprobe.probes.means import calibrate_scores, compute_class_means, leave_means_out


def clouds(classes, n=60, dim=7):
    rng = np.random.default_rng(classes)
    codes = rng.integers(classes, size=n)
    codes[:classes] = np.arange(classes)
    return rng.normal(size=(n, dim)) + 2 * rng.normal(size=(classes, dim))[codes], codes


def test_means_and_scores_are_those_of_the_definition():
    for classes in (2, 4):
        x, codes = clouds(classes)
        means = compute_class_means(x, codes, classes)
        assert np.allclose(means, [x[codes == k].mean(0) for k in range(classes)], atol=1e-12)
        found = leave_means_out(x, codes, means)
        for i in range(len(x)):
            rest = np.arange(len(x)) != i
            for k in range(classes):
                mine = x[rest & (codes == k)]
                mean = mine.mean(0) if len(mine) else means[k]
                assert np.isclose(found[i, k], x[i] @ mean - mean @ mean / 2, atol=1e-9), (i, k)


def test_without_slopes_and_levels_it_is_the_nearest_centroid():
    x, codes = clouds(3)
    means = compute_class_means(x, codes, 3)
    scores = x @ means.T - np.square(means).sum(1) / 2
    assert (scores.argmax(1) == NearestCentroid().fit(x, codes).predict(x)).all()


def test_two_classes_are_calibrated_as_by_logistic_regression_of_the_projection():
    x, codes = clouds(2, n=400, dim=3)
    x += 1.5 * np.random.default_rng(1).normal(size=x.shape)
    scores = leave_means_out(x, codes, compute_class_means(x, codes, 2))
    slope, levels = calibrate_scores(scores, codes)
    margin = scores[:, 1] - scores[:, 0]
    usual = LogisticRegression(C=np.inf).fit(margin[:, None], codes)
    assert np.isclose(slope, usual.coef_[0, 0], rtol=0.02)
    assert np.isclose(levels[1] - levels[0], usual.intercept_[0], atol=0.05)
    likely = -log_softmax(slope * scores + levels, axis=1)[np.arange(len(x)), codes].mean()
    for other in (0.9 * slope, 1.1 * slope):
        worse = -log_softmax(other * scores + levels, axis=1)[np.arange(len(x)), codes].mean()
        assert worse > likely
