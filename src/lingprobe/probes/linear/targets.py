"""What the members of a linear probe are fitted to: classes, labels that hold or not, numbers.

Each kind has its closed-form fit, its log loss, and the calibration of scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.labels import MIN_LABEL_WEIGHT, Column
from lingprobe.data.notes import BoundaryDensity
from lingprobe.data.reading import ReadingProblem
from lingprobe.data.vectors import Ints
from lingprobe.probes.linear.calibration import (
    LabelLines,
    bound_sureness,
    compute_label_losses,
    compute_log_loss,
    find_cuts,
    fit_label_lines,
    fit_temperature,
)
from lingprobe.probes.linear.decomposition import SharedDecomposition
from lingprobe.probes.linear.discriminant import LinearModel, PartWeights, ShrunkDiscriminant
from lingprobe.probes.linear.ridge import RidgeRegression, find_penalty

Doubles = NDArray[np.float64]

_SAMPLE_ROWS, _SAMPLE_SCORES = 4000, 400_000  # of leave-one-out predictions


class ClosedFit(NamedTuple):
    """A closed-form fit whose scores are calibrated logits (or numbers), with its leave-one-out
    scores [rows, outputs], their mean loss, the penalty, and the densities at the boundary of
    classes (NaN of other labels, and where they were not asked for).
    """

    model: LinearModel
    penalty: float
    loss: float
    rows: Ints
    scores: Doubles
    boundary: BoundaryDensity = BoundaryDensity()


class TrainingTargets(Protocol):
    """The labels of training examples. Outputs are those of the label column."""

    @property
    def examples(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def has_logistic(self) -> bool:
        """Whether logistic regression can be fitted to them."""
        ...

    def fit_closed(
        self,
        decomposition: SharedDecomposition,
        penalty: float | None = None,
        *,
        with_boundary: bool = False,
    ) -> ClosedFit:
        """Shrunk discriminant analysis, or ridge regression of numbers, at the penalty of the least
        leave-one-out loss where none is asked for; densities at the boundary take another pass.
        """
        ...

    def take(self, rows: Ints) -> TrainingTargets:
        """Those of some examples."""
        ...

    def codes(self) -> NDArray[np.float64] | Ints:
        """As logistic regression takes them."""
        ...

    def covers(self, other: TrainingTargets) -> NDArray[np.bool_]:
        """Which of other examples have labels that these examples have, too."""
        ...

    def measure_boundary(
        self, decomposition: SharedDecomposition, penalty: float
    ) -> BoundaryDensity:
        """The densities at the boundary of classes, of logistic regression at a penalty by those of
        the discriminant which it resembles near chance; NaN of other labels.
        """
        ...

    def losses(self, logits: Doubles) -> Doubles:
        """Nats [n] under logits [n, outputs]."""
        ...

    def calibrate(self, logits: Doubles) -> LabelLines:
        """What makes log odds or logits that fit these examples of others' logits."""
        ...

    def cuts(self, logits: Doubles) -> Doubles | None:
        """The log odds from which on labels are predicted; None of classes and numbers."""
        ...


def pose_targets(labels: Column) -> TrainingTargets:
    """The targets that a label column is. ReadingProblem for lists of numbers, and for numbers that
    are not finite.
    """
    if labels.classes is not None:
        return ClassTargets(labels.classes, len(labels.names))
    if labels.numbers is not None:
        numbers = labels.matrix().astype(np.float64)
        if lost := int((~np.isfinite(numbers)).any(1).sum()):
            raise ReadingProblem(
                f"linear predicts finite numbers, and the labels of {lost} of {len(numbers)}"
                " training examples are NaN, infinite or beyond 3e38; leave these out, or divide"
                " the numbers"
            )
        return NumberTargets(numbers)
    if labels.link is None:
        raise ReadingProblem(
            "linear predicts classes, label sets or numbers, and these labels are lists of numbers;"
            " use a probe of trees"
        )
    matrix = labels.matrix().astype(np.float64)
    return SetTargets(np.where(np.isnan(matrix), np.nan, matrix >= MIN_LABEL_WEIGHT))


