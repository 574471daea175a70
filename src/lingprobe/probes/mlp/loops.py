"""The two ways to train a joint grid: lingprobe's annealed recipe, and SentEval's loop with its
patience.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lingprobe.data.checkpoints import Course, State
from lingprobe.data.progress import tell
from lingprobe.probes.mlp.blocks import Lane
from lingprobe.probes.mlp.grid import Member, Trained
from lingprobe.probes.mlp.joint import Joint, Problem
from lingprobe.probes.mlp.states import lanes, name_of, numbers, restore, state_of
from lingprobe.probes.schedules import Annealing, SentEvalLoop


def train_networks(
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
    course = Course(lambda: name_of(problem, seeds, grids, plan, dtype, joint.device.type))
    done = 0

    def state() -> State:
        return state_of(joint, step=done)

    if course.state is not None:
        restore(joint, course.state)
        done = course.state.facts["step"]
    counts = problem.train.counts
    examples = counts[0]
    size, steps = plan.batch_of(examples), plan.steps_of(examples)
    looks = plan.looks_of(steps) if problem.dev.counts[0] else {steps}
    cuts, before = plan.cuts_of(steps), joint.early(min(looks))
    for step, rows in enumerate(itertools.islice(_batches(joint, size, plan), steps)):
        if step < done:
            continue
        if step in cuts:
            joint.cut(cuts[step])
        if step in before:
            joint.look([step * size / n for n in counts], joint.running, early=True)
        joint.step(rows, plan.rate_at(step, steps))
        done = step + 1
        tell(done, steps)
        if done in looks:
            joint.look([done * size / n for n in counts], joint.running)
        course.offer(state)
    course.end(state)
    return joint.best_networks()


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
    loop = _Patience(joint, plan, len(seeds))
    course = Course(lambda: name_of(problem, seeds, grids, plan, joint.device.type))
    if course.state is not None:
        loop.restore(course.state)
    while loop.going and loop.passes <= plan.max_epoch:
        batches = (r for _ in range(plan.epoch_size) for r in joint.passes(plan.batch))
        for rows in itertools.islice(batches, loop.since, None):
            loop.step(rows)
            course.offer(loop.state)
        loop.look()
    course.end(loop.state)
    return joint.best_networks()


class _Patience:
    """How far SentEval's loop is.

    going   the networks that have not stopped; `misses` are looks at which one was no better
    orders  where the orders of examples were at the last look, and `since` how many batches ago
    """

    def __init__(self, joint: Joint, plan: SentEvalLoop, groups: int) -> None:
        self.joint, self.plan, self.groups = joint, plan, groups
        self.batches = math.ceil(joint.problem.train.counts[0] / plan.batch)
        self.before = joint.early(plan.epoch_size * self.batches)
        self.misses, self.going = Counter[Lane](), joint.running
        self.orders = [order.get_state() for order in joint.orders]
        self.passes = self.steps = self.since = 0

    def step(self, rows: Tensor) -> None:
        """One step of all networks."""
        if self.steps in self.before:
            self.joint.look([self.steps / self.batches] * self.groups, self.going, early=True)
        self.joint.step(rows, self.plan.rate, self.plan.reduction)
        self.steps += 1
        self.since += 1

    def look(self) -> None:
        """Judge the networks, and take out those that have stopped: whole rows and columns of the
        grid, so that groups go on sharing their products.
        """
        joint, self.since = self.joint, 0
        self.passes += self.plan.epoch_size
        tell(self.steps)
        better = joint.look([self.passes] * self.groups, self.going)
        self.misses.update(self.going - better)
        self.going = {lane for lane in self.going if not self.plan.over(self.misses[lane])}
        groups, cells = {n.group for n in self.going}, {n.number for n in self.going}
        joint.keep({n for n in joint.lanes if n.group in groups and n.number in cells})
        self.orders = [order.get_state() for order in joint.orders]

    def state(self) -> State:
        """All of it."""
        facts: dict[str, Any] = {"passes": self.passes, "steps": self.steps, "since": self.since}
        misses, going = list(self.misses.values()), numbers(sorted(self.going))
        facts |= {"missed": numbers(self.misses), "misses": misses, "going": going}
        state = state_of(self.joint, **facts)
        orders = {f"order.{k}": order.numpy() for k, order in enumerate(self.orders)}
        return State(state.facts, {**state.arrays, **orders})

    def restore(self, state: State) -> None:
        """Go on from there."""
        known = {(lane.group, lane.number): lane for lane in self.joint.lanes}
        restore(self.joint, state)
        facts = state.facts
        missed = lanes(facts["missed"], known)
        self.misses = Counter(dict(zip(missed, facts["misses"], strict=True)))
        self.going = set(lanes(facts["going"], known))
        self.passes, self.steps, self.since = (facts[k] for k in ("passes", "steps", "since"))
        for k, order in enumerate(self.joint.orders):
            order.set_state(torch.from_numpy(np.array(state.arrays[f"order.{k}"])))
        self.orders = [order.get_state() for order in self.joint.orders]
