"""Grids of networks trained together: the blocks, the order in which each group sees its examples,
the best so far.

A group is (data set, read, seed): it has its own input, its own order of examples and its own
draws, and trains a whole grid, or what is left of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, groupby, islice
from operator import itemgetter
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lingprobe.probes.losses import LossFunction
from lingprobe.probes.mlp.blocks import GridNetwork, StackedNetworks
from lingprobe.probes.mlp.grid import GridMember, TrainedNetwork
from lingprobe.probes.schedules import list_early_steps

_AHEAD = 64  # batches that are drawn at once


@dataclass(frozen=True, slots=True)
class GroupExamples:
    """The examples that some groups train on, or are judged on.

    inputs   [rows, dim], every distinct input after the other; wanted: targets, alike. Both on the
             device of the training, all else on the processor
    first    of each group, where its examples begin in `inputs` and in `wanted`, [groups, 2]
    counts   of each group, how many they are
    chosen   which of its examples a group has, [groups, most]; None: all of them
    """

    inputs: Tensor
    wanted: Tensor
    first: Tensor
    counts: tuple[int, ...]
    chosen: Tensor | None = None

    @classmethod
    def of(
        cls,
        inputs: Sequence[Tensor],
        wanted: Sequence[Tensor],
        chosen: Sequence[Tensor] | None = None,
    ) -> GroupExamples:
        """One input and one tensor of targets for each group, of which it may have some rows alone;
        what groups share is kept once.
        """
        (features, first), (targets, begin) = _stack_tensors(inputs), _stack_tensors(wanted)
        rows = None if chosen is None else pad_sequence(list(chosen), batch_first=True)
        counts = tuple(map(len, wanted if chosen is None else chosen))
        return cls(features, targets, torch.tensor([first, begin]).mT, counts, rows)

    def rows(self, groups: Tensor, places: Tensor) -> Tensor:
        """Which rows of its input the examples at some places are, for some groups."""
        return places if self.chosen is None else self.chosen[groups, places]

    def take(
        self, groups: Tensor, rows: Tensor, out: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Examples [groups, batch, dim], in the memory of `out` where they fit there, and targets
        of some groups, by the rows of their inputs [groups, batch].
        """
        first = self.first[groups]
        shape = (*rows.shape, self.inputs.shape[1])
        if out is None or out.shape != shape:
            out = self.inputs.new_empty(shape)
        device = self.inputs.device
        chosen = (rows + first[:, :1]).flatten().to(device)
        torch.index_select(self.inputs, 0, chosen, out=out.flatten(0, 1))
        wanted = self.wanted[(rows + first[:, 1:]).to(device)]
        return out, wanted if wanted.ndim == 2 else wanted.transpose(1, 2)


def share_tensors(
    make: Callable[[NDArray[Any]], Tensor], arrays: Sequence[NDArray[Any]]
) -> list[Tensor]:
    """A tensor of each array, the same of what is the same array."""
    tensors = {id(array): make(array) for array in {id(a): a for a in arrays}.values()}
    return [tensors[id(array)] for array in arrays]


def _stack_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, list[int]]:
    """Distinct tensors in one, and where each of the given ones begins in it."""
    distinct = {id(tensor): tensor for tensor in tensors}
    begin = dict(zip(distinct, accumulate(map(len, distinct.values()), initial=0), strict=False))
    every = list(distinct.values())
    return every[0] if len(every) == 1 else torch.cat(every), [begin[id(t)] for t in tensors]


@dataclass(frozen=True, slots=True)
class TrainingProblem:
    """What is learnt by groups that have inputs of one width, one loss and as many outputs.

    likeliest  whether each network is kept at its lowest loss on dev, too
    """

    train: GroupExamples
    dev: GroupExamples
    loss: LossFunction
    outputs: int
    likeliest: bool = False


Look = tuple[float, float, float]
"""Score and loss on dev, and the passes over train before."""


