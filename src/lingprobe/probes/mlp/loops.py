"""The two ways to train a joint grid: lingprobe's annealed recipe, and SentEval's loop with its
patience.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from lingprobe.data.progress import report_progress
from lingprobe.probes.mlp.blocks import GridNetwork
from lingprobe.probes.mlp.grid import GridMember, TrainedNetwork
from lingprobe.probes.mlp.joint import JointTraining, TrainingProblem
from lingprobe.probes.schedules import AnnealingSchedule, SentEvalLoop


def train_networks(
    problem: TrainingProblem,
    seeds: Sequence[int],
    grids: Sequence[Sequence[GridMember]],
    plan: AnnealingSchedule | SentEvalLoop,
    dtype: torch.dtype,
) -> list[list[TrainedNetwork]]:
    """The grid of each group as its plan trains it; SentEval's loop computes in float32."""
    if isinstance(plan, SentEvalLoop):
        return train_with_patience(problem, seeds, grids, plan)
    return train_annealed(problem, seeds, grids, plan, dtype)


def train_annealed(
    problem: TrainingProblem,
    seeds: Sequence[int],
    grids: Sequence[Sequence[GridMember]],
    plan: AnnealingSchedule,
    dtype: torch.dtype,
) -> list[list[TrainedNetwork]]:
    """Train with a falling rate; each network that no cut takes out is kept as it was at its best
    look at dev (at the end where there is no dev). Groups have as many steps and batches of one
    size.
    """
    joint = JointTraining(problem, seeds, grids, dtype, plan.decay)
    counts = problem.train.counts
    examples = counts[0]
    size, steps = plan.batch_of(examples), plan.steps_of(examples)
    looks = plan.looks_of(steps) if problem.dev.counts[0] else {steps}
    cuts, before = plan.cuts_of(steps), joint.early(min(looks))
    for step, rows in enumerate(itertools.islice(_batches(joint, size, plan), steps)):
        if step in cuts:
            joint.cut(cuts[step])
        if step in before:
            joint.look([step * size / n for n in counts], joint.running, early=True)
        joint.step(rows, plan.rate_at(step, steps))
        done = step + 1
        report_progress(done, steps)
        if done in looks:
            joint.look([done * size / n for n in counts], joint.running)
    return joint.best_networks()


def _batches(joint: JointTraining, size: int, plan: AnnealingSchedule) -> Iterator[Tensor]:
    """Batches for ever."""
    if plan.cuts:
        return joint.stream(size)
    return itertools.chain.from_iterable(joint.passes(size) for _ in itertools.count())


def train_with_patience(
    problem: TrainingProblem,
    seeds: Sequence[int],
    grids: Sequence[Sequence[GridMember]],
    plan: SentEvalLoop,
) -> list[list[TrainedNetwork]]:
    """Train as SentEval does, every cell for as long as it would be trained alone; one that has
    stopped changes no more. Groups have as many batches, of which the last may differ in size.
    """
    joint = JointTraining(problem, seeds, grids, torch.float32)
    loop = _Patience(joint, plan, len(seeds))
    while loop.going and loop.passes <= plan.max_epoch:
        for rows in (r for _ in range(plan.epoch_size) for r in joint.passes(plan.batch)):
            loop.step(rows)
        loop.look()
    return joint.best_networks()


class _Patience:
    """How far SentEval's loop is.

    going   the networks that have not stopped; `misses` are looks at which one was no better
    """

    def __init__(self, joint: JointTraining, plan: SentEvalLoop, groups: int) -> None:
        self.joint, self.plan, self.groups = joint, plan, groups
        self.batches = math.ceil(joint.problem.train.counts[0] / plan.batch)
        self.before = joint.early(plan.epoch_size * self.batches)
        self.misses, self.going = Counter[GridNetwork](), joint.running
        self.passes = self.steps = 0

    def step(self, rows: Tensor) -> None:
        """One step of all networks."""
        if self.steps in self.before:
            self.joint.look([self.steps / self.batches] * self.groups, self.going, early=True)
        self.joint.step(rows, self.plan.rate, self.plan.reduction)
        self.steps += 1

    def look(self) -> None:
        """Judge the networks, and take out those that have stopped: whole rows and columns of the
        grid, so that groups go on sharing their products.
        """
        joint = self.joint
        self.passes += self.plan.epoch_size
        report_progress(self.steps)
        better = joint.look([self.passes] * self.groups, self.going)
        self.misses.update(self.going - better)
        self.going = {lane for lane in self.going if not self.plan.over(self.misses[lane])}
        groups, cells = {n.group for n in self.going}, {n.number for n in self.going}
        joint.keep({n for n in joint.lanes if n.group in groups and n.number in cells})
