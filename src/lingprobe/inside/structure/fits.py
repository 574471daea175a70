"""Structural probes in training: several maps of one shape side by side, on the same batches.

Gradients are written out. With d_ij = |p_i - p_j|^2 for mapped words p, and s_ij the slope of the
loss in it, which is symmetric, that of p_i is 4 (sum_j s_ij p_i - sum_j s_ij p_j).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from lingprobe.data.vectors import (
    Floats,
    Ints,
    expand_ranges,
)
from lingprobe.inside.structure.trees import list_word_pairs
from lingprobe.inside.structure.words import AdamSchedule, SentenceWords, units_of_words
from lingprobe.nets.adam import AdamMoments, take_step

_SPREAD = 0.05  # initial weights lie between this and its negative


class FittedMap(NamedTuple):
    """A map [dim, rank] as it was at its lowest loss on dev, and what the result keeps of it."""

    weights: Floats
    choice: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PaddedSentences:
    """Some sentences, padded to the longest.

    words    of every sentence, [words, dim], by what is read
    places   where in [sentences x longest] each word lies
    wanted   distances [sentences, longest, longest] or depths [sentences, longest]
    weights  what a number counts in the loss summed over sentences, 0 where there is padding
    """

    words: Mapping[str, Tensor]
    places: Tensor
    wanted: Tensor
    weights: Tensor


def train_fits(
    inputs: Mapping[str, Sequence[Floats]],
    maps: Sequence[tuple[str, int | None]],
    splits: tuple[SentenceWords, SentenceWords],
    setup: tuple[int, AdamSchedule, str],
) -> list[FittedMap]:
    """Each map, at its best on dev.

    inputs  by name the layers that are read side by side, [units, dim] each
    maps    what each reads, and its rank; None for the width of the input
    setup   the seed, the schedule, the device
    """
    seed, schedule, device = setup
    widths = {name: sum(layer.shape[1] for layer in layers) for name, layers in inputs.items()}
    lanes = [(name, MapTraining(widths[name], rank or widths[name], *setup)) for name, rank in maps]
    order, (train, dev) = np.random.default_rng([seed, 11]), splits
    for epoch in range(schedule.epochs):
        going = [(name, lane) for name, lane in lanes if not lane.over]
        if not going:
            break
        mine = {name: inputs[name] for name, _ in going}
        rows = order.permutation(len(train.bounds) - 1)
        for batch in pad_batches(mine, train, rows, schedule.batch, device):
            for name, lane in going:
                lane.step(batch, batch.words[name])
        losses = np.zeros(len(going))
        for batch in pad_batches(mine, dev, np.arange(len(dev.bounds) - 1), schedule.batch, device):
            losses += [lane.loss(batch, batch.words[name]) for name, lane in going]
        for (_, lane), loss in zip(going, losses.tolist(), strict=True):
            lane.look(loss / (len(dev.bounds) - 1), epoch)
    return [lane.fit() for _, lane in lanes]


def pad_batches(
    inputs: Mapping[str, Sequence[Floats]],
    sentences: SentenceWords,
    rows: Ints,
    size: int,
    device: str,
) -> Iterator[PaddedSentences]:
    """Sentences in this order, so many at a time."""
    for start in range(0, len(rows), size):
        mine = rows[start : start + size]
        first, stop = sentences.bounds[mine], sentences.bounds[mine + 1]
        words, _ = expand_ranges(first, stop)
        lengths = stop - first
        longest = int(lengths.max())
        number = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        places = np.repeat(np.arange(len(mine)) * longest, lengths) + number
        wanted, weights = _pad_targets(sentences, mine, lengths)
        units = sentences.starts[words], sentences.stops[words]
        read = {
            name: torch.from_numpy(units_of_words(layers, *units)).to(device)
            for name, layers in inputs.items()
        }
        yield PaddedSentences(
            read, *(torch.from_numpy(x).to(device) for x in (places, wanted, weights))
        )


def _pad_targets(part: SentenceWords, rows: Ints, lengths: Ints) -> tuple[Floats, Floats]:
    """What a batch is to predict, padded, and the weight of each number: 1 over those of its
    sentence, over all pairs of words in both orders, or over words.
    """
    longest, many = int(lengths.max()), part.labels.names == ("depth",)
    shape = (len(rows), longest) if many else (len(rows), longest, longest)
    wanted, weights = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for i, (row, n) in enumerate(zip(rows.tolist(), lengths.tolist(), strict=True)):
        values = part.labels.row(row)
        if many:
            wanted[i, :n], weights[i, :n] = values, 1 / n
        else:
            first, second = list_word_pairs(n)
            wanted[i, first, second] = wanted[i, second, first] = values
            weights[i, :n, :n] = 1 / n**2
    return wanted, weights


class MapTraining:
    """One map in training, from weights [dim, rank] between -0.05 and 0.05: its optimiser, its rate
    and its best state.
    """

    def __init__(self, dim: int, rank: int, seed: int, schedule: AdamSchedule, device: str) -> None:
        draw = torch.Generator().manual_seed(seed)
        weights = torch.empty(dim, rank).uniform_(-_SPREAD, _SPREAD, generator=draw)
        self.weights = weights.to(device)
        self.schedule, self.rate = schedule, schedule.rate
        self.first, self.second = torch.zeros_like(self.weights), torch.zeros_like(self.weights)
        self.steps = torch.zeros((), device=device)
        self.lowest = self.clearly = np.inf
        self.best, self.epoch, self.seen = self.weights.clone(), -1, 0
        self.over = False

    def step(self, batch: PaddedSentences, words: Tensor) -> None:
        """One step of Adam along the gradient of the mean loss of a batch's sentences."""
        mapped, said = self._predict(batch, words)
        slope = (said - batch.wanted).sign_().mul_(batch.weights).div_(len(batch.wanted))
        if slope.ndim == 3:
            toward = slope.sum(2, keepdim=True) * mapped - torch.bmm(slope, mapped)
            pull = toward.mul_(4)
        else:
            pull = mapped * slope.mul_(2)[:, :, None]
        gradient = words.T @ pull.flatten(0, 1)[batch.places]
        kept = AdamMoments([self.first], [self.second], [self.steps])
        take_step([self.weights], [gradient], kept, self.rate)

    def loss(self, batch: PaddedSentences, words: Tensor) -> float:
        """The loss summed over a batch's sentences."""
        _, said = self._predict(batch, words)
        return float(((said - batch.wanted).abs_() * batch.weights).sum(dtype=torch.float64))

    def _predict(self, batch: PaddedSentences, words: Tensor) -> tuple[Tensor, Tensor]:
        """Mapped words [sentences, longest, rank], and predicted distances or depths."""
        shape = batch.wanted.shape[:2]
        mapped = words.new_zeros(shape.numel(), self.weights.shape[1])
        mapped[batch.places] = words @ self.weights
        mapped = mapped.view(*shape, -1)
        squares = (mapped * mapped).sum(2)
        if batch.wanted.ndim == 2:
            return mapped, squares
        products = torch.bmm(mapped, mapped.transpose(1, 2))
        return mapped, (squares[:, :, None] + squares[:, None]).sub_(products, alpha=2)

    def look(self, loss: float, epoch: int) -> None:
        """What an epoch's loss on dev changes: the rate, the best state, or whether to go on."""
        plan, self.seen = self.schedule, epoch + 1
        if loss < self.lowest * (1 - plan.margin):
            self.lowest = loss
        else:
            self.rate *= plan.fall
        if loss < self.clearly - plan.clear:
            self.clearly, self.epoch = loss, epoch
            self.best.copy_(self.weights)
        else:
            self.over = self.epoch < epoch - plan.patience

    def fit(self) -> FittedMap:
        """The best state, with its loss on dev and its epoch, from 1, of all that there were."""
        choice = {"dev_loss": self.clearly, "epoch": self.epoch + 1, "epochs": self.seen}
        return FittedMap(self.best.cpu().numpy(), choice)
