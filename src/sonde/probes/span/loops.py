"""Training of edge probes: all networks of one seed walk through the same batches, each with its
own optimiser, patience and best.

A network is trained as it would be alone under its seed: it starts, is shuffled and drops numbers
by generators of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.optim.adamw import adamw

from sonde.probes.schedules import Annealing, early
from sonde.probes.span.batches import Batch, Examples, Gathered, batch_of
from sonde.probes.span.net import Net, scores
from sonde.probes.span.plans import Plateau, TrainingConfig
from sonde.progress import tell
from sonde.vectors import Floats, Ints

JUDGED = 256  # sentences of a batch where nothing is learnt


class Judged(NamedTuple):
    """A network on dev: F1 over all annotated pairs of example and label (of classes under a
    softmax, accuracy), and its mean loss.

    surprise  nats that the labels of an example take under its scores: of classes by a softmax,
              however they were trained
    """

    score: float
    loss: float
    surprise: float


@dataclass(frozen=True, slots=True)
class Learnt:
    """A network as it was at its best on dev: its tensors, its score and loss there, the step, and
    all steps.

    likeliest  the same as it was at its lowest surprise, where that was asked for
    """

    tensors: dict[str, Floats]
    judged: Judged
    step: int
    steps: int
    likeliest: Learnt | None = None


class Training:
    """One network in training; `likeliest` says whether it is kept at its lowest surprise, too."""

    def __init__(
        self, net: Net, config: TrainingConfig, seed: int, likeliest: bool = False
    ) -> None:
        self.net, self.config = net, config
        self.tensors = list(net.tensors.values())
        self.first, self.second, self.most = (
            [torch.zeros_like(t, requires_grad=False) for t in self.tensors] for _ in range(3)
        )
        self.steps = [t.new_zeros((), requires_grad=False) for t in self.tensors]
        self.kinds = _kinds(net, config.mix_rate)
        self.noise = torch.Generator().manual_seed(seed + 1)
        self.rate = config.plan.rate
        self.best: Learnt | None = None
        self.likeliest: Learnt | None = None
        self.wants_likeliest = likeliest
        self.misses = self.since_halved = 0
        self.marked = 0.0

    def step(self, batch: Batch, gathered: Gathered, wanted: Tensor, rate: float) -> None:
        """One step of Adam along the gradient of the batch's mean loss, clipped."""
        said = scores(self.net, batch, gathered, self.noise)
        slope = slope_of(said.detach(), wanted).div_(max(cells_of(wanted), 1))
        said.backward(slope)  # type: ignore[no-untyped-call]
        gradients = [t.grad if t.grad is not None else torch.zeros_like(t) for t in self.tensors]
        length = float(
            torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in gradients]))
        )
        if self.config.clip and length > self.config.clip:
            torch._foreach_mul_(gradients, self.config.clip / length)
        self._adam(gradients, rate)
        for tensor in self.tensors:
            tensor.grad = None

    @torch.no_grad()
    def _adam(self, gradients: list[Tensor], rate: float) -> None:
        """Adam, with decoupled decay of matrices where the plan has one."""
        plan = self.config.plan
        amsgrad, decay = (plan.amsgrad, 0.0) if isinstance(plan, Plateau) else (False, plan.decay)
        columns = self.tensors, gradients, self.first, self.second, self.most, self.steps
        for some, mix_rate, decayed in self.kinds:
            parameters, slopes, first, second, most, steps = (
                [column[i] for i in some] for column in columns
            )
            adamw(
                parameters,
                slopes,
                first,
                second,
                most if amsgrad else [],
                steps,
                fused=True,
                amsgrad=amsgrad,
                beta1=0.9,
                beta2=0.999,
                lr=rate * mix_rate,
                weight_decay=decay * decayed,
                eps=1e-8,
                maximize=False,
            )

    def weigh(self, judged: Judged, step: int) -> None:
        """Keep the network if the labels of dev surprise it less than ever, where that was asked
        for.
        """
        if self.wants_likeliest and (
            self.likeliest is None or judged.surprise < self.likeliest.judged.surprise
        ):
            self.likeliest = Learnt(self.net.kept(), judged, step, step)

    def keep(self, judged: Judged, step: int) -> tuple[bool, bool]:
        """Keep the network if it is better on dev than it ever was; whether it is, and by the
        margin below which rates are halved.
        """
        best, plan, score = self.best, self.config.plan, judged.score
        better = best is None or score > best.judged.score
        clearly = best is None or score > self.marked * (
            1 + (plan.margin if isinstance(plan, Plateau) else 0.0)
        )
        self.marked = score if clearly else self.marked
        if (
            best is None
            or better
            or (
                isinstance(plan, Annealing)
                and score == best.judged.score
                and judged.loss < best.judged.loss
            )
        ):
            self.best = Learnt(self.net.kept(), judged, step, step)
        return better, clearly

    def learnt(self, steps: int) -> Learnt:
        """The best there was; what there is at the end where there was no dev."""
        best = self.best or Learnt(
            self.net.kept(), Judged(math.nan, math.nan, math.nan), steps, steps
        )
        likeliest = replace(self.likeliest or best, steps=steps) if self.wants_likeliest else None
        return replace(best, steps=steps, likeliest=likeliest)


