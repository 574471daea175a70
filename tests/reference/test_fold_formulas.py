"""Folds of tasks whose classes are matched in length: every one of them is fine, and all come of
one draw.
"""

from __future__ import annotations

import numpy as np
import pytest

from lingprobe.data.core import Sentence
from lingprobe.datasets.candidates import Candidate
from lingprobe.datasets.draw import sample
from lingprobe.datasets.settings import SampleSettings


def depths(seed: int, n: int = 1500) -> list[Candidate]:
    """Trees whose depth grows with their length."""
    draws = np.random.default_rng(seed)
    lengths = draws.integers(4, 30, n)
    found = np.clip(np.round(1 + 0.2 * lengths + 1.5 * draws.normal(size=n)), 3, 7).astype(int)
    return [
        Candidate(Sentence.of([f"{i}", *["x"] * (length - 1)]), str(depth))
        for i, (length, depth) in enumerate(zip(lengths, found, strict=True))
    ]


@pytest.mark.parametrize("seed", range(2))
def test_all_folds_are_of_one_draw_and_tell_nothing_by_length(seed):
    pool = depths(seed)
    folds = [
        sample(pool, SampleSettings(fold=f"{i}/5", decorrelate=True, rare="drop", least=20, cap=0))
        for i in range(1, 6)
    ]
    whole = set(folds[0].sentences)
    tests = [{fold.sentences[row] for row in fold.rows("test")} for fold in folds]
    assert all(set(fold.sentences) == whole for fold in folds)
    assert set.union(*tests) == whole
    assert sum(map(len, tests)) == len(whole)
    for fold in folds:
        lengths = np.array([len(sentence.words) for sentence in fold.sentences])
        values = np.array([float(fold.labels.names[i]) for i in fold.labels.ids])
        for rows in (fold.splits >= 0, *(fold.splits == k for k in range(3))):
            assert abs(np.corrcoef(lengths[rows], values[rows])[0, 1]) <= 0.0501
