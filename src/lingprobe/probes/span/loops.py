"""Training of edge probes: all networks of one seed walk through the same batches, each with its
own optimiser, patience and best.

A network is trained as it would be alone under its seed: it starts, is shuffled and drops numbers
by generators of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from lingprobe.data.progress import report_progress
from lingprobe.data.vectors import Ints
from lingprobe.probes.schedules import AnnealingSchedule, list_early_steps
from lingprobe.probes.span.batches import GatheredVectors, SplitExamples, batch_of
from lingprobe.probes.span.net import SpanNetwork, compute_logits
from lingprobe.probes.span.plans import PlateauSchedule, TrainingConfig
from lingprobe.probes.span.training import (
    DevScores,
    LearntNetwork,
    NetworkTraining,
    count_loss_cells,
    loss_of,
)

_JUDGED = 256  # sentences of a batch where nothing is learnt


def train_edge_networks(
    trainings: Sequence[NetworkTraining], train: SplitExamples, dev: SplitExamples, seed: int
) -> list[LearntNetwork]:
    """Train networks of one config and seed on the same batches, each as long as its plan says."""
    plan = trainings[0].config.plan
    if isinstance(plan, AnnealingSchedule):
        return _anneal(trainings, _Data(train, dev, seed), plan)
    return _persist(trainings, _Data(train, dev, seed), plan)


class _Data(NamedTuple):
    """What is trained and judged on, and the seed of the order of sentences."""

    train: SplitExamples
    dev: SplitExamples
    seed: int


def _anneal(
    trainings: Sequence[NetworkTraining], data: _Data, plan: AnnealingSchedule
) -> list[LearntNetwork]:
    train, dev, seed = data
    size, steps = plan.batch_of(train.sentences), plan.steps_of(train.sentences)
    looks = (
        {round(steps * (i + 1) / plan.looks) for i in range(plan.looks)} if dev.sentences else set()
    )
    before = list_early_steps(min(looks)) if looks else frozenset()
    for step, rows in enumerate(itertools.islice(_batch_rows(train, size, seed), steps)):
        if step in before:
            _weigh(trainings, dev, step)
        _step(trainings, train, rows, step * size >= train.sentences, plan.rate_at(step, steps))
        done = step + 1
        report_progress(done, steps)
        if done in looks:
            _look(trainings, dev, done)
    return [training.learnt(steps) for training in trainings]


def _persist(
    trainings: Sequence[NetworkTraining], data: _Data, plan: PlateauSchedule
) -> list[LearntNetwork]:
    train, dev, seed = data
    every = plan.every(train.sentences)
    before = list_early_steps(every)
    # after how many steps each has ended; 0 while it has not
    ended = [0] * len(trainings)
    for step, rows in enumerate(_batch_rows(train, plan.batch, seed), 1):
        if not (going := [one for one, end in zip(trainings, ended, strict=True) if not end]):
            break
        if step - 1 in before:
            _weigh(trainings, dev, step - 1, plan.judged)
        _step(going, train, rows, (step - 1) * plan.batch >= train.sentences)
        report_progress(step)
        if step % every == 0:
            found = dict(zip(going, _look(going, dev, step, plan.judged), strict=True))
            for k, one in enumerate(trainings):
                if one in found and not _patient(one, *found[one], step // every):
                    ended[k] = step
    return [one.learnt(end) for one, end in zip(trainings, ended, strict=True)]


def _look(
    trainings: Sequence[NetworkTraining], dev: SplitExamples, step: int, first: int = 0
) -> list[tuple[bool, bool]]:
    """Judge all networks on dev; which of them are better than ever, and clearly so."""
    found = judge_nets([training.net for training in trainings], trainings[0].config, dev, first)
    for training, one in zip(trainings, found, strict=True):
        training.weigh(one, step)
    return [training.keep(one, step) for training, one in zip(trainings, found, strict=True)]


def _weigh(
    trainings: Sequence[NetworkTraining], dev: SplitExamples, step: int, first: int = 0
) -> None:
    """Look early, for the sake of those networks alone that are to be kept at their lowest
    surprise.
    """
    some = [training for training in trainings if training.wants_likeliest]
    if some:
        for training, one in zip(
            some,
            judge_nets([training.net for training in some], some[0].config, dev, first),
            strict=True,
        ):
            training.weigh(one, step)


def _patient(training: NetworkTraining, better: bool, clearly: bool, looks: int) -> bool:
    """Count dev evaluations without improvement, halve the rate when there were enough, and say
    whether to go on.
    """
    plan = training.config.plan
    assert isinstance(plan, PlateauSchedule)
    training.misses = 0 if better else training.misses + 1
    training.since_halved = 0 if clearly else training.since_halved + 1
    if training.since_halved >= plan.halve:
        training.rate, training.since_halved = training.rate / 2, 0
    return (
        training.misses < plan.stop
        and training.rate >= plan.least
        and not (plan.most and looks >= plan.most)
    )


def _step(
    trainings: Sequence[NetworkTraining],
    train: SplitExamples,
    rows: Ints,
    checked: bool,
    rate: float | None = None,
) -> None:
    """One step of every network on the same batch."""
    design = trainings[0].config.design
    batch = batch_of(train, rows, design.context)
    gathered, wanted = (
        GatheredVectors(train, batch, design.layer_norm, checked),
        train.wanted(batch.rows),
    )
    for training in trainings:
        training.step(batch, gathered, wanted, training.rate if rate is None else rate)


def _batch_rows(train: SplitExamples, size: int, seed: int) -> Iterator[Ints]:
    """The rows of one batch after the other, pass after pass without end, the sentences of each
    pass in an order of its own.
    """
    for number in itertools.count():
        order = np.random.default_rng([seed, number]).permutation(train.sentences)
        for start in range(0, len(order), size):
            yield train.rows(order[start : start + size])


@torch.no_grad()
def judge_nets(
    nets: Sequence[SpanNetwork], config: TrainingConfig, dev: SplitExamples, first: int = 0
) -> list[DevScores]:
    """How each network does on dev, or on its first sentences."""
    counts = torch.zeros(len(nets), 2, dtype=torch.float64)
    sums, sizes = np.zeros((len(nets), 2)), np.zeros(2)
    for rows in dev.passes(_JUDGED, first or None):
        batch = batch_of(dev, rows, config.design.context)
        wanted = dev.wanted(batch.rows)
        single = wanted.argmax(1) if dev.single and wanted.ndim > 1 else None
        gathered = GatheredVectors(dev, batch, config.design.layer_norm)
        for i, net in enumerate(nets):
            said = compute_logits(net, batch, gathered)
            loss = float(loss_of(said, wanted))
            sums[i] += loss, loss if single is None else float(loss_of(said, single))
            counts[i] += _right(said, wanted, config.decode).cpu()
        sizes += int(count_loss_cells(wanted)), len(wanted)
    shares = (counts[:, 0] / counts[:, 1].clamp_min(1)).tolist()
    means = (sums / np.maximum(sizes, 1)).tolist()
    return [DevScores(share, *mine) for share, mine in zip(shares, means, strict=True)]


def _right(said: Tensor, wanted: Tensor, decode: str) -> Tensor:
    """Twice the right pairs, and gold plus predicted pairs."""
    if wanted.ndim == 1:
        right = 2 * (said.argmax(1) == wanted).sum()
        return torch.stack([right, torch.full_like(right, 2 * len(said))]).double()
    known = ~wanted.isnan()
    answer = (
        said >= 0
        if decode == "threshold"
        else torch.nn.functional.one_hot(said.argmax(1), said.shape[1]).bool()
    ) & known
    gold = wanted.nan_to_num(0.0) >= 0.5
    return torch.stack([2 * (answer & gold).sum(), answer.sum() + gold.sum()]).double()
