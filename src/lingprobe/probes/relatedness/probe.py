"""SentEval's regression: the score of a pair is what a softmax over the whole numbers of its scale
lets expect (Tai, Socher & Manning 2015). One linear layer; all seeds and all reads in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Floats
from lingprobe.nets import precision as machine
from lingprobe.nets.device import DeviceAwareProbe, check_device, in_halves
from lingprobe.probes.features import AffineScaling, read_finite_features, scaled_train
from lingprobe.probes.mlp.grid import GridMember, TrainedNetwork
from lingprobe.probes.relatedness.scale import ScoreScale
from lingprobe.probes.schedules import AnnealingSchedule, SentEvalLoop

_LINEAR = GridMember(hidden=0)
_FIVE = ScoreScale(lowest=1, many=5)
# tools/relatedness.py of SentEval: looks every 50 passes, ends at the fourth without a better r
_SENTEVAL = SentEvalLoop(batch=64, tenacity=3, epoch_size=50, max_epoch=1000)


@dataclass(frozen=True, slots=True)
class RegressionProtocol:
    """How the regression is trained.

    scale   the classes; None for the whole numbers that the scores of train lie between
    scaled  whether features are brought to one scale first; SentEval reads them as they are
    """

    plan: AnnealingSchedule | SentEvalLoop
    scale: ScoreScale | None = None
    scaled: bool = False


_PROTOCOLS = {
    # a linear layer over thousands of features needs a strong decay, and time to feel it
    "fast": RegressionProtocol(AnnealingSchedule(epochs=30, steps=600, decay=3.0), scaled=True),
    # five classes from 1 to 5 whatever the scores: 0 to 5 of STS-B has no class for 0
    "senteval": RegressionProtocol(_SENTEVAL, _FIVE),
    # Krasnowska-Kieraś & Wróblewska 2019, footnote 8: 50 units and batches of 128, neither of which
    # SentEval's regression reads
    "krasnowska": RegressionProtocol(_SENTEVAL, _FIVE),
}


def relatedness(
    *, protocol: Literal["fast", "senteval", "krasnowska"] = "fast"
) -> RelatednessProbe:
    """Scores of pairs as a softmax over the whole numbers of their scale, chosen by Pearson's r on
    dev.
    """
    name = "relatedness" if protocol == "fast" else f"relatedness-{protocol}"
    return RelatednessProbe(name, _PROTOCOLS[protocol])


@dataclass(frozen=True, slots=True)
class RelatednessProbe(DeviceAwareProbe):
    """Settings of the regression."""

    name: str
    protocol: RegressionProtocol
    needs: ClassVar[ProbeNeeds] = ProbeNeeds()

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        scale = self._scale(train, dev)
        inputs = {
            read: self._input(train, dev, read) for read in dict.fromkeys(c.read for c in cells)
        }
        asked = dict.fromkeys((cell.read, cell.seed) for cell in cells)
        by_width: dict[int, list[tuple[str, int]]] = {}
        for read, seed in asked:
            by_width.setdefault(inputs[read].train.shape[1], []).append((read, seed))
        predictors: dict[tuple[str, int], Predictor] = {}
        targets = _targets(scale, train, dev)

        def train_some(some: Sequence[tuple[str, int]]) -> list[TrainedNetwork]:
            return self._train_fits([(inputs[read], seed) for read, seed in some], targets)

        for alike in by_width.values():
            for (read, seed), best in zip(alike, in_halves(train_some, alike), strict=True):
                predictors[read, seed] = _predictor(read, inputs[read].scaling, best, scale)
        return [predictors[cell.read, cell.seed] for cell in cells]

    def _scale(self, train: Readings, dev: Readings) -> ScoreScale:
        """The classes; ReadingProblem where there is nothing to learn or to choose by."""
        if train.labels.numbers is None:
            raise ReadingProblem(
                f"{self.name} learns scores, but this task's labels are not numbers; use mlp"
            )
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        if not len(dev):
            raise ReadingProblem(
                f"{self.name} is stopped by Pearson's r on dev, and there are no dev examples; give"
                " a dev split"
            )
        return self.protocol.scale or ScoreScale.of(train.labels.numbers)

    def _input(self, train: Readings, dev: Readings, read: str) -> ScaledFeatures:
        scaling, features = scaled_train(train, read, self.protocol.scaled)
        return ScaledFeatures(scaling, features, scaling(read_finite_features(dev, read, "dev")))

    def _train_fits(
        self, fits: Sequence[tuple[ScaledFeatures, int]], targets: tuple[Floats, Floats]
    ) -> list[TrainedNetwork]:
        """Each input under its seed, at its best on dev."""
        check_device(device := self.device)
        machine.spare_torch()
        import torch

        from lingprobe.probes.mlp.joint import GroupExamples, TrainingProblem, share_tensors
        from lingprobe.probes.mlp.loops import train_networks
        from lingprobe.probes.relatedness.loss import ExpectationLoss

        loss, plan, many = ExpectationLoss(), self.protocol.plan, targets[0].shape[1] - 1
        arrays = [each.train for each, _ in fits], [each.dev for each, _ in fits]
        wanted = [loss.targets(each).to(device) for each in targets]
        train, dev = (
            GroupExamples.of(
                share_tensors(lambda x: torch.from_numpy(x).to(device), each), [y] * len(each)
            )
            for each, y in zip(arrays, wanted, strict=True)
        )
        problem, grids = TrainingProblem(train, dev, loss, many), [[_LINEAR]] * len(fits)
        seeds = [seed for _, seed in fits]
        return [best for [best] in train_networks(problem, seeds, grids, plan, torch.float32)]


class ScaledFeatures(NamedTuple):
    """One read, scaled: [examples, features] float32."""

    scaling: AffineScaling
    train: Floats
    dev: Floats


def _targets(scale: ScoreScale, *parts: Readings) -> tuple[Floats, Floats]:
    """Shares of the classes, and the score itself, [n, classes + 1]."""
    train, dev = (
        np.column_stack([scale.shares(scores), scores]).astype(np.float32)
        for scores in (part.labels.matrix()[:, 0].astype(np.float64) for part in parts)
    )
    return train, dev


def _predictor(
    read: str, scaling: AffineScaling, best: TrainedNetwork, scale: ScoreScale
) -> Predictor:
    weights, bias = best.layers
    choice = {"classes": scale.many, "dev": best.score, "passes": round(best.passes, 2)}
    return ExpectedScoreRegression(read, scaling, weights, bias[:, 0], scale.values, choice)


@dataclass(frozen=True, slots=True)
class ExpectedScoreRegression:
    """The prediction is the mean under the predicted distribution: a fitted regression, its weights
    [classes, features], bias and values [classes].
    """

    read: str
    scaling: AffineScaling
    weights: Floats
    bias: Floats
    values: Floats
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        from scipy.special import softmax

        scores = self.scaling(readings.features(self.read)) @ self.weights.T + self.bias
        said = np.asarray(softmax(scores, axis=1) @ self.values, np.float32)[:, None]
        labels = readings.labels
        return Predictions(said, labels.names, labels.decode(said), labels.link)
