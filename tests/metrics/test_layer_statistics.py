"""Where a task is solved: closed forms, the guard, and the published tables of BERT's layers."""

import csv
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.labels import Classes
from lingprobe.metrics.layers import (
    centre_of_gravity,
    compute_layer_differentials,
    drawn_scores,
    expected_layer,
    from_uniform,
    gain_divergence,
)


def test_equal_weights_weigh_in_the_middle_and_one_layer_on_itself():
    assert centre_of_gravity([0.2] * 5) == pytest.approx(2)
    assert from_uniform([0.2] * 5) == pytest.approx(0)
    assert centre_of_gravity([0, 0, 1, 0]) == 2
    assert from_uniform([0, 0, 1, 0]) == 2  # log2 of four layers, in bits


@given(st.lists(st.floats(0.001, 100), min_size=2, max_size=25))
def test_weights_need_not_sum_to_one_and_stay_within_bounds(weights):
    assert 0 <= centre_of_gravity(weights) <= len(weights) - 1
    assert -1e-9 <= from_uniform(weights) <= math.log2(len(weights)) + 1e-9


def test_what_one_layer_adds_is_expected_there():
    scores = [50, 50, 50, 90, 90, 90, 90, 90]
    assert compute_layer_differentials(scores).tolist() == [0, 0, 40, 0, 0, 0, 0]
    draws = np.tile(np.array(scores, float), (10, 1)) + np.random.default_rng(0).normal(
        0, 0.01, (10, 8)
    )
    expected = expected_layer(scores, draws)
    assert expected.layer == 3
    assert expected.low < 3.01
    assert expected.high > 2.99
    assert gain_divergence(scores) == pytest.approx(math.log2(7))


@given(st.integers(0, 300), st.floats(0.5, 3))
def test_a_curve_of_nothing_but_noise_has_no_expected_layer(seed, spread):
    scores = 60 + np.random.default_rng(seed).normal(0, spread, 13)
    draws = scores + np.random.default_rng(seed + 1).normal(0, spread, (500, 13))
    expected = expected_layer(scores, draws)
    clear = scores[-1] - scores[0] > 3 * (draws[:, -1] - draws[:, 0]).std(ddof=1)
    assert math.isnan(expected.layer) != clear
    assert bool(expected.why) != clear


def test_draws_of_few_clusters_have_the_tails_of_a_students_t():
    """Ten clusters of examples that are right or wrong together: with nine degrees of freedom 95 %
    are within 3.22 times what 50 % are within, and of a normal distribution within 2.91.
    """
    rng = np.random.default_rng(8)
    clusters = {"document": np.repeat(np.arange(10), 30)}
    right = rng.random(300) < np.repeat(rng.random(10), 30)
    gold = Classes(np.zeros(300, np.int64), ("a", "b"))
    predicted = [[Classes((~right).astype(np.int64), gold.names)]]
    draws = drawn_scores("accuracy", gold, predicted, clusters)[:, 0]
    half, most = np.quantile(np.abs(draws - np.median(draws)), [0.5, 0.95])
    assert most / half == pytest.approx(3.22, abs=0.15)


def test_the_interval_covers_the_layer_that_examples_were_made_for():
    """Half of the examples are recognised from layer 2 on, the rest from layer 4 on: on average
    layer 3.
    """
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(40):
        known = rng.choice([2, 4], 800)
        gold = Classes(np.zeros(800, np.int64), ("a", "b"))
        right = [rng.random((2, 800)) < np.where(layer >= known, 0.95, 0.5) for layer in range(7)]
        predicted = [
            [Classes((~seed).astype(np.int64), gold.names) for seed in seeds] for seeds in right
        ]
        draws = drawn_scores("accuracy", gold, predicted)
        scores = [seeds.mean() for seeds in right]
        expected = expected_layer(scores, draws)
        covered += expected.low <= 3 <= expected.high
    assert covered >= 34


def table(data):
    """The published F1 of mixes of the layers 0 to l, by row and model, from the folder beside the
    data; skipped without.
    """
    file = data.parent / "peers" / "edge_probing_bert_layer_scores.csv"
    if not file.is_file():
        pytest.skip("the published tables are not beside the data")
    header, *rows = [row for row in csv.reader(file.open(encoding="utf-8")) if len(row) > 1]
    models = [name.partition("-mix-")[0] for name in header[1:]]
    return {
        (row[0], m): [float(x) for x, of in zip(row[1:], models, strict=True) if of == m]
        for row in rows
        for m in dict.fromkeys(models)
    }


LARGE, BASE = "bert-large-uncased", "bert-base-uncased"
PUBLISHED = {
    ("dep-labeling-ewt-_micro_avg_", LARGE): (5.6919, None),
    ("nonterminal-ontonotes-_micro_avg_", LARGE): (3.7930, None),
    ("coref-ontonotes-conll-1", LARGE): (9.47, 0.60),
    ("pos-ontonotes-_micro_avg_", LARGE): (3.39, 1.60),
    ("rel-semeval-_clean_micro_", BASE): (4.16, 0.50),
    ("spr2-_micro_avg_", BASE): (4.18, None),
}


@pytest.mark.parametrize("of", PUBLISHED, ids=" ".join)
def test_published_scores_give_the_published_layers(data, of):
    scores = table(data)[of]
    layer, bits = PUBLISHED[of]
    assert expected_layer(scores).layer == pytest.approx(layer, abs=0.005)
    if bits is not None:
        assert gain_divergence(scores) == pytest.approx(bits, abs=0.005)


def test_definite_pronouns_have_no_expected_layer(data):
    for model in (BASE, LARGE):  # unguarded, the quotients are 23.92 of 12 layers and 20.27 of 24
        expected = expected_layer(table(data)["dpr-_micro_avg_", model])
        assert math.isnan(expected.layer)
        assert "not significant" in expected.why
