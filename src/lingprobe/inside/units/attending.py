"""The training of the attention probe: Adam on the query and the linear layer. Imports torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.vectors import Floats, Ints
from lingprobe.inside.units.tokens import TokenUnits
from lingprobe.probes.losses import CURVED_LOSSES

_PATIENCE = 5  # epochs without a lower loss on dev, after which training ends


class AttentionState(NamedTuple):
    """What was learnt at the lowest loss on dev: queries [sites, dim], weights [outputs, sites x
    dim], bias [outputs].
    """

    query: Floats
    weights: Floats
    bias: Floats
    choice: Mapping[str, Any]


class TokenBatches:
    """Examples as tokens and targets, read some at a time."""

    def __init__(
        self, tokens: TokenUnits, wanted: NDArray[Any], loss: str, pool: str, device: str
    ) -> None:
        self.tokens, self.pool, self.device = tokens, pool, device
        self.loss = CURVED_LOSSES[loss]
        self.wanted = self.loss.targets(wanted)

    def __len__(self) -> int:
        return len(self.wanted)

    def scores(self, rows: Ints, parameters: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Scores [1, 1, outputs, rows] of some examples, and their targets."""
        query, weights, bias = parameters
        padded, lengths = (torch.from_numpy(a).to(self.device) for a in self.tokens.take(rows))
        pooled = self._pool(padded, lengths, query)
        side = pooled.view(len(query), len(rows), -1).movedim(0, 1).flatten(1)
        scores = (side @ weights.T + bias).T[None, None]
        wanted = self.wanted[torch.from_numpy(rows)].to(self.device)
        return scores, wanted.movedim(0, -1)[None]

    def _pool(self, padded: Tensor, lengths: Tensor, query: Tensor) -> Tensor:
        """The vector of each example at each site, [sites x rows, dim]."""
        some = torch.arange(padded.shape[1], device=padded.device) < lengths[:, None]
        if self.pool == "max":
            least = padded.masked_fill(~some[..., None], -torch.inf).amax(1)
            return least.masked_fill((lengths == 0)[:, None], 0)
        if self.pool == "last":
            return padded[torch.arange(len(padded)), (lengths - 1).clamp_min(0)]
        if self.pool == "mean":
            query = torch.zeros_like(query)
        each = query.repeat_interleave(len(padded) // len(query), 0)
        logits = (padded * each[:, None]).sum(2).masked_fill(~some, -1e30)
        weights = torch.softmax(logits, 1) * some
        return (weights[..., None] * padded).sum(1)


def train_attention(
    train: TokenBatches,
    dev: TokenBatches,
    outputs: int,
    schedule: tuple[int, int, float],
    seed: int,
) -> AttentionState:
    """The state of the lowest loss on dev, under (epochs, batch, rate)."""
    epochs, size, rate = schedule
    sites, dim = len(train.tokens.starts), train.tokens.scaling.shift.shape[0]
    shapes = ((sites, dim), (outputs, sites * dim), (outputs,))
    parameters = [torch.zeros(shape, device=train.device) for shape in shapes]
    for each in parameters:
        each.requires_grad_(True)
    adam = torch.optim.Adam(parameters, rate)
    order = np.random.default_rng([seed, 44])
    best: tuple[float, float, int] = np.inf, -np.inf, 0
    kept = [each.detach().clone() for each in parameters]
    for epoch in range(1, epochs + 1):
        mixed = order.permutation(len(train))
        for start in range(0, len(mixed), size):
            _step_gradient(train, mixed[start : start + size], parameters, adam)
        loss, quality = _judge_batches(dev, parameters)
        if loss < best[0]:
            best, kept = (loss, quality, epoch), [each.detach().clone() for each in parameters]
        if epoch - best[2] >= _PATIENCE:
            break
    choice = {"dev": best[1], "dev_loss": best[0], "epoch": best[2]}
    query, weights, bias = (each.cpu().numpy() for each in kept)
    return AttentionState(query, weights, bias, choice)


def _step_gradient(
    part: TokenBatches, rows: Ints, parameters: list[Tensor], adam: torch.optim.Optimizer
) -> None:
    """One step along the gradient of the mean loss of some examples."""
    scores, wanted = part.scores(rows, parameters)
    slope = part.loss.gradient(scores.detach().clone(), wanted)
    adam.zero_grad()
    scores.backward(slope / len(rows))  # type: ignore[no-untyped-call]
    adam.step()


def _judge_batches(part: TokenBatches, parameters: list[Tensor]) -> tuple[float, float]:
    """The mean loss and quality of all examples."""
    sums = np.zeros(2)
    with torch.no_grad():
        for start in range(0, len(part), 256):
            rows = np.arange(start, min(start + 256, len(part)))
            quality, loss = part.loss.judge(*part.scores(rows, parameters))
            sums += float(loss.sum()), float(quality.sum())
    return float(sums[0] / len(part)), float(sums[1] / len(part))
