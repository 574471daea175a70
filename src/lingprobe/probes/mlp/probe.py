"""Multi-layer perceptrons: a grid of hidden units, dropout and L2, all seeds and all reads trained
in one pass.

A cell's predictor is the member of its grid that is best on dev; `choice` says which one that was.
Training is in `nets`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, FitJob, Predictor, ProbeNeeds
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.sizes import FitSize, WorkAmount
from lingprobe.nets import precision as machine
from lingprobe.nets.device import (
    DeviceAwareProbe,
    check_device,
    get_device_kind,
    in_halves,
    resolved_dtype,
)
from lingprobe.nets.memory import at_most
from lingprobe.probes.ettinger import EttingerProbe
from lingprobe.probes.features import make_targets, read_finite_features, scaled_train
from lingprobe.probes.mlp.fits import (
    MIN_EXAMPLES_TO_HOLD_OUT,
    SENTEVAL_FOLD_COUNT,
    GridFit,
    JobInput,
    hold_out_rows,
    make_tuning_folds,
)
from lingprobe.probes.mlp.grid import GridMember, TrainedNetwork, count_network_weights
from lingprobe.probes.mlp.perceptron import FittedPerceptron
from lingprobe.probes.mlp.protocols import GRID_PROTOCOLS, GridProtocol
from lingprobe.probes.plain import OneByOne
from lingprobe.probes.schedules import AnnealingSchedule, SentEvalLoop

# features below which bfloat16 saves no time, and may cost what a few features say exactly
_NARROW = 64
# hidden activations and scores of one step: beyond this, products are as fast as they get and
# memory is not
_AT_ONCE = 2**23
# bytes of features of inputs that are trained together
_ROOM = 2**26
# bytes of the networks that are trained together, and of one of their numbers: the number itself,
# its gradient and what Adam keeps of it
_STATE, _NUMBER = 2**31, 16
# passes over train that SentEval's loop usually makes
_USUAL_PASSES = 50
# bytes that a step moves for a number of a network, most of them for Adam, and for a hidden state
_ADAM, _STATES = 72, 100
# the seed that a halved grid is tuned with: the choice must not depend on which seeds are asked for
_TUNED = 0


def mlp(
    *,
    protocol: Literal["fast", "full", "acl18", "senteval", "krasnowska", "ettinger"] = "fast",
    hidden: tuple[int, ...] = (),
    dropout: tuple[float, ...] = (),
    l2: tuple[float, ...] = (),
    reduction: Literal["mean", "sum"] = "mean",
    precision: Literal["auto", "bf16", "float32"] = "auto",
) -> MlpProbe | OneByOne:
    """One hidden layer of sigmoids, tuned on dev over hidden units, dropout and L2 (repeat an
    option to try several values).
    """
    if protocol == "ettinger":
        if hidden or dropout or l2 or reduction != "mean" or precision != "auto":
            raise ReferenceProblem(
                "mlp,protocol=ettinger is one network with nothing to set; leave the other"
                " options out"
            )
        return OneByOne(EttingerProbe())
    chosen = GRID_PROTOCOLS[protocol]
    _check_grid(hidden, dropout, l2)
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
    return MlpProbe("mlp" if protocol == "fast" else f"mlp-{protocol}", settings, precision)


def _check_grid(hidden: tuple[int, ...], dropout: tuple[float, ...], l2: tuple[float, ...]) -> None:
    check_number("mlp,hidden", hidden, "0", "of units; 0 is logistic regression")
    check_number("mlp,dropout", dropout, "0-<1", "a share of units")
    check_number("mlp,l2", l2, "0", "a penalty")


@dataclass(frozen=True, slots=True)
class MlpProbe(DeviceAwareProbe):
    """Settings of a grid of multi-layer perceptrons."""

    name: str
    protocol: GridProtocol
    precision: Literal["auto", "bf16", "float32"] = "auto"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds()

    @property
    def fingerprint(self) -> str:
        """The format that products are computed in, and the kind of device that it is fitted on."""
        return f"{self.used_precision} {get_device_kind(self.device)}"

    @property
    def kin(self) -> str:
        """Grids that are trained alike go through their batches together."""
        return (
            f"{self.protocol.plan} {self.protocol.scaled} {self.protocol.rounded} {self.precision}"
        )

    @property
    def used_precision(self) -> Literal["bf16", "float32"]:
        """What products of wide inputs are computed in: bfloat16 where that is native, unless told
        otherwise.
        """
        if isinstance(self.protocol.plan, SentEvalLoop):
            return "float32"
        if self.precision == "auto":
            return "bf16" if resolved_dtype("auto", self.device) == "bfloat16" else "float32"
        return self.precision

    @property
    def settings(self) -> Sequence[Mapping[str, Any]]:
        """Every member of the grid."""
        return [
            {"hidden": one.hidden, "dropout": one.dropout, "l2": one.decay} for one in self._grid()
        ]

    def with_settings(self, settings: Mapping[str, Any]) -> MlpProbe:
        """The same with one member."""
        hidden, dropout, l2 = ((settings[key],) for key in ("hidden", "dropout", "l2"))
        protocol = replace(self.protocol, hidden=hidden, dropout=dropout, l2=l2)
        return replace(self, protocol=protocol)

    def least_memory(self, size: FitSize) -> int:
        """Bytes that the grid of one read and seed takes: what was read and its copy on one scale,
        in the format of the products as well, and the networks.
        """
        half = 2 if self._format(size.features) == "bf16" else 0
        copies = size.inputs + (4 + half) * size.features * size.train
        networks = _NUMBER * count_network_weights(self._grid(), size.features, size.outputs)
        return copies + size.targets + networks + size.scores

    def work(self, size: FitSize, seeds: int) -> WorkAmount:
        """That of forward and backward products, and of Adam."""
        plan, grid = self.protocol.plan, self._grid()
        batch, networks = plan.batch_of(size.train), float(len(grid) * seeds)
        if isinstance(plan, SentEvalLoop):
            steps = float(_USUAL_PASSES * size.train / batch)
        else:
            steps = plan.steps_of(size.train)
            if self.protocol.has_cuts and len(grid) > 1:
                networks = plan.going(len(grid)) + seeds - 1
        changed = (
            steps * networks * count_network_weights(grid, size.features, size.outputs) / len(grid)
        )
        beside = machine.beside_products(self._format(size.features) == "bf16")
        states = steps * networks * batch * sum(one.hidden for one in grid) / len(grid)
        moved = _ADAM * changed + _STATES * states
        return WorkAmount(6 * changed * batch * beside, moved, steps)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        [predictors] = self.fit_all([FitJob(train, dev, cells)])
        return predictors

    def fit_all(self, jobs: Sequence[FitJob]) -> list[list[Predictor]]:
        for job in jobs:
            self._probe_of(job)._check(job.train, job.dev)
        predictors: dict[tuple[int, Cell], Predictor] = {}
        for inputs in self._inputs(jobs):
            for fit, trained in self._train_fits(inputs):
                best = best_of(trained, self.protocol)
                cell = Cell(fit.input.read, fit.seed)
                predictors[fit.input.job, cell] = self._predictor(fit, best)
                states = [t.likeliest for t in trained if t.likeliest]
                if states:
                    lowest = min(states, key=lambda state: state.loss)
                    by_loss = cell._replace(by="loss")
                    predictors[fit.input.job, by_loss] = self._predictor(fit, lowest)
        return [[predictors[n, cell] for cell in job.cells] for n, job in enumerate(jobs)]

    def _probe_of(self, job: FitJob) -> MlpProbe:
        """The probe that a job is of."""
        return job.probe if isinstance(job.probe, MlpProbe) else self

    def _check(self, train: Readings, dev: Readings) -> None:
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        if len(dev):
            return
        if isinstance(self.protocol.plan, SentEvalLoop) and len(train) < MIN_EXAMPLES_TO_HOLD_OUT:
            raise ReadingProblem(
                f"{self.name} is tuned on folds of train where there are no dev examples, and"
                f" {len(train)} are too few; give {MIN_EXAMPLES_TO_HOLD_OUT}, or a dev split"
            )
        if isinstance(self.protocol.plan, AnnealingSchedule) and len(self._grid()) > 1:
            raise ReadingProblem(
                f"{self.name} is tuned on dev, and there are no dev examples; set hidden, dropout"
                " and l2, or give a dev split"
            )

    def _inputs(self, jobs: Sequence[FitJob]) -> Iterator[list[JobInput]]:
        """What is read, as many inputs at once as are trained alike and have room in memory."""
        waiting: dict[tuple[Any, ...], list[JobInput]] = {}
        for number, job in enumerate(jobs):
            for each in self._inputs_of(number, job):
                alike = waiting.setdefault(self._likeness(each), [])
                alike.append(each)
                if sum(one.train.nbytes for one in alike) > at_most(_ROOM, 0.25):
                    yield waiting.pop(self._likeness(each))
        yield from waiting.values()

    def _inputs_of(self, number: int, job: FitJob) -> Iterator[JobInput]:
        grid = self._probe_of(job)._grid()
        aims = make_targets(job.train.labels, job.dev.labels)
        likeliest = any(cell.by == "loss" for cell in job.cells)
        for read in dict.fromkeys(cell.read for cell in job.cells):
            scaling, train = scaled_train(job.train, read, self.protocol.scaled)
            dev = scaling(read_finite_features(job.dev, read, "dev"))
            seeds = tuple(dict.fromkeys(cell.seed for cell in job.cells if cell.read == read))
            labels = job.train.labels
            kind = (labels.loss, len(labels.names), likeliest)
            strata = labels.codes_to_balance()
            yield JobInput(number, read, seeds, grid, scaling, train, dev, aims, kind, strata)

    def _likeness(self, one: JobInput) -> tuple[Any, ...]:
        """What inputs have in common that are trained at once."""
        plan, examples, dev = self.protocol.plan, len(one.train), bool(len(one.dev))
        alike = (*one.kind, one.train.shape[1], dev)
        if isinstance(plan, SentEvalLoop):
            return alike
        if self.protocol.has_cuts:
            return (*alike, plan.batch_of(examples), plan.steps_of(examples))
        # batches end with the examples, so that all have to have as many
        return (*alike, one.job)

    def _train_fits(
        self, inputs: Sequence[JobInput]
    ) -> Iterator[tuple[GridFit, list[TrainedNetwork]]]:
        """Networks of the grid trained with the first seed; other seeds train the one that is left:
        every fit with its whole grid, or what is left of it.

        Where the grid is halved, it is tuned for one seed, whichever seeds are asked for, and the
        others train what was chosen.
        """
        if not len(inputs[0].dev) and isinstance(self.protocol.plan, SentEvalLoop):
            yield from self._train(self._tune_by_folds(inputs))
            return
        halved, rest = [], []
        for one in inputs:
            if self.protocol.has_cuts and len(one.grid) > 1:
                halved.append(GridFit(one, _TUNED, one.grid))
            else:
                rest += [GridFit(one, seed, one.grid) for seed in one.seeds]
        for fit, trained in self._train(halved):
            if _TUNED in fit.input.seeds:
                yield fit, trained
            chosen = [best_of(trained, self.protocol).member]
            rest += [
                GridFit(fit.input, seed, chosen, told={"tuned": _TUNED})
                for seed in fit.input.seeds
                if seed != _TUNED
            ]
        yield from self._train(rest)

    def _tune_by_folds(self, inputs: Sequence[JobInput]) -> list[GridFit]:
        """What is left to fit where there is no dev: the member that is best over folds of train,
        on train without a twentieth.
        """
        asked = [(one, seed) for one in inputs for seed in one.seeds]
        fits = [
            GridFit(one, seed, one.grid, rows)
            for one, seed in asked
            if len(one.grid) > 1
            for rows in make_tuning_folds(one)
        ]
        scores: dict[tuple[int, str, int], list[list[float]]] = {}
        for fit, trained in self._train(fits):
            mine = scores.setdefault((fit.input.job, fit.input.read, fit.seed), [])
            mine.append([each.score for each in trained])
        rest = []
        for one, seed in asked:
            means = np.mean(scores.get((one.job, one.read, seed), [[0.0]]), 0)
            best = int(np.argmax(np.round(100 * means, 2)))
            told = (
                {"folds": SENTEVAL_FOLD_COUNT, "folds_dev": float(means[best])}
                if len(one.grid) > 1
                else {}
            )
            rest.append(GridFit(one, seed, [one.grid[best]], hold_out_rows(one, seed), told))
        return rest

    def _train(self, fits: Sequence[GridFit]) -> Iterator[tuple[GridFit, list[TrainedNetwork]]]:
        """Fits of inputs that are alike, as many at once as fill the machine."""
        paced: dict[tuple[int, int], list[GridFit]] = {}
        for fit in fits:
            paced.setdefault(self._pace(fit), []).append(fit)
        for alike in paced.values():
            one = alike[0].input
            (_, outputs, _), features = one.kind, one.train.shape[1]
            batch = self.protocol.plan.batch_of(alike[0].examples)
            units = max(sum(member.hidden + outputs for member in fit.grid) for fit in alike)
            state = _NUMBER * max(
                count_network_weights(fit.grid, features, outputs) for fit in alike
            )
            most = max(1, min(_AT_ONCE // (batch * units), at_most(_STATE, 0.25) // state))
            for start in range(0, len(alike), most):
                part = alike[start : start + most]
                yield from zip(part, in_halves(self._at_once, part), strict=True)

    def _pace(self, fit: GridFit) -> tuple[int, int]:
        """What fits have in common that go through their batches together: how many there are, and
        where units are dropped, which is drawn by the batch, the size of the last.
        """
        if isinstance(self.protocol.plan, AnnealingSchedule):
            return 0, 0
        last = fit.examples if any(member.dropout for member in fit.grid) else 0
        return math.ceil(fit.examples / self.protocol.plan.batch), last

    def _at_once(self, fits: Sequence[GridFit]) -> list[list[TrainedNetwork]]:
        machine.spare_torch()
        import torch

        from lingprobe.probes.losses import CURVED_LOSSES
        from lingprobe.probes.mlp.joint import GroupExamples, TrainingProblem, share_tensors
        from lingprobe.probes.mlp.loops import train_networks

        check_device(device := self.device)
        plan, (loss, outputs, likeliest) = self.protocol.plan, fits[0].input.kind
        dtype = (
            torch.bfloat16
            if self._format(fits[0].input.train.shape[1]) == "bf16"
            else torch.float32
        )

        def part(which: int) -> GroupExamples:
            """What is learnt from (0), or judged on (1)."""
            rows = [torch.from_numpy(fit.rows[which]) for fit in fits if fit.rows is not None]
            judged = which and not rows
            features = [fit.input.dev if judged else fit.input.train for fit in fits]
            aims = [fit.input.aims.dev if judged else fit.input.aims.train for fit in fits]
            return GroupExamples.of(
                share_tensors(lambda x: torch.from_numpy(x).to(device, dtype), features),
                share_tensors(lambda y: CURVED_LOSSES[loss].targets(y).to(device), aims),
                rows or None,
            )

        problem = TrainingProblem(part(0), part(1), CURVED_LOSSES[loss], outputs, likeliest)
        seeds, grids = [fit.seed for fit in fits], [fit.grid for fit in fits]
        return train_networks(problem, seeds, grids, plan, dtype)

    def _format(self, features: int) -> Literal["bf16", "float32"]:
        """What the products of an input so wide are computed in."""
        return self.used_precision if features >= _NARROW else "float32"

    def _grid(self) -> list[GridMember]:
        """Every member; without hidden units there is nothing to drop."""
        grid = itertools.product(self.protocol.hidden, self.protocol.dropout, self.protocol.l2)
        return list(dict.fromkeys(GridMember(h, p if h else 0.0, decay) for h, p, decay in grid))

    def _predictor(self, fit: GridFit, best: TrainedNetwork) -> Predictor:
        member, aims = best.member, fit.input.aims
        choice = {
            "hidden": member.hidden,
            "dropout": member.dropout,
            "l2": member.decay,
            "dev": best.score,
            "dev_loss": best.loss,
            "passes": round(best.passes, 2),
            "precision": self._format(fit.input.train.shape[1]),
            **fit.told,
        }
        *rest, weights, bias = best.layers
        layers = (
            *rest,
            weights * np.float32(aims.factor),
            bias * np.float32(aims.factor) + np.float32(aims.shift),
        )
        return FittedPerceptron(fit.input.read, fit.input.scaling, layers, choice)


def best_of(trained: Sequence[TrainedNetwork], protocol: GridProtocol) -> TrainedNetwork:
    """Which network is best on dev: the highest, rounded, of tied ones the first (SentEval), or the
    one with the lowest dev loss (fast).
    """
    if protocol.rounded:
        return max(trained, key=lambda t: round(100 * t.score, 2))
    if protocol.scaled:
        return max(trained, key=lambda t: (t.score, -t.loss))
    return max(trained, key=lambda t: t.score)