def _kinds(net: Net, mix_rate: float) -> list[tuple[list[int], float, bool]]:
    """Which tensors learn alike (matrices, vectors, the weights of a mix): their numbers, how fast,
    and whether they decay.
    """
    kinds = {(1.0, True): list[int](), (1.0, False): [], (mix_rate, False): []}
    for i, (name, tensor) in enumerate(net.tensors.items()):
        kinds[mix_rate if name == "mix" else 1.0, tensor.ndim > 1].append(i)
    return [(some, *kind) for kind, some in kinds.items() if some]


def train(trainings: Sequence[Training], train: Examples, dev: Examples, seed: int) -> list[Learnt]:
    """Train networks of one config and seed on the same batches, each as long as its plan says."""
    plan = trainings[0].config.plan
    return (
        _anneal(trainings, train, dev, seed, plan)
        if isinstance(plan, Annealing)
        else _persist(trainings, train, dev, seed, plan)
    )


def _anneal(
    trainings: Sequence[Training], train: Examples, dev: Examples, seed: int, plan: Annealing
) -> list[Learnt]:
    size, steps = plan.batch_of(train.sentences), plan.steps_of(train.sentences)
    looks = (
        {round(steps * (i + 1) / plan.looks) for i in range(plan.looks)} if dev.sentences else set()
    )
    before = early(min(looks)) if looks else frozenset()
    for step, rows in enumerate(itertools.islice(_shuffled(train, size, seed), steps)):
        if step in before:
            _weigh(trainings, dev, step)
        _step(trainings, train, rows, step * size >= train.sentences, plan.rate_at(step, steps))
        tell(step + 1, steps)
        if step + 1 in looks:
            _look(trainings, dev, step + 1)
    return [training.learnt(steps) for training in trainings]


