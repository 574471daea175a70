"""Steps of CBOW, against autograd and a loop over all vectors of each context."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

pytest.importorskip("numba")
from lingprobe_extensions.train.ngrams import bigram_rows
from lingprobe_extensions.train.steps import (
    LearningRates,
    TrainingPart,
    VectorTables,
    average_contexts,
    take_steps,
)

WORDS, BUCKETS, DIM = 30, 40, 7


def tables(seed: int = 0) -> VectorTables:
    draws = np.random.default_rng(seed)
    return VectorTables(
        draws.normal(size=(WORDS + BUCKETS, DIM)).astype(np.float32),
        draws.normal(size=(WORDS, DIM)).astype(np.float32),
    )


def sentence(words: list[int], predicted: list[int], buckets: int = BUCKETS) -> TrainingPart:
    ids, starts = np.array(words, np.int32), np.array([0, len(words)])
    chosen = np.isin(np.arange(len(ids)), predicted)
    draws = np.random.default_rng(1)
    negatives = np.array([draws.permutation(WORDS)[:5] for _ in words], np.int32)
    return TrainingPart(ids, starts, bigram_rows(ids, starts, WORDS, buckets), chosen, negatives)


def loss(source: torch.Tensor, target: torch.Tensor, part: TrainingPart, at: int) -> torch.Tensor:
    """As the paper writes it: of one word, from the mean of the words and bigrams without it."""
    rows = [int(w) for i, w in enumerate(part.ids) if i != at]
    rows += [int(b) for i, b in enumerate(part.bigrams) if b >= 0 and i not in (at - 1, at)]
    hidden = source[rows].mean(0)
    word = int(part.ids[at])
    negatives = [int(n) for n in part.negatives[at] if n != word]
    return functional.softplus(-(target[word] @ hidden)) + sum(
        functional.softplus(target[n] @ hidden) for n in negatives
    )


@pytest.mark.parametrize("buckets", [0, BUCKETS])
@pytest.mark.parametrize("at", [0, 2, 4])
def test_a_step_is_the_gradient(buckets, at):
    before, part = tables(), sentence([3, 8, 1, 20, 11], [at], buckets)
    source, target = (torch.from_numpy(t.astype(np.float64)).requires_grad_() for t in before)
    expected = loss(source, target, part, at)
    torch.autograd.backward(expected)
    after = VectorTables(before.source.copy(), before.target.copy())
    total, count = take_steps(after, part, LearningRates(1e-3, 1e-3, True))
    assert count == 1
    assert total == pytest.approx(expected.item(), rel=1e-5)
    for new, old, exact in zip(after, before, (source.grad, target.grad), strict=True):
        np.testing.assert_allclose((old - new) / 1e-3, exact, rtol=1e-2, atol=1e-3)
    assert np.abs(after.source - before.source).max() > 1e-5


@pytest.mark.parametrize("divided", [True, False])
@pytest.mark.parametrize("buckets", [0, 3, BUCKETS])
@pytest.mark.parametrize(
    "words", [[3, 8, 1, 20, 11, 2], [3, 3, 3, 8, 3, 8, 3], [3, 8, 11, 3, 8, 3], [5, 5]]
)
def test_words_learn_one_after_the_other(words, buckets, divided):
    """The sums of a sentence come to what a loop over all vectors of each context does, where
    words and buckets stand several times, too.
    """
    start, part = tables(), sentence(words, [0, 1, 3, 5], buckets)
    start.target[:5] *= 9  # some scores are far from 0
    source, target = (table.astype(np.float64) for table in start)
    for at in np.flatnonzero(part.predicted).tolist():
        rows = [int(w) for i, w in enumerate(part.ids) if i != at]
        rows += [int(b) for i, b in enumerate(part.bigrams) if b >= 0 and i not in (at - 1, at)]
        hidden, step = source[rows].mean(0), np.zeros(DIM)
        word = int(part.ids[at])
        for row in [word, *(int(n) for n in part.negatives[at] if n != word)]:
            score = target[row] @ hidden
            if not divided and abs(score) >= 6:  # as word2vec
                continue
            move = 0.1 * ((row == word) - 1 / (1 + np.exp(-score)))
            step += move * target[row]
            target[row] += move * hidden
        np.add.at(source, rows, step / len(rows) if divided else step)
    take_steps(start, part, LearningRates(0.1, 0.1, divided))
    np.testing.assert_allclose(start.source, source, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(start.target, target, rtol=1e-4, atol=1e-5)


def test_sentences_without_a_context_teach_nothing():
    start, part = tables(), sentence([3], [0])
    before = start.source.copy()
    assert take_steps(start, part, LearningRates(0.1, 0.1, True)) == (0.0, 0)
    np.testing.assert_array_equal(start.source, before)
    np.testing.assert_array_equal(average_contexts(start.source, part), np.zeros((1, DIM)))


def digest() -> str:
    """What some steps come to, bit for bit."""
    draws = np.random.default_rng(0)
    source, target = (draws.random((many, 20), np.float32) - 0.5 for many in (300, 200))
    ids, bigrams = draws.integers(0, 200, 800, np.int32), draws.integers(200, 300, 800, np.int32)
    negatives = draws.integers(0, 200, (800, 10), np.int32)
    part = TrainingPart(ids, np.arange(0, 801, 8), bigrams, np.ones(800, bool), negatives)
    take_steps(VectorTables(source, target), part, LearningRates(0.2, 0.1, True))
    return hashlib.md5(source.tobytes() + target.tobytes()).hexdigest()


def test_steps_from_the_cache_are_those_that_were_just_compiled():
    """Or a training that goes on in another process would not end with the same bits. They were
    compiled here if the cache was empty, as in a new checkout and after each edit.
    """
    here = digest()
    code = "import test_steps as t; print(t.digest(), t.take_steps.stats.cache_hits.total())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.split() == [here, "1"]


def test_the_rate_falls_over_the_words():
    one, two = sentence([3, 8], [0, 1], 0), sentence([20, 11], [0, 1], 0)
    both = TrainingPart(
        np.concatenate([one.ids, two.ids]),
        np.array([0, 2, 4]),
        np.concatenate([one.bigrams, two.bigrams]),
        np.ones(4, bool),
        np.concatenate([one.negatives, two.negatives]),
    )
    together, apart = tables(), tables()
    take_steps(together, both, LearningRates(0.2, 0.1, True))
    take_steps(apart, one, LearningRates(0.2, 0.2, True))
    take_steps(apart, two, LearningRates(0.15, 0.15, True))
    np.testing.assert_allclose(together.source, apart.source, rtol=1e-6)