def sample_rows(examples: int, outputs: int) -> Ints:
    """The examples whose leave-one-out predictions choose a penalty: all of them, or as many of
    them as time and memory allow.
    """
    most = min(_SAMPLE_ROWS, max(_SAMPLE_SCORES // max(outputs, 1), 1000))
    if examples <= most:
        return np.arange(examples)
    return np.sort(np.random.default_rng(0).permutation(examples)[:most]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class ClassTargets:
    """The class of each example [n], of so many."""

    ids: Ints
    outputs: int

    @property
    def examples(self) -> int:
        return len(self.ids)

    @property
    def has_logistic(self) -> bool:
        return bool((self.ids != self.ids[:1]).any())

    def fit_closed(
        self,
        decomposition: SharedDecomposition,
        penalty: float | None = None,
        *,
        with_boundary: bool = False,
    ) -> ClosedFit:
        present, local = np.unique(self.ids, return_inverse=True)
        rows = sample_rows(len(local), len(present))
        if len(present) < 2:
            levels, scores = self._whole(np.zeros(1), present), np.zeros((len(rows), 1))
            none = np.zeros((self.outputs, decomposition.features.shape[1]))
            return ClosedFit(
                LinearModel(none, levels), 1.0, 0.0, rows, self._whole(scores, present)
            )
        found = ShrunkDiscriminant.of(decomposition, local, rows)
        parts: PartWeights | None = None

        def judge_penalty(value: float) -> float:
            nonlocal parts
            loss, parts, _ = found.judge(value, parts)
            return loss

        if penalty is None:
            penalty = find_penalty(judge_penalty, decomposition)
        loss, parts, logits = found.judge(penalty, parts)
        priors = found.log_priors
        if (factor := bound_sureness(logits, local[rows], priors)) < 1:
            parts = PartWeights(*(factor * each for each in parts))
            logits = factor * (logits - priors) + priors
            loss = float(compute_log_loss(logits, local[rows]).mean())
        model = found.fit(penalty, parts)
        weights = np.zeros((self.outputs, model.weights.shape[1]))
        weights[present] = model.weights - model.weights.mean(0)
        bias = model.bias
        whole = LinearModel(weights, self._whole(bias - bias.mean(), present))
        boundary = (
            found.measure_boundary(penalty, parts, logits) if with_boundary else BoundaryDensity()
        )
        return ClosedFit(whole, penalty, loss, rows, self._whole(logits, present), boundary)

    def measure_boundary(
        self, decomposition: SharedDecomposition, penalty: float
    ) -> BoundaryDensity:
        # the curvature of the log loss of equal chances, by which its penalty counts more
        curved = 4.0 if self.outputs == 2 else float(self.outputs)
        return self.fit_closed(decomposition, curved * penalty, with_boundary=True).boundary

    def _whole(self, scores: Doubles, present: Ints) -> Doubles:
        """Scores [..., present] with those of classes that have no examples, which are as likely as
        half an example.
        """
        whole = np.empty((*scores.shape[:-1], self.outputs))
        whole[...] = scores.mean(-1, keepdims=True) - np.log(2.0 * len(self.ids))
        whole[..., present] = scores
        return whole

    def take(self, rows: Ints) -> ClassTargets:
        return ClassTargets(self.ids[rows], self.outputs)

    def codes(self) -> Ints:
        return self.ids

    def covers(self, other: TrainingTargets) -> NDArray[np.bool_]:
        return np.asarray(np.isin(other.codes(), self.ids))

    def losses(self, logits: Doubles) -> Doubles:
        return compute_log_loss(logits, self.ids)

    def calibrate(self, logits: Doubles) -> LabelLines:
        factor = fit_temperature(logits, self.ids)
        factor *= bound_sureness(factor * logits, self.ids)
        return LabelLines(np.full(self.outputs, factor), np.zeros(self.outputs))

    def cuts(self, logits: Doubles) -> Doubles | None:
        return None


@dataclass(frozen=True, slots=True)
class SetTargets:
    """Which labels hold of each example: 1, 0 or NaN (not annotated), [n, labels]."""

    holds: Doubles

    @property
    def examples(self) -> int:
        return len(self.holds)

    @property
    def outputs(self) -> int:
        return int(self.holds.shape[1])

    @property
    def has_logistic(self) -> bool:
        return bool((np.nanmin(self.holds) < np.nanmax(self.holds)) if self.holds.size else False)

    def fit_closed(
        self,
        decomposition: SharedDecomposition,
        penalty: float | None = None,
        *,
        with_boundary: bool = False,
    ) -> ClosedFit:
        rows = sample_rows(*self.holds.shape)
        found = RidgeRegression.of(decomposition, self.holds, rows)
        if penalty is None:
            penalty = find_penalty(found.label_loss, decomposition)
        scores, holds = found.leave_one_out(penalty), self.holds[rows]
        lines = fit_label_lines(scores, holds)
        odds, model = lines.apply(scores), found.fit(penalty)
        weights = model.weights * lines.slope[:, None]
        fitted = LinearModel(weights, lines.slope * model.bias + lines.level)
        loss = float(compute_label_losses(odds, holds).mean())
        return ClosedFit(fitted, penalty, loss, rows, odds)

    def measure_boundary(
        self, decomposition: SharedDecomposition, penalty: float
    ) -> BoundaryDensity:
        return BoundaryDensity()

    def take(self, rows: Ints) -> SetTargets:
        return SetTargets(self.holds[rows])

    def codes(self) -> Doubles:
        return self.holds

    def covers(self, other: TrainingTargets) -> NDArray[np.bool_]:
        return np.ones(len(other.codes()), np.bool_)

    def losses(self, logits: Doubles) -> Doubles:
        return compute_label_losses(logits, self.holds)

    def calibrate(self, logits: Doubles) -> LabelLines:
        return fit_label_lines(logits, self.holds)

    def cuts(self, logits: Doubles) -> Doubles | None:
        return find_cuts(logits, self.holds)


@dataclass(frozen=True, slots=True)
class NumberTargets:
    """A number for each example, [n, 1]."""

    values: Doubles
    has_logistic: bool = False
    outputs: int = 1

    @property
    def examples(self) -> int:
        return len(self.values)

    def fit_closed(
        self,
        decomposition: SharedDecomposition,
        penalty: float | None = None,
        *,
        with_boundary: bool = False,
    ) -> ClosedFit:
        rows = sample_rows(len(self.values), 1)
        # of the size of 1, so that no square is beyond what a float holds
        factor = float(np.abs(self.values).max(initial=0.0)) or 1.0
        found = RidgeRegression.of(decomposition, self.values / factor, rows)
        if penalty is None:
            penalty = find_penalty(found.squared_error, decomposition)
        model = found.fit(penalty)
        whole = LinearModel(model.weights * factor, model.bias * factor)
        scores = found.leave_one_out(penalty) * factor
        return ClosedFit(whole, penalty, found.squared_error(penalty), rows, scores)

    def measure_boundary(
        self, decomposition: SharedDecomposition, penalty: float
    ) -> BoundaryDensity:
        return BoundaryDensity()

    def take(self, rows: Ints) -> NumberTargets:
        return NumberTargets(self.values[rows])

    def codes(self) -> Doubles:
        return self.values

    def covers(self, other: TrainingTargets) -> NDArray[np.bool_]:
        return np.ones(len(other.codes()), np.bool_)

    def losses(self, logits: Doubles) -> Doubles:
        return np.asarray(((logits - self.values) ** 2).sum(1))

    def calibrate(self, logits: Doubles) -> LabelLines:
        return LabelLines(np.ones(1), np.zeros(1))

    def cuts(self, logits: Doubles) -> Doubles | None:
        return None
