"""The edge probe of Tenney et al. 2019 (appendix C, equations 1 to 4): spans are projected, pooled
by attention inside the span, joined, and classified.

`tests/reference/edge_probe.py` is the same network in the paper's own steps, an example at a time;
read that first. Here steps are folded into each other where scores stay the same:

- Of a mix of layers (4) only the weighted sum is made. Its factor gamma, and the scale of the
  features, go into the projection: `UnitProjection`.
- The projection (1) is linear and the weights of a span sum to one, so units are pooled (2) before
  they are projected, and a span that several examples have is projected once.
- The projection and the first layer of the classifier (3) are two matrices in a row. The cheaper
  product comes first: `UnitProjection.onward`, `_MERGES`.
- That first layer, too, is applied to distinct spans, and its halves are added where two of them
  make an example: `SideContribution`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, linear

from lingprobe.data.vectors import Floats
from lingprobe.probes.span.batches import BatchSide, ExampleBatch, GatheredVectors
from lingprobe.probes.span.plans import NetworkDesign, Pool
from lingprobe.probes.span.spans import (
    SpanUnitPairs,
    compute_mean_weights,
    multiply_parts,
    pool_highest,
    softmax_pairs,
    sum_spans,
)

# distinct spans per number of the narrower side of a projection beyond which it is multiplied with
# the next matrix before the spans
_MERGES = 2


class LayerSource(NamedTuple):
    """The layers that a network reads: side by side, or as a learnt sum."""

    layers: tuple[str, ...]
    mixed: bool = False


class UnitScale(NamedTuple):
    """What is taken off a source's numbers and what they are multiplied with: shift [layers of a
    mix or 1, dim], factor [dim].
    """

    shift: Tensor
    factor: Tensor


class SpanNetwork(NamedTuple):
    """A network: its design, what it reads, at which scale, and its tensors by name."""

    design: NetworkDesign
    source: LayerSource
    scale: UnitScale | None
    tensors: Mapping[str, Tensor]

    @property
    def sides(self) -> int:
        """How many spans an example has."""
        return sum(name.startswith("attend") for name in self.tensors)

    def pool(self, k: int) -> Pool:
        """How the units of side k become one vector; those of the bag, which comes after the spans,
        have their mean.
        """
        return self.design.pool if k < self.sides else "mean"

    def arrays(self) -> dict[str, Floats]:
        """Copies of the tensors as arrays."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.tensors.items()}


class NetworkSizes(NamedTuple):
    """Numbers that a unit has (those of its neighbours included), spans of an example, and
    labels.
    """

    dim: int
    sides: int
    labels: int


