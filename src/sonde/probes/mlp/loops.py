"""The two ways to train a joint grid: sonde's annealed recipe, and SentEval's loop with its
patience.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from sonde.probes.mlp.blocks import Lane
from sonde.probes.mlp.grid import Member, Trained
from sonde.probes.mlp.joint import Joint, Problem
from sonde.probes.schedules import Annealing, SentEvalLoop
from sonde.progress import tell


def trained(
    problem: Problem,
    seeds: Sequence[int],
    grids: Sequence[Sequence[Member]],
    plan: Annealing | SentEvalLoop,
    dtype: torch.dtype,
) -> list[list[Trained]]:
    """The grid of each group as its plan trains it; SentEval's loop computes in float32."""
    if isinstance(plan, SentEvalLoop):
        return persist(problem, seeds, grids, plan)
    return anneal(problem, seeds, grids, plan, dtype)


def anneal(
    problem: Problem,
    seeds: Sequence[int],
    grids: Sequence[Sequence[Member]],
    plan: Annealing,
    dtype: torch.dtype,
) -> list[list[Trained]]:
    """Train with a falling rate; each network that no cut takes out is kept as it was at its best
    look at dev (at the end where there is no dev). Groups have as many steps and batches of one
    size.
    """
    joint = Joint(problem, seeds, grids, dtype, plan.decay)
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
        tell(done, steps)
        if done in looks:
            joint.look([done * size / n for n in counts], joint.running)
    return joint.trained()


def _batches(joint: Joint, size: int, plan: Annealing) -> Iterator[Tensor]:
    """Batches for ever."""
    if plan.cuts:
        return joint.stream(size)
    return itertools.chain.from_iterable(joint.passes(size) for _ in itertools.count())


def persist(
    problem: Problem,
    seeds: Sequence[int],
    grids: Sequence[Sequence[Member]],
    plan: SentEvalLoop,
) -> list[list[Trained]]:
    """Train as SentEval does, every cell for as long as it would be trained alone; one that has
    stopped changes no more. Groups have as many batches, of which the last may differ in size.
    """
    joint = Joint(problem, seeds, grids, torch.float32)
    misses, going = Counter[Lane](), joint.running
    batches = math.ceil(problem.train.counts[0] / plan.batch)
    before = joint.early(plan.epoch_size * batches)
    passes = step = 0
    while going and passes <= plan.max_epoch:
        for rows in (r for _ in range(plan.epoch_size) for r in joint.passes(plan.batch)):
            if step in before:
                joint.look([step / batches] * len(seeds), going, early=True)
            joint.step(rows, plan.rate, plan.reduction)
            step += 1
        passes += plan.epoch_size
        tell(step)
        misses.update(going - joint.look([passes] * len(seeds), going))
        going = {lane for lane in going if not plan.over(misses[lane])}
        # whole rows and columns of the grid, so that groups go on sharing their products
        groups, cells = {lane.group for lane in going}, {lane.number for lane in going}
        joint.keep({n for n in joint.lanes if n.group in groups and n.number in cells})
    return joint.trained()
