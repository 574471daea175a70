"""Multi-layer perceptrons: a grid of hidden units, dropout and L2, all seeds and all reads trained
in one pass.

A cell's predictor is the member of its grid that is best on dev; `choice` says which one that was.
Training is in `nets`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sonde.core import Cell, Job, Needs, Predictions, Predictor
from sonde.nets import precision as machine
from sonde.probes.ettinger import Ettinger
from sonde.probes.features import Aim, Scaling, aim, common_scale, finite, no_scale
from sonde.probes.mlp.grid import Member, Trained
from sonde.probes.plain import OneByOne
from sonde.probes.schedules import Annealing, SentEvalLoop
from sonde.reading import ReadingProblem, Readings
from sonde.references import ReferenceProblem
from sonde.vectors import Floats

if TYPE_CHECKING:
    from torch import Tensor

UNITS, DROPOUT = (50, 100, 200), (0.0, 0.1, 0.2)
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

    @property
    def halved(self) -> bool:
        """Whether networks are taken out before the end; what is trained together may then differ
        in how many examples it has.
        """
        return isinstance(self.plan, Annealing) and bool(self.plan.cuts)


PROTOCOLS = {
    # the corners of Conneau et al. 2018's grid under a schedule of our own; a quarter of the steps
    # leaves two networks, half of them one
    "fast": Protocol(
        UNITS[::2], DROPOUT[::2], (0.0,), Annealing(cuts=((1 / 4, 2), (1 / 2, 1))), scaled=True
    ),
    # the whole grid, every network to its end for every seed: the default until version 0.2
    "full": Protocol(UNITS, DROPOUT, (0.0,), Annealing(), scaled=True),
    # Conneau et al. 2018: SentEval's README, "tuned the nhid (in [50, 100, 200]) and dropout (in
    # [0.0, 0.1, 0.2]) on the dev set", each of which was a run of SentEval, whose SplitClassifier
    # searches L2 as well (tools/validation.py): 3 x 3 x 4 cells
    "acl18": Protocol(UNITS, DROPOUT, DECAYS, SentEvalLoop(), rounded=True),
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
# bytes of features of inputs that are trained together
ROOM = 2**26
# the seed that a halved grid is tuned with: the choice must not depend on which seeds are asked for
TUNED = 0


def mlp(
    *,
    protocol: Literal["fast", "full", "acl18", "senteval", "krasnowska", "ettinger"] = "fast",
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
        [predictors] = self.fit_all([Job(train, dev, cells)])
        return predictors

    def fit_all(self, jobs: Sequence[Job]) -> list[list[Predictor]]:
        for job in jobs:
            self._check(job.train, job.dev)
        predictors: dict[tuple[int, Cell], Predictor] = {}
        for inputs in self._inputs(jobs):
            for fit, trained in self._trained(inputs):
                best = best_of(trained, self.protocol)
                cell = Cell(fit.input.read, fit.seed)
                predictors[fit.input.job, cell] = self._predictor(fit, best)
                states = [t.likeliest for t in trained if t.likeliest]
                if states:
                    lowest = min(states, key=lambda state: state.loss)
                    by_loss = cell._replace(by="loss")
                    predictors[fit.input.job, by_loss] = self._predictor(fit, lowest)
        return [[predictors[n, cell] for cell in job.cells] for n, job in enumerate(jobs)]

    def _check(self, train: Readings, dev: Readings) -> None:
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        if not len(dev) and (len(self._grid()) > 1 or isinstance(self.protocol.plan, SentEvalLoop)):
            raise ReadingProblem(
                f"{self.name} is tuned on dev, and there are no dev examples; give one hidden,"
                " dropout and l2, or a dev split"
            )

    def _inputs(self, jobs: Sequence[Job]) -> Iterator[list[Input]]:
        """What is read, as many inputs at once as are trained alike and have room in memory."""
        waiting: dict[tuple[Any, ...], list[Input]] = {}
        for number, job in enumerate(jobs):
            for each in self._inputs_of(number, job):
                alike = waiting.setdefault(self._likeness(each), [])
                alike.append(each)
                if sum(one.train.nbytes for one in alike) > ROOM:
                    yield waiting.pop(self._likeness(each))
        yield from waiting.values()

    def _inputs_of(self, number: int, job: Job) -> Iterator[Input]:
        aims = aim(job.train.labels, job.dev.labels)
        likeliest = any(cell.by == "loss" for cell in job.cells)
        for read in dict.fromkeys(cell.read for cell in job.cells):
            features = finite(job.train, read, "train")
            scaling = (common_scale if self.protocol.scaled else no_scale)(features)
            scaled = scaling(features), scaling(finite(job.dev, read, "dev"))
            seeds = tuple(dict.fromkeys(cell.seed for cell in job.cells if cell.read == read))
            labels = job.train.labels
            kind = (labels.loss, len(labels.names), likeliest)
            yield Input(number, read, seeds, scaling, *scaled, aims, kind)

    def _likeness(self, one: Input) -> tuple[Any, ...]:
        """What inputs have in common that are trained at once."""
        plan, examples = self.protocol.plan, len(one.train)
        if isinstance(plan, Annealing) and self.protocol.halved:
            length = (plan.batch_of(examples), plan.steps_of(examples), bool(len(one.dev)))
            return (*one.kind, one.train.shape[1], *length)
        # batches end with the examples, so that all have to have as many
        return (*one.kind, one.train.shape[1], one.job)

    def _trained(self, inputs: Sequence[Input]) -> Iterator[tuple[Fit, list[Trained]]]:
        """Every fit with what was trained: its whole grid, or what is left of it.

        Where the grid is halved, it is tuned for one seed, whichever seeds are asked for, and the
        others train what was chosen.
        """
        grid = self._grid()
        if len(grid) == 1 or not self.protocol.halved:
            yield from self._train([Fit(one, seed, grid) for one in inputs for seed in one.seeds])
            return
        rest = []
        for fit, trained in self._train([Fit(one, TUNED, grid) for one in inputs]):
            if TUNED in fit.input.seeds:
                yield fit, trained
            chosen = [best_of(trained, self.protocol).member]
            rest += [Fit(fit.input, seed, chosen) for seed in fit.input.seeds if seed != TUNED]
        yield from self._train(rest)

    def _train(self, fits: Sequence[Fit]) -> Iterator[tuple[Fit, list[Trained]]]:
        """Fits of inputs that are alike, as many at once as fill the machine."""
        if not fits:
            return
        first = fits[0].input
        batch = self.protocol.plan.batch_of(len(first.train))
        units = sum(member.hidden + first.kind[1] for member in fits[0].grid)
        most = max(1, AT_ONCE // (batch * units))
        for start in range(0, len(fits), most):
            part = fits[start : start + most]
            yield from zip(part, self._at_once(part), strict=True)

    def _at_once(self, fits: Sequence[Fit]) -> list[list[Trained]]:
        machine.spare_torch()
        import torch

        from sonde.probes.losses import LOSSES
        from sonde.probes.mlp.joint import Part, Problem
        from sonde.probes.mlp.loops import anneal, persist

        plan, (loss, outputs, likeliest) = self.protocol.plan, fits[0].input.kind
        dtype = torch.bfloat16 if self._format(fits[0].input) == "bf16" else torch.float32
        inputs = [fit.input for fit in fits]

        def part(features: Sequence[Floats], targets: Sequence[NDArray[Any]]) -> Part:
            return Part.of(
                _shared(lambda x: torch.from_numpy(x).to(dtype), features),
                _shared(LOSSES[loss].targets, targets),
            )

        problem = Problem(
            part([one.train for one in inputs], [one.aims.train for one in inputs]),
            part([one.dev for one in inputs], [one.aims.dev for one in inputs]),
            LOSSES[loss],
            outputs,
            likeliest,
        )
        seeds, grids = [fit.seed for fit in fits], [fit.grid for fit in fits]
        if isinstance(plan, SentEvalLoop):
            return persist(problem, seeds, grids[0], plan)
        return anneal(problem, seeds, grids, plan, dtype)

    def _format(self, one: Input) -> Literal["bf16", "float32"]:
        """What the products of an input are computed in."""
        return self.resolved if one.train.shape[1] >= NARROW else "float32"

    def _grid(self) -> list[Member]:
        """Every member; without hidden units there is nothing to drop."""
        grid = itertools.product(self.protocol.hidden, self.protocol.dropout, self.protocol.l2)
        return list(dict.fromkeys(Member(h, p if h else 0.0, decay) for h, p, decay in grid))

    def _predictor(self, fit: Fit, best: Trained) -> Predictor:
        member, aims = best.member, fit.input.aims
        choice = {
            "hidden": member.hidden,
            "dropout": member.dropout,
            "l2": member.decay,
            "dev": best.score,
            "dev_loss": best.loss,
            "passes": round(best.passes, 2),
            "precision": self._format(fit.input),
            **({"tuned": TUNED} if len(fit.grid) < len(self._grid()) else {}),
        }
        *rest, weights, bias = best.layers
        layers = (
            *rest,
            weights * np.float32(aims.factor),
            bias * np.float32(aims.factor) + np.float32(aims.shift),
        )
        return Perceptron(fit.input.read, fit.input.scaling, layers, choice)


def _shared(make: Callable[[NDArray[Any]], Tensor], arrays: Sequence[NDArray[Any]]) -> list[Tensor]:
    """A tensor of each array, the same of what is the same array."""
    tensors = {id(array): make(array) for array in {id(a): a for a in arrays}.values()}
    return [tensors[id(array)] for array in arrays]


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
class Input:
    """One read of one job, scaled: [examples, features] float32.

    seeds   the seeds that are asked for
    kind    the loss, how many outputs, and whether states of the lowest loss are asked for
    """

    job: int
    read: str
    seeds: tuple[int, ...]
    scaling: Scaling
    train: Floats
    dev: Floats
    aims: Aim
    kind: tuple[str, int, bool]


class Fit(NamedTuple):
    """An input, the seed of its draws, and the members of its grid."""

    input: Input
    seed: int
    grid: Sequence[Member]


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
