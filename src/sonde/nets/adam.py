"""Adam (Kingma & Ba 2015) over tensors that can lose rows while they are trained: torch's own, one pass over memory a step."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


class Adam:
    """The optimiser of some tensors, weights and biases in turn; `gradients` are buffers that live as long as it does.

    Weights, not biases, can shrink beside the gradient (decoupled decay, Loshchilov & Hutter 2019).
    """

    def __init__(self, tensors: Sequence[Tensor], decay: float = 0.0) -> None:
        self.decay = decay
        self._begin(tensors)

    def _begin(self, tensors: Sequence[Tensor]) -> None:
        self.gradients = [torch.zeros_like(t) for t in tensors]
        for tensor, gradient in zip(tensors, self.gradients, strict=True):
            tensor.grad = gradient
        weights, biases = list(tensors[::2]), list(tensors[1::2])
        groups = [{"params": weights, "weight_decay": self.decay}, {"params": biases, "weight_decay": 0.0}]
        self.torch = torch.optim.AdamW(groups, lr=1e-3, fused=True)
        self.tensors = list(tensors)

    def update(self, rate: float) -> None:
        """One step along `gradients`, in place."""
        for group in self.torch.param_groups:
            group["lr"] = rate
        self.torch.step()

    def keep(self, groups: Tensor, members: Tensor) -> list[Tensor]:
        """Go on with some groups and members only, the first two axes of every tensor; returns the tensors that are left."""
        before = [self.torch.state.get(t, {}) for t in self.tensors]
        self._begin([t.detach()[groups][:, members] for t in self.tensors])
        for tensor, state in zip(self.tensors, before, strict=True):
            if state:
                moments = {key: state[key][groups][:, members] for key in ("exp_avg", "exp_avg_sq")}
                self.torch.state[tensor] = {"step": state["step"].clone(), **moments}
        return self.tensors
