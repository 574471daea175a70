"""From scores to probabilities: a temperature for classes, a slope and a cut for labels.

All are fitted to predictions of examples that the scores did not learn from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Ints

Doubles = NDArray[np.float64]

_TEMPERATURES = (1e-3, 1e3)  # factors of scores: the least and the largest
_NEWTON_STEPS = 30
_CLOSE = 1e-3  # relative, of a temperature; the loss is flat around its minimum
_HALVINGS = 50  # of a factor, whose logits may be a million


def compute_log_loss(logits: Doubles, codes: Ints) -> Doubles:
    """Nats [n] of the classes `codes` [n] under logits [n, k]."""
    by_class = np.ascontiguousarray(logits.T)  # sums over few numbers side by side are slow
    highest = by_class.max(0)
    sums = np.log(np.exp(by_class - highest).sum(0)) + highest
    return np.asarray(sums - logits[np.arange(len(codes)), codes])


def fit_temperature(
    scores: Doubles, codes: Ints, offset: Doubles | float = 0.0, start: float = 1.0
) -> float:
    """The factor of scores [n, k] under which codes [n] are likeliest, with `offset` [k] added to
    the logits (an inverse temperature: Guo et al. 2017); the loss is convex in it.
    """
    low, high = _TEMPERATURES
    if not len(codes):
        return 1.0
    at, factor = np.arange(len(codes)), start
    scores = scores - scores[at, codes][:, None]
    for _ in range(_NEWTON_STEPS):
        shares = factor * scores
        shares += offset
        shares -= shares.max(1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(1, keepdims=True)
        shares *= scores
        mean = shares.sum(1)
        shares *= scores
        bend = max(float(shares.sum() - mean @ mean), 1e-300)
        # no more than threefold at once: the loss is no parabola far from its minimum
        step = float(np.clip(factor - float(mean.sum()) / bend, factor / 3, 3 * factor))
        step = float(np.clip(step, low, high))
        if abs(step - factor) <= _CLOSE * factor:
            return step
        factor = step
    return factor


def bound_sureness(logits: Doubles, codes: Ints, offset: Doubles | float = 0.0) -> float:
    """The factor, at most 1, of logits [n, k] of examples that the scores did not learn from, under
    which they are no surer than n examples can tell: where none is wrong, another one may be with a
    probability of 1 / (n + 2) (Laplace's rule of succession). `offset` [k], which is a part of the
    logits, stays as it is.

    Data that are separated are likeliest without a doubt, and one error beyond them costs all.
    """
    doubt = 1 / (len(codes) + 2)
    if not len(codes) or _mean_doubt(logits, codes) >= doubt:
        return 1.0
    scores, low, high = logits - offset, 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if _mean_doubt(middle * scores + offset, codes) >= doubt
            else (low, middle)
        )
    return low or high


def _mean_doubt(logits: Doubles, codes: Ints) -> float:
    """How probable it is that another class is right, mean of the examples."""
    return float(-np.expm1(-compute_log_loss(logits, codes)).mean())


class LabelLines(NamedTuple):
    """Log odds of labels from their scores: slope * score + level, [k] each."""

    slope: Doubles
    level: Doubles

    def apply(self, scores: Doubles) -> Doubles:
        """Log odds [n, k]."""
        return np.asarray(scores * self.slope + self.level)


def compute_label_losses(odds: Doubles, holds: Doubles) -> Doubles:
    """Nats [n] that the labels `holds` [n, k] (1, 0, NaN: not annotated) take under log odds."""
    losses = np.logaddexp(0, odds) - np.nan_to_num(holds) * odds
    return np.asarray(np.where(np.isnan(holds), 0.0, losses).sum(1))


def fit_label_lines(scores: Doubles, holds: Doubles) -> LabelLines:
    """The line of each label from its scores [n, k] to its log odds (Platt 1999, with his targets,
    which keep it finite); a label that does not vary, or that scores say nothing of, has a level
    alone.
    """
    known = ~np.isnan(holds)
    positive, total = np.nansum(holds, 0), known.sum(0)
    level = even = np.log((positive + 0.5) / (total - positive + 0.5))
    deviation = np.sqrt(np.where(known, scores**2, 0).sum(0) / np.maximum(total, 1))
    varies = (positive > 0) & (positive < total) & (deviation > 0)
    factor = np.where(varies, 1 / np.where(deviation > 0, deviation, 1), 0)
    x = np.where(known, scores, 0) * factor
    above, below = (positive + 1) / (positive + 2), 1 / (total - positive + 2)
    wanted = np.where(np.nan_to_num(holds) > 0, above, below)
    slope = np.where(varies, 1.0, 0.0)
    for _ in range(_NEWTON_STEPS):
        odds = np.clip(x * slope + level, -500, 500)
        shares = 1 / (1 + np.exp(-odds))
        off = np.where(known, shares - wanted, 0)
        bend = np.where(known, shares * (1 - shares), 0)
        a, b = (off * x).sum(0), off.sum(0)
        aa, ab, bb = (bend * x * x).sum(0) + 1e-9, (bend * x).sum(0), bend.sum(0) + 1e-9
        det = np.maximum(aa * bb - ab * ab, 1e-12)
        steps = (bb * a - ab * b) / det, (aa * b - ab * a) / det
        moves = [np.where(varies, np.clip(step, -2, 2), 0) for step in steps]
        slope, level = slope - moves[0], level - moves[1]
        if max(np.abs(move).max(initial=0.0) for move in moves) < 1e-6:
            break
    return LabelLines(np.where(slope > 0, slope, 0.0) * factor, np.where(slope > 0, level, even))


def find_cuts(odds: Doubles, holds: Doubles) -> Doubles:
    """The threshold of each label of a set, chosen for micro F1: the log odds [k] from which on it
    is predicted.

    F1 is a fraction of two sums over labels; at its maximum each label's cut maximises 2 * right -
    F1 * predicted (Dinkelbach 1967).
    """
    known = ~np.isnan(holds)
    gold = float(np.nansum(holds))
    cuts, best = np.zeros(odds.shape[1]), -1.0
    ordered = []
    for k in range(odds.shape[1]):
        values, right = odds[known[:, k], k], holds[known[:, k], k]
        order = np.argsort(-values, kind="stable")
        values, right = values[order], np.cumsum(right[order])
        last = np.flatnonzero(np.append(values[1:] < values[:-1], True))[: len(values)]
        # nothing is predicted, or all down to one of the values
        ordered.append((values, np.append(0.0, right[last]), np.append(0, last + 1)))
    score = 0.0
    for _ in range(_NEWTON_STEPS):
        hits = predicted = 0.0
        for k, (values, right, many) in enumerate(ordered):
            at = int(np.argmax(2 * right - score * many))
            hits, predicted = hits + right[at], predicted + many[at]
            cuts[k] = _find_middle(values, int(many[at]))
        score = 2 * hits / max(predicted + gold, 1e-9)
        if score <= best + 1e-12:
            break
        best = score
    return cuts


def _find_middle(values: Doubles, many: int) -> float:
    """What lies between the first `many` of falling values and the rest."""
    if not len(values):
        return 0.0
    if many == 0:
        return float(max(values[0] + 1, 0.0))
    if many == len(values):
        return float(min(values[-1] - 1, 0.0))
    return float((values[many - 1] + values[many]) / 2)
