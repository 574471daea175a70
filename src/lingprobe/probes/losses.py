"""What scores are judged by, under the names that label columns use: softmax, sigmoid, squared.

Scores are [groups, members, outputs, batch]; targets are [groups, batch] or [groups, outputs,
batch]. Gradients are written by hand: they are one line each, and no graph is kept of products that
are the whole cost.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class LossFunction(Protocol):
    """One way to judge scores against targets; `statistics` is how many `judge` gives."""

    statistics: int

    def targets(self, matrix: NDArray[Any]) -> Tensor:
        """A label column's matrix as a tensor whose first axis is the examples."""
        ...

    def gradient(self, scores: Tensor, wanted: Tensor) -> Tensor:
        """What the loss summed over a batch has as gradient in the scores; may write over them."""
        ...

    def judge(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, ...]:
        """Statistics that say how well each member does, summed over the batch, [groups, members]
        float64 each.
        """
        ...

    def verdict(self, sums: Tensor, counts: Tensor) -> Tensor:
        """How well each member does, more is better, and its loss an example, [members, 2], from
        statistics summed over all examples [statistics, members] and how many these are [members].
        """
        ...


class CurvedLoss(LossFunction, Protocol):
    """A loss that a second-order method can minimise, too."""

    def both(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of each member summed over the batch, [groups, members] float64, and its
        gradient in the scores.
        """
        ...

    def judge(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        """How well each member does, more is better, and its loss; both summed over the batch,
        [groups, members] float64.
        """
        ...


def average_judgements(sums: Tensor, counts: Tensor) -> Tensor:
    """The verdict of what is judged example by example."""
    return (sums / counts).mT


class SoftmaxLoss:
    """Cross-entropy over classes; members are chosen by accuracy."""

    statistics = 2
    verdict = staticmethod(average_judgements)

    def targets(self, matrix: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(matrix, np.int64))

    def gradient(self, scores: Tensor, wanted: Tensor) -> Tensor:
        shares = torch.softmax(scores, 2)
        index = wanted[:, None, None].expand(*scores.shape[:2], 1, -1)
        return shares.scatter_add_(2, index, shares.new_full((1,), -1.0).expand(index.shape))

    def both(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        logs = torch.log_softmax(scores, 2)
        index = wanted[:, None, None].expand(*scores.shape[:2], 1, -1)
        total = -logs.gather(2, index).sum((2, 3), dtype=torch.float64)
        return total, logs.exp_().scatter_add_(
            2, index, scores.new_full((1,), -1.0).expand(index.shape)
        )

    def judge(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        right = (scores.argmax(2) == wanted[:, None]).sum(-1, dtype=torch.float64)
        index = wanted[:, None, None].expand(*scores.shape[:2], 1, -1)
        return right, -torch.log_softmax(scores, 2).gather(2, index).sum(
            (2, 3), dtype=torch.float64
        )


class SigmoidLoss:
    """Cross-entropy of each label for itself, summed over those annotated (NaN is not); members are
    chosen by it.
    """

    statistics = 2
    verdict = staticmethod(average_judgements)

    def targets(self, matrix: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(matrix, np.float32))

    def gradient(self, scores: Tensor, wanted: Tensor) -> Tensor:
        return (torch.sigmoid(scores) - wanted[:, None]).nan_to_num_(0.0)

    def both(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        return self.judge(scores, wanted)[1], self.gradient(scores, wanted)

    def judge(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        known = wanted[:, None]
        losses = torch.nn.functional.softplus(scores) - scores * known.nan_to_num()
        total = torch.where(known.isnan(), 0.0, losses).sum((2, 3), dtype=torch.float64)
        return -total, total


class SquaredLoss:
    """Half the squared error; members are chosen by it."""

    statistics = 2
    verdict = staticmethod(average_judgements)

    def targets(self, matrix: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(matrix, np.float32))

    def gradient(self, scores: Tensor, wanted: Tensor) -> Tensor:
        return scores - wanted[:, None]

    def both(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        return self.judge(scores, wanted)[1], self.gradient(scores, wanted)

    def judge(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        total = (scores - wanted[:, None]).square_().sum((2, 3), dtype=torch.float64) / 2
        return -total, total


CURVED_LOSSES: dict[str, CurvedLoss] = {
    "softmax": SoftmaxLoss(),
    "sigmoid": SigmoidLoss(),
    "squared": SquaredLoss(),
}
