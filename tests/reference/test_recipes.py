"""Settings of probes against a second statement of them."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from lingprobe.probes import PROBES, bayes, ettinger, online
from lingprobe.probes.mlp import fits
from lingprobe.probes.relatedness.probe import _PROTOCOLS
from reference import recipes


@pytest.mark.parametrize("name", recipes.PERCEPTRONS)
def test_perceptrons_are_trained_as_stated(name):
    hidden, dropout, l2, plan = recipes.PERCEPTRONS[name]
    made = PROBES.make(f"mlp,protocol={name}")
    assert made.name == ("mlp" if name == "fast" else f"mlp-{name}")
    ours = made.protocol
    assert (ours.hidden, ours.dropout, ours.l2, asdict(ours.plan)) == (hidden, dropout, l2, plan)
    own = name in ("fast", "full")
    assert (ours.scaled, ours.rounded, ours.has_cuts) == (own, not own, name == "fast")


@pytest.mark.parametrize("name", recipes.REGRESSIONS)
def test_regressions_of_scores_are_trained_as_stated(name):
    made = PROBES.make(f"relatedness,protocol={name}")
    assert made.name == ("relatedness" if name == "fast" else f"relatedness-{name}")
    ours = _PROTOCOLS[name]
    assert asdict(ours.plan) == recipes.REGRESSIONS[name]
    assert ours.scaled == (name == "fast")
    five = (ours.scale.lowest, ours.scale.many) if ours.scale else None
    assert five == (None if name == "fast" else (1, 5))


@pytest.mark.parametrize("name", recipes.EDGES)
def test_edge_probes_are_trained_as_stated(name):
    network, plan, rest = recipes.EDGES[name]
    made = PROBES.make(f"span,protocol={name}")
    assert made.name == ("span" if name == "fast" else f"span-{name}")
    assert asdict(made.config) == {
        "design": {**recipes.NETWORK, **network},
        "loss": "sigmoid",
        "decode": "threshold",
        "plan": plan,
        "clip": recipes.CLIPPED,
        **rest,
    }


def test_blocks_folds_and_passes_are_as_published():
    assert [100 * share for share in online._FRACTIONS] == pytest.approx(recipes.PORTIONS)
    assert (fits.SENTEVAL_FOLD_COUNT, fits._SHUFFLED) == (recipes.FOLDS, recipes.SEED)
    assert fits._HELD_OUT == recipes.STOPPED_BY
    assert fits.MIN_EXAMPLES_TO_HOLD_OUT * fits._HELD_OUT == 1
    assert ettinger._PASSES == recipes.PASSES


def test_what_is_tried_is_as_stated():
    made = PROBES.make("logreg")
    assert (made.c, made.scaled) == (recipes.STRENGTHS, True)
    assert (bayes._SMOOTHINGS, bayes._PENALTIES) == (recipes.SMOOTHINGS, recipes.PENALTIES)
    assert online._SHARES == recipes.SHARES
    for name, longest in (("nb-uni-tfidf", 1), ("nb-bi-tfidf", 2)):
        words = PROBES.make(name)
        assert (words.name, words.longest) == (name, longest)
        assert (words.alpha, words.lower) == (None, True)
    assert PROBES.make("online:logreg").fallback


def test_what_probes_need_is_as_stated():
    found = {
        name: {need for need, value in asdict(PROBES.make(name).needs).items() if value}
        for name in recipes.NEEDS
    }
    assert found == recipes.NEEDS
