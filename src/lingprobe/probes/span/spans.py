"""Spans of units without padding: sums over the units of each span, a softmax within each span, and
their gradients.

A span is a run of rows of a matrix [units, dim]. Nothing that is computed for a span depends on
which other spans are there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from lingprobe.data.vectors import Ints


class SpanUnitPairs(NamedTuple):
    """Pairs of a span and a unit that it reads, by span, and by unit, as gradients are summed.

    units, spans  [pairs]      the unit and the span of each pair, span after span
    offsets       [spans + 1]  pairs of span i are offsets[i]:offsets[i + 1]
    order         [pairs]      the same pairs, unit after unit; `ends` [units + 1] are where each
                  unit's begin
    """

    units: Tensor
    spans: Tensor
    offsets: Tensor
    order: Tensor
    readers: Tensor
    ends: Tensor

    @property
    def many(self) -> int:
        """How many spans there are."""
        return len(self.offsets) - 1

    def on(self, device: str) -> SpanUnitPairs:
        """The same on a device."""
        return SpanUnitPairs(*(each.to(device) for each in self))


def make_ragged(units: Ints, offsets: Ints, unit_count: int) -> SpanUnitPairs:
    """Span i reads units[offsets[i]:offsets[i + 1]] of `unit_count` units."""
    spans = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.argsort(units, kind="stable")
    ends = np.concatenate(
        [np.zeros(1, np.int64), np.cumsum(np.bincount(units, minlength=unit_count))]
    )
    return SpanUnitPairs(
        *(
            torch.from_numpy(np.ascontiguousarray(a, np.int64))
            for a in (units, spans, offsets, order, spans[order], ends)
        )
    )


def sum_spans(x: Tensor, pairs: SpanUnitPairs, weights: Tensor | None = None) -> Tensor:
    """The weighted sum of each span's units, [spans, dim]; zeros where a span has none. Without
    weights each unit counts once.
    """
    found: Tensor = _Sum.apply(x, weights, pairs)  # type: ignore[no-untyped-call]
    return found


def softmax_pairs(logits: Tensor, pairs: SpanUnitPairs) -> Tensor:
    """The weight of each pair, [pairs]: a softmax of logits [pairs] within each span, whose maximum
    is subtracted first.
    """
    found: Tensor = _Softmax.apply(logits, pairs)  # type: ignore[no-untyped-call]
    return found


def compute_mean_weights(pairs: SpanUnitPairs, like: Tensor) -> Tensor:
    """The weight of each pair, [pairs], where every unit of a span counts the same."""
    return (1 / pairs.offsets.diff().clamp_min(1).to(like.dtype))[pairs.spans]


def pool_highest(x: Tensor, pairs: SpanUnitPairs) -> Tensor:
    """The maximum of each span's units in every dimension, [spans, dim]; zeros where a span has
    none. Ties share their gradient evenly.
    """
    found: Tensor = _Max.apply(x, pairs)  # type: ignore[no-untyped-call]
    return found


def multiply_parts(tensors: list[Tensor], matrix: Tensor) -> Tensor:
    """Rows of several tensors [.., dim] multiplied with the matrix [outputs, dim], one after the
    other; nothing is copied.
    """
    found: Tensor = _Product.apply(matrix, *tensors)  # type: ignore[no-untyped-call]
    return found


class _Product(torch.autograd.Function):
    """Products written beside each other, whose gradients in a part are only taken where the part
    has any.
    """

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, *parts: Tensor) -> Tensor:
        ctx.save_for_backward(matrix, *parts)
        found = matrix.new_empty(sum(map(len, parts)), len(matrix))
        for part, out in zip(parts, torch.split(found, [len(part) for part in parts]), strict=True):
            torch.mm(part, matrix.T, out=out)
        return found

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        matrix, *parts = ctx.saved_tensors
        given = torch.split(slopes[0], [len(part) for part in parts])
        inner = [
            g @ matrix if needed else None
            for g, needed in zip(given, ctx.needs_input_grad[1:], strict=True)
        ]
        outer = given[0].T @ parts[0]
        for g, part in zip(given[1:], parts[1:], strict=True):
            outer.addmm_(g.T, part)
        return outer, *inner


class _Sum(torch.autograd.Function):
    """`embedding_bag`, whose own gradient in x takes four times as long as its transpose, which is
    one more sum.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weights: Tensor | None, pairs: SpanUnitPairs) -> Tensor:
        ctx.save_for_backward(weights)
        ctx.pairs, ctx.sums = pairs, None
        if ctx.needs_input_grad[1] and weights is not None:
            weights = weights.detach().requires_grad_()
        with torch.enable_grad():  # torch's own gradient in the weights is taken
            sums = embedding_bag(
                pairs.units,
                x.detach(),
                pairs.offsets,
                mode="sum",
                per_sample_weights=weights,
                include_last_offset=True,
            )
        if sums.requires_grad:
            ctx.sums = sums, weights
        return sums.detach()

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        (weights,), pairs, slope = ctx.saved_tensors, ctx.pairs, slopes[0].contiguous()
        inner = outer = None
        if ctx.needs_input_grad[0]:
            shares = None if weights is None else weights[pairs.order]
            inner = embedding_bag(
                pairs.readers,
                slope,
                pairs.ends,
                mode="sum",
                per_sample_weights=shares,
                include_last_offset=True,
            )
        if ctx.sums is not None:
            sums, leaf = ctx.sums
            (outer,) = torch.autograd.grad(sums, leaf, slope, retain_graph=True)
        return inner, outer, None


class _Max(torch.autograd.Function):
    """A maximum within each run of rows; torch's own gradient gives each of several equal rows all
    of a negative slope.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, pairs: SpanUnitPairs) -> Tensor:
        lengths = pairs.offsets.diff()
        top = torch.segment_reduce(x[pairs.units], "max", lengths=lengths, axis=0, unsafe=True)
        ctx.save_for_backward(x, top)
        ctx.pairs = pairs
        return torch.where((lengths > 0)[:, None], top, 0.0)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        (x, top), pairs = ctx.saved_tensors, ctx.pairs
        highest = (x[pairs.units] == top[pairs.spans]).to(x.dtype)
        ties = x.new_zeros(top.shape).index_add_(0, pairs.spans, highest)
        given = highest.mul_((slopes[0] / ties.clamp_min_(1))[pairs.spans])
        return torch.zeros_like(x).index_add_(0, pairs.units, given), None


class _Softmax(torch.autograd.Function):
    """A softmax within each run of logits."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, pairs: SpanUnitPairs) -> Tensor:
        top = torch.segment_reduce(logits, "max", lengths=pairs.offsets.diff(), axis=0, unsafe=True)
        shares = (logits - top[pairs.spans]).exp_()
        shares /= _totals(shares, pairs)
        ctx.save_for_backward(shares)
        ctx.pairs = pairs
        return shares

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        (shares,) = ctx.saved_tensors
        given = shares * slopes[0]
        return given - shares * _totals(given, ctx.pairs), None


def _totals(values: Tensor, pairs: SpanUnitPairs) -> Tensor:
    """For each pair the sum of values [pairs] over its span."""
    return values.new_zeros(pairs.many).index_add_(0, pairs.spans, values)[pairs.spans]
