"""The structural probe of Hewitt & Manning (2019), its loss, its metrics (section 3, appendix A) and
its training, a sentence and a pair at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

Heads = Sequence[int]  # of each word, counted from 1; 0 for the root
Matrix = Sequence[Sequence[float]]


def depth(heads: Heads, word: int) -> int:
    """Steps up to the root; words are counted from 1."""
    steps = 0
    while heads[word - 1]:
        word, steps = heads[word - 1], steps + 1
    return steps


def distance(heads: Heads, word: int, other: int) -> int:
    """Edges of the path between two words: whichever is deeper goes up until they meet."""
    steps = 0
    while word != other:
        if depth(heads, word) >= depth(heads, other):
            word = heads[word - 1]
        else:
            other = heads[other - 1]
        steps += 1
    return steps


def tree(matrix: Matrix, punctuation: Sequence[bool]) -> set[frozenset[int]]:
    """The minimum spanning tree of the words that are no punctuation: the shortest pair first, of
    equal ones the first in the rows of the matrix, if its ends are not joined yet.
    """
    words = [i for i in range(len(matrix)) if not punctuation[i]]
    pairs = sorted(((i, j) for i in words for j in words), key=lambda p: matrix[p[0]][p[1]])
    groups = {word: {word} for word in words}
    edges = set()
    for i, j in pairs:
        if j not in groups[i]:
            edges.add(frozenset([i, j]))
            joined = groups[i] | groups[j]
            groups |= dict.fromkeys(joined, joined)
    return edges


def uuas(gold: Sequence[Matrix], said: Sequence[Matrix], marks: Sequence[Sequence[bool]]) -> float:
    """Edges of all gold trees that are in the predicted tree of their sentence, over gold edges."""
    right = every = 0
    for true, predicted, punctuation in zip(gold, said, marks, strict=True):
        edges = tree(true, punctuation)
        right += len(edges & tree(predicted, punctuation))
        every += len(edges)
    return right / every


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), 1):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Pearson's correlation of ranks."""
    a, b = ranks(x), ranks(y)
    mean = (len(x) + 1) / 2
    products = sum((p - mean) * (q - mean) for p, q in zip(a, b, strict=True))
    squares = [sum((p - mean) ** 2 for p in each) for each in (a, b)]
    return products / (squares[0] * squares[1]) ** 0.5 if squares[0] * squares[1] else 0.0


def mean_by_length(correlations: Sequence[tuple[int, float]]) -> float:
    """The mean of the means of each length from 5 to 50 that there is."""
    means = []
    for length in range(5, 51):
        mine = [r for n, r in correlations if n == length]
        if mine:
            means.append(sum(mine) / len(mine))
    return sum(means) / len(means)


def dspr(gold: Sequence[Matrix], said: Sequence[Matrix]) -> float:
    """Of each word's row in gold and predicted matrices."""
    rows = [
        (len(true), spearman(*pair))
        for true, predicted in zip(gold, said, strict=True)
        for pair in zip(true, predicted, strict=True)
    ]
    return mean_by_length(rows)


def nspr(gold: Matrix, said: Matrix) -> float:
    """Of the depths of each sentence."""
    return mean_by_length([(len(x), spearman(x, y)) for x, y in zip(gold, said, strict=True)])


def root_accuracy(gold: Matrix, said: Matrix, marks: Sequence[Sequence[bool]]) -> float:
    """How often the root has the least predicted depth of what is no punctuation; of all words,
    where all are.
    """
    right = 0
    for true, predicted, punctuation in zip(gold, said, marks, strict=True):
        words = [i for i in range(len(true)) if not punctuation[i]] or list(range(len(true)))
        right += true[min(words, key=lambda i: predicted[i])] == 0
    return right / len(gold)


def loss(weights: Tensor, vectors: Tensor, wanted: Tensor) -> Tensor:
    """Of one sentence: vectors [words, dim], distances [words, words] or depths [words]."""
    mapped = vectors @ weights
    if wanted.ndim == 1:
        return (mapped.pow(2).sum(1) - wanted).abs().sum() / len(wanted)
    said = (mapped[:, None] - mapped[None]).pow(2).sum(2)
    return (said - wanted).abs().sum() / len(wanted) ** 2


def train(
    weights: Tensor,
    orders: Sequence[Sequence[int]],
    sentences: Sequence[tuple[Tensor, Tensor]],
    dev: Sequence[tuple[Tensor, Tensor]],
    batch: int,
) -> tuple[Tensor, list[float]]:
    """Adam with torch's own schedule, as the published program sets it: the best weights on dev,
    and the loss there after each epoch.

    orders  of the sentences, one an epoch, at most so many
    """
    weights = weights.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([weights], lr=0.001)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, mode="min", factor=0.1, patience=0
    )
    best, lowest, at, losses = weights.detach().clone(), float("inf"), -1, []
    for epoch, order in enumerate(orders):
        for start in range(0, len(order), batch):
            mine = [sentences[i] for i in order[start : start + batch]]
            optimizer.zero_grad()
            (sum(loss(weights, *one) for one in mine) / len(mine)).backward()
            optimizer.step()
        with torch.no_grad():
            total = float(sum(loss(weights, *one) for one in dev))
        schedule.step(total)
        losses.append(total / len(dev))
        if losses[-1] < lowest - 0.0001:
            best, lowest, at = weights.detach().clone(), losses[-1], epoch
        elif at < epoch - 4:
            break
    return best, losses
