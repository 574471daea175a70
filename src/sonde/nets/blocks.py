"""Many small networks of one width, trained on the same batches as one wide product.

A block is [groups, members] networks: groups have batches of their own (a seed, a layer), the members of a group differ in
dropout and weight decay and share its batches. Activations are [.., units, batch], so each member is a slab of memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from sonde.nets.adam import Adam
from sonde.nets.grid import Member


class Block:
    """Linear, dropout, sigmoid, linear (SentEval's order: dropout comes before the sigmoid); or one linear layer.

    Every member starts and drops out as it would alone under its seed, so a joint training is each one's own.
    """

    def __init__(self, members: Sequence[Member], seeds: Sequence[int], sizes: tuple[int, int], dtype: torch.dtype) -> None:
        self.members, self.hidden, self.dtype = list(members), members[0].hidden, dtype
        drawn = [_drawn(seed, self.hidden, *sizes) for seed in seeds]
        self.tensors = [torch.stack(one)[:, None].repeat(1, len(members), 1, 1) for one in zip(*drawn, strict=True)]
        self.adam = Adam(self.tensors)
        self.noise = [np.random.Generator(np.random.SFC64([seed, self.hidden])) for seed in seeds]
        self.decay = torch.tensor([m.decay for m in members])[None, :, None, None]
        self.active = torch.empty(0)
        self.masks: dict[float, Tensor] = {}

    def forward(self, batch: Tensor, learning: bool = False) -> Tensor:
        """Scores [groups, members, outputs, batch] float32 of a batch [groups, batch, dim]."""
        groups, size, dim = batch.shape
        first, bias = self.tensors[:2]
        z = torch.bmm(first.to(self.dtype).view(groups, -1, dim), batch.transpose(1, 2))
        z = z.view(groups, len(self.members), -1, size).add_(bias.to(self.dtype))
        if not self.hidden:
            return z.float()
        if learning:
            self.masks = self._drop(z)
            self.active = z
        z.sigmoid_()
        second, bias = self.tensors[2:]
        scores = torch.bmm(second.to(self.dtype).flatten(0, 1), z.flatten(0, 1))
        return scores.view(groups, len(self.members), -1, size).float().add_(bias)

    def _drop(self, z: Tensor) -> dict[float, Tensor]:
        """Set units to zero in place, scale up the rest, and return what they were multiplied with."""
        rates = sorted({m.dropout for m in self.members if m.dropout})
        if not rates:
            return {}
        groups, _, units, size = z.shape
        count = units * size
        bits = np.stack([g.integers(0, 2**64, size=-(-count // 4), dtype=np.uint64).view(np.int16)[:count] for g in self.noise])
        drawn = torch.from_numpy(bits).view(groups, units, size)
        masks = {p: (drawn >= round(p * 65536) - 32768).to(z.dtype).div_(1 - p) for p in rates}
        for m, member in enumerate(self.members):
            if member.dropout:
                z[:, m] *= masks[member.dropout]
        return masks

    def backward(self, batch: Tensor, slope: Tensor, rate: float) -> None:
        """One step of Adam along the gradient that `slope`, [groups, members, outputs, batch] float32, gives."""
        if not self.hidden:
            return self._update([torch.bmm(slope.to(self.dtype).flatten(1, 2), batch), slope.sum(-1)], rate)
        a, flat = self.active, slope.to(self.dtype).flatten(0, 1)
        second = self.tensors[2].to(self.dtype).flatten(0, 1)
        out = torch.bmm(flat, a.flatten(0, 1).transpose(1, 2))
        back = torch.bmm(second.transpose(1, 2), flat).view(a.shape)
        back = torch.ops.aten.sigmoid_backward.grad_input(back, a, grad_input=back)
        for m, member in enumerate(self.members):
            if member.dropout:
                back[:, m] *= self.masks[member.dropout]
        inner = torch.bmm(back.flatten(1, 2), batch)
        return self._update([inner, back.sum(-1, dtype=torch.float32), out, slope.sum(-1)], rate)

    def _update(self, gradients: list[Tensor], rate: float) -> None:
        shaped = [g.float().view(t.shape) for g, t in zip(gradients, self.tensors, strict=True)]
        if self.decay.any():
            shaped = [g.addcmul(t, self.decay) for g, t in zip(shaped, self.tensors, strict=True)]
        self.adam.update(self.tensors, shaped, rate)

    def keep(self, groups: Tensor, members: Tensor) -> None:
        """Go on with some groups and members only."""
        self.tensors = [t[groups][:, members] for t in self.tensors]
        self.adam.keep(groups, members)
        self.noise = [self.noise[g] for g in groups.tolist()]
        self.members = [self.members[m] for m in members.tolist()]
        self.decay = self.decay[:, members]


def _drawn(seed: int, hidden: int, dim: int, outputs: int) -> list[Tensor]:
    """Weights and biases as `torch.nn.Linear` draws them, layer by layer."""
    generator = torch.Generator().manual_seed(seed)

    def uniform(rows: int, columns: int, inputs: int) -> Tensor:
        return torch.empty(rows, columns).uniform_(-1 / math.sqrt(inputs), 1 / math.sqrt(inputs), generator=generator)

    if not hidden:
        return [uniform(outputs, dim, dim), uniform(outputs, 1, dim)]
    return [uniform(hidden, dim, dim), uniform(hidden, 1, dim), uniform(outputs, hidden, hidden), uniform(outputs, 1, hidden)]
