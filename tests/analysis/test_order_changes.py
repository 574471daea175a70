"""Pairs of encoders that change order between probes: what was planted is found, and where nothing
was planted, nothing is, over simulated pages with real fits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fixtures.scored import to_scores
from lingprobe.analysis.comparison import find_order_changes
from lingprobe.data.core import Result, Trial
from lingprobe.data.labels import Classes
from lingprobe.pages.orders import order_notes
from lingprobe.probes.linear.logistic import fit_logistic_path

TRAIN, TEST, DIM = 150, 300, 4
PROBES = ("logreg", "quadratic")
LINEAR = {"st:a": 1.6, "st:b": 1.2, "st:c": 0.8, "st:d": 0.0}


def expand(x):
    """All products of two features, so that a logistic regression bends."""
    one, other = np.triu_indices(x.shape[1])
    return np.concatenate([x, x[:, one] * x[:, other]], 1)


def fit(x, y, probe):
    """What a logistic regression of features, or of their products too, answers on test."""
    x = expand(x) if probe == "quadratic" else x
    train = x[:TRAIN]
    x = (x - train.mean(0)) / train.std(0)
    found = next(fit_logistic_path(x[:TRAIN], y[:TRAIN], [0.02]))
    return (x[TRAIN:] @ found.weights[0] + found.bias[0] > 0).astype(np.int64)


def sample_page(seed, bent=(), linear=LINEAR):
    """Results of some encoders on one task under two probes. The vectors of each hold the label in
    the mean of a feature, so strongly; those of `bent` in the sign of a product alone, too.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=TRAIN + TEST)
    gold, results = Classes(y[TRAIN:], ("a", "b")), []
    for encoder, strength in linear.items():
        x = rng.normal(size=(len(y), DIM))
        x[:, 0] += strength * (y - 0.5)
        if encoder in bent:
            x[:, 2] = np.abs(x[:, 2]) * np.sign(x[:, 1]) * (2 * y - 1)
        for probe in PROBES:
            said = Classes(fit(x, y, probe), gold.names)
            score = float((said.ids == gold.ids).mean())
            trial = Trial("ud/tense:bank", encoder, "-", probe, "none", 0)
            made_with = {"tested": "these", "constants": {"class": ["a"]}, "kind": "trained"}
            results.append(Result(trial, "accuracy", score, 0, 1, 0.5, gold, said, made_with))
    return results


def pairs_of(found):
    return {
        frozenset((c.one.question.one.row.encoder, c.one.question.best.row.encoder))
        for c in found.changes
    }


def test_a_planted_reversal_is_found():
    """d is last for linear probes and first for quadratic ones, on nearly every page."""
    found = [find_order_changes(to_scores(sample_page(seed, ("st:d",)))) for seed in range(30)]
    planted = [{"st:a", "st:d"}, {"st:b", "st:d"}]
    assert sum(all(pair in pairs_of(page) for pair in planted) for page in found) >= 28
    others = [pair for page in found for pair in pairs_of(page) if "st:d" not in pair]
    assert len(others) <= 2
    assert {page.compared for page in found} == {6}
    assert {page.family for page in found} == {"12 comparisons of two encoders under one probe"}


@pytest.mark.parametrize("linear", [LINEAR, dict.fromkeys(LINEAR, 1.0)], ids=["ranked", "equal"])
def test_where_none_is_planted_none_is_found(linear):
    """At most 5 % of pages may report a pair by chance, of 6 pairs each."""
    found = [find_order_changes(to_scores(sample_page(seed, linear=linear))) for seed in range(100)]
    assert sum(bool(page.changes) for page in found) <= 5
    assert sum(page.uncertain for page in found) > 5  # some do change by chance


def test_what_is_said():
    found = find_order_changes(to_scores(sample_page(1, ("st:d",))))
    note, *_, last = order_notes(found)
    change = max(found.changes, key=lambda c: abs(c.one.difference - c.other.difference))
    one, other = change.one, change.other
    assert one.difference * other.difference < 0
    assert f"{one.difference:+.1f} [{one.low:.1f}, {one.high:.1f}] under logreg" in note
    assert f"{other.difference:+.1f} [{other.low:.1f}, {other.high:.1f}] under quadratic" in note
    assert "corrected for 12 comparisons" in last
    assert change.plain()["one_probe"] == "logreg"


def test_one_probe_has_no_order_to_change():
    results = [r for r in sample_page(1, ("st:d",)) if r.trial.probe == "logreg"]
    found = find_order_changes(to_scores(results))
    assert (found.changes, found.uncertain, found.compared) == ((), 0, 0)
    assert order_notes(found) == ()


def test_layers_are_compared_with_the_same_of_another_encoder():
    """Two encoders with three layers each, whose dev scores are not known, and one without."""
    results = []
    for layer in "012":
        page = sample_page(int(layer))
        results += [
            replace(r, trial=replace(r.trial, read=layer))
            for r in page
            if r.trial.encoder in ("st:a", "st:b")
        ]
    results += [r for r in page if r.trial.encoder == "st:c"]
    gold = results[0].gold
    results = [replace(r, gold=gold) for r in results]
    assert find_order_changes(to_scores(results)).compared == 3 + 2 * 3
