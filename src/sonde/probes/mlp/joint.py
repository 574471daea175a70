"""Grids of networks trained together: the blocks, the order in which each group sees its examples,
the best so far.

A group is (read, seed): it has its own input, its own order of examples and its own draws, and
trains a whole grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sonde.probes.losses import LOSSES
from sonde.probes.mlp.blocks import Block
from sonde.probes.mlp.grid import Member, Trained
from sonde.probes.schedules import early


@dataclass(frozen=True, slots=True)
class Problem:
    """What is learnt: inputs [examples, dim] of each group (shared where groups share a read),
    targets, loss and outputs.

    likeliest  whether each network is kept at its lowest loss on dev, too
    """

    train: tuple[Tensor, ...]
    dev: tuple[Tensor, ...]
    wanted: Tensor
    wanted_dev: Tensor
    loss: str
    outputs: int
    likeliest: bool = False


class Best:
    """Networks [groups, members] as they were at their best look at dev, by score or by loss."""

    def __init__(self, by_loss: bool) -> None:
        self.by_loss = by_loss
        self.looks: dict[tuple[int, int], tuple[float, float, float]] = {}
        self.tensors: dict[tuple[int, int], list[Tensor]] = {}

    def offer(
        self, place: tuple[int, int], look: tuple[float, float, float], tensors: Iterable[Tensor]
    ) -> bool:
        """Keep a network if its score, or its loss, is better than it ever was; whether it is. A
        look is score, loss and passes.
        """
        known = self.looks.get(place)
        better = known is None or (look[1] < known[1] if self.by_loss else look[0] > known[0])
        if better:
            self.looks[place], self.tensors[place] = look, [t.clone() for t in tensors]
        return better

    def trained(
        self, member: Member, place: tuple[int, int], likeliest: Trained | None = None
    ) -> Trained:
        """A network at its best."""
        return Trained(
            member, tuple(t.numpy() for t in self.tensors[place]), *self.looks[place], likeliest
        )


class Joint:
    """The state of a joint training over groups [seeds] of one problem, a grid of members each."""

    def __init__(
        self,
        problem: Problem,
        seeds: Sequence[int],
        members: Sequence[Member],
        dtype: torch.dtype,
        shrink: float = 0.0,
    ) -> None:
        self.problem, self.members, self.loss = problem, tuple(members), LOSSES[problem.loss]
        sizes = (problem.train[0].shape[1], problem.outputs)
        widths = list(dict.fromkeys(m.hidden for m in members))
        self.where = [
            torch.tensor([i for i, m in enumerate(members) if m.hidden == w]) for w in widths
        ]
        self.blocks = [
            Block([members[i] for i in where.tolist()], seeds, sizes, dtype, shrink)
            for where in self.where
        ]
        self.rows = torch.arange(len(seeds))
        self.orders = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.best = Best(by_loss=False)
        self.likeliest = Best(by_loss=True) if problem.likeliest else None
        self.gathered = torch.empty(0)

    def batches(self, size: int) -> Iterator[list[Tensor]]:
        """One pass: the rows of each batch, one tensor a group."""
        examples = len(self.problem.wanted)
        orders = [torch.randperm(examples, generator=self.orders[g]) for g in self.rows.tolist()]
        for start in range(0, examples, size):
            yield [order[start : start + size] for order in orders]

    def step(self, rows: Sequence[Tensor], rate: float, reduction: str = "mean") -> None:
        """One step of every network on the batches of its group."""
        batch = self._batch([self.problem.train[g] for g in self.rows.tolist()], rows)
        wanted = torch.stack([self.problem.wanted.index_select(0, r) for r in rows])
        wanted = wanted if wanted.ndim == 2 else wanted.transpose(1, 2)
        for block in self.blocks:
            slope = self.loss.gradient(block.forward(batch, learning=True), wanted)
            if reduction == "mean":
                slope /= batch.shape[1]
            block.backward(batch, slope, rate)

    def _batch(self, inputs: Sequence[Tensor], rows: Sequence[Tensor]) -> Tensor:
        """Rows of each group's input, [groups, batch, dim], in memory that every step uses
        again.
        """
        shape = (len(rows), len(rows[0]), inputs[0].shape[1])
        if self.gathered.shape != shape:
            self.gathered = torch.empty(shape, dtype=inputs[0].dtype)
        for x, r, out in zip(inputs, rows, self.gathered, strict=True):
            torch.index_select(x, 0, r, out=out)
        return self.gathered

    def early(self, first: int) -> frozenset[int]:
        """Steps before the first look at which dev is looked at for the loss alone."""
        judged = self.likeliest is not None and len(self.problem.wanted_dev)
        return early(first) if judged else frozenset()

    def look(self, passes: float, going: Tensor, early: bool = False) -> Tensor:
        """Judge on dev, keep every network still going that is better than it ever was, and say
        which; [groups, members] bool.

        An early look is for the loss alone: no network is better by it.
        """
        better = torch.zeros_like(going)
        for block, where in zip(self.blocks, self.where, strict=True):
            found = self._judged(block)
            for g, row in enumerate(self.rows.tolist()):
                for m, member in enumerate(where.tolist()):
                    if not going[row, member]:
                        continue
                    look, state = (
                        (*found[:, g, m].tolist(), passes),
                        [t[g, m] for t in block.tensors],
                    )
                    better[row, member] = not early and self.best.offer((row, member), look, state)
                    if self.likeliest is not None:
                        self.likeliest.offer((row, member), look, state)
        return better

    def _judged(self, block: Block) -> Tensor:
        """Score and loss an example over dev, [2, groups, members] float64."""
        problem, total = (
            self.problem,
            torch.zeros(2, len(self.rows), len(block.members), dtype=torch.float64),
        )
        cells = len(self.rows) * len(block.members) * max(block.hidden, problem.outputs)
        size = max(64, min(4096, 2**20 // cells))
        for start in range(0, len(problem.wanted_dev), size):
            batch = torch.stack([problem.dev[g][start : start + size] for g in self.rows.tolist()])
            wanted = torch.stack(
                [problem.wanted_dev[start : start + size].movedim(0, -1)] * len(self.rows)
            )
            total += torch.stack(self.loss.judge(block.forward(batch), wanted))
        return total / max(len(problem.wanted_dev), 1)

    def keep(self, going: Tensor) -> None:
        """Drop the groups that are done and the members that are done in every group; going is
        [groups, members] bool.
        """
        groups = going[self.rows].any(1).nonzero()[:, 0]
        for j, (block, where) in enumerate(zip(self.blocks, self.where, strict=True)):
            members = going[:, where].any(0).nonzero()[:, 0]
            if len(groups) < len(self.rows) or len(members) < len(where):
                block.keep(groups, members)
                self.where[j] = where[members]
        self.rows = self.rows[groups]
        some = [j for j, where in enumerate(self.where) if len(where)]
        self.blocks, self.where = [self.blocks[j] for j in some], [self.where[j] for j in some]

    def trained(self) -> list[list[Trained]]:
        """The best state of every cell, in the order of groups and members."""
        groups = range(len(self.orders))
        return [[self._trained(g, i) for i in range(len(self.members))] for g in groups]

    def _trained(self, group: int, i: int) -> Trained:
        member, place = self.members[i], (group, i)
        return self.best.trained(
            member, place, self.likeliest.trained(member, place) if self.likeliest else None
        )
