"""Figures of trainings that predict words, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numba")
from lingprobe_extensions.train.draws import NegativeSampler, predicted_shares
from lingprobe_extensions.train.guesses import WordShares, guess_by_frequency, measure_guesses
from lingprobe_extensions.train.steps import TrainingPart, VectorTables
from reference import words

WORDS, DIM = 9, 4


@given(st.integers(0, 10**6), st.lists(st.integers(2, 6), min_size=1, max_size=4))
@settings(max_examples=30)
def test_perplexity_and_accuracy_undo_how_words_were_drawn(seed, lengths):
    draws = np.random.default_rng(seed)
    counts = draws.integers(1, 60, WORDS)
    ids = draws.integers(WORDS, size=sum(lengths)).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    negatives = draws.integers(WORDS, size=(len(ids), 2)).astype(np.int32)
    part = TrainingPart(
        ids, starts, np.full(len(ids), -1, np.int32), np.ones(len(ids), bool), negatives
    )
    source, target = draws.normal(size=(2, WORDS, DIM)).astype(np.float32)
    shares = predicted_shares(counts, 1e-2)
    found = measure_guesses(
        VectorTables(source, target), part, WordShares(NegativeSampler.of(counts).shares, shares)
    )

    of = np.repeat(np.arange(len(lengths)), lengths)
    rows = [
        np.mean([source[ids[j]] for j in range(len(ids)) if of[j] == of[i] and j != i], 0).tolist()
        for i in range(len(ids))
    ]
    expected = words.sampling_perplexity(
        rows, target.tolist(), counts.tolist(), shares.tolist(), ids.tolist()
    )
    assert found["perplexity"] == pytest.approx(expected, rel=1e-4)
    own, other = (
        [
            float(np.dot(row, target[w]) - np.log(shares[w]))
            for row, w in zip(rows, some, strict=True)
        ]
        for some in (ids, negatives[:, 0])
    )
    wins = words.wins(own, other, ids, negatives[:, 0])
    assert found["accuracy"] == pytest.approx(wins, rel=1e-4)

    alone = guess_by_frequency(counts, part)
    unigrams = words.unigram_perplexity(counts.tolist(), ids.tolist())
    assert alone["perplexity of unigrams"] == pytest.approx(unigrams)
    wins = words.wins(counts[ids], counts[negatives[:, 0]], ids, negatives[:, 0])
    assert alone["accuracy of the more frequent word"] == pytest.approx(wins)
