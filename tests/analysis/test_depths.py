"""Where tasks are solved, against the papers' formulas over scores and weights that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fixtures.results import result, saying
from lingprobe.analysis.layers import depths, rows_score
from reference import layerwise

N = 400
SHARES = (0.5, 0.62, 0.75, 0.8, 0.82)  # of the mixes, from the lowest layer on
LAST = len(SHARES) - 1
DRAWN = np.random.default_rng(0).dirichlet(np.ones(LAST + 1), 3)


def fit(share, read, seed=0, n=N, task="ud/tense:EWT", **choice):
    """A result over one read of a model; its choice is what the probe told."""
    trial = {"encoder": "hf:m,layers=all", "task": task, "read": read, "probe": "span"}
    return saying(result(share, n, seed=seed, **trial), kind="trained", choice=choice)


def growing(seeds=3, step=0.02, **more):
    """Growing mixes under several seeds, each of which scores a bit more than the one before."""
    return [
        fit(share + seed * step, "mix" if top == LAST else f"mix:0-{top}", seed, **more,
            **({"mix": DRAWN[seed].tolist()} if top == LAST else {}))
        for seed in range(seeds)
        for top, share in enumerate(SHARES)
    ]  # fmt: skip


def test_figures_are_means_over_seeds_of_the_papers():
    (depth,) = depths([*growing(), fit(0.4, "lex"), fit(0.7, "3")])
    means = [100 * (share + 0.02) for share in SHARES]
    assert depth.expected.layer == pytest.approx(layerwise.expected_layer(means))
    assert depth.gained == pytest.approx(layerwise.divergence(np.diff(means).tolist()))
    weights = DRAWN.tolist()
    assert depth.weights == pytest.approx(DRAWN.mean(0).tolist())
    assert depth.uneven == pytest.approx(np.mean([layerwise.divergence(w) for w in weights]))
    centres = [layerwise.centre_of_gravity(w) for w in weights]
    assert depth.gravity.value == pytest.approx(np.mean(centres))
    assert depth.gravity.low < depth.gravity.value < depth.gravity.high
    assert [row.score for row in depth.cumulative.values()] == pytest.approx(means)
    assert [row.score for row in depth.rows] == pytest.approx([70, *means, 40])
    assert depth.layers == range(LAST + 1)
    assert depth.is_mixed


@pytest.mark.parametrize("half", [0, 1])
def test_weights_as_good_as_even_have_no_centre(half):
    """Of seven layers: one of 0.14 that is 0.2 or 0.24 is 0.02 or 0.07 bits from even."""
    weights = [0.2 + half / 20, *[(0.8 - half / 20) / 6] * 6]
    results = [fit(0.7, "mix", seed, mix=weights) for seed in (0, 1)] + [fit(0.6, "lex")]
    (depth,) = depths(results)
    assert depth.uneven == pytest.approx(layerwise.divergence(weights))
    assert (depth.uneven < 0.05) == math.isnan(depth.gravity.value) == (not half)
    assert depth.layers == range(7)


def test_the_score_over_folds_is_over_all_their_examples():
    parts = [(0.5, 100, 1), (0.8, 300, 2)]
    folds = [fit(s, "mix", n=n, task=f"ud/tense:EWT,fold={k}/2") for s, n, k in parts]
    assert rows_score(folds) == pytest.approx((0.5 * 100 + 0.8 * 300) / 400)
    assert rows_score(folds[:1]) == 0.5
    lower = [
        r for n, k in ((100, 1), (300, 2)) for r in growing(1, n=n, task=f"ud/tense:EWT,fold={k}/2")
    ]
    (depth,) = depths(lower)
    scores = [(round(s * 100) + round(s * 300)) / 4 for s in SHARES]
    assert depth.expected.layer == pytest.approx(layerwise.expected_layer(scores))


@pytest.mark.parametrize(
    ("dev", "best", "is_known"),
    [((0.6, 0.9, 0.7), 1, True), ((0.6, math.nan, 0.7), 2, False), ((), 2, False)],
)
def test_the_best_layer_is_chosen_on_dev_where_all_layers_say_it(dev, best, is_known):
    shares = (0.6, 0.7, 0.8)
    told = [{"dev": each} for each in dev] or [{}] * 3
    results = [fit(s, str(k), **said) for k, (s, said) in enumerate(zip(shares, told, strict=True))]
    (depth,) = depths(results)
    assert depth.is_chosen_on_dev is is_known
    assert depth.best == best
    assert list(depth.on_dev.values()) == pytest.approx(dev or [math.nan] * 3, nan_ok=True)
    assert not depth.is_mixed
    assert list(depth.cumulative) == [0]
    assert math.isnan(depth.uneven)


def test_a_model_of_one_layer_and_tasks_with_one_read_have_no_depth():
    assert depths([fit(0.7, "lex"), fit(0.7, "other")]) == []
    assert depths([fit(0.7, "0"), fit(0.7, "0", seed=1)]) == []
    (depth,) = depths([fit(0.7, "0"), fit(0.5, "lex")])
    assert depth.expected.why == "there is only one layer"
    assert depth.best == 0
    (mixed,) = depths([fit(0.7, "mix"), fit(0.5, "lex")])
    assert mixed.best is None
    assert mixed.is_mixed


def test_mixes_over_other_examples_have_no_expected_layer():
    other = fit(0.8, "mix", n=N - 2, mix=DRAWN[0].tolist())
    (depth,) = depths([*(r for r in growing(1) if r.trial.read != "mix"), other])
    assert math.isnan(depth.expected.layer)
    assert depth.expected.why == "the mixes were scored over different examples"
    (depth,) = depths([r for r in growing() if r.trial.read in ("mix:0-0", "mix")])
    assert depth.expected.why == "not measured: mix:0-1, mix:0-2, mix:0-3 (--layers cumulative)"
    (depth,) = depths([r for r in growing() if r.trial.read == "mix"] + [fit(0.6, "lex")])
    assert depth.expected.why.startswith("not measured: mix:0-0, mix:0-1, mix:0-2 and 1 more")
