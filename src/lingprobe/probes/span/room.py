"""What memory and work networks take in training, and how many are trained beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lingprobe.data.reading import Readings, read_of
from lingprobe.data.sizes import FLOAT32_BYTES, FitSize, WorkAmount
from lingprobe.nets.memory import at_most, in_parts
from lingprobe.probes.span.plans import NetworkDesign, PlateauSchedule, TrainingConfig

# bytes of a number of a network: itself, its gradient, three that Adam keeps, and at its best
_NUMBER = 24
SCORING_BATCH_SENTENCES = 256  # sentences of a batch where scores are asked for
_ANY = 2**62
_ADAM = 250  # bytes that a step moves for a number of a network
_USUAL_LOOKS = 60  # at dev, until a published schedule ends


def count_edge_weights(design: NetworkDesign, features: int, sides: int, outputs: int) -> int:
    """How many numbers the weights of a network are."""
    dim = features * (2 * design.context + 1)
    width, hidden = design.projection or dim, design.hidden or outputs
    each = width * (dim if design.projection else 0) + width * width
    inputs = (sides * design.parts + design.bag) * width
    last = hidden * outputs if design.hidden else 0
    return (sides + design.bag) * each + inputs * hidden + last


def estimate_edge_work(config: TrainingConfig, size: FitSize) -> WorkAmount:
    """That of training one network."""
    plan, sentences = config.plan, size.sentences or size.train
    if isinstance(plan, PlateauSchedule):
        batch, steps = plan.batch, _USUAL_LOOKS * plan.every(sentences)
    else:
        batch, steps = plan.batch_of(sentences), plan.steps_of(sentences)
    examples = batch * size.train / sentences
    one = count_edge_weights(config.design, size.features, size.sides, size.outputs)
    return WorkAmount(6 * steps * one * examples, _ADAM * steps * one, steps)


def network_bytes(design: NetworkDesign, features: int, sides: int, outputs: int) -> int:
    """Bytes of a network in training."""
    return _NUMBER * count_edge_weights(design, features, sides, outputs)


def estimate_edge_memory(design: NetworkDesign, size: FitSize) -> int:
    """Bytes that one network takes; units are read where they lie."""
    return network_bytes(design, size.features, 1, size.outputs) + size.targets + size.scores


def reads_in_parts(
    design: NetworkDesign, train: Readings, reads: Sequence[str]
) -> Iterator[list[str]]:
    """With little memory fewer fits are made beside each other: the reads whose networks are
    trained together.
    """
    sides, outputs = train.dataset.sites.shape[1], len(train.labels.names)
    spans, every = train.vectors.spans, len(train.vectors.layers[0])
    sentences = every if spans is None else len(spans.sentences) - 1
    units = every * SCORING_BATCH_SENTENCES // max(SCORING_BATCH_SENTENCES, sentences)

    def cost(text: str) -> int:
        read = read_of(text, train.vectors.names)
        widths: list[int] = [train.vectors.layer(name).shape[1] for name in read.layers]
        dim = widths[0] if read.how == "mix" else sum(widths)
        return network_bytes(design, dim, sides, outputs) + 2 * FLOAT32_BYTES * units * sum(widths)

    return in_parts(reads, cost, at_most(_ANY, 0.5))
