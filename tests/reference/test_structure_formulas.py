"""The structural probe, its metrics and its training beside the paper's definitions.

The published program (https://github.com/john-hewitt/structural-probes, commit ad37b024) was run
beside ours: on 300 drawn trees each with noise, with ties and nearly gold, its UUAS, both its
correlations and its root accuracy are ours to the last digit but one; and from the same weights, in
the same order of batches, its training and `reference.structure.train` end in the same epoch with
weights that differ by less than 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from lingprobe.data.labels import NumberList, NumberLists
from lingprobe.inside.structure.fits import _SPREAD, train_fits
from lingprobe.inside.structure.trees import (
    compute_tree_distances,
    compute_word_depths,
    list_word_pairs,
)
from lingprobe.inside.structure.words import AdamSchedule, SentenceWords
from lingprobe.metrics import METRICS
from reference import structure

MANY = 200  # sentences, from 2 to 57 words
SETTINGS = {"random": 0.0, "ties": 0.6, "good": 0.95}
"""How much of a prediction is gold; of `ties`, all numbers are whole."""


def draw_heads(draws: np.random.Generator, words: int) -> list[int]:
    """A tree: words are joined in random order to one that is in it."""
    order = draws.permutation(words) + 1
    heads = [0] * words
    for k in range(1, words):
        heads[order[k] - 1] = int(order[draws.integers(k)])
    return heads


def indices(heads: list[int]) -> list[int | None]:
    return [head - 1 if head else None for head in heads]


def square(values: np.ndarray, words: int) -> list[list[float]]:
    matrix = np.zeros((words, words), np.float32)
    first, second = list_word_pairs(words)
    matrix[first, second] = matrix[second, first] = values
    return matrix.tolist()


def column(name: str, rows: list, marks: list) -> NumberLists:
    return NumberLists.of([NumberList(name, *pair) for pair in zip(rows, marks, strict=True)])


def drawn(kind: str, share: float, whole: bool) -> tuple[list, list, list, list]:
    """Gold lists, predicted lists, flags of punctuation, and numbers of words."""
    draws = np.random.default_rng(7)
    gold, said, marks, sizes = [], [], [], []
    for _ in range(MANY):
        words = int(draws.integers(2, 58))
        heads = indices(draw_heads(draws, words))
        true = compute_tree_distances(heads) if kind == "distance" else compute_word_depths(heads)
        own = share * true + (1 - share) * draws.uniform(0, 8, len(true))
        gold.append(true)
        said.append((own.round() if whole else own).astype(np.float32))
        marks.append((draws.random(words) < 0.2).tolist())
        sizes.append(words)
    return gold, said, marks, sizes


@pytest.mark.parametrize("setting", SETTINGS)
def test_metrics_of_distances(setting):
    gold, said, marks, sizes = drawn("distance", SETTINGS[setting], setting == "ties")
    counts = []
    for words, mark in zip(sizes, marks, strict=True):
        first, second = list_word_pairs(words)
        counts.append([not (mark[i] or mark[j]) for i, j in zip(first, second, strict=True)])
    columns = column("distance", gold, counts), column("distance", said, counts)
    squares = [[square(v, n) for v, n in zip(rows, sizes, strict=True)] for rows in (gold, said)]
    assert METRICS.make("uuas")(*columns) == pytest.approx(structure.uuas(*squares, marks))
    assert METRICS.make("dspr")(*columns) == pytest.approx(structure.dspr(*squares), abs=1e-9)


@pytest.mark.parametrize("setting", SETTINGS)
def test_metrics_of_depths(setting):
    gold, said, marks, _ = drawn("depth", SETTINGS[setting], setting == "ties")
    marks[0] = [True] * len(gold[0])
    counts = [[not mark for mark in row] for row in marks]
    columns = column("depth", gold, counts), column("depth", said, counts)
    lists = [[row.tolist() for row in rows] for rows in (gold, said)]
    wanted = structure.root_accuracy(*lists, marks)
    assert METRICS.make("root-accuracy")(*columns) == pytest.approx(wanted)
    assert METRICS.make("nspr")(*columns) == pytest.approx(structure.nspr(*lists), abs=1e-9)


def test_distances_and_depths_of_trees():
    draws = np.random.default_rng(3)
    for words in [1, 2, *draws.integers(3, 40, 20).tolist()]:
        heads = draw_heads(draws, words)
        first, second = list_word_pairs(words)
        wanted = [
            structure.distance(heads, i + 1, j + 1) for i, j in zip(first, second, strict=True)
        ]
        assert compute_tree_distances(indices(heads)).tolist() == wanted
        assert compute_word_depths(indices(heads)).tolist() == [
            structure.depth(heads, w + 1) for w in range(words)
        ]


def planted(name: str, many: int, draws: np.random.Generator) -> tuple[np.ndarray, SentenceWords]:
    """Vectors of words that hold some of their trees, one unit a word."""
    units, sizes, labels = [], [], []
    for _ in range(many):
        words = int(draws.integers(2, 9))
        heads = indices(draw_heads(draws, words))
        values = compute_tree_distances(heads) if name == "distance" else compute_word_depths(heads)
        labels.append(NumberList(name, values))
        sizes.append(words)
        own = compute_word_depths(heads)[:, None] * [1.0, 0.5, 0, 0, 0]
        units.append(own + draws.normal(size=(words, 5)))
    starts = np.arange(sum(sizes))
    bounds = np.cumsum([0, *sizes])
    vectors = np.concatenate(units).astype(np.float32)
    return vectors, SentenceWords(starts, starts + 1, bounds, NumberLists.of(labels))


def as_pairs(vectors: np.ndarray, part: SentenceWords) -> list[tuple[torch.Tensor, torch.Tensor]]:
    pairs = []
    for i in range(len(part.bounds) - 1):
        mine = vectors[part.bounds[i] : part.bounds[i + 1]]
        row = part.labels.row(i)
        wanted = row if part.labels.names == ("depth",) else square(row, len(mine))
        pairs.append((torch.from_numpy(mine), torch.tensor(np.array(wanted, np.float32))))
    return pairs


@pytest.mark.parametrize("name", ["distance", "depth"])
def test_training_is_the_programs(name):
    draws = np.random.default_rng(5)
    (train, first), (dev, second) = planted(name, 40, draws), planted(name, 20, draws)
    units = np.concatenate([train, dev])
    moved = SentenceWords(
        second.starts + len(train), second.stops + len(train), second.bounds, second.labels
    )
    schedule = AdamSchedule(batch=7, epochs=40)
    (fit,) = train_fits({"x": [units]}, [("x", 2)], (first, moved), (3, schedule, "cpu"))
    start = torch.empty(5, 2).uniform_(
        -_SPREAD, _SPREAD, generator=torch.Generator().manual_seed(3)
    )
    order = np.random.default_rng([3, 11])
    orders = [order.permutation(40).tolist() for _ in range(40)]
    best, losses = structure.train(start, orders, as_pairs(train, first), as_pairs(dev, second), 7)
    assert fit.choice["epochs"] == len(losses)
    assert fit.choice["dev_loss"] == pytest.approx(min(losses), rel=1e-4, abs=1e-4)
    assert np.abs(fit.weights - best.numpy()).max() < 2e-3