class _Drawn(dict[str, Tensor]):
    """Weights and biases as `torch.nn.Linear` draws them, from a generator of their own."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def draw(self, name: str, inputs: int, *shape: int) -> None:
        bound = 1 / math.sqrt(inputs)
        self[name] = torch.empty(shape).uniform_(-bound, bound, generator=self.generator)

    def linear(self, weights: str, biases: str, inputs: int, outputs: int) -> None:
        self.draw(weights, inputs, outputs, inputs)
        self.draw(biases, inputs, outputs)


def draw_tensors(
    design: NetworkDesign,
    source: LayerSource,
    sizes: NetworkSizes,
    seed: int,
    start: Floats | None = None,
    device: str = "cpu",
) -> dict[str, Tensor]:
    """The tensors of a network before its training, drawn on the processor; a mix starts with equal
    weights.

    start  [labels]  what the last biases are instead of drawn
    """
    found = _Drawn(seed)
    width, hidden = design.projection or sizes.dim, design.hidden or sizes.labels
    for k in range(sizes.sides + design.bag):
        if design.projection:
            found.linear(f"project.{k}", f"project-bias.{k}", sizes.dim, width)
        if k < sizes.sides:
            found.draw(f"attend.{k}", width, width)
    inputs = (sizes.sides * design.parts + design.bag) * width
    found.linear("first", "first-bias", inputs, hidden)
    if design.hidden:
        if design.norm:
            found |= {"norm": torch.ones(hidden), "norm-bias": torch.zeros(hidden)}
        found.linear("last", "last-bias", hidden, sizes.labels)
    if start is not None:
        found["last-bias" if design.hidden else "first-bias"] = torch.from_numpy(start.copy())
    if source.mixed:
        found["mix"] = torch.zeros(len(source.layers))
        if design.gamma:
            found["gamma"] = torch.ones(())
    return {name: tensor.to(device).requires_grad_() for name, tensor in found.items()}


def mix_of(net: SpanNetwork) -> tuple[list[float], float]:
    """The weights of the layers and the factor that a mix has come to."""
    shares = torch.softmax(net.tensors["mix"].detach(), 0).tolist()
    return shares, float(net.tensors["gamma"].detach()) if "gamma" in net.tensors else 1.0


def compute_logits(
    net: SpanNetwork,
    batch: ExampleBatch,
    gathered: GatheredVectors,
    noise: torch.Generator | None = None,
) -> Tensor:
    """Scores (logits) [examples, labels]; with noise, numbers are dropped as in training."""
    design, t = net.design, net.tensors
    x = _apply_dropout(_input(net, batch, gathered), design.drop_input, noise)
    found: Tensor | None = None
    constant = t["first-bias"]
    for k, side in enumerate(batch.sides):
        onward = _side(net, k, side, x)
        constant = constant + onward.constant
        rows = onward.rows if side.which is None else sum_spans(onward.rows, side.which)
        found = rows if found is None else found.add_(rows)
    assert found is not None
    found = found.add_(constant)
    if not design.hidden:
        return found
    found = found.tanh_()
    if design.norm:
        found = layer_norm(found, found.shape[-1:], t["norm"], t["norm-bias"])
    return linear(_apply_dropout(found, design.drop, noise), t["last"], t["last-bias"])


def _input(net: SpanNetwork, batch: ExampleBatch, gathered: GatheredVectors) -> Tensor:
    """The units as they are read, [units, dim], neighbours side by side."""
    if net.source.mixed:
        layers = gathered.stack_layers(net.source.layers)
        x = (torch.softmax(net.tensors["mix"], 0) @ layers.flatten(1)).view(layers.shape[1:])
    else:
        x = gathered.side_by_side(net.source.layers)
    if batch.around is None:
        return x
    padded = torch.cat([x, x.new_zeros(1, x.shape[1])])
    return torch.cat([padded[where] for where in batch.around], 1)


def _apply_dropout(x: Tensor, share: float, noise: torch.Generator | None) -> Tensor:
    if noise is None or not share:
        return x
    passed = torch.empty(x.shape).bernoulli_(1 - share, generator=noise)  # alike on all devices
    return x * passed.to(x.device).div_(1 - share)


class SideContribution(NamedTuple):
    """What one side adds to the first layer: rows [distinct spans, outputs], and a constant of each
    example [outputs].
    """

    rows: Tensor
    constant: Tensor | float

    def plus(self, other: SideContribution) -> SideContribution:
        """Both together."""
        return SideContribution(self.rows + other.rows, self.constant + other.constant)


class UnitProjection(NamedTuple):
    """A unit x is projected to x * factor @ matrix.T + bias; no matrix for no projection."""

    matrix: Tensor | None
    factor: Tensor | None
    bias: Tensor | None

    def logits(self, x: Tensor, attend: Tensor, side: BatchSide) -> Tensor:
        """How much attention the unit of each pair asks for, [pairs], but for a constant that no
        softmax sees.
        """
        along = attend if self.matrix is None else attend @ self.matrix
        along = along if self.factor is None else along * self.factor
        if x.requires_grad:
            return (x @ along)[side.more.units]
        return (x.index_select(0, side.wide) @ along)[side.place]

    def onward(self, rows: list[Tensor], weights: Tensor) -> SideContribution:
        """Rows projected and multiplied with weights [outputs, projected], with the cheaper product
        first.
        """
        matrix, constant = self.matrix, 0.0 if self.bias is None else weights @ self.bias
        if matrix is None or sum(map(len, rows)) > _MERGES * min(matrix.shape):
            both = weights if matrix is None else weights @ matrix
            both = both if self.factor is None else both * self.factor
            return SideContribution(multiply_parts(rows, both), constant)
        matrix = matrix if self.factor is None else matrix * self.factor
        return SideContribution(multiply_parts(rows, matrix) @ weights.T, constant)

    def project_units(self, x: Tensor) -> Tensor:
        """Units projected one by one, [units, projected]."""
        x = x if self.factor is None else x * self.factor
        x = x if self.matrix is None else x @ self.matrix.T
        return x if self.bias is None else x + self.bias


def _affine(net: SpanNetwork, k: int) -> UnitProjection:
    """The projection of one side, with the scale and the factor of a mix in it."""
    t, around = net.tensors, 2 * net.design.context + 1
    matrix, bias, factor = t.get(f"project.{k}"), t.get(f"project-bias.{k}"), t.get("gamma")
    if net.scale is None:
        return UnitProjection(matrix, factor, bias)
    scale = net.scale.factor if around == 1 else net.scale.factor.repeat(around)
    factor = scale if factor is None else scale * factor
    shift = torch.softmax(t["mix"], 0) @ net.scale.shift if net.source.mixed else net.scale.shift[0]
    shift = (shift if around == 1 else shift.repeat(around)) * factor
    off = shift if matrix is None else matrix @ shift
    return UnitProjection(matrix, factor, -off if bias is None else bias - off)


def _side(net: SpanNetwork, k: int, side: BatchSide, x: Tensor) -> SideContribution:
    """What one side adds to the first layer: spans of one unit, then the others."""
    affine, design, weights = _affine(net, k), net.design, net.tensors["first"]
    width = weights.shape[1] // (net.sides * design.parts + design.bag)
    start = k * design.parts * width
    if net.pool(k) == "max":
        units = affine.project_units(x)
        most = torch.cat([pool_highest(units, pairs) for pairs in (side.ones, side.more)])
        return SideContribution(most @ weights[:, start : start + width].T, 0.0)
    parts = []
    for rows in _pool_spans(net, k, affine, side, x):
        parts.append(affine.onward(rows, weights[:, start : start + width]))
        start += width
    return parts[0].plus(parts[1]) if len(parts) > 1 else parts[0]


def _pool_spans(
    net: SpanNetwork, k: int, affine: UnitProjection, side: BatchSide, x: Tensor
) -> Iterator[list[Tensor]]:
    """Each part of the spans, [spans, dim] of those of one unit and of the others."""
    ones = sum_spans(x, side.ones) if x.requires_grad else x.index_select(0, side.ones.units)
    if net.pool(k) == "endpoints":
        for last in (False, True):
            yield [ones, sum_spans(x, side.more, _end(side.more, last))]
    elif net.pool(k) == "mean":
        yield [ones, sum_spans(x, side.more, compute_mean_weights(side.more, x))]
    else:
        yield [
            ones,
            sum_spans(
                x,
                side.more,
                softmax_pairs(affine.logits(x, net.tensors[f"attend.{k}"], side), side.more),
            ),
        ]


def _end(pairs: SpanUnitPairs, last: bool) -> Tensor:
    """Weight one for the first, or the last, unit of each span, zero for the others; [pairs]."""
    some = pairs.offsets.diff() > 0
    where = (pairs.offsets[1:] - 1 if last else pairs.offsets[:-1])[some]
    ends = torch.zeros(len(pairs.units), device=where.device)
    return ends.index_fill_(0, where, 1.0)


def scale_of(arrays: tuple[Floats, Floats] | None, device: str = "cpu") -> UnitScale | None:
    """A scale from its arrays."""
    return None if arrays is None else UnitScale(*(torch.from_numpy(a).to(device) for a in arrays))


def restore_net(
    design: NetworkDesign,
    source: LayerSource,
    scale: UnitScale | None,
    arrays: Mapping[str, Floats],
) -> SpanNetwork:
    """The network whose tensors were kept as arrays."""
    return SpanNetwork(
        design, source, scale, {name: torch.from_numpy(array) for name, array in arrays.items()}
    )
