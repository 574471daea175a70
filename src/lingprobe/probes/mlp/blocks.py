"""Many small networks of one width, trained beside each other as one wide product.

A block holds lanes. A lane is one network: it sees the batches of its group (a data set, a layer, a
seed) and has a cell of the grid for its dropout and weight decay. Activations are [lanes, units,
batch], so each lane is a slab of memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from lingprobe.nets.adam import AdamMoments, take_step
from lingprobe.probes.mlp.grid import GridMember


class GridNetwork(NamedTuple):
    """One network of a joint training: its group, the seed of its draws, its number in the group's
    grid, and that cell.
    """

    group: int
    seed: int
    number: int
    member: GridMember


class AdamOptimizer:
    """The optimiser of some tensors, weights and biases in turn; `gradients` are buffers that live
    as long as it does.

    Weights, not biases, can shrink beside the gradient (decoupled decay, Loshchilov & Hutter 2019).
    """

    def __init__(self, tensors: Sequence[Tensor], decay: float = 0.0) -> None:
        self.tensors, self.decay = list(tensors), decay
        self.gradients, self.first, self.second = (
            [torch.zeros_like(t) for t in tensors] for _ in range(3)
        )
        self.steps = [t.new_zeros(()) for t in tensors]

    def update(self, rate: float) -> None:
        """One step along `gradients`, in place."""
        parts = [(slice(0, None, 2), self.decay), (slice(1, None, 2), 0.0)]
        for some, decay in parts if self.decay else [(slice(None), 0.0)]:
            kept = AdamMoments(self.first[some], self.second[some], self.steps[some])
            take_step(self.tensors[some], self.gradients[some], kept, rate, decay)

    def keep(self, lanes: Tensor) -> list[Tensor]:
        """Go on with some lanes only, the first axis of every tensor; returns the tensors that are
        left.
        """
        columns = (self.tensors, self.gradients, self.first, self.second)
        self.tensors, self.gradients, self.first, self.second = (
            [t[lanes] for t in c] for c in columns
        )
        return self.tensors


class StackedNetworks:
    """Linear, dropout, sigmoid, linear (SentEval's order: dropout comes before the sigmoid); or one
    linear layer.

    Every lane starts and drops out as it would alone under its seed, so a joint training is each
    one's own. What is random is drawn on the processor, so that it is the same on every device.
    Lanes are in the order of their groups; a batch has those of all `groups`, also of such as have
    no lane here.
    """

    def __init__(
        self,
        lanes: Sequence[GridNetwork],
        groups: Sequence[int],
        sizes: tuple[int, int],
        dtype: torch.dtype,
        shrink: float = 0.0,
        device: torch.device | None = None,
    ) -> None:
        self.lanes, self.hidden, self.dtype = list(lanes), lanes[0].member.hidden, dtype
        self.device = device or torch.device("cpu")
        seeds = dict.fromkeys(lane.seed for lane in lanes)
        drawn = {seed: _draw_weights(seed, self.hidden, *sizes) for seed in seeds}
        starts = [drawn[lane.seed] for lane in lanes]
        self.tensors = [torch.stack(one).to(self.device) for one in zip(*starts, strict=True)]
        self.adam = AdamOptimizer(self.tensors, shrink)
        self.noise = {seed: np.random.SFC64([seed, self.hidden]) for seed in seeds}
        self.active = self.mask = torch.empty(0)
        self._rest(groups)

    def _rest(self, groups: Sequence[int]) -> None:
        """What follows from the lanes, and memory that every step uses again: giving it back and
        asking for it anew costs more than the arithmetic.
        """
        self.narrow, self.slopes = self.tensors, self.adam.gradients
        if self.dtype != torch.float32:
            self.narrow, self.slopes = (
                [torch.empty_like(t, dtype=self.dtype) for t in self.tensors] for _ in range(2)
            )
        places = {group: place for place, group in enumerate(groups)}
        of = torch.tensor([places[lane.group] for lane in self.lanes])
        each = torch.arange(len(groups)).repeat_interleave(len(self.lanes) // len(groups))
        # whether every group has as many lanes, so that their first layers are one product
        self.even, self.groups = torch.equal(of, each), of.to(self.device)
        decays = [lane.member.decay for lane in self.lanes]
        self.decay = torch.tensor(decays)[:, None, None].to(self.device)
        self.decays = any(decays)
        dropping = [lane for lane in self.lanes if lane.member.dropout]
        self.noise = {
            seed: self.noise[seed] for seed in dict.fromkeys(one.seed for one in dropping)
        }
        self.rates = sorted({lane.member.dropout for lane in dropping})
        masks = [self._mask_of(lane) for lane in self.lanes]
        # groups with the same grid and seed, such as folds that are tuned, share their masks
        many = len(masks) // len(groups) if self.even else len(masks)
        alike = masks == masks[:many] * (len(masks) // many)
        self.masks = torch.tensor(masks[:many] if alike else masks).to(self.device)

    def _mask_of(self, lane: GridNetwork) -> int:
        """The number of a lane's mask among those of a step; the first lets everything pass."""
        if not lane.member.dropout:
            return 0
        seeds = list(self.noise)
        return 1 + self.rates.index(lane.member.dropout) * len(seeds) + seeds.index(lane.seed)

    def forward(self, batch: Tensor, learning: bool = False) -> Tensor:
        """Scores [lanes, 1, outputs, batch] float32 of batches [groups, batch, dim]."""
        for narrow, tensor in zip(self.narrow, self.tensors, strict=True):
            if narrow is not tensor:
                narrow.copy_(tensor)
        first, bias = self.narrow[:2]
        groups, size, dim = batch.shape
        if self.even:
            z = torch.bmm(first.view(groups, -1, dim), batch.mT)
        else:
            z = torch.bmm(first, batch[self.groups].mT)
        z = z.view(len(self.lanes), -1, size).add_(bias)
        if not self.hidden:
            return z.float()[:, None]
        if learning:
            self._drop(z)
            self.active = z
        z.sigmoid_()
        return torch.bmm(self.narrow[2], z).float().add_(self.tensors[3])[:, None]

    def _drop(self, z: Tensor) -> None:
        """Set units to zero in place, scale up the rest, and keep what they were multiplied
        with.
        """
        if not self.rates:
            return
        _, units, size = z.shape
        count = units * size
        bits = np.stack(
            [g.random_raw(-(-count // 4)).view(np.int16)[:count] for g in self.noise.values()]
        )
        drawn = torch.from_numpy(bits).to(self.device).view(len(self.noise), units, size)
        each = [z.new_ones(1, units, size)]
        for p in self.rates:
            passed = torch.ge(drawn, round(p * 65536) - 32768, out=z.new_empty(drawn.shape))
            each.append(passed.mul_(1 / (1 - p)))
        self.mask = torch.cat(each)[self.masks]
        self._pass(z)

    def _pass(self, z: Tensor) -> None:
        """Multiply units [lanes, units, batch] with their masks in place."""
        z.view(-1, *self.mask.shape).mul_(self.mask)

    def backward(self, batch: Tensor, slope: Tensor, rate: float) -> None:
        """One step of Adam along the gradient that `slope`, [lanes, 1, outputs, batch] float32,
        gives.
        """
        slope = slope[:, 0]
        back, summed = slope.to(self.dtype), slope
        gradients = self.adam.gradients
        if self.hidden:
            gradients[3].copy_(slope.sum(-1, keepdim=True))
            a = self.active
            torch.bmm(back, a.mT, out=self.slopes[2])
            back = torch.bmm(self.narrow[2].mT, back)
            # public operators round bfloat16 three times where this one does once
            back = torch.ops.aten.sigmoid_backward.grad_input(back, a, grad_input=back)
            if self.rates:
                self._pass(back)
            summed = back
        if self.even:
            wide = self.slopes[0].view(len(batch), -1, batch.shape[2])
            torch.bmm(back.view(len(batch), -1, back.shape[2]), batch, out=wide)
        else:
            torch.bmm(back, batch[self.groups], out=self.slopes[0])
        gradients[1].copy_(summed.sum(-1, keepdim=True, dtype=torch.float32))
        self._update(rate)

    def _update(self, rate: float) -> None:
        for gradient, slope in zip(self.adam.gradients[::2], self.slopes[::2], strict=True):
            if gradient is not slope:
                gradient.copy_(slope)
        if self.decays:
            for gradient, tensor in zip(self.adam.gradients, self.tensors, strict=True):
                gradient.addcmul_(tensor, self.decay)
        self.adam.update(rate)

    def keep(self, lanes: Set[GridNetwork], groups: Sequence[int]) -> None:
        """Go on with these lanes only, and with batches of these groups only."""
        kept = [k for k, lane in enumerate(self.lanes) if lane in lanes]
        if len(kept) < len(self.lanes):
            self.tensors = self.adam.keep(torch.tensor(kept).to(self.device))
            self.lanes = [self.lanes[k] for k in kept]
        self._rest(groups)


def _draw_weights(seed: int, hidden: int, dim: int, outputs: int) -> list[Tensor]:
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
