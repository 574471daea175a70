"""Samples, scales, losses and pools against what they are, in plain loops."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lingprobe.data._logits import code_length
from lingprobe.data.labels import Classes, build_column
from lingprobe.datasets.candidates import number_by_appearance
from lingprobe.datasets.match import (
    code_contrasts,
    correlate_length_with_contrast,
    match_gaussian,
    match_lengths,
    sample_class_blocks,
    uncorrelated_blocks,
)
from lingprobe.datasets.splits import (
    _choose_split,
    allocate_rows,
    apportion_total,
    orient_pairs,
    stratified_folds,
)
from lingprobe.encoders.pooling import _POOLS, pool_states
from lingprobe.probes.features import _LARGEST, _LEAST, MEAN_FEATURE_SQUARES, common_scale
from lingprobe.probes.losses import CURVED_LOSSES
from lingprobe.probes.online import adaptive_length
from lingprobe_extensions.compose.comp.balance import find_prices
from reference import shares

seeds = st.integers(0, 10**6)


@given(st.integers(0, 200), st.lists(st.integers(0, 30), min_size=1, max_size=8))
def test_things_are_apportioned_by_largest_remainder(total, weights):
    known = weights if any(weights) else [1] * len(weights)
    found = apportion_total(total, np.array(weights, float))
    assert found.tolist() == shares.largest_remainders(total, known)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_codes_are_numbered_by_appearance(codes):
    found = number_by_appearance(np.array(codes), 12)
    assert [each.tolist() for each in found] == list(shares.by_appearance(codes))


def test_a_group_goes_where_it_is_no_more_than_a_tenth_of_any_of_its_classes():
    """The part of a fifth needs more of what it should have, and a group of three is less than a
    tenth of its twenty of one class, but not of its eight of the other.
    """
    groups = np.array([0] * 6 + [1] * 5 + [-1] * 129)
    labels = np.array([0] * 6 + [0, 0, 1, 1, 1] + [0] * 92 + [1] * 37)
    parts = allocate_rows(groups, labels, [0.8, 0.2], np.random.default_rng(0))
    assert parts[:11].tolist() == [0] * 11
    counts = np.bincount(2 * parts + labels)
    assert counts.tolist() == [80, 32, 20, 8]


@pytest.mark.parametrize("seed", range(12))
def test_a_group_is_placed_where_it_overfills_least_and_what_is_needed_falls(seed):
    draws = np.random.default_rng(seed)
    quota = draws.integers(4, 40, (3, 4)).astype(float)
    need = np.maximum(quota - draws.integers(0, 40, quota.shape), -2)
    for _ in range(20):
        group = np.maximum(draws.integers(-3, 7, 4), 0)
        group[draws.integers(4)] += 1
        labels, before = np.repeat(np.arange(4), group), need.copy()
        part = _choose_split(draws.permutation(labels), need, quota, 4)
        assert part == shares.place(group.tolist(), before.tolist(), quota.tolist())
        before[part] -= group
        np.testing.assert_allclose(need, before)


def test_pairs_that_share_nothing_stay_as_they_are():
    pairs = np.array([[5, 3], [2, 7], [9, 8]])
    assert orient_pairs(pairs).tolist() == pairs.tolist()


@given(seeds, st.integers(2, 5))
def test_stratified_folds_are_scikit_learn_s(seed, many):
    from sklearn.model_selection import StratifiedKFold

    labels = np.random.default_rng(seed).permutation(np.repeat([3, 1, 7], [9, 14, 20]))
    found = stratified_folds(labels, many, seed)
    folds = StratifiedKFold(many, shuffle=True, random_state=seed).split(labels, labels)
    for fold, (_, test) in enumerate(folds):
        assert np.flatnonzero(found == fold).tolist() == test.tolist()


@given(st.lists(st.integers(1, 12), min_size=5, max_size=80))
def test_as_many_of_each_length_are_kept_as_a_gaussian_has(lengths):
    if len(set(lengths)) == 1:
        return
    kept = match_gaussian(np.array(lengths)[:, None])
    found = Counter(np.array(lengths)[kept].tolist())
    assert found == {x: n for x, n in shares.gaussian(lengths).items() if n}


@given(seeds)
def test_blocks_have_each_class_once_and_as_many_of_each_length_as_all_have(seed):
    draws = np.random.default_rng(seed)
    labels, lengths = draws.integers(3, size=60), draws.integers(3, 9, size=60)
    rows, classes = np.flatnonzero(draws.random(60) < 0.8), np.arange(3)
    plain = sample_class_blocks(rows, labels, classes, np.random.default_rng(0))
    assert len(plain) == min(np.sum(labels[rows] == c) for c in classes)
    pairs = match_lengths(rows, labels, classes, lengths, np.random.default_rng(0))
    for found in (plain, pairs):
        assert (labels[found] == classes).all()
        assert set(found.ravel()) <= set(rows.tolist())
        assert len(set(found.ravel())) == found.size
    alike = sum(
        min(np.sum((labels[rows] == c) & (lengths[rows] == x)) for c in classes)
        for x in range(3, 9)
    )
    spans = np.ptp(lengths[pairs], 1)
    assert (spans[:alike] == 0).all()
    assert spans.max(initial=0) < 8


@given(seeds, st.sampled_from([("1", "2", "5"), ("a", "b"), ("a", "b", "c")]))
def test_blocks_are_taken_while_length_and_class_are_uncorrelated(seed, names):
    draws, many = np.random.default_rng(seed), len(names)
    lengths = draws.integers(3, 12, 20 * many)
    some = np.arange(20 * many).reshape(20, many)
    values = code_contrasts(names)
    numbers = (
        [[float(name) for name in names]]
        if names[0].isdigit()
        else [[float(i == k) for i in range(many)] for k in range(many if many > 2 else 1)]
    )

    def most(part):
        x = lengths[part].ravel()
        if not x.std():
            return 0.0
        return max(abs(np.corrcoef(x, np.tile(each, len(part)))[0, 1]) for each in numbers)

    kept = uncorrelated_blocks(some, lengths, values, 0.2)
    tells = [most(some[: n + 1]) > 0.2 + 1e-7 for n in range(20)]
    assert len(kept) == (tells.index(True) if any(tells) else 20)
    labels = np.tile(np.arange(many), 20)
    r = correlate_length_with_contrast(np.arange(20 * many), labels, lengths, values)
    assert abs(r) == pytest.approx(most(some))


@given(seeds, st.integers(1, 12))
def test_features_keep_their_weight_within_bounds_and_have_the_same_squares(seed, width):
    draws = np.random.default_rng(seed)
    table = draws.normal(size=(40, width)) * 10 ** draws.uniform(-3, 3, width) + 5
    table[:, :1] = 1.0 if width > 1 else table[:, :1]
    table = table.astype(np.float32)
    found = common_scale(table)
    scaled = found(table.astype(np.float64))
    np.testing.assert_allclose(found.shift, table.mean(0, dtype=np.float64), rtol=1e-5)
    np.testing.assert_allclose(scaled.mean(0), 0, atol=1e-2)
    assert (scaled**2).sum(1).mean() == pytest.approx(MEAN_FEATURE_SQUARES, rel=1e-3)
    varies = table.std(0) > 0
    assert (found.factor[~varies] == 0).all()
    spread = table[:, varies].astype(np.float64).std(0)
    common = np.sqrt(np.mean(np.minimum(spread, 10 * np.median(spread)) ** 2))
    expected = [1 / min(max(common, s / _LARGEST), s / _LEAST) for s in spread]
    np.testing.assert_allclose(
        found.factor[varies] / found.factor[varies][0], np.array(expected) / expected[0], rtol=1e-4
    )


@given(seeds, st.integers(1, 6), st.integers(2, 5))
def test_losses_are_minus_the_logarithms_of_chances(seed, n, outputs):
    draws = np.random.default_rng(seed)
    scores, ids = draws.normal(size=(n, outputs)), draws.integers(outputs, size=n)
    held = draws.random((n, outputs)) < 0.5
    known = draws.random((n, outputs)) < 0.7
    each = torch.from_numpy(scores.T.copy())[None, None]
    softmax = sum(shares.softmax_loss(row, i) for row, i in zip(scores, ids, strict=True))
    right, total = CURVED_LOSSES["softmax"].judge(each, torch.from_numpy(ids)[None])
    assert float(total) == pytest.approx(softmax)
    assert int(right) == sum(int(np.argmax(row) == i) for row, i in zip(scores, ids, strict=True))
    wanted = np.where(known, held, np.nan).T[None]
    sigmoid = sum(
        shares.sigmoid_loss(row, [h if k else None for h, k in zip(*cells, strict=True)])
        for row, *cells in zip(scores, held, known, strict=True)
    )
    judged = CURVED_LOSSES["sigmoid"].judge(each, torch.from_numpy(wanted))
    assert float(judged[1]) == pytest.approx(sigmoid)
    assert float(judged[0]) == pytest.approx(-sigmoid)
    errors = float(((scores - held) ** 2).sum() / 2)
    judged = CURVED_LOSSES["squared"].judge(each, torch.from_numpy(held.T[None].astype(float)))
    assert [float(x) for x in judged] == pytest.approx([-errors, errors])
    of_sets = build_column([{str(k): float(h) for k, h in enumerate(row)} for row in held])
    bits = code_length(of_sets, scores.astype(np.float32)).sum()
    whole = sum(shares.sigmoid_loss(row, h) for row, h in zip(scores, held, strict=True))
    assert bits == pytest.approx(whole / np.log(2), rel=1e-5)
    names = tuple(map(str, range(outputs)))
    bits = code_length(Classes(ids, names), scores.astype(np.float32)).sum()
    assert bits == pytest.approx(softmax / np.log(2), rel=1e-5)


@given(seeds, st.integers(1, 40), st.integers(1, 5))
def test_the_code_without_vectors_is_krichevsky_and_trofimov_s(seed, n, classes):
    ids = np.random.default_rng(seed).integers(classes, size=n)
    found = adaptive_length(Classes(ids, tuple(map(str, range(classes)))))
    np.testing.assert_allclose(found, shares.prior_code(ids.tolist(), classes))


@pytest.mark.parametrize("pool", [pool for pool in _POOLS if pool != "none"])
@given(seeds)
def test_pools_are_over_the_tokens_that_count(pool, seed):
    draws = np.random.default_rng(seed)
    states = draws.normal(-1, 1, size=(4, 5, 3)).astype(np.float32)
    counts = draws.random((4, 5)) < 0.5
    states[~counts] *= 10
    found = pool_states(pool, torch.from_numpy(states), counts)
    expected = [shares.pooled(pool, *each) for each in zip(states.tolist(), counts, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=5e-6)  # sums may cancel


@given(seeds)
@settings(max_examples=15, deadline=None)
@example(128)  # steps alone end in a corner
@example(298)  # and here on a plateau: the slack is small, and no shares will do
def test_shares_of_contrasts_meet_the_conditions_of_a_minimum(seed):
    draws = np.random.default_rng(seed)
    n, kinds, rules = (int(draws.integers(*bounds)) for bounds in ((10, 80), (3, 9), (2, 25)))
    of = draws.integers(kinds, size=n)
    least = np.stack([(of == k) - 0.8 / kinds * draws.random() for k in range(kinds)], 1)
    leaning = draws.normal(size=(n, rules)) + 2 * draws.normal(size=(kinds, rules))[of]
    signs = np.sign(leaning) * (draws.random((n, rules)) < 0.7)
    balances = np.concatenate([least, signs], 1)
    slack = np.r_[np.full(kinds, 1e-8), np.full(rules, draws.choice([2e-4, 2e-6]))]
    bounded = np.r_[np.ones(kinds, bool), np.zeros(rules, bool)]
    found = find_prices(balances, slack, bounded)
    told = [each.tolist() for each in (balances, slack, bounded, found)]
    assert shares.missed(*told) < 1e-8
