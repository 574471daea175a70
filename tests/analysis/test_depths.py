"""Where tasks are solved, against the papers' formulas over scores and weights that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fixtures.results import result, saying
from fixtures.views import layers_of
from lingprobe.data.core import DataProblem
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
    (rows,) = layers_of([*growing(), fit(0.4, "lex"), fit(0.7, "3")])
    lexical, *layers = rows
    means = [100 * (share + 0.02) for share in SHARES]
    assert lexical.expected == pytest.approx(layerwise.expected_layer(means))
    assert lexical.expected_bits == pytest.approx(layerwise.divergence(np.diff(means).tolist()))
    weights = DRAWN.tolist()
    assert [row.weight for row in layers] == pytest.approx(DRAWN.mean(0).tolist())
    bits = [layerwise.divergence(w) for w in weights]
    assert lexical.weight_bits == pytest.approx(np.mean(bits))
    centres = [layerwise.centre_of_gravity(w) for w in weights]
    assert lexical.weight_centre == pytest.approx(np.mean(centres))
    assert lexical.weight_low < lexical.weight_centre < lexical.weight_high
    assert [row.mix_score for row in layers] == pytest.approx(means)
    assert (lexical.lexical_score, layers[3].alone_score) == pytest.approx((40, 70))
    assert [row.level for row in layers] == list(range(LAST + 1))
    assert all(row.is_mixed for row in rows)


@pytest.mark.parametrize("half", [0, 1])
def test_weights_as_good_as_even_have_no_centre(half):
    """Of seven layers: one of 0.14 that is 0.2 or 0.24 is 0.02 or 0.07 bits from even."""
    weights = [0.2 + half / 20, *[(0.8 - half / 20) / 6] * 6]
    results = [fit(0.7, "mix", seed, mix=weights) for seed in (0, 1)] + [fit(0.6, "lex")]
    (rows,) = layers_of(results)
    assert rows[0].weight_bits == pytest.approx(layerwise.divergence(weights))
    assert (rows[0].weight_bits < 0.05) == math.isnan(rows[0].weight_centre) == (not half)
    assert rows.column("level") == [-1, *range(7)]
    assert rows.column("mix_layer") == [*[""] * 7, "mix"]


def test_the_score_over_folds_is_over_all_their_examples():
    lower = [
        r for n, k in ((100, 1), (300, 2)) for r in growing(1, n=n, task=f"ud/tense:EWT,fold={k}/2")
    ]
    (rows,) = layers_of(lower)
    scores = [(round(s * 100) + round(s * 300)) / 4 for s in SHARES]
    assert rows.column("mix_score") == pytest.approx(scores)
    assert rows[0].expected == pytest.approx(layerwise.expected_layer(scores))


@pytest.mark.parametrize(
    ("dev", "best", "is_known"),
    [((0.6, 0.9, 0.7), 1, True), ((0.6, math.nan, 0.7), 2, False), ((), 2, False)],
)
def test_the_best_layer_is_chosen_on_dev_where_all_layers_say_it(dev, best, is_known):
    shares = (0.6, 0.7, 0.8)
    told = [{"dev": each} for each in dev] or [{}] * 3
    results = [fit(s, str(k), **said) for k, (s, said) in enumerate(zip(shares, told, strict=True))]
    (rows,) = layers_of(results)
    assert rows.column("alone_best") == [layer == best for layer in range(3)]
    assert rows.column("alone_best_by_dev") == [is_known] * 3
    assert not any(row.is_mixed for row in rows)
    assert rows.column("mix_layer") == ["0", "", ""]
    assert math.isnan(rows[0].weight_bits)


def test_a_model_of_one_layer_and_tasks_with_one_read_have_no_depth():
    for none in ([fit(0.7, "lex"), fit(0.7, "other")], [fit(0.7, "0"), fit(0.7, "0", seed=1)]):
        with pytest.raises(DataProblem, match="on several layers of one encoder"):
            layers_of(none)
    (rows,) = layers_of([fit(0.7, "0"), fit(0.5, "lex")])
    assert rows[0].expected_why == "there is only one layer"
    assert rows.column("alone_best") == [False, True]
    (mixed,) = layers_of([fit(0.7, "mix"), fit(0.5, "lex")])
    assert not any(row.alone_best for row in mixed)
    assert all(row.is_mixed for row in mixed)


def test_mixes_over_other_examples_have_no_expected_layer():
    other = fit(0.8, "mix", n=N - 2, mix=DRAWN[0].tolist())
    mixes = [r for r in growing(1) if r.trial.read != "mix"]
    (rows,) = layers_of([*mixes, other])
    assert math.isnan(rows[0].expected)
    assert rows[0].expected_why == "the mixes were scored over different examples"
    (rows,) = layers_of([r for r in growing() if r.trial.read in ("mix:0-0", "mix")])
    why = "not measured: mix:0-1, mix:0-2, mix:0-3 (--layers cumulative)"
    assert rows[0].expected_why == why
    (rows,) = layers_of([r for r in growing() if r.trial.read == "mix"] + [fit(0.6, "lex")])
    assert rows[0].expected_why.startswith("not measured: mix:0-0, mix:0-1, mix:0-2 and 1 more")


def test_layers_that_nothing_was_read_of_have_their_weights():
    (rows,) = layers_of([r for r in growing() if r.trial.read in ("mix:0-1", "mix")])
    assert rows.column("level") == list(range(LAST + 1))
    assert rows.column("weight") == pytest.approx(DRAWN.mean(0).tolist())
    assert rows.column("mix_layer") == ["", "mix:0-1", "", "", "mix"]
    assert all(math.isnan(row.mix_score) for row in rows if not row.mix_layer)
