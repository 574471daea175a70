"""Which member of a linear probe, at which scale of features, and which penalty of logistic
regression: by the log loss of cross-fitted predictions of training examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Floats, Ints
from lingprobe.probes.linear.calibration import LabelLines
from lingprobe.probes.linear.decomposition import SharedDecomposition
from lingprobe.probes.linear.discriminant import LinearModel
from lingprobe.probes.linear.logistic import (
    FeatureSpectrum,
    LossMinimum,
    ends_path,
    fit_logistic_path,
)
from lingprobe.probes.linear.targets import TrainingTargets

Doubles = NDArray[np.float64]
Member = Literal["discriminant", "logistic"]

# of mean log loss + penalty / 2 * |weights|^2, of features whose mean square is 1
LOGISTIC_PENALTIES = tuple(5.0**-k for k in range(9))
_PARTS = 5  # that the training examples are cut into
_PREDICTED = 2000  # examples that are predicted by fits to the others, where there are as many
_APART = 4.0  # standard errors, beyond which no more examples are predicted
_LEAST_EXAMPLES = 20  # of a comparison; fewer take the closed form


class MemberChoice(NamedTuple):
    """What was chosen for a task and an encoder.

    penalty   of logistic regression; None of the discriminant, whose penalty each fit chooses
    lines     what makes logits of logistic regression's scores
    cuts      log odds from which on labels of sets are predicted, of logistic regression
    losses    nats an example, by member: what was compared
    examples  how many were predicted by each, on how many layers
    """

    member: Member
    standardised: bool
    penalty: float | None = None
    lines: LabelLines | None = None
    cuts: Doubles | None = None
    losses: Mapping[Member, float] = MappingProxyType({})
    examples: tuple[int, int] = (0, 0)


class TrainingRows(NamedTuple):
    """Features [n, d] of all training examples in one read, their targets, and numbers [n] that are
    equal where examples must stay together.
    """

    features: Floats
    targets: TrainingTargets
    ties: Ints


class HeldOut(NamedTuple):
    """Examples of one layer that fits to other examples predicted: their rows [m], logits of the
    discriminant [m, outputs], and of logistic regression by penalty.
    """

    rows: Ints
    discriminant: Floats
    logistic: Sequence[Floats]


def choose_member(
    layers: Sequence[TrainingRows], member: Member | None, standardised: bool | None
) -> MemberChoice:
    """The choice of the model, made once for a task and an encoder: over some layers of the same
    examples; what is not None is given.

    The scale is that of the lower leave-one-out loss of the discriminant. Logistic regression is
    chosen where its loss is no more than one standard error of the difference above that of the
    discriminant.
    """
    targets = layers[0].targets
    small = len(layers[0].features) < _LEAST_EXAMPLES
    closed = _find_scale(layers, (False, True) if standardised is None else (standardised,))
    if not targets.has_logistic or (small and member is None) or member == "discriminant":
        return MemberChoice("discriminant", closed.standardised)
    held = [
        found
        for layer, penalty in zip(layers, closed.penalties, strict=True)
        if (found := _cross_fit(layer, closed.standardised, penalty)) is not None
    ]
    return _compare_members(targets, held, member, closed.standardised)


class ClosedForms(NamedTuple):
    """The penalties of the closed form on some layers, at one scale."""

    loss: float
    standardised: bool
    penalties: list[float]


def _find_scale(layers: Sequence[TrainingRows], scales: Sequence[bool]) -> ClosedForms:
    """Whether vectors are at one scale or standardised: the closed form of the lower mean
    leave-one-out loss.
    """
    found = []
    for standardised in scales:
        fits = [
            layer.targets.fit_closed(SharedDecomposition.of(layer.features, standardised))
            for layer in layers
        ]
        loss = float(np.mean([fit.loss for fit in fits]))
        found.append(ClosedForms(loss, standardised, [fit.penalty for fit in fits]))
    return min(found, key=lambda each: each.loss)


def allot_parts(targets: TrainingTargets, ties: Ints) -> Ints:
    """The part of each example [n], 0 to 4: those that share a number are in one part, and classes
    are spread evenly as far as that allows.
    """
    _, first, groups = np.unique(ties, return_index=True, return_inverse=True)
    order = np.random.default_rng(0).permutation(len(first))
    codes = targets.codes()
    if codes.ndim == 1:
        order = order[np.argsort(codes[first[order]], kind="stable")]
    parts = np.empty(len(first), np.int64)
    parts[order] = np.arange(len(first)) % _PARTS
    return np.asarray(parts[groups])


def _cross_fit(layer: TrainingRows, standardised: bool, penalty: float) -> HeldOut | None:
    """Predictions of examples by fits to other parts, of as many parts as it takes to decide; None
    where the parts leave nothing to predict. After the first part, paths of logistic regression end
    one step beyond the best so far.
    """
    allotted, found = allot_parts(layer.targets, layer.ties), list[HeldOut]()
    penalties: Sequence[float] = LOGISTIC_PENALTIES
    for part in range(_PARTS):
        rest, held = np.flatnonzero(allotted != part), np.flatnonzero(allotted == part)
        if not len(held) or not len(rest):
            continue
        targets = layer.targets.take(rest)
        held = held[targets.covers(layer.targets.take(held))][:_PREDICTED]
        if not targets.has_logistic or not len(held):
            continue
        found.append(_predict_held(layer, (rest, held), standardised, (penalty, penalties)))
        joined = _join_held(found)
        if _is_decided(layer.targets, joined):
            break
        penalties = LOGISTIC_PENALTIES[: _find_step(layer.targets, [joined]) + 2]
    return _join_held(found) if found else None


def _is_decided(targets: TrainingTargets, held: HeldOut) -> bool:
    """Whether enough was predicted, or the members are far apart already."""
    if len(held.rows) >= _PREDICTED:
        return True
    losses = _calibrated_losses(targets, [held], _find_step(targets, [held]))
    difference, error = _compare_losses(held.rows, losses)
    return abs(difference) > _APART * error


def _join_held(parts: Sequence[HeldOut]) -> HeldOut:
    """Parts of one layer as one; a path that ended early stays where it ended."""
    most = max(len(part.logistic) for part in parts)
    return HeldOut(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.discriminant for part in parts]),
        [
            np.concatenate([part.logistic[min(k, len(part.logistic) - 1)] for part in parts])
            for k in range(most)
        ],
    )


def _predict_held(
    layer: TrainingRows,
    split: tuple[Ints, Ints],
    standardised: bool,
    how: tuple[float, Sequence[float]],
) -> HeldOut:
    """Predictions of held-out examples by both members, fitted to the rest: the discriminant at a
    penalty, logistic regression at several.
    """
    (rest, held), (penalty, penalties) = split, how
    decomposition = SharedDecomposition.of(layer.features[rest], standardised)
    scaled = decomposition.scale.apply(layer.features[held])
    closed = layer.targets.take(rest).fit_closed(decomposition, penalty)
    targets, logits, losses = layer.targets.take(held), list[Floats](), list[float]()
    for model, minimum in _fit_path(decomposition, layer.targets.take(rest), penalties):
        scores = predict_scores(model, scaled)
        logits.append(scores.astype(np.float32))
        losses.append(float(targets.losses(scores).mean()))
        if ends_path(losses, minimum):
            break
    return HeldOut(held, predict_scores(closed.model, scaled).astype(np.float32), logits)


def _fit_path(
    decomposition: SharedDecomposition, targets: TrainingTargets, penalties: Sequence[float]
) -> Iterator[tuple[LinearModel, LossMinimum]]:
    """Models and minima of logistic regression as its penalty falls."""
    x = decomposition.scale.apply(decomposition.features).astype(np.float32)
    outputs = targets.outputs
    for minimum in fit_logistic_path(
        x, targets.codes(), penalties, classes=outputs, spectrum=_spectrum(decomposition)
    ):
        yield widen_model(LinearModel(minimum.weights, minimum.bias), outputs), minimum


def _spectrum(decomposition: SharedDecomposition) -> FeatureSpectrum | None:
    """That of the features, where it is known."""
    if decomposition.values is None or decomposition.basis is None:
        return None
    return FeatureSpectrum(decomposition.values, decomposition.basis)


def fit_logistic(
    decomposition: SharedDecomposition,
    targets: TrainingTargets,
    penalty: float,
    start: LinearModel | None = None,
) -> LinearModel:
    """Logistic regression under one penalty."""
    x = decomposition.scale.apply(decomposition.features).astype(np.float32)
    outputs = targets.outputs
    begin = None if start is None else _narrow_model(start, targets)
    spectrum = _spectrum(decomposition)
    (minimum,) = fit_logistic_path(
        x, targets.codes(), [penalty], begin, classes=outputs, spectrum=spectrum
    )
    return widen_model(LinearModel(minimum.weights, minimum.bias), outputs)


def widen_model(model: LinearModel, outputs: int) -> LinearModel:
    """A model with an output for each class, of one that has one for two."""
    if len(model.bias) == outputs:
        return model
    both = np.array([[-0.5], [0.5]])
    return LinearModel(both * model.weights, both[:, 0] * model.bias)


def _narrow_model(model: LinearModel, targets: TrainingTargets) -> tuple[Doubles, Doubles]:
    """The weights and bias of one output for two classes."""
    if targets.codes().ndim == 2 or len(model.bias) != 2:
        return model.weights, model.bias
    return model.weights[1:] - model.weights[:1], model.bias[1:] - model.bias[:1]


def predict_scores(model: LinearModel, scaled: Doubles) -> Doubles:
    """Scores [n, outputs] of features at the model's scale."""
    return np.asarray(scaled @ model.weights.T + model.bias)


