"""A probe that pools by itself: one learnt query weighs the tokens of a sentence, and a linear
layer reads their weighted mean.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.options import Help
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Floats, expand_ranges
from lingprobe.inside.units.looks import describe_weights
from lingprobe.inside.units.tokens import Pool, TokenUnits, gather_units, pool_tokens
from lingprobe.nets import precision as machine
from lingprobe.nets.device import DeviceAwareProbe, check_device
from lingprobe.probes.features import AffineScaling, common_scale, make_targets

log = logging.getLogger("lingprobe.probes")


@dataclass(frozen=True, slots=True)
class AttentionProbe(DeviceAwareProbe):
    """A linear probe over the mean of tokens, weighted by the softmax of their products with one
    learnt query; it needs tokens (pool=none), and begins as the plain mean.
    """

    _: KW_ONLY
    pool: Annotated[
        Pool,
        Help("attention; mean, max, last: the same training without a query, to compare with"),
    ] = "attention"
    epochs: Annotated[
        int,
        Help("at most; training ends after five in a row without a lower loss on dev"),
    ] = 60
    batch: Annotated[int, Help("examples of a batch")] = 32
    rate: Annotated[float, Help("of Adam")] = 0.003
    needs: ClassVar[ProbeNeeds] = ProbeNeeds()

    def __post_init__(self) -> None:
        check_number("attention,epochs", self.epochs, "1")
        check_number("attention,batch", self.batch, "1")
        check_number("attention,rate", self.rate, ">0")

    @property
    def name(self) -> str:
        return "attention" if self.pool == "attention" else f"attention-{self.pool}"

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if not len(train) or not len(dev):
            raise ReadingProblem(
                f"{self.name} learns from train and is stopped by dev, and there are {len(train)}"
                f" and {len(dev)} examples"
            )
        if train.vectors.spans is None and self.pool == "attention":
            log.warning("attention: one vector a sentence leaves nothing to weight; use pool=none")
        check_device(self.device)
        machine.spare_torch()
        fits = {
            key: self._fit(train, dev, *key)
            for key in dict.fromkeys((cell.read, cell.seed) for cell in cells)
        }
        return [fits[cell.read, cell.seed] for cell in cells]

    def _fit(self, train: Readings, dev: Readings, read: str, seed: int) -> FittedAttention:
        """The state of the lowest loss on dev."""
        from lingprobe.inside.units.attending import TokenBatches, train_attention  # imports torch

        aims, known = make_targets(train.labels, dev.labels), _scaling(train, read)
        sides = (
            (TokenUnits.of(train, read, known), aims.train),
            (TokenUnits.of(dev, read, known), aims.dev),
        )
        loss = train.labels.loss
        first, second = (
            TokenBatches(tokens, wanted, loss, self.pool, self.device) for tokens, wanted in sides
        )
        schedule = self.epochs, self.batch, self.rate
        state = train_attention(first, second, len(train.labels.names), schedule, seed)
        choice = dict(state.choice)
        if self.pool == "attention":
            weights = sides[1][0].weigh(state.query)
            looks = describe_weights(dev, weights)
            choice[looks.key] = looks.plain()
        linear = state.weights * aims.factor, state.bias * aims.factor + aims.shift
        return FittedAttention(read, known, self.pool, state.query, *linear, choice)


def _scaling(train: Readings, read: str) -> AffineScaling:
    """What brings the tokens of train to one scale."""
    starts, stops = train.whole(np.unique(train.dataset.sites[:, :, 0]))
    return common_scale(gather_units(train, read, expand_ranges(starts, stops)[0]))


@dataclass(frozen=True, slots=True)
class FittedAttention:
    """A fitted probe: a query for each site [sites, dim], weights [outputs, sites x dim] and bias
    [outputs] of the linear layer; `choice` says what it looks at on dev.
    """

    read: str
    scaling: AffineScaling
    pool: Pool
    query: Floats
    weights: Floats
    bias: Floats
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        tokens = TokenUnits.of(readings, self.read, self.scaling)
        scores = np.empty((len(readings), len(self.bias)), np.float32)
        for start in range(0, len(readings), 256):
            rows = np.arange(start, min(start + 256, len(readings)))
            pooled = pool_tokens(*tokens.take(rows), self.pool, self.query)
            scores[rows] = pooled @ self.weights.T + self.bias
        labels = readings.labels
        return Predictions(scores, labels.names, labels.decode(scores), labels.link)
