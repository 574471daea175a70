"""Multi-layer perceptrons: a grid of hidden units, dropout and L2, all seeds and all reads trained
in one pass.

A cell's predictor is the member of its grid that is best on dev; `choice` says which one that was.
Training is in `nets`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from sonde.core import Cell, Needs, Predictions, Predictor
from sonde.labels import Column
from sonde.nets import precision as machine
from sonde.probes.ettinger import Ettinger
from sonde.probes.features import Aim, Scaling, aim, common_scale, finite, no_scale
from sonde.probes.mlp.grid import Member, Trained
from sonde.probes.plain import OneByOne
from sonde.probes.schedules import SentEvalLoop
from sonde.reading import ReadingProblem, Readings
from sonde.references import ReferenceProblem
from sonde.vectors import Floats

if TYPE_CHECKING:
    import torch
    from torch import Tensor


from sonde.probes.schedules import Annealing

DECAYS = (1e-5, 1e-4, 1e-3, 1e-2)


@dataclass(frozen=True, slots=True)
class Protocol:
    """A grid over hidden units, dropout and L2, how each cell is trained, and how the best on dev
    is told.

    scaled   whether features are brought to one scale first; SentEval and the papers read them as
             they are
    rounded  whether dev accuracy is rounded to two decimals of a percent before the best is looked
             for (SentEval)
    """

    hidden: tuple[int, ...]
    dropout: tuple[float, ...]
    l2: tuple[float, ...]
    plan: Annealing | SentEvalLoop
    scaled: bool = False
    rounded: bool = False


PROTOCOLS = {
    # Conneau et al. 2018's grid under a schedule of our own
    "fast": Protocol((50, 100, 200), (0.0, 0.1, 0.2), (0.0,), Annealing(), scaled=True),
    # Conneau et al. 2018: SentEval's README, "tuned the nhid (in [50, 100, 200]) and dropout (in
    # [0.0, 0.1, 0.2]) on the dev set", each of which was a run of SentEval, whose SplitClassifier
    # searches L2 as well (tools/validation.py): 3 x 3 x 4 cells
    "acl18": Protocol((50, 100, 200), (0.0, 0.1, 0.2), DECAYS, SentEvalLoop(), rounded=True),
    # SentEval, tools/validation.py (SplitClassifier)
    "senteval": Protocol((50,), (0.0,), DECAYS, SentEvalLoop(), rounded=True),
    # Krasnowska-Kieraś & Wróblewska 2019, footnote 8, over SentEval's L2 grid
    "krasnowska": Protocol((50,), (0.0,), DECAYS, SentEvalLoop(batch=128), rounded=True),
}


# features below which bfloat16 saves no time, and may cost what a few features say exactly
NARROW = 64
# hidden activations and scores of one step: beyond this, products are as fast as they get and
# memory is not
AT_ONCE = 2**23


def mlp(
    *,
    protocol: Literal["fast", "acl18", "senteval", "krasnowska", "ettinger"] = "fast",
    hidden: tuple[int, ...] = (),
    dropout: tuple[float, ...] = (),
    l2: tuple[float, ...] = (),
    reduction: Literal["mean", "sum"] = "mean",
    precision: Literal["auto", "bf16", "float32"] = "auto",
) -> Mlp | OneByOne:
    """One hidden layer of sigmoids, tuned on dev over hidden units, dropout and L2 (repeat an
    option to try several values).
    """
    if protocol == "ettinger":
        if hidden or dropout or l2 or reduction != "mean" or precision != "auto":
            raise ReferenceProblem(
                "mlp,protocol=ettinger is one network with nothing to set; leave the other"
                " options out"
            )
        return OneByOne(Ettinger())
    chosen = PROTOCOLS[protocol]
    _check(hidden, dropout, l2)
    plan = chosen.plan
    if isinstance(plan, SentEvalLoop):
        plan = replace(plan, reduction=reduction)
    elif reduction != "mean":
        raise ReferenceProblem(
            "mlp,reduction=sum needs a protocol that has it: acl18, senteval or krasnowska"
        )
    if isinstance(plan, SentEvalLoop) and precision == "bf16":
        raise ReferenceProblem(
            f"mlp,protocol={protocol} is trained in float32, as it was published; leave"
            " precision out"
        )
    settings = replace(
        chosen,
        hidden=hidden or chosen.hidden,
        dropout=dropout or chosen.dropout,
        l2=tuple(sorted(l2)) or chosen.l2,
        plan=plan,
    )
    return Mlp("mlp" if protocol == "fast" else f"mlp-{protocol}", settings, precision)


def _check(hidden: tuple[int, ...], dropout: tuple[float, ...], l2: tuple[float, ...]) -> None:
    if any(h < 0 for h in hidden):
        raise ReferenceProblem("mlp,hidden= is a number of units; 0 is logistic regression")
    if any(not 0 <= p < 1 for p in dropout):
        raise ReferenceProblem("mlp,dropout= is a share of units, at least 0 and below 1")
    if any(decay < 0 for decay in l2):
        raise ReferenceProblem("mlp,l2= is a penalty, 0 or more")


@dataclass(frozen=True, slots=True)
class Mlp:
    """Settings of a grid of multi-layer perceptrons."""

    name: str
    protocol: Protocol
    precision: Literal["auto", "bf16", "float32"] = "auto"
    needs: ClassVar[Needs] = Needs()

    @property
    def fingerprint(self) -> str:
        """The format that products are computed in."""
        return self.resolved

    @property
    def resolved(self) -> Literal["bf16", "float32"]:
        """What products of wide inputs are computed in: bfloat16 where that is native, unless told
        otherwise.
        """
        if isinstance(self.protocol.plan, SentEvalLoop):
            return "float32"
        if self.precision == "auto":
            return "bf16" if machine.native_bf16() else "float32"
        return self.precision

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        self._check(train, dev)
        aims, found = aim(train.labels, dev.labels), {}
        likeliest = any(cell.by == "loss" for cell in cells)
        for fits in self._together(train, dev, cells):
            learnt = self._train(fits, aims, train.labels, likeliest)
            for fit, trained in zip(fits, learnt, strict=True):
                found[fit.cell] = self._predictor(fit, best_of(trained, self.protocol), aims)
                states = [t.likeliest for t in trained if t.likeliest]
                if states:
                    lowest = min(states, key=lambda state: state.loss)
                    found[fit.cell._replace(by="loss")] = self._predictor(fit, lowest, aims)
        return [found[cell] for cell in cells]

    def _check(self, train: Readings, dev: Readings) -> None:
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        if not len(dev) and (len(self._grid()) > 1 or isinstance(self.protocol.plan, SentEvalLoop)):
            raise ReadingProblem(
                f"{self.name} is tuned on dev, and there are no dev examples; give one hidden,"
                " dropout and l2, or a dev split"
            )

    def _together(
        self, train: Readings, dev: Readings, cells: tuple[Cell, ...]
    ) -> Iterator[list[Fit]]:
        """Cells that are trained at once: as many as share a size of input and fill the machine."""
        plan = self.protocol.plan
        batch = plan.batch if isinstance(plan, SentEvalLoop) else plan.batch_of(len(train))
        units = sum(member.hidden + len(train.labels.names) for member in self._grid())
        most = max(1, AT_ONCE // (batch * units))
        fits: list[Fit] = []
        for fit in self._fits(train, dev, cells):
            if fits and (len(fits) == most or fits[0].train.shape[1] != fit.train.shape[1]):
                yield fits
                fits = []
            fits.append(fit)
        yield fits

    def _fits(self, train: Readings, dev: Readings, cells: tuple[Cell, ...]) -> Iterator[Fit]:
        """Each cell with its input."""
        for read in dict.fromkeys(cell.read for cell in cells):
            features = finite(train, read, "train")
            scaling = (common_scale if self.protocol.scaled else no_scale)(features)
            scaled = scaling(features), scaling(finite(dev, read, "dev"))
            for seed in dict.fromkeys(cell.seed for cell in cells if cell.read == read):
                yield Fit(Cell(read, seed), scaling, *scaled)

    def _train(
        self, fits: list[Fit], aims: Aim, labels: Column, likeliest: bool
    ) -> list[list[Trained]]:
        """Every member of every fit's grid, at its best on dev."""
        machine.spare_torch()
        import torch

        from sonde.probes.losses import LOSSES
        from sonde.probes.mlp.joint import Problem
        from sonde.probes.mlp.loops import anneal, persist

        loss, plan = LOSSES[labels.loss], self.protocol.plan
        dtype = torch.bfloat16 if self._format(fits[0]) == "bf16" else torch.float32
        problem = Problem(
            _tensors([fit.train for fit in fits], dtype),
            _tensors([fit.dev for fit in fits], dtype),
            loss.targets(aims.train),
            loss.targets(aims.dev),
            labels.loss,
            len(labels.names),
            likeliest,
        )
        seeds = [fit.cell.seed for fit in fits]
        if isinstance(plan, SentEvalLoop):
            return persist(problem, seeds, self._grid(), plan)
        return anneal(problem, seeds, self._grid(), plan, dtype)

    def _format(self, fit: Fit) -> Literal["bf16", "float32"]:
        """What the products of a fit are computed in."""
        return self.resolved if fit.train.shape[1] >= NARROW else "float32"

    def _grid(self) -> list[Member]:
        """Every member; without hidden units there is nothing to drop."""
        grid = itertools.product(self.protocol.hidden, self.protocol.dropout, self.protocol.l2)
        return list(dict.fromkeys(Member(h, p if h else 0.0, decay) for h, p, decay in grid))

    def _predictor(self, fit: Fit, best: Trained, aims: Aim) -> Predictor:
        member = best.member
        choice = {
            "hidden": member.hidden,
            "dropout": member.dropout,
            "l2": member.decay,
            "dev": best.score,
            "dev_loss": best.loss,
            "passes": round(best.passes, 2),
            "precision": self._format(fit),
        }
        *rest, weights, bias = best.layers
        layers = (
            *rest,
            weights * np.float32(aims.factor),
            bias * np.float32(aims.factor) + np.float32(aims.shift),
        )
        return Perceptron(fit.cell.read, fit.scaling, layers, choice)