def _compare_members(
    targets: TrainingTargets, layers: Sequence[HeldOut], member: Member | None, standardised: bool
) -> MemberChoice:
    """The model by the log loss on held-out examples, each member calibrated on them: logistic
    regression is taken if it is within one standard error.
    """
    if not layers:
        return MemberChoice(member or "discriminant", standardised, penalty=1.0)
    k, rows = _find_step(targets, layers), np.concatenate([layer.rows for layer in layers])
    losses = _calibrated_losses(targets, layers, k)
    difference, error = _compare_losses(rows, losses)
    chosen: Member = "logistic" if difference <= error else "discriminant"
    gold, logits = targets.take(rows), _logits_of(layers, k)["logistic"]
    lines = gold.calibrate(logits)
    return MemberChoice(
        member or chosen,
        standardised,
        LOGISTIC_PENALTIES[k],
        lines,
        gold.cuts(lines.apply(logits)),
        {name: float(each.mean()) for name, each in losses.items()},
        (len(np.unique(rows)), len(layers)),
    )


def _logits_of(layers: Sequence[HeldOut], k: int) -> dict[Member, Doubles]:
    """The logits of each member, layer after layer, of logistic regression at a step."""
    return {
        "discriminant": np.concatenate([layer.discriminant for layer in layers]).astype(float),
        "logistic": np.concatenate([_at_step(layer, k) for layer in layers]).astype(float),
    }


