"""What shares of classes are judged by, in a form that a joint training takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class ExpectationLoss:
    """Squared error of a softmax, averaged over its classes (SentEval's `MSELoss`); members are
    chosen by Pearson's r of the expected class with the score.

    Targets have a column more than there are classes: the score itself.
    """

    statistics = 6

    def targets(self, matrix: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(matrix, np.float32))

    def gradient(self, scores: Tensor, wanted: Tensor) -> Tensor:
        shares = torch.softmax(scores, 2)
        slope = (shares - wanted[:, None, :-1]).mul_(2 / scores.shape[2])
        return slope.sub_((shares * slope).sum(2, keepdim=True)).mul_(shares)

    def judge(self, scores: Tensor, wanted: Tensor) -> tuple[Tensor, ...]:
        """The loss, and the sums and products of expected classes and scores."""
        shares = torch.softmax(scores.double(), 2)
        loss = (shares - wanted[:, None, :-1]).square_().mean(2).sum(-1)
        places = torch.arange(scores.shape[2], dtype=torch.float64, device=scores.device)
        said, gold = places @ shares, wanted[:, None, -1].double().expand(loss.shape[0], 1, -1)
        products = (said, gold, said * said, gold * gold, said * gold)
        return (loss, *(each.sum(-1) for each in products))

    def verdict(self, sums: Tensor, counts: Tensor) -> Tensor:
        """Pearson's r, -1 where expected classes do not vary, and the loss."""
        loss, x, y, xx, yy, xy = sums / counts
        spread = (xx - x * x).clamp(min=0) * (yy - y * y).clamp(min=0)
        r = (xy - x * y) / spread.sqrt()
        return torch.stack([torch.where(spread > 0, r, -1.0), loss], 1)
