"""The Gaussian that lengths are spread by, where class and length are kept apart as SentEval's
README says.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import Sentence
from lingprobe.datasets.candidates import Candidate
from lingprobe.datasets.draw import sample
from lingprobe.datasets.match import _FILLED, match_gaussian, match_joint_gaussian
from lingprobe.datasets.settings import SampleSettings


def blocks(counts, classes=3):
    """Blocks [blocks, classes] of so many of each length."""
    return np.repeat(np.repeat(np.arange(len(counts)), counts)[:, None], classes, 1)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=24).filter(any))
def test_nine_tenths_of_a_gaussian_are_filled_and_no_length_has_more_than_it_asks_for(counts):
    lengths = blocks(counts)
    kept = match_gaussian(lengths)
    assert len(set(kept)) == len(kept)
    x, found = lengths[:, 0], np.bincount(lengths[kept, 0], minlength=len(counts))
    assert (found <= np.array(counts)).all()
    if x.std() == 0:
        assert len(kept) == len(x)
        return
    density = np.exp(-0.5 * ((np.arange(len(counts)) - x.mean()) / x.std()) ** 2)
    target = density / density.sum() * len(kept) / _FILLED
    assert (found <= target + 1).all()


@pytest.mark.parametrize("shape", ["flat", "two peaks"])
def test_what_is_no_gaussian_becomes_one(shape):
    x = np.arange(30)
    counts = (
        np.full(30, 100)
        if shape == "flat"
        else (200 * (np.exp(-(((x - 8) / 4) ** 2)) + np.exp(-(((x - 22) / 4) ** 2)))).astype(int)
    )
    lengths = blocks(counts)
    found = np.bincount(lengths[match_gaussian(lengths), 0], minlength=30)
    mean, deviation = lengths[:, 0].mean(), lengths[:, 0].std()
    target = np.exp(-0.5 * ((x - mean) / deviation) ** 2)
    apart, left = (np.abs(n / n.sum() - target / target.sum()).sum() for n in (counts, found))
    assert left < 0.8 * apart


def test_a_sample_by_the_gaussian_is_balanced_and_tells_nothing_of_length():
    rng = np.random.default_rng(0)
    candidates = []
    for k in range(6000):
        depth = int(rng.integers(5, 9))
        length = max(5, round(rng.normal(1.5 * depth + 4, 4)))
        candidates.append(Candidate(Sentence.of([f"w{k}"] * length), str(depth)))
    matched, spread = (
        sample(candidates, SampleSettings(decorrelate=how)) for how in (True, "gaussian")
    )
    assert len(spread) < len(matched)
    notes = spread.notes["sampling"]
    assert abs(notes["length_r_before"]) > 0.3
    assert max(map(abs, notes["length_r_after"].values())) <= 0.05
    assert len(set(Counter(e.label for e in spread.examples()).values())) == 1


@pytest.mark.parametrize("r", [0.0, 0.5, 0.8])
def test_a_joint_sample_of_lengths_and_classes_is_a_gaussian_over_both(r):
    """SentEval's README, TreeDepth: correlated before, independent after, and the classes in the
    middle are the most frequent.
    """
    rng = np.random.default_rng(4)
    both = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], size=60_000)
    lengths = np.clip(np.rint(16 + 5 * both[:, 0]), 5, 28).astype(int)
    depths = np.clip(np.rint(8.5 + 2 * both[:, 1]), 5, 12).astype(int)
    kept = match_joint_gaussian(lengths, depths, np.random.default_rng(0))
    assert abs(np.corrcoef(lengths[kept], depths[kept])[0, 1]) <= 0.02
    assert len(kept) > 5_000
    counts = np.bincount(depths[kept], minlength=13)[5:]
    assert counts.argmax() in (3, 4)
    assert (np.diff(counts[:4]) > 0).all()
    assert (np.diff(counts[4:]) < 0).all()
    for depth in (7, 8, 9, 10):  # lengths are spread alike in all classes
        assert lengths[kept][depths[kept] == depth].mean() == pytest.approx(
            lengths[kept].mean(), abs=0.5
        )
    assert np.array_equal(kept, match_joint_gaussian(lengths, depths, np.random.default_rng(0)))
