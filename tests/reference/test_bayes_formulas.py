"""Word baselines against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data._logits import code_length
from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes.bayes import _PENALTIES, _SMOOTHINGS, uni
from reference import bayes

WORDS = list("abcdef")
SIZES = {"train": 9, "dev": 6, "test": 4}


def drawn(seed, label):
    """Texts by split, and the same as readings, with a label of each text."""
    draws = np.random.default_rng(seed)
    texts = {
        split: [draws.choice(WORDS, draws.integers(1, 7)).tolist() for _ in range(n)]
        for split, n in SIZES.items()
    }
    examples = [
        Example.about(Sentence.of([*text, f"{split}{i}"][: len(text)]), label(draws, i), split)
        for split, some in texts.items()
        for i, text in enumerate(some)
    ]
    dataset = Dataset.of(examples)
    vectors = Vectors((np.zeros((len(dataset.sentences), 0), np.float32),))
    return texts, Readings(dataset, vectors)


def fit(probe, readings, by="score"):
    cells = (Cell("-", 0, by),)
    [fitted] = probe.fit(readings.split("train"), readings.split("dev"), cells=cells)
    return fitted


@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 3.0]))
def test_scores_of_classes_are_logarithms_of_chances(seed, alpha):
    texts, readings = drawn(
        seed, lambda draws, i: "xyz"[i % 3] if i < 3 else draws.choice([*"xyz"])
    )
    found = fit(uni(alpha=alpha), readings).predict(readings.split("test")).scores
    train = bayes.tfidf(texts["train"], texts["train"])
    labels = readings.split("train").labels.matrix().tolist()
    for mine, new in zip(found, bayes.tfidf(texts["test"], texts["train"]), strict=True):
        expected = [bayes.of_class(train, labels, k, alpha, new) for k in range(3)]
        np.testing.assert_allclose(mine, expected, rtol=1e-4)


@given(st.integers(0, 10**6))
def test_scores_of_label_sets_are_log_odds_where_they_are_annotated(seed):
    def label(draws, i):
        held = {"x": float(draws.random() < 0.5), "y": float(draws.random() < 0.5)}
        return {name: held[name] for name in ("x", "y") if name == "x" or i % 3 or i < 2}

    texts, readings = drawn(seed, label)
    found = fit(uni(alpha=1.0), readings).predict(readings.split("test")).scores
    train = bayes.tfidf(texts["train"], texts["train"])
    matrix = readings.split("train").labels.matrix()
    held = [[None if np.isnan(x) else float(x) for x in column] for column in matrix.T]
    for mine, new in zip(found, bayes.tfidf(texts["test"], texts["train"]), strict=True):
        expected = [bayes.of_label(train, column, 1.0, new) for column in held]
        np.testing.assert_allclose(mine, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_scores_of_numbers_are_ridge_regression_whose_penalty_is_chosen_on_dev(seed):
    texts, readings = drawn(seed, lambda draws, i: float(draws.normal(5)))
    rows = {split: np.array(bayes.tfidf(texts[split], texts["train"])) for split in SIZES}
    gold = {split: readings.split(split).labels.matrix()[:, 0].astype(float) for split in SIZES}
    shift, mean = rows["train"].mean(0), gold["train"].mean()
    centred = rows["train"] - shift

    def said(penalty, split):
        inverse = np.linalg.inv(centred.T @ centred + penalty * np.eye(len(shift)))
        return (rows[split] - shift) @ inverse @ centred.T @ (gold["train"] - mean) + mean

    found = fit(uni(alpha=0.7), readings).predict(readings.split("test")).scores[:, 0]
    np.testing.assert_allclose(found, said(0.7, "test"), rtol=1e-4)
    qualities = [
        readings.split("dev").labels.quality(said(penalty, "dev").astype(np.float32)[:, None])
        for penalty in _PENALTIES
    ]
    assert fit(uni(), readings).choice == {"alpha": _PENALTIES[int(np.argmax(qualities))]}


@pytest.mark.parametrize("by", ["score", "loss"])
@pytest.mark.parametrize("seed", range(4))
def test_smoothing_is_the_first_of_those_that_do_best_on_dev(seed, by):
    _, readings = drawn(seed, lambda draws, i: "xyz"[i % 3])
    dev = readings.split("dev")
    scores = [fit(uni(alpha=alpha), readings).predict(dev).scores for alpha in _SMOOTHINGS]
    qualities = [
        np.mean(each.argmax(1) == dev.labels.matrix())
        if by == "score"
        else -code_length(dev.labels, each).mean()
        for each in scores
    ]
    assert fit(uni(), readings, by).choice == {"alpha": _SMOOTHINGS[int(np.argmax(qualities))]}
