"""The edge probe of Tenney et al. 2019 (appendix C), an example at a time, with the dropout and the
normalisation of jiant 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

Mask = Callable[[tuple[int, ...], float], Tensor]
"""Shape and share that is dropped -> ones, and zeros at what is dropped."""


def dropped(x: Tensor, share: float, mask: Mask) -> Tensor:
    """Inverted dropout (Srivastava et al. 2014): what is left is divided by the share of it, so
    that sums stay what they are on average.
    """
    return x * mask(tuple(x.shape), share) / (1 - share)


def mix(layers: Sequence[Tensor], weights: Tensor, gamma: Tensor) -> Tensor:
    """Units [units, dim] of layers [layers][units, dim] (equation 4; the s are the softmax of the
    weights, as in Peters et al. 2018, equation 1).
    """
    return gamma * sum(s * h for s, h in zip(torch.softmax(weights, 0), layers, strict=True))


def logits(
    weights: dict[str, Tensor],
    units: Tensor,
    spans: list[list[list[int]]],
    mask: Mask | None = None,
    shares: tuple[float, float] = (0.0, 0.0),
) -> Tensor:
    """Scores [examples, labels] of examples with spans [examples][sides][units]: project (equation
    1), attend within the span (2), join, tanh, normalise, classify (3).

    shares  of the numbers that are read, and of the hidden layer, which are dropped
    """
    units = units if mask is None else dropped(units, shares[0], mask)
    hidden = []
    for sides in spans:
        parts = []
        for k, span in enumerate(sides):
            projected = units[span] @ weights[f"project.{k}"].T + weights[f"project-bias.{k}"]
            attention = torch.softmax(projected @ weights[f"attend.{k}"], 0)
            parts.append(attention @ projected)
        hidden.append(torch.tanh(weights["first"] @ torch.cat(parts) + weights["first-bias"]))
    rows = torch.stack(hidden)
    rows = layer_norm(rows, rows.shape[-1:], weights["norm"], weights["norm-bias"])
    rows = rows if mask is None else dropped(rows, shares[1], mask)
    return rows @ weights["last"].T + weights["last-bias"]


def loss(scores: Tensor, wanted: Tensor) -> Tensor:
    """The mean binary cross-entropy of each label for itself (section 3.1)."""
    chances = torch.sigmoid(scores)
    return -(wanted * chances.log() + (1 - wanted) * (1 - chances).log()).mean()
