"""Many small networks of one width, trained on the same batches as one wide product.

A block is [groups, members] networks: groups have batches of their own (a seed, a layer), the
members of a group differ in dropout and weight decay and share its batches. Activations are [..,
units, batch], so each member is a slab of memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

# as a function: making the class loads torch's compiler, which takes seconds
from torch.optim.adamw import adamw

from sonde.probes.mlp.grid import Member


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


class Block:
    """Linear, dropout, sigmoid, linear (SentEval's order: dropout comes before the sigmoid); or one
    linear layer.

    Every member starts and drops out as it would alone under its seed, so a joint training is each
    one's own.
    """

    def __init__(
        self,
        members: Sequence[Member],
        seeds: Sequence[int],
        sizes: tuple[int, int],
        dtype: torch.dtype,
        shrink: float = 0.0,
    ) -> None:
        self.members, self.hidden, self.dtype = list(members), members[0].hidden, dtype
        drawn = [_drawn(seed, self.hidden, *sizes) for seed in seeds]
        self.tensors = [
            torch.stack(one)[:, None].repeat(1, len(members), 1, 1)
            for one in zip(*drawn, strict=True)
        ]
        self.adam = Adam(self.tensors, shrink)
        self._rest()
        self.noise = [np.random.Generator(np.random.SFC64([seed, self.hidden])) for seed in seeds]
        self.decay = torch.tensor([m.decay for m in members])[None, :, None, None]
        self.active = torch.empty(0)
        self.masks: dict[float, Tensor] = {}

    def _rest(self) -> None:
        """Memory that every step uses again: giving it back and asking for it anew costs more than
        the arithmetic.
        """
        self.narrow, self.slopes = self.tensors, self.adam.gradients
        if self.dtype != torch.float32:
            self.narrow, self.slopes = (
                [torch.empty_like(t, dtype=self.dtype) for t in self.tensors] for _ in range(2)
            )

    def forward(self, batch: Tensor, learning: bool = False) -> Tensor:
        """Scores [groups, members, outputs, batch] float32 of a batch [groups, batch, dim]."""
        groups, size, dim = batch.shape
        for narrow, tensor in zip(self.narrow, self.tensors, strict=True):
            if narrow is not tensor:
                narrow.copy_(tensor)
        first, bias = self.narrow[:2]
        z = torch.bmm(first.view(groups, -1, dim), batch.mT)
        z = z.view(groups, len(self.members), -1, size).add_(bias)
        if not self.hidden:
            return z.float()
        if learning:
            self.masks = self._drop(z)
            self.active = z
        z.sigmoid_()
        scores = torch.bmm(self.narrow[2].flatten(0, 1), z.flatten(0, 1))
        return scores.view(groups, len(self.members), -1, size).float().add_(self.tensors[3])

    def _drop(self, z: Tensor) -> dict[float, Tensor]:
        """Set units to zero in place, scale up the rest, and return what they were multiplied
        with.
        """
        rates = sorted({m.dropout for m in self.members if m.dropout})
        if not rates:
            return {}
        groups, _, units, size = z.shape
        count = units * size
        bits = np.stack(
            [
                g.integers(0, 2**64, size=-(-count // 4), dtype=np.uint64).view(np.int16)[:count]
                for g in self.noise
            ]
        )
        drawn = torch.from_numpy(bits).view(groups, units, size)
        masks = {
            p: (
                torch.ge(drawn, round(p * 65536) - 32768, out=z.new_empty(drawn.shape)).mul_(
                    1 / (1 - p)
                )
            )
            for p in rates
        }
        for m, member in enumerate(self.members):
            if member.dropout:
                z[:, m] *= masks[member.dropout]
        return masks

    def backward(self, batch: Tensor, slope: Tensor, rate: float) -> None:
        """One step of Adam along the gradient that `slope`, [groups, members, outputs, batch]
        float32, gives.
        """
        back = slope.to(self.dtype)
        gradients, summed = self.adam.gradients, slope
        if self.hidden:
            gradients[3].copy_(slope.sum(-1, keepdim=True))
            a, flat = self.active, back.flatten(0, 1)
            torch.bmm(flat, a.flatten(0, 1).mT, out=self.slopes[2].flatten(0, 1))
            back = torch.bmm(self.narrow[2].flatten(0, 1).mT, flat).view(a.shape)
            back = torch.ops.aten.sigmoid_backward.grad_input(back, a, grad_input=back)
            for m, member in enumerate(self.members):
                if member.dropout:
                    back[:, m] *= self.masks[member.dropout]
            summed = back
        torch.bmm(back.flatten(1, 2), batch, out=self.slopes[0].flatten(1, 2))
        gradients[1].copy_(summed.sum(-1, keepdim=True, dtype=torch.float32))
        self._update(rate)

    def _update(self, rate: float) -> None:
        for gradient, slope in zip(self.adam.gradients[::2], self.slopes[::2], strict=True):
            if gradient is not slope:
                gradient.copy_(slope)
        if self.decay.any():
            for gradient, tensor in zip(self.adam.gradients, self.tensors, strict=True):
                gradient.addcmul_(tensor, self.decay)
        self.adam.update(rate)

    def keep(self, groups: Tensor, members: Tensor) -> None:
        """Go on with some groups and members only."""
        self.tensors = self.adam.keep(groups, members)
        self._rest()
        self.noise = [self.noise[g] for g in groups.tolist()]
        self.members = [self.members[m] for m in members.tolist()]
        self.decay = self.decay[:, members]


def _drawn(seed: int, hidden: int, dim: int, outputs: int) -> list[Tensor]:
    """Weights and biases as `torch.nn.Linear` draws them, layer by layer."""
    generator = torch.Generator().manual_seed(seed)

    def uniform(rows: int, columns: int, inputs: int) -> Tensor:
        return torch.empty(rows, columns).uniform_(
            -1 / math.sqrt(inputs), 1 / math.sqrt(inputs), generator=generator
        )

    if not hidden:
        return [uniform(outputs, dim, dim), uniform(outputs, 1, dim)]
    return [
        uniform(hidden, dim, dim),
        uniform(hidden, 1, dim),
        uniform(outputs, hidden, hidden),
        uniform(outputs, 1, hidden),
    ]
