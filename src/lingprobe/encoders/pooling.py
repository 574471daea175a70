"""States of tokens, as networks have them, pooled over those that count. Imports torch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from lingprobe.data.vectors import Floats


def pool_states(pool: str, states: Tensor, mask: Tensor) -> Floats:
    """The states [batch, tokens, dim] pooled over the tokens where mask [batch, tokens] is true:
    [batch, dim], zeros where none is; or those tokens.
    """
    values = states.float()
    return np.asarray(POOLS[pool](values, mask).cpu().numpy(), np.float32)


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(values.dtype)
    return torch.where(mask.unsqueeze(-1), values, 0).sum(1) / weights.sum(1).clamp(min=1)


def _rest(values: Tensor, mask: Tensor) -> Tensor:
    places = torch.where(mask, torch.arange(mask.shape[1], device=mask.device), mask.shape[1])
    first = places.amin(1, keepdim=True)
    alone = mask.sum(1, keepdim=True) < 2
    return _mean(values, mask & (alone | (places > first)))


def _max(values: Tensor, mask: Tensor) -> Tensor:
    lowest = values.masked_fill(~mask.unsqueeze(-1), -torch.inf).amax(1)
    return torch.where(mask.any(1, keepdim=True), lowest, 0)


def _first(values: Tensor, mask: Tensor) -> Tensor:
    return values[:, 0]  # the first token whether special or not: that is what [CLS] is for


def _last(values: Tensor, mask: Tensor) -> Tensor:
    places = torch.where(mask, torch.arange(mask.shape[1], device=mask.device), -1).amax(1)
    picked = values[torch.arange(len(values), device=values.device), places.clamp(min=0)]
    return torch.where((places >= 0).unsqueeze(-1), picked, 0)


def _units(values: Tensor, mask: Tensor) -> Tensor:
    return values[mask]


POOLS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "mean": _mean,
    "rest": _rest,
    "max": _max,
    "cls": _first,
    "last": _last,
    "end": _last,
    "none": _units,
}
