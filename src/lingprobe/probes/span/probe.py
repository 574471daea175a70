"""The edge probe of Tenney et al. 2019: what label, or set of labels, one or two spans of units
have. Training is in `nets`.

All reads of a task are trained together: a batch's units are gathered once for every layer, mix and
seed that wants them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.labels import Column
from lingprobe.data.reading import LayerSelection, ReadingProblem, Readings, read_of, units_read
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.sizes import FitSize, WorkAmount
from lingprobe.data.vectors import (
    Floats,
    Ints,
    expand_ranges,
)
from lingprobe.nets import precision as machine
from lingprobe.nets.device import DeviceAwareProbe, check_device, in_halves
from lingprobe.probes.span.plans import NetworkDesign, PlateauSchedule, Pool, TrainingConfig
from lingprobe.probes.span.room import (
    SCORING_BATCH_SENTENCES,
    estimate_edge_memory,
    estimate_edge_work,
    reads_in_parts,
)
from lingprobe.probes.span.scales import LayerScales, compute_prior_logits, scales_of

if TYPE_CHECKING:
    from torch import Tensor

    from lingprobe.probes.span.batches import SplitExamples
    from lingprobe.probes.span.training import LearntNetwork, NetworkTraining


from lingprobe.data.options import Help
from lingprobe.probes.schedules import AnnealingSchedule


@dataclass(frozen=True, slots=True)
class EdgeProtocol:
    """A schedule, and what a protocol adds to the network.

    scaled  whether each layer is brought to one scale first; the paper reads it as it is
    mix_rate  how many times faster than all else the weights of a mix learn; the paper has one
    """

    plan: AnnealingSchedule | PlateauSchedule
    scaled: bool = False
    mix_rate: float = 1.0
    drop_input: float = 0.0
    drop: float = 0.0
    norm: bool = False


EDGE_PROTOCOLS = {
    # the paper's network under a schedule of our own; batches are counted in sentences
    "fast": EdgeProtocol(
        AnnealingSchedule(
            batch=128, smallest=16, epochs=8, steps=400, rate=5e-3, decay=0.05, warm=0.1, looks=8
        ),
        scaled=True,
        mix_rate=10.0,
    ),
    # Tenney et al. 2019, appendix C; batches of the published code
    "tenney": EdgeProtocol(PlateauSchedule()),
    # jiant 1 as published with the paper: what its code does beyond the paper's text
    "jiant": EdgeProtocol(
        PlateauSchedule(halve=6, margin=1e-4, least=1e-6, most=100, judged=5000, amsgrad=True),
        drop_input=0.2,
        drop=0.3,
        norm=True,
    ),
}


@dataclass(frozen=True, slots=True)
class SpanProbe(DeviceAwareProbe):
    """Labels of one or two spans: projection, attention inside the span, a hidden layer, a sigmoid
    for each label (Tenney et al. 2019).
    """

    _: KW_ONLY
    protocol: Annotated[
        Literal["fast", "tenney", "jiant"],
        Help(
            "fast (lingprobe's own schedule), tenney (the paper's), jiant (what the published code"
            " did beyond the paper's text)"
        ),
    ] = "fast"
    pool: Annotated[
        Pool,
        Help("how the units of a span become one vector"),
    ] = "attention"
    projection: Annotated[
        int,
        Help("what each side's units are projected to; 0 reads them as they are"),
    ] = 256
    hidden: Annotated[
        int,
        Help("units of the hidden layer; 0 is a linear classifier"),
    ] = 256
    loss: Annotated[
        Literal["sigmoid", "softmax"],
        Help("a sigmoid for each label, or a softmax over classes"),
    ] = "sigmoid"
    decode: Annotated[
        Literal["auto", "threshold", "argmax"],
        Help(
            "threshold: every label with a probability of at least a half; argmax: one class; auto"
            " is what the loss trains"
        ),
    ] = "auto"
    context: Annotated[
        Literal[0, 1, 2],
        Help(
            "neighbours on each side that a unit is projected with (the paper's CNN1 and CNN2 on"
            " the lexical layer)"
        ),
    ] = 0
    bag: Annotated[
        bool,
        Help(
            "the mean of the units of all the sentence's words beside the spans (the paper's"
            " bag-of-words feature on the lexical layer)"
        ),
    ] = False
    gamma: Annotated[bool, Help("whether a mix has a learnt factor")] = True
    layer_norm: Annotated[
        bool,
        Help("whether the layers of a mix are normalised unit by unit first"),
    ] = False
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(mixes=True)

    def __post_init__(self) -> None:
        for name, units in (("projection", self.projection), ("hidden", self.hidden)):
            check_number(f"span,{name}", units, "0", "of units; 0 leaves that layer out")
        if self.loss == "softmax" and self.decode == "threshold":
            raise ReferenceProblem(
                "span,loss=softmax answers with the class of the highest score; leave out"
                " decode=threshold"
            )

    @property
    def name(self) -> str:
        return "span" if self.protocol == "fast" else f"span-{self.protocol}"

    @property
    def config(self) -> TrainingConfig:
        """The network and its training, as nets read them."""
        chosen = EDGE_PROTOCOLS[self.protocol]
        own = (
            self.pool,
            self.projection,
            self.hidden,
            self.context,
            self.bag,
            self.gamma,
            self.layer_norm,
        )
        design = NetworkDesign(*own, chosen.drop_input, chosen.drop, chosen.norm)
        argmax = self.decode == "argmax" or self.loss == "softmax"
        return TrainingConfig(
            design,
            self.loss,
            "argmax" if argmax else "threshold",
            chosen.plan,
            scaled=chosen.scaled,
            mix_rate=chosen.mix_rate,
        )

    def least_memory(self, size: FitSize) -> int:
        """Bytes that the network of one read and seed takes."""
        return estimate_edge_memory(self.config.design, size)

    def work(self, size: FitSize, seeds: int) -> WorkAmount:
        """That of the network of each seed."""
        return estimate_edge_work(self.config, size).times(seeds)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        self._check(train, dev, cells)
        machine.spare_torch()
        parts = (train, read_units(train)), (dev, read_units(dev))
        if not len(parts[0][1]):
            raise ReadingProblem(
                f"{self.name} finds no units in the spans of {len(train)} training examples; check"
                " the alignment of words"
            )
        likeliest = any(cell.by == "loss" for cell in cells)
        found: dict[Cell, Predictor] = {}
        for seed in dict.fromkeys(cell.seed for cell in cells):
            texts = list(dict.fromkeys(cell.read for cell in cells if cell.seed == seed))

            def together(some: Sequence[str], seed: int = seed) -> list[dict[Cell, EdgePredictor]]:
                lanes = {text: self._read(*parts[0], text) for text in some}
                return self._together(parts, lanes, seed, likeliest)

            for some in reads_in_parts(self.config.design, train, texts):
                for fitted in in_halves(together, some):
                    found |= fitted
        return [found[cell] for cell in cells]

    def _together(
        self,
        parts: tuple[tuple[Readings, Ints], ...],
        reads: Mapping[str, tuple[LayerSelection, LayerScales | None]],
        seed: int,
        likeliest: bool,
    ) -> list[dict[Cell, EdgePredictor]]:
        """The cells of each read under one seed, trained side by side on the same batches.

        parts  train and dev, and which examples of each have units
        """
        from lingprobe.probes.span.loops import train_edge_networks

        check_device(device := self.device)
        trainings = [self._lane(parts[0][0], *read, seed, likeliest) for read in reads.values()]
        examples, dev = (examples_of(*part, self.config, device) for part in parts)
        learnt = train_edge_networks(trainings, examples, dev, seed)
        lost = [len(readings) - len(rows) for readings, rows in parts]
        found = []
        for (text, read), training, best in zip(reads.items(), trainings, learnt, strict=True):
            states = {Cell(text, seed): best, Cell(text, seed, "loss"): best.likeliest}
            found.append(
                {
                    c: self._make_fitted(training, state, read, lost)
                    for c, state in states.items()
                    if state
                }
            )
        return found

    def _check(self, train: Readings, dev: Readings, cells: tuple[Cell, ...]) -> None:
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        if train.labels.numbers is not None:
            raise ReadingProblem(
                f"{self.name} answers with classes and label sets, and this task's labels are"
                " scores; use mlp"
            )
        if self.config.loss == "softmax" and train.labels.classes is None:
            raise ReadingProblem(
                f"{self.name},loss=softmax needs exactly one label an example; leave"
                " loss=softmax out"
            )
        if not len(dev) and isinstance(self.config.plan, PlateauSchedule):
            raise ReadingProblem(
                f"{self.name} stops when dev does not improve, and there are no dev examples; use"
                " span or a dev split"
            )
        design = self.config.design
        if (design.context or design.bag) and train.vectors.spans is None:
            asked = (
                "context= reads neighbouring units"
                if design.context
                else "bag= reads all units of a sentence"
            )
            raise ReadingProblem(
                f"span,{asked}, and the encoder gives one vector a sentence; take units, as"
                " hf:MODEL,pool=none"
            )
        for cell in cells:
            self._check_widths(train, read_of(cell.read, train.vectors.names))

    def _check_widths(self, train: Readings, read: LayerSelection) -> None:
        widths = {name: train.vectors.layer(name).shape[1] for name in read.layers}
        if read.how == "mix" and len(set(widths.values())) > 1:
            told = ", ".join(f"{name} {width}" for name, width in widths.items())
            raise ReadingProblem(
                f"a mix sums up layers of one width, these have: {told}; choose some as mix:1+2"
            )

    def _read(
        self, train: Readings, rows: Ints, text: str
    ) -> tuple[LayerSelection, LayerScales | None]:
        """The layers that a cell reads, and their scales."""
        read = read_of(text, train.vectors.names)
        if not self.config.scaled or not len(rows):
            return read, None
        return read, scales_of(train, read, rows, self.config.design.layer_norm)

    def _lane(
        self,
        train: Readings,
        read: LayerSelection,
        scales: LayerScales | None,
        seed: int,
        likeliest: bool,
    ) -> NetworkTraining:
        """A network that is not trained yet."""
        from lingprobe.probes.span.net import (
            LayerSource,
            NetworkSizes,
            SpanNetwork,
            draw_tensors,
            scale_of,
        )
        from lingprobe.probes.span.training import NetworkTraining

        design, source = self.config.design, LayerSource(read.layers, read.how == "mix")
        widths = [train.vectors.layer(name).shape[1] for name in read.layers]
        dim = (widths[0] if source.mixed else sum(widths)) * (2 * design.context + 1)
        sizes = NetworkSizes(dim, train.dataset.sites.shape[1], len(train.labels.names))
        start = compute_prior_logits(train.labels, self.loss) if self.config.scaled else None
        tensors = draw_tensors(design, source, sizes, seed, start, device := self.device)
        net = SpanNetwork(design, source, scale_of(scales, device), tensors)
        return NetworkTraining(net, self.config, seed, likeliest)

    def _make_fitted(
        self,
        training: NetworkTraining,
        learnt: LearntNetwork,
        reads: tuple[LayerSelection, LayerScales | None],
        lost: list[int],
    ) -> EdgePredictor:
        """One state of a network; its choice is what the provenance of a result says about the
        fit.
        """
        from lingprobe.probes.span.net import mix_of, restore_net

        read, judged = reads[0], learnt.judged
        choice: dict[str, Any] = {
            "dev": judged.score,
            "dev_loss": judged.loss,
            "step": learnt.step,
            "steps": learnt.steps,
        }
        if any(lost):
            choice["without_units"] = lost
        if read.how == "mix":
            weights, gamma = mix_of(
                restore_net(self.config.design, training.net.source, None, learnt.tensors)
            )
            choice |= {"layers": list(read.layers), "mix": weights, "gamma": gamma}
        return EdgePredictor(self.config, *reads, learnt.tensors, choice)


@dataclass(frozen=True, slots=True)
class EdgePredictor:
    """A fitted edge probe: its tensors by name; `choice` says how it was found, and what a mix has
    come to.
    """

    config: TrainingConfig
    read: LayerSelection
    scales: LayerScales | None
    tensors: Mapping[str, Floats]
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        scores, labels = self._scores(readings), readings.labels
        sets = self.config.decode == "threshold" and labels.numbers is None
        decoded = (labels.sets() if sets else labels).decode(scores)
        return Predictions(scores, labels.names, decoded, self.config.loss)

    def _scores(self, readings: Readings) -> Floats:
        machine.spare_torch()
        import torch

        from lingprobe.probes.span.batches import GatheredVectors, batch_of
        from lingprobe.probes.span.net import LayerSource, compute_logits, restore_net, scale_of

        design, source = self.config.design, LayerSource(self.read.layers, self.read.how == "mix")
        net = restore_net(design, source, scale_of(self.scales), self.tensors)
        given = examples_of(readings, np.arange(len(readings)), self.config)
        found = np.zeros((len(readings), len(readings.labels.names)), np.float32)
        with torch.no_grad():
            for rows in given.passes(SCORING_BATCH_SENTENCES):
                batch = batch_of(given, rows, design.context)
                gathered = GatheredVectors(given, batch, design.layer_norm)
                found[batch.rows] = compute_logits(net, batch, gathered).numpy()
        return found


def read_units(readings: Readings) -> Ints:
    """The examples that have at least one unit at each site; from the others nothing can be
    learnt.
    """
    some = np.ones(len(readings), np.bool_)
    for site in range(readings.dataset.sites.shape[1]):
        starts, stops = readings.units(site)
        some &= stops > starts
    return np.flatnonzero(some)


def examples_of(
    readings: Readings, rows: Ints, config: TrainingConfig, device: str = "cpu"
) -> SplitExamples:
    """Some of the examples as networks read them on a device."""
    from lingprobe.probes.span.batches import SplitExamples

    readings = readings.take(rows)
    units = [readings.units(site) for site in range(readings.dataset.sites.shape[1])]
    if config.design.bag:
        units.append(_bag(readings))
    vectors, spans = readings.vectors, readings.vectors.spans
    return SplitExamples(
        layers=dict(zip(vectors.names, vectors.layers, strict=True)),
        starts=np.stack([starts for starts, _ in units]),
        stops=np.stack([stops for _, stops in units]),
        groups=readings.dataset.sites[:, 0, 0],
        bounds=np.arange(len(vectors.layers[0]) + 1) if spans is None else spans.sentences,
        wanted=_wanted_labels(readings.labels, config, device),
        describe=lambda row: repr(readings.sentence(row).text[:60]),
        single=readings.labels.classes is not None,
        device=device,
    )


def _bag(readings: Readings) -> tuple[Ints, Ints]:
    """The units of all words of each example's sentence, as starts and stops [examples]."""
    sentences, vectors = readings.dataset.sites[:, :, 0], readings.vectors
    if (sentences != sentences[:, :1]).any():
        raise ReadingProblem(
            "span,bag= reads the sentence that the spans stand in, and some examples have theirs in"
            " two; leave bag= out"
        )
    assert vectors.spans is not None
    many = np.diff(vectors.spans.first_word)[sentences[:, 0]]
    starts, stops = units_read(
        vectors.spans, np.stack([sentences[:, 0], np.zeros_like(many), many], 1)
    )
    if vectors.lost is not None and vectors.lost[expand_ranges(starts, stops)[0]].any():
        raise ReadingProblem(
            "span,bag= reads all words, and some of their vectors are not finite; try --dtype"
            " float32"
        )
    return starts, stops


def _wanted_labels(labels: Column, config: TrainingConfig, device: str) -> Callable[[Ints], Tensor]:
    """What some of the examples should be answered with: class ids, or the weight of each label,
    NaN where not annotated.
    """
    import torch

    asked = labels if config.loss == "softmax" else labels.sets()
    return lambda rows: torch.from_numpy(asked.take(rows).matrix()).to(device)
