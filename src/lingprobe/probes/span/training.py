"""One edge probe in training: its optimiser, its patience, its best states, and its loss."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from lingprobe.data.vectors import Floats
from lingprobe.nets.adam import AdamMoments, take_step
from lingprobe.probes.schedules import AnnealingSchedule
from lingprobe.probes.span.batches import ExampleBatch, GatheredVectors
from lingprobe.probes.span.net import SpanNetwork, compute_logits
from lingprobe.probes.span.plans import PlateauSchedule, TrainingConfig


class DevScores(NamedTuple):
    """A network on dev: F1 over all annotated pairs of example and label (of classes under a
    softmax, accuracy), and its mean loss.

    surprise  nats that the labels of an example take under its scores: of classes by a softmax,
              however they were trained
    """

    score: float
    loss: float
    surprise: float


@dataclass(frozen=True, slots=True)
class LearntNetwork:
    """A network as it was at its best on dev: its tensors, its score and loss there, the step, and
    all steps.

    likeliest  the same as it was at its lowest surprise, where that was asked for
    """

    tensors: dict[str, Floats]
    judged: DevScores
    step: int
    steps: int
    likeliest: LearntNetwork | None = None


class NetworkTraining:
    """One network in training; `likeliest` says whether it is kept at its lowest surprise, too."""

    def __init__(
        self, net: SpanNetwork, config: TrainingConfig, seed: int, likeliest: bool = False
    ) -> None:
        self.net, self.config = net, config
        self.tensors = list(net.tensors.values())
        self.first, self.second, self.most = (
            [torch.zeros_like(t, requires_grad=False) for t in self.tensors] for _ in range(3)
        )
        self.steps = [t.new_zeros((), requires_grad=False) for t in self.tensors]
        self.kinds = _group_tensors(net, config.mix_rate)
        self.noise = torch.Generator().manual_seed(seed + 1)
        self.rate = config.plan.rate
        self.best: LearntNetwork | None = None
        self.likeliest: LearntNetwork | None = None
        self.wants_likeliest = likeliest
        self.misses = self.since_halved = 0
        self.marked = 0.0

    def step(
        self, batch: ExampleBatch, gathered: GatheredVectors, wanted: Tensor, rate: float
    ) -> None:
        """One step of Adam along the gradient of the batch's mean loss, clipped. Nothing of it is
        looked at on the way, as a GPU would have to be waited for.
        """
        said = compute_logits(self.net, batch, gathered, self.noise)
        slope = slope_of(said.detach(), wanted).div_(count_loss_cells(wanted).clamp_min(1))
        said.backward(slope)  # type: ignore[no-untyped-call]
        gradients = [t.grad if t.grad is not None else torch.zeros_like(t) for t in self.tensors]
        if self.config.clip:
            clip_gradients(gradients, self.config.clip)
        self._adam(gradients, rate)
        for tensor in self.tensors:
            tensor.grad = None

    @torch.no_grad()
    def _adam(self, gradients: list[Tensor], rate: float) -> None:
        """Adam, with decoupled decay of matrices where the plan has one."""
        plan = self.config.plan
        amsgrad, decay = (
            (plan.amsgrad, 0.0) if isinstance(plan, PlateauSchedule) else (False, plan.decay)
        )
        columns = self.tensors, gradients, self.first, self.second, self.most, self.steps
        for some, mix_rate, decayed in self.kinds:
            parameters, slopes, first, second, most, steps = (
                [column[i] for i in some] for column in columns
            )
            kept = AdamMoments(first, second, steps, most if amsgrad else [])
            take_step(parameters, slopes, kept, rate * mix_rate, decay * decayed)

    def weigh(self, judged: DevScores, step: int) -> None:
        """Keep the network if the labels of dev surprise it less than ever, where that was asked
        for.
        """
        if self.wants_likeliest and (
            self.likeliest is None or judged.surprise < self.likeliest.judged.surprise
        ):
            self.likeliest = LearntNetwork(self.net.arrays(), judged, step, step)

    def keep(self, judged: DevScores, step: int) -> tuple[bool, bool]:
        """Keep the network if it is better on dev than it ever was; whether it is, and by the
        margin below which rates are halved.
        """
        best, plan, score = self.best, self.config.plan, judged.score
        better = best is None or score > best.judged.score
        clearly = best is None or score > self.marked * (
            1 + (plan.margin if isinstance(plan, PlateauSchedule) else 0.0)
        )
        self.marked = score if clearly else self.marked
        if (
            best is None
            or better
            or (
                isinstance(plan, AnnealingSchedule)
                and score == best.judged.score
                and judged.loss < best.judged.loss
            )
        ):
            self.best = LearntNetwork(self.net.arrays(), judged, step, step)
        return better, clearly

    def learnt(self, steps: int) -> LearntNetwork:
        """The best there was; what there is at the end where there was no dev."""
        best = self.best or LearntNetwork(
            self.net.arrays(), DevScores(math.nan, math.nan, math.nan), steps, steps
        )
        likeliest = replace(self.likeliest or best, steps=steps) if self.wants_likeliest else None
        return replace(best, steps=steps, likeliest=likeliest)


def _group_tensors(net: SpanNetwork, mix_rate: float) -> list[tuple[list[int], float, bool]]:
    """Which tensors learn alike (matrices, vectors, the weights of a mix): their numbers, how fast,
    and whether they decay.
    """
    kinds = {(1.0, True): list[int](), (1.0, False): [], (mix_rate, False): []}
    for i, (name, tensor) in enumerate(net.tensors.items()):
        kinds[mix_rate if name == "mix" else 1.0, tensor.ndim > 1].append(i)
    return [(some, *kind) for kind, some in kinds.items() if some]


def loss_of(scores: Tensor, targets: Tensor) -> Tensor:
    """The loss summed: cross-entropy of classes [n], or of each label for itself [n, labels], NaN
    excluded.
    """
    if targets.ndim == 1:
        return torch.nn.functional.cross_entropy(scores, targets, reduction="sum")
    known = (~targets.isnan()).to(scores.dtype)
    return torch.nn.functional.binary_cross_entropy_with_logits(
        scores, targets.nan_to_num(0.0), weight=known, reduction="sum"
    )


def slope_of(scores: Tensor, targets: Tensor) -> Tensor:
    """The gradient of the summed loss in the scores, which is all that a step needs."""
    if targets.ndim == 1:
        slope = torch.softmax(scores, 1)
        return slope.scatter_add_(
            1, targets[:, None], slope.new_full((1, 1), -1.0).expand(len(scores), 1)
        )
    return torch.sigmoid(scores).sub_(targets).nan_to_num_(0.0)


def count_loss_cells(targets: Tensor) -> Tensor:
    """Over how many cells the loss is summed: examples, or annotated pairs of example and label."""
    if targets.ndim == 1:
        return torch.tensor(len(targets))
    return (~targets.isnan()).sum()


@torch.no_grad()
def clip_gradients(gradients: list[Tensor], most: float) -> None:
    """Gradients are clipped at a norm, all together, where they are longer. On a processor, where
    looking costs nothing, shorter ones are left as they are.
    """
    length = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in gradients]))
    if length.device.type != "cpu" or length > most:
        scale = (most / length).clamp_max(1.0)
        for gradient in gradients:
            gradient.mul_(scale)