def _calibrated_losses(
    targets: TrainingTargets, layers: Sequence[HeldOut], k: int
) -> dict[Member, Doubles]:
    """Nats of each held-out example by member, layer after layer, where each is calibrated."""
    gold = targets.take(np.concatenate([layer.rows for layer in layers]))
    logits = _logits_of(layers, k)
    return {name: gold.losses(gold.calibrate(each).apply(each)) for name, each in logits.items()}


def _compare_losses(rows: Ints, losses: Mapping[Member, Doubles]) -> tuple[float, float]:
    """By how much logistic regression's loss is larger, and the standard error of that: an example
    counts once, with its mean over layers.
    """
    _, which = np.unique(rows, return_inverse=True)
    difference = losses["logistic"] - losses["discriminant"]
    means = np.bincount(which, difference) / np.bincount(which)
    return float(means.mean()), float(means.std() / np.sqrt(len(means)))


def _at_step(layer: HeldOut, k: int) -> Floats:
    """Logits at a step of the path, or at its end."""
    return layer.logistic[min(k, len(layer.logistic) - 1)]


def _find_step(targets: TrainingTargets, layers: Sequence[HeldOut]) -> int:
    """The step of the path with the least loss over all layers."""
    steps = max(len(layer.logistic) for layer in layers)
    losses = [
        np.mean(
            [
                targets.take(layer.rows).losses(_at_step(layer, k).astype(np.float64)).mean()
                for layer in layers
            ]
        )
        for k in range(steps)
    ]
    return int(np.argmin(losses))
