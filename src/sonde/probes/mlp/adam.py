"""Adam (Kingma & Ba 2015) over tensors that can lose rows while they are trained: torch's own, one
pass over memory a step.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

# as a function: making the class loads torch's compiler, which takes seconds
from torch.optim.adamw import adamw


class Adam:
    """The optimiser of some tensors, weights and biases in turn; `gradients` are buffers that live
    as long as it does.

    Weights, not biases, can shrink beside the gradient (decoupled decay, Loshchilov & Hutter 2019).
    """

    def __init__(self, tensors: Sequence[Tensor], decay: float = 0.0) -> None:
        self.tensors, self.decay = list(tensors), decay
        self.gradients, self.first, self.second = (
            [torch.zeros_like(t) for t in tensors] for _ in range(3)
        )
        self.steps = [torch.zeros(()) for _ in tensors]

    def update(self, rate: float) -> None:
        """One step along `gradients`, in place."""
        for tensors, decay in ((slice(0, None, 2), self.decay), (slice(1, None, 2), 0.0)):
            adamw(
                self.tensors[tensors],
                self.gradients[tensors],
                self.first[tensors],
                self.second[tensors],
                [],
                self.steps[tensors],
                fused=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=rate,
                weight_decay=decay,
                eps=1e-8,
                maximize=False,
            )

    def keep(self, groups: Tensor, members: Tensor) -> list[Tensor]:
        """Go on with some groups and members only, the first two axes of every tensor; returns the
        tensors that are left.
        """
        columns = (self.tensors, self.gradients, self.first, self.second)
        self.tensors, self.gradients, self.first, self.second = (
            [t[groups][:, members] for t in c] for c in columns
        )
        return self.tensors
