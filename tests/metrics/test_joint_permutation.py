"""Several differences tested by the largest, against every way of swapping counted in a loop."""

import numpy as np
import pytest

from lingprobe.metrics.resampling import _EXACT, joint_permutation
from reference.largest_difference import corrected

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_few_clusters_are_counted_in_every_way(shift):
    table = RNG.normal(shift, 1, (5, 8))
    table[3] = 0
    found = joint_permutation(table)
    assert np.allclose(found, corrected(table.tolist()))
    assert found[3] == 1


def test_many_clusters_are_drawn():
    table = RNG.integers(-1, 2, (4, _EXACT + 3)) + np.array([[1.2], [0], [0.3], [0]])
    found = joint_permutation(table, draws=20_000)
    expected = np.array(corrected(table.tolist()))
    assert (np.abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000) + 1e-3).all()


def test_false_alarms_are_one_in_twenty_of_families():
    """Forty tests that share their clusters, none of which has a difference."""
    least = [
        joint_permutation(rng.normal(size=(40, 60)) + rng.normal(size=60), draws=199).min()
        for rng in map(np.random.default_rng, range(200))
    ]
    assert 0.02 < np.mean(np.array(least) <= 0.05) < 0.09