def _tensors(arrays: Sequence[Floats], dtype: torch.dtype) -> tuple[Tensor, ...]:
    """Arrays as tensors of a type, what is the same array as the same tensor."""
    import torch

    tensors = {id(array): torch.from_numpy(array).to(dtype) for array in arrays}
    return tuple(tensors[id(array)] for array in arrays)


def best_of(trained: Sequence[Trained], protocol: Protocol) -> Trained:
    """The member that is best on dev: the first of the best (SentEval), or the one of them with the
    lowest dev loss (fast).
    """
    if protocol.rounded:
        return max(trained, key=lambda t: round(100 * t.score, 2))
    if protocol.scaled:
        return max(trained, key=lambda t: (t.score, -t.loss))
    return max(trained, key=lambda t: t.score)


@dataclass(frozen=True, slots=True)
class Fit:
    """One cell with its scaled input [examples, features] float32; fits of one read share the
    arrays.
    """

    cell: Cell
    scaling: Scaling
    train: Floats
    dev: Floats


@dataclass(frozen=True, slots=True)
class Perceptron:
    """A fitted network: layers are (weights [out, in], bias [out, 1]) one after the other; `choice`
    says how it was found.
    """

    read: str
    scaling: Scaling
    layers: tuple[Floats, ...]
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        from scipy.special import expit

        features = readings.features(self.read)
        scores = np.empty((len(features), len(self.layers[-1])), np.float32)
        for start in range(0, len(features), 4096):
            part = (
                self.scaling(features[start : start + 4096]) @ self.layers[0].T + self.layers[1].T
            )
            if len(self.layers) > 2:
                part = expit(part) @ self.layers[2].T + self.layers[3].T
            scores[start : start + 4096] = part
        return Predictions(
            scores, readings.labels.names, readings.labels.decode(scores), readings.labels.link
        )
