"""A step of Adam (Kingma & Ba 2015), with decoupled decay (Loshchilov & Hutter 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class AdamMoments(NamedTuple):
    """What Adam keeps of each tensor: both moments, and how many steps there were.

    most  the greatest second moments, which AMSGrad (Reddi et al. 2018) divides by
    """

    first: list[Tensor]
    second: list[Tensor]
    steps: list[Tensor]
    most: Sequence[Tensor] = ()


def take_step(
    tensors: list[Tensor],
    gradients: list[Tensor],
    moments: AdamMoments,
    rate: float,
    decay: float = 0.0,
) -> None:
    """Change tensors, and what is kept of them, in place.

    This is what `torch.optim.adamw.adamw(fused=True)` calls. Its own checks take as long as a step
    of a small network: 72 microseconds in place of 27, and `mlp` takes a tenth to a third longer.
    """
    torch._foreach_add_(moments.steps, 1)
    torch._fused_adamw_(
        tensors,
        gradients,
        moments.first,
        moments.second,
        list(moments.most),
        moments.steps,
        lr=rate,
        beta1=0.9,
        beta2=0.999,
        weight_decay=decay,
        eps=1e-8,
        amsgrad=bool(moments.most),
        maximize=False,
    )
