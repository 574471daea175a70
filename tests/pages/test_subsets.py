"""Correlations over subsets: three conventions, told from numpy; and STS-like data from cold."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import lingprobe
from fixtures.scored import to_scores as rows
from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.labels import ScoreLabels
from lingprobe.metrics import METRICS, interval_of
from lingprobe.metrics.subsets import average_over_subsets

SIZES = {"news": 40, "forums": 25, "images": 70}


def bags(sentences):
    """A vector for each sentence, of its words."""
    rngs = (np.random.default_rng([ord(c) for c in word]) for s in sentences for word in s.split())
    drawn = iter([rng.normal(size=8) for rng in rngs])
    return np.stack([sum(next(drawn) for _ in s.split()) for s in sentences]).astype(np.float32)


class Scored:
    """Pairs with scores and nothing to train on, some of whose words are shared."""

    name, question = "scored", "How much are the two sentences alike?"
    metric, probe, view = "pearson", "cosine", "mean+contrast"

    def load(self):
        rng, examples = np.random.default_rng(0), []
        for number, (subset, size) in enumerate(SIZES.items()):
            for i in range(size):
                shared = int(rng.integers(6))
                one, other = (
                    Sentence.of([*(f"w{subset}{i}{k}" for k in range(shared)), *own])
                    for own in ([f"{side}{i}{k}{subset}" for k in range(3)] for side in "ab")
                )
                score = float(np.clip(shared + rng.normal(number, 1 + number), 0, 9))
                examples.append(
                    Example((Site(one), Site(other)), score, "test", strata={"subset": subset})
                )
        return Dataset.of(examples)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sts")
    return lingprobe.evaluate(
        {"bags": bags}, [Scored()], output=folder / "results", cache=folder / "cache"
    )


def numpys(by_size):
    """The averages as numpy makes them."""
    dataset = Scored().load()
    vectors = bags([s.text for s in dataset.sentences])
    u, v = (vectors[dataset.sites[:, k, 0]].astype(np.float64) for k in range(2))
    said = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    gold, codes = dataset.labels.numbers, dataset.strata["subset"].codes
    each = [np.corrcoef(said[codes == k], gold[codes == k])[0, 1] for k in range(3)]
    whole = np.corrcoef(said, gold)[0, 1]
    return each, np.average(each, weights=list(SIZES.values()) if by_size else None), whole


def test_data_without_train_are_measured_by_a_probe_that_learns_nothing(measured):
    [row] = [row for row in rows(measured.results) if row.encoder == "bags"]
    assert row.score == pytest.approx(100 * numpys(False)[2], abs=1e-3)
    assert row.n == sum(SIZES.values())


def test_three_conventions_stand_beside_the_subsets(measured):
    page = lingprobe.report(measured.results, by="subset")
    lines = [r for r in csv.DictReader(io.StringIO(page.text("csv"))) if r["encoder"] == "bags"]
    by_value = {line["stratum"]: line for line in lines}
    each, mean, _ = numpys(False)
    for name, r in zip(SIZES, each, strict=True):
        assert float(by_value[name]["score"]) == pytest.approx(100 * r, abs=1e-3)
    for name, expected in (("(mean)", mean), ("(mean by size)", numpys(True)[1])):
        line = by_value[name]
        assert float(line["score"]) == pytest.approx(100 * expected, abs=1e-3)
        assert float(line["low"]) < float(line["score"]) < float(line["high"])
        assert int(line["n"]) == sum(SIZES.values())
    assert "with equal weight" in page.text("markdown")


def test_the_interval_of_a_mean_over_subsets_is_that_of_a_bootstrap_within_them():
    """Not exactly: subsets are drawn apart here, and the interval is symmetric on Fisher's scale."""
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1, 2], [150, 200, 300])
    gold = rng.normal(size=650)
    said = 0.3 * gold * (1 + codes) + rng.normal(size=650)
    for by_size in (False, True):
        metric = average_over_subsets(METRICS.make("pearson"), codes, by_size)
        low, high = interval_of(metric, ScoreLabels(gold), [ScoreLabels(said)])
        draws = []
        for _ in range(1500):
            rows = np.concatenate(
                [rng.choice(np.flatnonzero(codes == k), (codes == k).sum()) for k in range(3)]
            )
            drawn = average_over_subsets(METRICS.make("pearson"), codes[rows], by_size)
            draws.append(drawn(ScoreLabels(gold[rows]), ScoreLabels(said[rows])))
        np.testing.assert_allclose((low, high), np.quantile(draws, [0.025, 0.975]), atol=0.012)
