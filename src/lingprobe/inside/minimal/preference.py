"""Which of two sentences is the better one: a probe on the difference of their vectors, or of the
scores that they have; and the metric, in which a tie counts half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds, choice_of
from lingprobe.data.labels import Column, column_from_codes
from lingprobe.data.options import Help
from lingprobe.data.reading import MARGIN_VIEW, ReadingProblem, Readings
from lingprobe.data.vectors import Ints
from lingprobe.metrics import Metric
from lingprobe.metrics.metric import Doubles, MetricProblem, compute_ratio, sum_blocks
from lingprobe.probes.logreg import PENALTY_STRENGTHS, LogReg

PREFERENCE_LABELS = ("first", "second")
_TIE = "tie"
_HALF = 0.5


def preference() -> Metric:
    """Share of pairs in which the better sentence is preferred; a tie counts half."""
    return Metric("preference", _sums, _divide_sums, influence=_influence)


def _worth(gold: Column, predicted: Column) -> Doubles:
    """1 where the better one is preferred, a half where neither is, [n]."""
    if gold.classes is None or predicted.classes is None:
        raise MetricProblem("preference judges which of two sentences is better: use accuracy")
    better, said = np.array(gold.class_names()), np.array(predicted.class_names())
    return np.where(said == _TIE, _HALF, better == said)


def _sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
    worth = _worth(gold, predicted)
    return sum_blocks(np.stack([worth, np.ones(len(worth))], 1), blocks, many)


def _divide_sums(sums: Doubles) -> Doubles:
    return compute_ratio(sums[..., 0], sums[..., 1])


def _influence(gold: Column, predicted: Column) -> Doubles:
    return _worth(gold, predicted) / len(gold)


@dataclass(frozen=True, slots=True)
class PreferenceProbe:
    """Prefers the sentence of a pair whose score is higher. A language model's is its
    log-probability, and nothing is fitted; of vectors it is a weighted sum, whose weights are those
    of a logistic regression on differences of vectors (Bradley & Terry 1952), without an intercept.
    """

    c: Annotated[tuple[float, ...], Help("as of logreg")] = field(
        default=PENALTY_STRENGTHS, kw_only=True
    )
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False)
    name: ClassVar[str] = "preference"

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if train.labels.names != PREFERENCE_LABELS or train.dataset.sites.shape[1] != len(
            PREFERENCE_LABELS
        ):
            raise ReadingProblem(
                "preference says which of two sentences is the better one, and this task asks"
                " something else; use mlp or logreg"
            )
        if train.view == MARGIN_VIEW:
            return [FittedPreference(cell.read, None) for cell in cells]
        fitted = LogReg(c=self.c).fit(_mirror(train), _mirror(dev), cells=cells)
        return [FittedPreference(cell.read, each) for cell, each in zip(cells, fitted, strict=True)]


@dataclass(frozen=True, slots=True)
class FittedPreference:
    """A fitted PreferenceProbe: of scores, or, with a linear probe, of vectors."""

    read: str
    linear: Predictor | None

    @property
    def choice(self) -> Mapping[str, Any]:
        """What the linear probe chose."""
        return {} if self.linear is None else choice_of(self.linear)

    def predict(self, readings: Readings) -> Predictions:
        if self.linear is not None:
            both = self.linear.predict(_mirror(readings)).scores
            there, back = np.split(both[:, 0] - both[:, 1], 2)
            margins = (there - back) / 2  # what is left of an intercept falls out
        else:
            margins = readings.features(self.read).sum(1)
        scores = np.stack([margins, -margins], 1) / 2
        codes = np.where(margins == 0, 2, (margins < 0).astype(np.int64))
        decoded = column_from_codes(codes, (*PREFERENCE_LABELS, _TIE))
        return Predictions(scores.astype(np.float32), PREFERENCE_LABELS, decoded, "softmax")


def _mirror(readings: Readings) -> Readings:
    """Without an intercept: every pair and, behind all of them, every pair the other way round, so
    that no place is the better one.
    """
    dataset, size = readings.dataset, len(readings)
    twice = dataset.take(np.tile(np.arange(size), 2))
    sites = np.concatenate([dataset.sites, dataset.sites[:, ::-1]])
    assert dataset.labels.classes is not None
    better = np.concatenate([dataset.labels.classes, 1 - dataset.labels.classes])
    labels = column_from_codes(better, PREFERENCE_LABELS)
    return replace(readings, dataset=replace(twice, sites=sites, labels=labels))
