"""The two ways to train a joint grid: sonde's annealed recipe, and SentEval's loop with its
cumulative patience.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import torch

from sonde.probes.mlp.grid import Member, Trained
from sonde.probes.mlp.joint import Joint, Problem
from sonde.probes.schedules import Annealing, SentEvalLoop
from sonde.progress import tell


def anneal(
    problem: Problem,
    seeds: Sequence[int],
    members: Sequence[Member],
    plan: Annealing,
    dtype: torch.dtype,
) -> list[list[Trained]]:
    """Train with a falling rate; each network is kept as it was at its best look at dev (at the end
    where there is no dev).
    """
    joint = Joint(problem, seeds, members, dtype, plan.decay)
    everyone = torch.ones(len(seeds), len(members), dtype=torch.bool)
    examples = len(problem.wanted)
    size, steps = plan.batch_of(examples), plan.steps_of(examples)
    looks = plan.looks_of(steps) if len(problem.wanted_dev) else {steps}
    before = joint.early(min(looks))
    passes = (rows for _ in itertools.count() for rows in joint.batches(size))
    for step, rows in enumerate(itertools.islice(passes, steps)):
        if step in before:
            joint.look(step * size / examples, everyone, early=True)
        joint.step(rows, plan.rate_at(step, steps))
        done = step + 1
        tell(done, steps)
        if done in looks:
            joint.look(done * size / examples, everyone)
    return joint.trained()


def persist(
    problem: Problem, seeds: Sequence[int], members: Sequence[Member], plan: SentEvalLoop
) -> list[list[Trained]]:
    """Train as SentEval does, every cell for as long as it would be trained alone; one that has
    stopped changes no more.
    """
    joint = Joint(problem, seeds, members, torch.float32)
    misses = torch.zeros(len(seeds), len(members), dtype=torch.int64)
    going = torch.ones_like(misses, dtype=torch.bool)
    batches = math.ceil(len(problem.wanted) / plan.batch)
    before = joint.early(plan.epoch_size * batches)
    passes = step = 0
    while going.any() and passes <= plan.max_epoch:
        for rows in (r for _ in range(plan.epoch_size) for r in joint.batches(plan.batch)):
            if step in before:
                joint.look(step / batches, going, early=True)
            joint.step(rows, plan.rate, plan.reduction)
            step += 1
        passes += plan.epoch_size
        tell(step)
        misses += going & ~joint.look(passes, going)
        going &= ~plan.over(misses)
        joint.keep(going)
    return joint.trained()
