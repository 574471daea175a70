"""The attention probe finds a word that pooling drowns, and says so."""

from __future__ import annotations

import numpy as np
import pytest

import lingprobe
from lingprobe.data.core import Cell, DataProblem, Dataset, Example, Sentence, Site
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors, word_units
from lingprobe.inside.units.tokens import pool_tokens
from lingprobe.probes import PROBES

DIM, LONG = 10, 24


def told_by_one(many: int = 500, spans: bool = True) -> Readings:
    """Sentences of up to 24 words of which one, marked in dimension 0, says the class in 1."""
    draws, rows, examples = np.random.default_rng(0), [], []
    for i in range(many):
        length, label = int(draws.integers(8, LONG)), i % 2
        place = int(draws.integers(length))
        vectors = draws.normal(size=(length, DIM)).astype(np.float32)
        vectors[:, 0] *= 0.1
        vectors[:, 1] *= 1.5
        vectors[place, :2] = 4, 2 * (2 * label - 1)
        rows.append(vectors)
        words = [f"w{draws.integers(30)}" for _ in range(length)]
        words[place] = "key"
        split = ("train", "train", "train", "dev", "test")[i // 2 % 5]
        site = (Site(Sentence.of([*words, f"s{i}"][:length] if place < length - 1 else words)),)
        examples.append(Example(site, "ab"[label], split))
    dataset = Dataset.of(examples)
    assert len(dataset.sentences) == many
    vectors = Vectors((np.concatenate(rows),), spans=word_units(np.array(list(map(len, rows)))))
    return Readings(dataset, vectors)


def fitted(readings: Readings, probe: str):
    parts = readings.split("train"), readings.split("dev")
    return PROBES.make(probe).fit(*parts, cells=(Cell("-", 0),))[0]


def accuracy(readings: Readings, predictor) -> float:
    test = readings.split("test")
    return float(np.mean(predictor.predict(test).decoded.classes == test.labels.classes))


def test_attention_finds_the_word_that_pooling_drowns():
    readings = told_by_one()
    one = fitted(readings, "attention")
    assert accuracy(readings, one) > 0.9
    for pool in ("mean", "max", "last"):
        assert accuracy(readings, fitted(readings, f"attention,pool={pool}")) < 0.8
    told = one.choice["attention"]
    assert told["words"][0][0] == "key"
    assert told["words"][0][1] > 5
    assert told["even"] < 0.8
    assert 0 <= told["first"] < 0.3
    assert "attention" not in fitted(readings, "attention,pool=mean").choice


def pooled_by_loops(rows: list[list[float]], pool: str, query: list[float]) -> list[float]:
    """One vector of some tokens, number by number."""
    if pool == "last":
        return rows[-1]
    columns = list(zip(*rows, strict=True))
    if pool == "max":
        return list(map(max, columns))
    powers = [np.exp(sum(a * b for a, b in zip(row, query, strict=True))) for row in rows]
    return [sum(p * v for p, v in zip(powers, c, strict=True)) / sum(powers) for c in columns]


@pytest.mark.parametrize("pool", ["attention", "mean", "max", "last"])
def test_pooling_is_the_textbooks_and_padding_counts_for_nothing(pool):
    draws = np.random.default_rng(3)
    lengths = np.array([3, 1, 0, 2])
    padded = draws.normal(size=(4, 3, 5)).astype(np.float32) - 2
    padded[np.arange(3) >= lengths[:, None]] = 0
    query = np.zeros((2, 5), np.float32)
    if pool == "attention":
        query = draws.normal(size=(2, 5)).astype(np.float32)
    found = pool_tokens(padded, lengths, pool, query)
    for row in range(2):
        for site in range(2):
            k = 2 * site + row
            given = padded[k, : lengths[k]].tolist()
            expected = pooled_by_loops(given, pool, query[site].tolist()) if given else [0.0] * 5
            assert found[row, 5 * site : 5 * site + 5] == pytest.approx(expected, abs=1e-5)


def test_training_and_prediction_pool_alike():
    import torch

    from lingprobe.inside.units.attending import TokenBatches
    from lingprobe.inside.units.tokens import TokenUnits

    readings = told_by_one(20).split("train")
    one = fitted(told_by_one(60), "attention,epochs=3")
    tokens = TokenUnits.of(readings, "-", one.scaling)
    for pool in ("attention", "mean", "max", "last"):
        query = one.query if pool == "attention" else np.zeros_like(one.query)
        parameters = [torch.from_numpy(a) for a in (query, one.weights, one.bias)]
        batches = TokenBatches(tokens, readings.labels.matrix(), "softmax", pool, "cpu")
        rows = np.arange(len(readings))
        scores = batches.scores(rows, parameters)[0][0, 0].T.numpy()
        pooled = pool_tokens(*tokens.take(rows), pool, query)
        assert scores == pytest.approx(pooled @ one.weights.T + one.bias, abs=1e-4)


def test_the_whole_road(tmp_path):
    evaluation = lingprobe.evaluate(
        ["bow:random,dim=8,pool=none"],
        "ud/tense:embedded,size=300",
        probes=["attention,epochs=3", "attention,epochs=3,pool=max"],
        seeds=1,
        baselines="none",
    )
    assert not evaluation.failures
    page = str(lingprobe.report(evaluation.results, view="attention"))
    assert "bow:random" in page
    assert "even" in page
    pooled = [r for r in evaluation.results if "pool=max" in r.trial.probe]
    with pytest.raises(DataProblem, match="--probe attention"):
        lingprobe.report(pooled, view="attention")


def test_what_cannot_be_learnt_is_refused():
    readings = told_by_one(20)
    with pytest.raises(ReadingProblem, match="stopped by dev"):
        PROBES.make("attention").fit(readings, readings.take(np.arange(0)), cells=(Cell("-", 0),))
    with pytest.raises(ReferenceProblem, match="epochs"):
        PROBES.make("attention,epochs=0")
    with pytest.raises(ReadingProblem, match="would be learnt"):
        PROBES.make("attention").fit(
            readings.split("train"), readings.split("dev"), cells=(Cell("mix:-", 0),)
        )
