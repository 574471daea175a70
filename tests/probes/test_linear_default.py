"""The probe `linear`: what it chooses, what it gives, and data that are not as they should be."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from lingprobe.data.core import DATA_SPLITS, Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES
from lingprobe.probes.linear.probe import LinearProbe
from lingprobe.testing import check_probe

CELL = Cell("-", 0)
USUAL = ("train",) * 40 + ("dev",) * 10 + ("test",) * 10


def readings(x, labels, splits=USUAL):
    """Vectors and labels, an example each."""
    examples = [
        Example.about(Sentence.of((f"s{i}",)), label, split)
        for i, (label, split) in enumerate(zip(labels, splits, strict=True))
    ]
    return Readings(Dataset.of(examples), Vectors((np.asarray(x, np.float32),), ("-",)))


def fitted(data, probe=None):
    """The predictor, and what it predicts of test."""
    train, dev, test = (data.split(name) for name in DATA_SPLITS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (predictor,) = (probe or LinearProbe()).fit(train, dev, cells=(CELL,))
        return predictor, predictor.predict(test)


def split_of(n):
    return np.array(("train", "train", "train", "dev", "test"))[np.arange(n) % 5]


def test_it_keeps_what_every_probe_promises():
    check_probe("linear")


def test_torch_is_not_imported():
    code = (
        "import sys; from lingprobe.probes import PROBES; PROBES.make('linear');"
        "import lingprobe.probes.linear.selection; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_ordered_classes_are_not_masked():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 10))
    y = [f"c{k}" for k in np.digitize(x[:, 0], [-1, -0.5, 0, 0.5, 1])]
    data = readings(x, y, split_of(1500))
    _, predictions = fitted(data)
    right = predictions.decoded.classes == data.split("test").labels.classes
    assert right.mean() > 0.8  # least squares: about 0.42


@pytest.mark.parametrize("member", ["discriminant", "logistic"])
def test_scores_are_calibrated_probabilities(member):
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=3000)
    x = rng.normal(size=(3000, 150)) + 0.08 * np.where(y, 1, -1)[:, None]
    data = readings(x, [f"c{k}" for k in y], split_of(3000))
    _, predictions = fitted(data, LinearProbe(member=member))
    odds = predictions.scores[:, 1] - predictions.scores[:, 0]
    said, gold = 1 / (1 + np.exp(-odds)), data.split("test").labels.classes
    for low, high in ((0.0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 1.0)):
        part = (said >= low) & (said < high)
        assert gold[part].mean() == pytest.approx(said[part].mean(), abs=0.1)


@pytest.mark.parametrize("member", ["discriminant", "logistic"])
@pytest.mark.parametrize("classes", [2, 4])
def test_separated_data_leave_the_doubt_that_so_many_examples_leave(member, classes):
    """Of 400 of which none is wrong another may be in one of 402; one that is, costs no fortune."""
    rng = np.random.default_rng(2)
    y = np.arange(500) % classes
    x = rng.normal(size=(500, 20))
    x[np.arange(500), y] += 40
    data = readings(x, [f"c{k}" for k in y], split_of(500))
    _, predictions = fitted(data, LinearProbe(member=member))
    scores = predictions.scores.astype(np.float64)
    shares = np.exp(scores - np.logaddexp.reduce(scores, 1, keepdims=True))
    gold = data.split("test").labels.classes
    assert (shares.argmax(1) == gold).all()
    doubt = 1 - shares[np.arange(len(gold)), gold]
    assert 1 / 900 < doubt.mean() < 1 / 150


@pytest.mark.parametrize("member", ["discriminant", "logistic"])
def test_equal_priors_find_a_rare_class_and_rank_as_before(member):
    """5 % of two normal distributions a unit and a half apart: the best rule under equal priors is
    halfway between them, which finds 77 % of each; under those of train it finds few of the rare.
    """
    rng = np.random.default_rng(5)
    y = (rng.random(6000) < 0.05).astype(int)
    x = rng.normal(size=(6000, 8))
    x[:, 0] += 1.5 * y
    data = readings(x, [f"c{k}" for k in y], split_of(6000))
    gold = data.split("test").labels.classes
    found = {}
    for priors in ("train", "equal"):
        _, predictions = fitted(data, LinearProbe(member=member, priors=priors))
        right = predictions.decoded.classes == gold
        found[priors] = [right[gold == k].mean() for k in (0, 1)], predictions.scores
    assert found["train"][0][1] < 0.2
    assert found["equal"][0] == pytest.approx([0.77, 0.77], abs=0.1)
    odds = [np.diff(scores, axis=1)[:, 0] for _, scores in found.values()]
    frequent = np.mean(np.concatenate([data.split(s).labels.classes for s in DATA_SPLITS[:2]]))
    expected = np.log((1 - frequent) / frequent)
    assert odds[1] - odds[0] == pytest.approx(np.full(len(gold), expected), abs=1e-3)


def test_the_choice_is_of_a_task_and_an_encoder_and_both_losses_are_told():
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=600)
    data = readings(rng.normal(size=(600, 20)) + np.eye(20)[y], [f"c{k}" for k in y], split_of(600))
    probe = LinearProbe().with_choice(data.split("train"), data.split("dev"))
    predictor, _ = fitted(data, probe)
    compared = predictor.choice["compared"]
    assert set(compared["losses"]) == {
        "shrunk linear discriminant analysis",
        "logistic regression",
    }
    assert compared["model"] in compared["losses"]
    assert all(0 < loss < np.log(3) for loss in compared["losses"].values())
    # another sample of labels keeps the member, whatever would be best for it
    other = readings(rng.normal(size=(600, 20)), [f"c{k}" for k in y], split_of(600))
    kept, _ = fitted(other, probe)
    assert kept.choice["member"] == predictor.choice["member"]
    assert kept.choice["standardised"] == predictor.choice["standardised"]


def test_labels_of_sets_have_cuts_of_their_own():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3000, 8))
    holds = rng.random((3000, 2)) < 1 / (1 + np.exp(-(x[:, :2] - (1.5, 2.5))))
    labels = [frozenset(np.array(["often", "rare"])[row].tolist()) for row in holds]
    data = readings(x, labels, split_of(3000))
    _, predictions = fitted(data)
    gold = data.split("test").labels
    cut, half = predictions.decoded.matrix() > 0, predictions.scores >= 0

    def f1(said):
        right = (said & (gold.matrix() > 0)).sum()
        return 2 * right / (said.sum() + gold.matrix().sum())

    assert f1(cut) > f1(half) + 0.05  # at one half nearly nothing is predicted
    # the scores stay probabilities
    said = 1 / (1 + np.exp(-predictions.scores))
    assert said.mean(0) == pytest.approx(gold.matrix().mean(0), abs=0.05)


def test_numbers_are_predicted_by_ridge_regression():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 5))
    y = 1e6 + 100 * x[:, 0]
    data = readings(x, y.tolist(), split_of(300))
    predictor, predictions = fitted(data)
    gold = data.split("test").labels.numbers
    assert np.corrcoef(predictions.scores[:, 0], gold)[0, 1] > 0.99
    assert predictor.choice["compared"]["model"] == "ridge regression"


RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 5))
Y = [f"c{i % 3}" for i in range(60)]
ODD = {
    "a constant dimension": (np.where(np.arange(5) == 0, 3.0, X), Y, USUAL),
    "constant dimensions alone": (np.ones((60, 5)), Y, USUAL),
    "one class in train": (X, ["a"] * 50 + ["b"] * 10, USUAL),
    "fewer examples than classes": (X, [f"c{i}" for i in range(60)], USUAL),
    "a rank that is deficient": (np.repeat(X, 3, 1), Y, USUAL),
    "1e30": (X * np.where(np.arange(5) == 1, 1e30, 1.0), Y, USUAL),
    "1e-30": (X * 1e-30, Y, USUAL),
    "an empty dev": (X, Y, ("train",) * 50 + ("test",) * 10),
    "one training example": (X, Y, ("train",) + ("test",) * 59),
    "two training examples": (X, Y, ("train",) * 2 + ("test",) * 58),
    "more dimensions than can be decomposed": (RNG.normal(size=(60, 4000)), Y, USUAL),
    "separated classes": (100 * np.eye(3)[np.arange(60) % 3], Y, USUAL),
    "equal numbers but one": (X, [1.0] * 59 + [2.0], USUAL),
    "numbers of 1e30": (X, (1e30 * RNG.normal(size=60)).tolist(), USUAL),
    "numbers of 1e-30": (X, (1e-30 * RNG.normal(size=60)).tolist(), USUAL),
    "equal numbers": (X, [1.0] * 60, USUAL),
    "1e30 everywhere": (1e30 * X, Y, USUAL),
    "all that float32 holds": (3e38 * np.where(np.arange(60)[:, None] % 2, 1, -(X**0)), Y, USUAL),
    "one example of 1e30 in train": (np.where(np.arange(60)[:, None] == 3, 1e30, X), Y, USUAL),
    "one example of 1e30 in dev": (np.where(np.arange(60)[:, None] == 45, 1e30, X), Y, USUAL),
    "1e30 in test alone": (np.where(np.arange(60)[:, None] < 50, X, 1e30), Y, USUAL),
    "a far mean": (1e-3 * X + 1e4, Y, USUAL),
    "equal examples of several classes": (np.repeat(X[:2], 30, 0), Y, USUAL),
    "one dimension": (X[:, :1], Y, USUAL),
    "rank one, and wide": (np.outer(X[:, 0], RNG.normal(size=500)), Y, USUAL),
    "two examples of two classes": (X[:4], list("abab"), ("train",) * 2 + ("test",) * 2),
    "one in train, one in dev": (X[:4], list("abab"), ("train", "dev", "test", "test")),
    "a class of one example": (X, ["b"] + ["a"] * 59, USUAL),
    "a class in dev alone": (X, ["a"] * 40 + ["b"] * 20, USUAL),
    "sets": (X, [frozenset("abc"[i % 3 :]) for i in range(60)], USUAL),
    "sets of 1e30": (1e30 * X, [frozenset("abc"[i % 3 :]) for i in range(60)], USUAL),
    "sets that are equal": (X, [frozenset("ab")] * 60, USUAL),
    "sets of nothing but one": (X, [frozenset("a")] + [frozenset()] * 59, USUAL),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_data_give_a_result_and_no_librarys_warning(name):
    x, labels, splits = ODD[name]
    data = readings(x, labels, splits)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = LinearProbe().with_choice(data.split("train"), data.split("dev"))
    forced = [
        LinearProbe(member=member, standardised=scale)
        for member, scale in (("discriminant", True), ("logistic", False))
    ]
    for probe in (LinearProbe(), chosen, *forced):
        _, predictions = fitted(data, probe)
        assert np.isfinite(predictions.scores).all()
        assert len(predictions.decoded) == len(data.split("test"))


def test_numbers_that_are_not_finite_are_told():
    data = readings(X, [1e300] + [1.0] * 59)
    with pytest.raises(ReadingProblem, match="labels of 1 of 50 training examples are NaN"):
        fitted(data)


def test_features_that_are_not_finite_are_told():
    with pytest.raises(ReadingProblem, match="NaN or infinite features in 1 of 40 train"):
        fitted(readings(np.where(np.arange(60)[:, None] == 7, np.nan, X), Y))


def test_no_training_examples_are_told():
    with pytest.raises(ReadingProblem, match="linear has no training examples"):
        fitted(readings(X, Y, ("dev",) * 50 + ("test",) * 10))


def test_options_are_checked():
    with pytest.raises(ValueError, match="linear,penalty=0"):
        PROBES.make("linear,penalty=0")
