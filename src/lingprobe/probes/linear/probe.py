"""The default probe: the best linear map from vectors to labels, chosen between shrunk linear
discriminant analysis and logistic regression.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.abilities import HeldOutScores, UnfoldedWeights
from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, FitJob, Predictions, Predictor, ProbeNeeds
from lingprobe.data.labels import Column, join_columns
from lingprobe.data.narrowing import narrow_part
from lingprobe.data.notes import BoundaryDensity, MembersCompared, ThresholdNote
from lingprobe.data.options import Help
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.sizes import FitSize, WorkAmount
from lingprobe.data.vectors import Floats, Ints
from lingprobe.metrics.thresholds import find_thresholds
from lingprobe.probes.features import read_finite_features
from lingprobe.probes.linear import room
from lingprobe.probes.linear.decomposition import FeatureScale, SharedDecomposition
from lingprobe.probes.linear.discriminant import LinearModel
from lingprobe.probes.linear.ridge import RIDGE_PENALTIES
from lingprobe.probes.linear.selection import (
    LOGISTIC_PENALTIES,
    Member,
    MemberChoice,
    TrainingRows,
    choose_member,
    fit_logistic,
    predict_scores,
)
from lingprobe.probes.linear.targets import ClosedFit, TrainingTargets, pose_targets

Doubles = NDArray[np.float64]

_MODELS: Mapping[Member, str] = {
    "discriminant": "shrunk linear discriminant analysis",
    "logistic": "logistic regression",
}
SharedChoice = Mapping[str, MemberChoice]
"""What was chosen once for a task and an encoder, over whole layers under '', and by what is read
of them, as 'first64:'.
"""
_COMPARED_LAYERS = 4  # at even distances, that members are compared on
_PREDICTED_ROWS = 4096  # at one time


@dataclass(frozen=True, slots=True)
class LinearProbe:
    """The best linear map: shrunk linear discriminant analysis or L2 logistic regression, chosen
    once for a task and encoder by cross-fitted log loss; ridge regression of scores.
    """

    _: KW_ONLY
    member: Annotated[Member | None, Help("discriminant or logistic; none chooses")] = None
    standardised: Annotated[
        bool | None,
        Help(
            "whether each dimension is divided by its deviation, or all by the same number; none"
            " chooses"
        ),
    ] = None
    penalty: Annotated[
        float | None,
        Help("relative to the mean eigenvalue; none chooses"),
    ] = None
    priors: Annotated[
        Literal["train", "equal"],
        Help(
            "train: classes are as frequent as in train; equal: as if all were equally frequent,"
            ' which `class_weight="balanced"` is for elsewhere'
        ),
    ] = "train"
    shared: SharedChoice | None = field(default=None, init=False, compare=False, repr=False)
    name: ClassVar[str] = "linear"
    kin: ClassVar[str] = "linear"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False)

    def __post_init__(self) -> None:
        check_number("linear,penalty", self.penalty, ">0", "how much large weights cost")

    @property
    def settings(self) -> Sequence[Mapping[str, Any]]:
        """Every member at both scales with its penalties."""
        penalties = {"discriminant": RIDGE_PENALTIES, "logistic": LOGISTIC_PENALTIES}
        scales = (False, True) if self.standardised is None else (self.standardised,)
        return [
            {"member": member, "standardised": standardised, "penalty": penalty}
            for member in (penalties if self.member is None else (self.member,))
            for standardised in scales
            for penalty in (penalties[member] if self.penalty is None else (self.penalty,))
        ]

    def with_settings(self, settings: Mapping[str, Any]) -> LinearProbe:
        """The same with a member, a scale and a penalty."""
        names = ("member", "standardised", "penalty")
        return self._sharing(self.shared, **{name: settings[name] for name in names})

    def _sharing(self, shared: SharedChoice | None, **settings: Any) -> LinearProbe:
        made = replace(self, **settings)
        object.__setattr__(made, "shared", shared)
        return made

    def with_choice(self, train: Readings, dev: Readings, reads: Sequence[str] = ()) -> LinearProbe:
        """The same with the member and scale that are best over the layers of an encoder, and over
        fewer numbers of them where some of the reads are of these.
        """
        names = train.vectors.names
        places = np.linspace(0, len(names) - 1, min(_COMPARED_LAYERS, len(names)))
        compared = [names[k] for k in dict.fromkeys(places.round().astype(int).tolist())]
        parts = dict.fromkeys(narrow_part(read) for read in ("", *reads))
        chosen = {
            part: self._choose(train, dev, [f"{part}{layer}" for layer in compared])
            for part in parts
        }
        return self._sharing(chosen)

    def _choose(self, train: Readings, dev: Readings, reads: Sequence[str]) -> MemberChoice:
        """The choice over some reads."""
        targets, ties = _targets_of(train, dev), _ties_of(train, dev)
        layers = (TrainingRows(_features(train, dev, read), targets, ties) for read in reads)
        return choose_member(list(layers), self.member, self.standardised)

    def least_memory(self, size: FitSize) -> int:
        """Bytes that a fit takes."""
        return room.estimate_linear_memory(size)

    def work(self, size: FitSize, seeds: int) -> WorkAmount:
        """That of a fit; seeds differ in nothing."""
        return room.estimate_linear_work(size)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if not len(train):
            raise ReadingProblem("linear has no training examples")
        reads = list(dict.fromkeys(cell.read for cell in cells))
        chosen = dict(self.shared or {})
        for part in dict.fromkeys(map(narrow_part, reads)):
            if part not in chosen:
                mine = [read for read in reads if narrow_part(read) == part]
                chosen[part] = self._choose(train, dev, mine)
        fitted = {
            read: self._fit_read(train, dev, read, chosen[narrow_part(read)]) for read in reads
        }
        return [fitted[cell.read] for cell in cells]

    def fit_all(self, jobs: Sequence[FitJob]) -> list[list[Predictor]]:
        """One predictor for each cell of each job; jobs of the same features share what is made of
        them.
        """
        found = []
        for job in jobs:
            probe = job.probe if isinstance(job.probe, LinearProbe) else self
            found.append(probe.fit(job.train, job.dev, cells=job.cells))
        return found

    def _fit_read(
        self, train: Readings, dev: Readings, read: str, shared: MemberChoice
    ) -> LinearMap:
        """The predictor of one read under a choice of the member."""
        features, targets = _features(train, dev, read), _targets_of(train, dev)
        member = self.member or shared.member
        member = member if targets.has_logistic else "discriminant"
        standardised = shared.standardised if self.standardised is None else self.standardised
        decomposition = SharedDecomposition.of(features, standardised)
        penalty = self.penalty
        if member == "logistic":
            penalty = penalty or shared.penalty or 1.0
            cuts = shared.cuts
            model, held_out = _fit_calibrated(train, dev, decomposition, (shared, penalty))
            boundary = targets.measure_boundary(decomposition, penalty)
        else:
            closed = targets.fit_closed(decomposition, penalty, with_boundary=True)
            model, penalty, boundary = closed.model, closed.penalty, closed.boundary
            cuts = targets.take(closed.rows).cuts(closed.scores)
            held_out = _leave_out(len(train), dev.labels, closed)
        if self.priors == "equal":
            fitted, model = model, _equalise_priors(model, train.labels, dev.labels)
            moved = held_out.scores + (model.bias - fitted.bias)
            held_out = held_out._replace(scores=moved)
        choice = {
            "member": member,
            "standardised": standardised,
            "penalty": penalty,
            "dev": _rate_scores(held_out, cuts),
            MembersCompared.key: MembersCompared(
                "ridge regression" if train.labels.link is None else _MODELS[member],
                {_MODELS[name]: loss for name, loss in shared.losses.items()},
                *shared.examples,
            ).plain(),
        }
        if (thresholds := find_thresholds(*held_out, train.labels.names)).at:
            choice[ThresholdNote.key] = thresholds.plain()
        if math.isfinite(boundary.density):
            choice[BoundaryDensity.key] = boundary.plain()
        return LinearMap(read, decomposition.scale, model, cuts, choice, held_out)


@dataclass(frozen=True, slots=True)
class LinearMap:
    """A fitted linear probe, whose scores are calibrated logits, log odds or numbers.

    cuts  log odds from which on labels of sets are predicted; None of classes and numbers
    """

    read: str
    scale: FeatureScale
    model: LinearModel
    cuts: Doubles | None
    choice: Mapping[str, Any]
    held_out: HeldOutScores

    def unfold(self) -> UnfoldedWeights:
        """Weights of features as they are."""
        weights = self.model.weights * self.scale.factor
        return UnfoldedWeights(weights, self.model.bias - weights @ self.scale.shift, self.cuts)

    def predict(self, readings: Readings) -> Predictions:
        features = readings.features(self.read)
        scores = np.empty((len(features), len(self.model.bias)), np.float32)
        for start in range(0, len(features), _PREDICTED_ROWS):
            rows = slice(start, start + _PREDICTED_ROWS)
            scores[rows] = predict_scores(self.model, self.scale.apply(features[rows]))
        labels = readings.labels
        decoded = labels.decode(_subtract_cuts(scores, self.cuts))
        return Predictions(scores, labels.names, decoded, labels.link)


def _features(train: Readings, dev: Readings, read: str) -> Floats:
    """The features of train and dev together: the fit is on both."""
    parts = [read_finite_features(train, read, "train")]
    if len(dev):
        parts.append(read_finite_features(dev, read, "dev"))
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _targets_of(train: Readings, dev: Readings) -> TrainingTargets:
    return pose_targets(join_columns([train.labels, dev.labels]) if len(dev) else train.labels)


def _ties_of(train: Readings, dev: Readings) -> Ints:
    """Numbers [n], equal for examples that share their first sentence."""
    keys = [
        readings.dataset.sentences[k].key
        for readings in (train, dev)
        for k in readings.dataset.sites[:, 0, 0].tolist()
    ]
    return np.unique(np.array(keys), return_inverse=True)[1].astype(np.int64)


def _equalise_priors(model: LinearModel, *labels: Column) -> LinearModel:
    """The logits of classes less the logarithms of their frequencies: probabilities where all
    classes are equally frequent (Saerens, Latinne & Decaestecker 2002, equation 2.4). Label sets
    and numbers have none, and stay as they are.
    """
    codes = [column.classes for column in labels]
    if codes[0] is None:
        return model
    counts = sum(np.bincount(c, minlength=len(model.bias)) for c in codes if c is not None)
    frequent = np.maximum(counts, 1) / np.sum(counts)
    return LinearModel(model.weights, model.bias - np.log(frequent))


def _fit_calibrated(
    train: Readings,
    dev: Readings,
    decomposition: SharedDecomposition,
    how: tuple[MemberChoice, float],
) -> tuple[LinearModel, HeldOutScores]:
    """Logistic regression on train and dev, calibrated, and what one on train alone says of dev."""
    (shared, penalty), count = how, len(train)
    targets, start = _targets_of(train, dev), None
    held_out = HeldOutScores(dev.labels.take(np.arange(0)), np.empty((0, len(train.labels.names))))
    first, slope = (
        targets.take(np.arange(count)),
        1.0 if shared.lines is None else shared.lines.slope,
    )
    level = 0.0 if shared.lines is None else shared.lines.level

    def calibrate(model: LinearModel) -> LinearModel:
        return LinearModel((model.weights.T * slope).T, model.bias * slope + level)

    if len(dev) and first.has_logistic:
        alone = replace(decomposition, features=decomposition.features[:count])
        start = fit_logistic(alone, first, penalty)
        scaled = decomposition.scale.apply(decomposition.features[count:])
        held_out = HeldOutScores(dev.labels, predict_scores(calibrate(start), scaled))
    return calibrate(fit_logistic(decomposition, targets, penalty, start)), held_out


def _leave_out(train: int, dev: Column, closed: ClosedFit) -> HeldOutScores:
    """Leave-one-out scores of the dev examples, which come after so many of train."""
    mine = closed.rows >= train
    return HeldOutScores(dev.take(closed.rows[mine] - train), closed.scores[mine])


def _rate_scores(held_out: HeldOutScores, cuts: Doubles | None) -> float:
    """How good scores are; NaN where there are none, or they are beyond what a float holds."""
    if not len(held_out.scores):
        return float("nan")
    scores = _subtract_cuts(held_out.scores.astype(np.float32), cuts)
    with np.errstate(over="ignore"):
        quality = float(held_out.labels.quality(scores))
    return quality if np.isfinite(quality) else float("nan")


def _subtract_cuts(scores: Floats, cuts: Doubles | None) -> Floats:
    """Scores of which those from 0 on say that a label holds."""
    return scores if cuts is None else scores - cuts.astype(np.float32)