def _persist(
    trainings: Sequence[Training], train: Examples, dev: Examples, seed: int, plan: Plateau
) -> list[Learnt]:
    going, every, ended = list(trainings), plan.every(train.sentences), dict[Training, int]()
    before = early(every)
    for step, rows in enumerate(_shuffled(train, plan.batch, seed), 1):
        if step - 1 in before:
            _weigh(trainings, dev, step - 1, plan.judged)
        _step(going, train, rows, (step - 1) * plan.batch >= train.sentences)
        tell(step)
        if step % every:
            continue
        for training, improved in zip(
            list(going), _look(going, dev, step, plan.judged), strict=True
        ):
            if not _patient(training, *improved, step // every):
                going.remove(training)
                ended[training] = step
        if not going:
            break
    return [training.learnt(ended[training]) for training in trainings]


def _look(
    trainings: Sequence[Training], dev: Examples, step: int, first: int = 0
) -> list[tuple[bool, bool]]:
    """Judge all networks on dev; which of them are better than ever, and clearly so."""
    found = judged([training.net for training in trainings], trainings[0].config, dev, first)
    for training, one in zip(trainings, found, strict=True):
        training.weigh(one, step)
    return [training.keep(one, step) for training, one in zip(trainings, found, strict=True)]


def _weigh(trainings: Sequence[Training], dev: Examples, step: int, first: int = 0) -> None:
    """Look early, for the sake of those networks alone that are to be kept at their lowest
    surprise.
    """
    some = [training for training in trainings if training.wants_likeliest]
    if some:
        for training, one in zip(
            some,
            judged([training.net for training in some], some[0].config, dev, first),
            strict=True,
        ):
            training.weigh(one, step)


def _patient(training: Training, better: bool, clearly: bool, looks: int) -> bool:
    """Count looks without improvement, halve the rate when there were enough, and say whether to go
    on.
    """
    plan = training.config.plan
    assert isinstance(plan, Plateau)
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
    trainings: Sequence[Training],
    train: Examples,
    rows: Ints,
    checked: bool,
    rate: float | None = None,
) -> None:
    """One step of every network on the same batch."""
    design = trainings[0].config.design
    batch = batch_of(train, rows, design.context)
    gathered, wanted = Gathered(train, batch, design.layer_norm, checked), train.wanted(batch.rows)
    for training in trainings:
        training.step(batch, gathered, wanted, training.rate if rate is None else rate)


def _shuffled(train: Examples, size: int, seed: int) -> Iterator[Ints]:
    """The rows of one batch after the other, pass after pass without end, the sentences of each
    pass in an order of its own.
    """
    for number in itertools.count():
        order = np.random.default_rng([seed, number]).permutation(train.sentences)
        for start in range(0, len(order), size):
            yield train.rows(order[start : start + size])


def loss_of(said: Tensor, wanted: Tensor) -> Tensor:
    """The loss summed: cross-entropy of classes [n], or of each label for itself [n, labels], NaN
    left out.
    """
    if wanted.ndim == 1:
        return torch.nn.functional.cross_entropy(said, wanted, reduction="sum")
    known = (~wanted.isnan()).to(said.dtype)
    return torch.nn.functional.binary_cross_entropy_with_logits(
        said, wanted.nan_to_num(0.0), weight=known, reduction="sum"
    )


def slope_of(said: Tensor, wanted: Tensor) -> Tensor:
    """The gradient of the summed loss in the scores, which is all that a step needs."""
    if wanted.ndim == 1:
        slope = torch.softmax(said, 1)
        return slope.scatter_add_(
            1, wanted[:, None], slope.new_full((1, 1), -1.0).expand(len(said), 1)
        )
    return torch.sigmoid(said).sub_(wanted).nan_to_num_(0.0)


def cells_of(wanted: Tensor) -> int:
    """Over how many cells the loss is summed: examples, or annotated pairs of example and label."""
    return len(wanted) if wanted.ndim == 1 else wanted.numel() - int(wanted.isnan().sum())


@torch.no_grad()
def judged(
    nets: Sequence[Net], config: TrainingConfig, dev: Examples, first: int = 0
) -> list[Judged]:
    """How each network does on dev, or on its first sentences."""
    counts = torch.zeros(len(nets), 2, dtype=torch.float64)
    sums, sizes = np.zeros((len(nets), 2)), np.zeros(2)
    for rows in dev.passes(JUDGED, first or None):
        batch = batch_of(dev, rows, config.design.context)
        wanted = dev.wanted(batch.rows)
        single = wanted.argmax(1) if dev.single and wanted.ndim > 1 else None
        gathered = Gathered(dev, batch, config.design.layer_norm)
        for i, net in enumerate(nets):
            said = scores(net, batch, gathered)
            loss = float(loss_of(said, wanted))
            sums[i] += loss, loss if single is None else float(loss_of(said, single))
            counts[i] += _right(said, wanted, config.decode).cpu()
        sizes += cells_of(wanted), len(wanted)
    shares = (counts[:, 0] / counts[:, 1].clamp_min(1)).tolist()
    means = (sums / np.maximum(sizes, 1)).tolist()
    return [Judged(share, *mine) for share, mine in zip(shares, means, strict=True)]


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
