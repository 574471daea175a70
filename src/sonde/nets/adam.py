"""Adam (Kingma & Ba 2015) over tensors that can lose rows while they are trained; the arithmetic of `torch.optim.Adam`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor


class Adam:
    """First and second moments of some tensors."""

    def __init__(self, tensors: Sequence[Tensor], betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8) -> None:
        self.moments = [(torch.zeros_like(t), torch.zeros_like(t)) for t in tensors]
        self.betas, self.eps, self.steps = betas, eps, 0

    def update(self, tensors: Sequence[Tensor], gradients: Sequence[Tensor], rate: float) -> None:
        """One step, in place."""
        self.steps += 1
        first, second = self.betas
        size = rate / (1 - first**self.steps)
        root = math.sqrt(1 - second**self.steps)
        for tensor, gradient, (m, v) in zip(tensors, gradients, self.moments, strict=True):
            m.lerp_(gradient, 1 - first)
            v.mul_(second).addcmul_(gradient, gradient, value=1 - second)
            tensor.addcdiv_(m, v.sqrt().div_(root).add_(self.eps), value=-size)

    def keep(self, groups: Tensor, members: Tensor) -> None:
        """Go on with some groups and members only: the first two axes of every tensor."""
        self.moments = [(m[groups][:, members], v[groups][:, members]) for m, v in self.moments]