class BestNetworks:
    """Networks as they were at their best look at dev, by score or by loss."""

    def __init__(self, by_loss: bool) -> None:
        self.by_loss = by_loss
        self.looks: dict[GridNetwork, Look] = {}
        self.tensors: dict[GridNetwork, list[Tensor]] = {}

    def offer(self, lane: GridNetwork, look: Look, tensors: Iterable[Tensor]) -> bool:
        """Keep a network if its score, or its loss, is better than it ever was; whether it is."""
        known = self.looks.get(lane)
        better = known is None or (look[1] < known[1] if self.by_loss else look[0] > known[0])
        if better:
            self.looks[lane], self.tensors[lane] = look, [t.clone() for t in tensors]
        return better

    def best_network(
        self, lane: GridNetwork, likeliest: TrainedNetwork | None = None
    ) -> TrainedNetwork:
        """A network at its best."""
        layers = tuple(t.cpu().numpy() for t in self.tensors[lane])
        return TrainedNetwork(lane.member, layers, *self.looks[lane], likeliest)


class JointTraining:
    """The state of a joint training: the lanes of each group, in blocks of one width.

    `grids` has the members of each group, whose draws and order of examples are of its seed.
    """

    def __init__(
        self,
        problem: TrainingProblem,
        seeds: Sequence[int],
        grids: Sequence[Sequence[GridMember]],
        dtype: torch.dtype,
        shrink: float = 0.0,
    ) -> None:
        self.problem, self.loss, self.device = problem, problem.loss, problem.train.inputs.device
        self.lanes = [
            GridNetwork(group, seed, number, member)
            for group, (seed, grid) in enumerate(zip(seeds, grids, strict=True))
            for number, member in enumerate(grid)
        ]
        self.groups = list(range(len(seeds)))
        sizes = (problem.train.inputs.shape[1], problem.outputs)
        widths = dict.fromkeys(lane.member.hidden for lane in self.lanes)
        self.blocks = [
            StackedNetworks(mine, self.groups, sizes, dtype, shrink, self.device)
            for mine in ([n for n in self.lanes if n.member.hidden == width] for width in widths)
        ]
        self.orders = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.best = BestNetworks(by_loss=False)
        self.likeliest = BestNetworks(by_loss=True) if problem.likeliest else None
        self.batch: Tensor | None = None

    @property
    def running(self) -> set[GridNetwork]:
        """The networks that no cut has taken out."""
        return set(self.lanes)

    def passes(self, size: int) -> Iterator[Tensor]:
        """One pass over the examples that each group has: the rows of each batch, [groups, batch];
        the last may be smaller, and has -1 where a group has fewer examples than another.
        """
        orders = [self._order(group) for group in self.groups]
        every = pad_sequence(orders, batch_first=True, padding_value=-1)
        yield from (every[:, start : start + size] for start in range(0, every.shape[1], size))

    def stream(self, size: int) -> Iterator[Tensor]:
        """Batches of one size for ever, [groups, batch]: they run on over the end of a pass, so
        that groups may differ in how many examples they have. For as long as every group is there.
        """
        groups, ahead = self.groups, size * _AHEAD
        left = [torch.empty(0, dtype=torch.int64) for _ in groups]
        while True:
            for place, group in enumerate(groups):
                while len(left[place]) < ahead:
                    left[place] = torch.cat([left[place], self._order(group)])
            drawn = torch.stack([rows[:ahead] for rows in left])
            yield from (drawn[:, start : start + size] for start in range(0, ahead, size))
            left = [rows[ahead:] for rows in left]

    def _order(self, group: int) -> Tensor:
        train = self.problem.train
        places = torch.randperm(train.counts[group], generator=self.orders[group])
        return train.rows(torch.tensor(group), places)

    def step(self, rows: Tensor, rate: float, reduction: str = "mean") -> None:
        """One step of every network on the batches of its group."""
        there = rows >= 0
        whole, there = bool(there.all()), there.to(self.device)
        groups, known = torch.tensor(self.groups), rows if whole else rows.clamp(min=0)
        self.batch, wanted = self.problem.train.take(groups, known, self.batch)
        batch, size = self.batch, rows.shape[1]
        for block in self.blocks:
            slope = self.loss.gradient(block.forward(batch, learning=True), wanted[block.groups])
            if not whole:
                slope *= there[block.groups][:, None, None]
            if reduction == "mean":
                slope /= size if whole else there.sum(1)[block.groups][:, None, None, None]
            block.backward(batch, slope, rate)

    def early(self, first: int) -> frozenset[int]:
        """Steps before the first look at which dev is looked at for the loss alone."""
        judged = self.likeliest is not None and max(self.problem.dev.counts)
        return list_early_steps(first) if judged else frozenset()

    def look(
        self, passes: Sequence[float], going: Set[GridNetwork], early: bool = False
    ) -> set[GridNetwork]:
        """Judge on dev after so many passes of each group, keep every network still going that is
        better than it ever was, and say which.

        An early look is for the loss alone: no network is better by it.
        """
        better = set()
        for block in self.blocks:
            judged = self._judge_block(block).tolist()
            for k, lane in enumerate(block.lanes):
                if lane not in going:
                    continue
                look = (*judged[k], passes[lane.group])
                state = [t[k] for t in block.tensors]
                if not early and self.best.offer(lane, look, state):
                    better.add(lane)
                if self.likeliest is not None:
                    self.likeliest.offer(lane, look, state)
        return better

    def _judge_block(self, block: StackedNetworks) -> Tensor:
        """Score and loss an example over dev, [lanes, 2] float64."""
        counts = torch.tensor([self.problem.dev.counts[group] for group in self.groups])
        shape = (self.loss.statistics, len(block.lanes), 1)
        total = torch.zeros(shape, dtype=torch.float64, device=self.device)
        units = len(block.lanes) * max(block.hidden, self.problem.outputs)
        size = max(64, min(4096, 2**20 // units))
        # groups that differ in how many examples they have are cut where the shorter ones end
        ends = sorted({*range(size, int(counts.max()), size), *counts.tolist()} - {0})
        for start, end in zip([0, *ends], ends, strict=False):
            rows = torch.arange(start, end).expand(len(counts), -1)
            has = counts >= end
            groups, dev = torch.tensor(self.groups), self.problem.dev
            rows = dev.rows(groups[:, None], torch.where(has[:, None], rows, 0))
            batch, wanted = dev.take(groups, rows)
            judged = self.loss.judge(block.forward(batch), wanted[block.groups])
            total += torch.stack(judged) * has.to(self.device)[block.groups][:, None]
        many = counts.to(self.device)[block.groups].clamp(min=1)
        return self.loss.verdict(total[:, :, 0], many)

    def keep(self, lanes: Set[GridNetwork]) -> None:
        """Drop the networks that are done, and the groups of which none is left."""
        left = {lane.group for lane in lanes}
        self.groups = [group for group in self.groups if group in left]
        self.blocks = [block for block in self.blocks if not lanes.isdisjoint(block.lanes)]
        for block in self.blocks:
            block.keep(lanes, self.groups)

    def cut(self, most: int) -> None:
        """Successive halving: the worse networks of each group, by the loss on dev, stop, and so
        many go on; the others are out of the running.
        """
        if max(Counter(lane.group for lane in self.lanes).values()) <= most:
            return
        losses = {
            lane: loss
            for block in self.blocks
            for lane, (_, loss) in zip(block.lanes, self._judge_block(block).tolist(), strict=True)
        }
        ranked = sorted(self.lanes, key=lambda lane: (lane.group, losses[lane], lane.number))
        self.lanes = [
            lane for _, group in groupby(ranked, itemgetter(0)) for lane in islice(group, most)
        ]
        self.keep(self.running)

    def best_networks(self) -> list[list[TrainedNetwork]]:
        """The best state of every network in the running, in the order of groups and members."""
        lanes = sorted(self.lanes)
        return [
            [self._best_network(n) for n in group] for _, group in groupby(lanes, itemgetter(0))
        ]

    def _best_network(self, lane: GridNetwork) -> TrainedNetwork:
        return self.best.best_network(
            lane, self.likeliest.best_network(lane) if self.likeliest else None
        )
