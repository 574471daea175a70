"""Code lengths against closed forms, in bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.core import Cell, Dataset, Example, Predictions, Sentence
from sonde.probes import PROBES
from sonde.probes.online import Online, ends
from sonde.reading import ReadingProblem, Readings
from sonde.targets import Classes, code_length, column, uniform_length
from sonde.vectors import Vectors

CLASSES = "abcd"


def readings(n: int = 400, known: bool = True) -> Readings:
    """Examples of four classes; their vectors are one-hot classes, or nothing but noise."""
    rng = np.random.default_rng(n)
    ids = rng.integers(4, size=n)
    examples = [Example.about(Sentence.of([str(i)]), CLASSES[c], "dev" if i % 5 == 0 else "train") for i, c in enumerate(ids)]
    layer = np.eye(4, dtype=np.float32)[ids] if known else rng.normal(size=(n, 4)).astype(np.float32)
    return Readings(Dataset.of(examples), Vectors((layer,)))


@dataclass(frozen=True)
class Sure:
    """A probe whose scores are its features times some certainty, whatever it was trained on."""

    certainty: float
    name: str = "sure"

    def fit(self, train, dev, *, cells):
        return [self] * len(cells)

    def predict(self, found):
        scores = self.certainty * found.features("-")
        return Predictions(scores, found.labels.names, found.labels.decode(scores))


def code(probe, found: Readings) -> dict:
    train, dev = found.split("train"), found.split("dev")
    [coded] = Online(probe, "sure").fit(train, dev, cells=(Cell("-", 3),))
    return dict(coded.choice["code"])


def test_a_probe_that_knows_nothing_compresses_nothing():
    found = code(Sure(0.0), readings())
    assert found["bits"] == pytest.approx(320 * 2)  # log2 of four classes, each of 320 examples
    assert found["compression"] == pytest.approx(1)
    assert found["ends"] == [11, 20, 40, 80, 160, 320]


@pytest.mark.parametrize("certainty", [1.0, 3.0, 30.0])
def test_all_but_the_first_block_are_coded_by_the_probe_in_bits_and_not_in_nats(certainty):
    found = code(Sure(certainty), readings())
    each = np.log2(1 + 3 * np.exp(-certainty))  # -log2 of the softmax of (certainty, 0, 0, 0)
    assert found["blocks"][0] == pytest.approx(11 * 2)
    assert found["bits"] == pytest.approx(11 * 2 + (320 - 11) * each)
    assert found["compression"] == pytest.approx(640 / found["bits"])


def test_label_sets_pay_a_bit_for_each_label_annotated():
    sets = column([frozenset("ab"), frozenset()])
    assert uniform_length(sets).tolist() == [2, 2]
    assert code_length(sets, np.array([[1.0, 1], [-1, -1]])) == pytest.approx(2 * np.log2(1 + np.exp(-1)))
    partial = column([{"a": 1.0}, {"a": 0.2, "b": 1.0}])
    assert uniform_length(partial).tolist() == [1, 2]
    assert code_length(partial, np.array([[0.0, 50], [0, 50]])) == pytest.approx([1, 1])


@given(st.integers(0, 200))
def test_a_sigmoid_s_scores_code_classes_as_odds_given_that_one_holds(seed):
    z = np.random.default_rng(seed).normal(size=(5, 3)).astype(np.float32)
    p = 1 / (1 + np.exp(-z.astype(float)))
    alone = np.stack([p[:, c] * np.prod(np.delete(1 - p, c, 1), 1) for c in range(3)], 1)
    expected = -np.log2(alone / alone.sum(1, keepdims=True))
    for c in range(3):
        assert code_length(Classes(np.full(5, c), ("x", "y", "z")), z) == pytest.approx(expected[:, c], abs=1e-5)


@given(st.integers(1, 300_000))
def test_blocks_grow_and_end_with_the_last_example(n):
    stops = ends(n)
    assert stops[-1] == n
    assert (np.diff(stops) > 0).all()
    assert stops[0] >= min(n, 8)


def test_what_is_regular_is_cheap_and_its_score_is_that_of_the_probe_alone():
    probe, plain = PROBES.make("online:logreg%2Cc=10"), PROBES.make("logreg,c=10")
    for known, least, most in ((True, 2.5, 61), (False, 0.5, 1.05)):
        found = readings(600, known)
        train, dev = found.split("train"), found.split("dev")
        cells = (Cell("-", 0), Cell("-", 1))
        first, second = probe.fit(train, dev, cells=cells)
        alone = plain.fit(train, dev, cells=cells)[0]
        assert np.array_equal(first.predict(dev).scores, alone.predict(dev).scores)
        assert least < first.choice["code"]["compression"] < most
        assert first.choice["code"]["bits"] != second.choice["code"]["bits"]  # another order


def test_what_a_probe_reads_and_needs_is_what_the_one_in_it_does():
    assert PROBES.make("online:span").mixes
    assert not PROBES.make("online:logreg").mixes
    assert PROBES.make("online:nb-uni-tfidf").reads == "words"
    assert PROBES.make("online:majority-feature").needs == "majority-feature"
    assert PROBES.make("online:logreg").fingerprint != PROBES.make("online:logreg%2Cc=3").fingerprint


def test_numbers_have_no_code():
    examples = [Example.about(Sentence.of([str(i)]), float(i)) for i in range(20)]
    found = Readings(Dataset.of(examples), Vectors((np.zeros((20, 1), np.float32),)))
    with pytest.raises(ReadingProblem, match="no code"):
        PROBES.make("online:logreg").fit(found, found, cells=(Cell("-", 0),))
