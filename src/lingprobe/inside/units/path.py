"""Units in the order in which an L1 penalty lets them in. Imports torch.

The loss of a linear model plus a penalty on the norm of each unit's weights (the group lasso, Yuan
& Lin 2006: of one output it is the lasso, and of several a unit comes in for all of them), from the
penalty that keeps all units out downwards. Each minimum is found by accelerated proximal steps
(FISTA, Beck & Teboulle 2009).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from lingprobe.data.labels import Column
from lingprobe.data.vectors import Floats, Ints
from lingprobe.probes.features import make_targets
from lingprobe.probes.losses import CURVED_LOSSES, CurvedLoss

_FALL, _STEPS = 0.85, 60  # of the penalty from one minimum to the next, and how many there are
_TURNS = 60  # proximal steps to each minimum
_CURVATURE = {"softmax": 0.5, "sigmoid": 0.25, "squared": 1.0}
"""The most that the second derivative of a loss in the scores can be."""


def path_order(x: Floats, labels: Column, max_units: int) -> Ints:
    """`by=l1`: the order in which an L1 penalty lets units in, the `max_units` first ones; those
    that never do stand behind, in the order of their gradients.
    """
    z, wanted = _standardise(x), make_targets(labels, labels).train
    loss = CURVED_LOSSES[labels.loss]
    problem = PenalisedLoss(z, loss.targets(wanted), loss, _CURVATURE[labels.loss])
    weights = torch.zeros(z.shape[1], len(labels.names))
    bias = torch.zeros(len(labels.names))
    weights, bias = problem.descend(weights, bias, float("inf"))  # of the bias alone
    norms = problem.slopes(weights, bias)[0].norm(dim=1)
    penalty, order = float(norms.max()), np.zeros(0, np.int64)
    for _ in range(_STEPS):
        if len(order) >= max_units or penalty <= 0:
            break
        penalty *= _FALL
        weights, bias = problem.descend(weights, bias, penalty)
        norms = weights.norm(dim=1)
        order = _with_new(order, norms, int((norms > 0).sum()))
    rest = problem.slopes(weights, bias)[0].norm(dim=1)
    return _with_new(order, rest, z.shape[1])[:max_units]


def _with_new(order: Ints, norms: Tensor, many: int) -> Ints:
    """An order with the units of the largest norms behind that are not in it yet."""
    largest = np.argsort(-norms.numpy(), kind="stable")[:many].astype(np.int64)
    return np.concatenate([order, largest[~np.isin(largest, order)]])


def _standardise(x: Floats) -> Tensor:
    """Units of mean 0 and deviation 1; what does not vary is 0."""
    mean, deviation = x.mean(0, dtype=np.float64), x.std(0, dtype=np.float64)
    varies = deviation > 1e-6 * np.abs(mean) + 1e-30
    factor = np.where(varies, 1 / np.where(varies, deviation, 1), 0)
    return torch.from_numpy(((x - mean) * factor).astype(np.float32))


class PenalisedLoss:
    """The loss of a linear model over examples, and the descent to its minimum under a penalty."""

    def __init__(self, z: Tensor, wanted: Tensor, loss: CurvedLoss, curvature: float) -> None:
        self.z, self.wanted, self.loss = z, wanted.movedim(0, -1)[None], loss
        ones, widest = torch.ones(z.shape[1]) / z.shape[1] ** 0.5, 1.0
        for _ in range(30):
            ones = z.T @ (z @ ones)
            widest = max(float(ones.norm()), 1e-12)
            ones /= widest
        self.step = 1 / (curvature * max(1.1 * widest / len(z), 1.0))

    def slopes(self, weights: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients of the mean loss in weights [units, outputs] and bias [outputs]."""
        scores = (self.z @ weights + bias).T[None, None]
        slope = self.loss.both(scores, self.wanted)[1][0, 0].T
        return self.z.T @ slope / len(self.z), slope.mean(0)

    def descend(self, weights: Tensor, bias: Tensor, penalty: float) -> tuple[Tensor, Tensor]:
        """The minimum for a penalty, from a start; the bias has none."""
        ahead, ahead_bias, pace = weights, bias, 1.0
        for _ in range(_TURNS):
            inner, outer = self.slopes(ahead, ahead_bias)
            moved = _shrink(ahead - self.step * inner, self.step * penalty)
            moved_bias = ahead_bias - self.step * outer
            faster = (1 + (1 + 4 * pace**2) ** 0.5) / 2
            share = (pace - 1) / faster
            ahead = moved + share * (moved - weights)
            ahead_bias = moved_bias + share * (moved_bias - bias)
            weights, bias, pace = moved, moved_bias, faster
        return weights, bias


def _shrink(weights: Tensor, by: float) -> Tensor:
    """Each unit's weights made shorter, to 0 where they are not as long."""
    if by == float("inf"):
        return torch.zeros_like(weights)
    norms = weights.norm(dim=1, keepdim=True)
    kept: Tensor = (1 - by / norms.clamp_min(1e-30)).clamp_min(0)
    return weights * kept
