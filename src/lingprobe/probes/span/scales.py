"""Where the fast recipe starts from: one scale for what is read, by the units of train, and each
label as frequent as it is there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lingprobe.data.labels import Column
from lingprobe.data.reading import LayerSelection, Readings
from lingprobe.data.vectors import (
    Floats,
    Ints,
    expand_ranges,
)
from lingprobe.probes.features import common_scale

_SAMPLE = 8192  # units that the scale is taken from
# share of the examples that a label is taken to have at least, and at most all but that
_RAREST = 1e-4


class LayerScales(NamedTuple):
    """x -> (x - shift) * factor; shift [layers of a mix or 1, dim], factor [dim], which the layers
    of a mix share.
    """

    shift: Floats
    factor: Floats


def scales_of(
    train: Readings, read: LayerSelection, rows: Ints, layer_norm: bool = False
) -> LayerScales:
    """The scale of what is read, from units of the spans of some training examples."""
    units = sample_units(train, rows)
    layers = [np.asarray(train.vectors.layer(name)[units], np.float32) for name in read.layers]
    if read.how != "mix":
        scaling = common_scale(np.concatenate(layers, 1))
        return LayerScales(scaling.shift[None], scaling.factor)
    if layer_norm:
        layers = [_normalize_layer(layer) for layer in layers]
    shift = np.stack([layer.mean(0, dtype=np.float64).astype(np.float32) for layer in layers])
    together = np.concatenate([layer - own for layer, own in zip(layers, shift, strict=True)])
    scaling = common_scale(together)
    return LayerScales(shift + scaling.shift, scaling.factor)


def compute_prior_logits(labels: Column, loss: str) -> Floats:
    """Biases of the labels from their frequency in train: the scores (logits) [labels] that say how
    often each holds; biases drawn near zero are long on their way there.
    """
    sets = labels.sets()
    held = np.bincount(sets.ids, sets.weights, len(sets.names))
    seen = (
        np.bincount(sets.ids, minlength=len(sets.names))
        if sets.partial
        else np.full(len(sets.names), len(sets))
    )
    share = np.clip(held / np.maximum(seen, 1), _RAREST, 1 - _RAREST)
    return np.asarray(
        np.log(share) if loss == "softmax" else np.log(share / (1 - share)), np.float32
    )


def sample_units(train: Readings, rows: Ints) -> Ints:
    """At most so many of the units that some examples read, evenly spread."""
    starts, stops = (
        np.concatenate(x)
        for x in zip(*(train.units(k) for k in range(train.dataset.sites.shape[1])), strict=True)
    )
    chosen = np.concatenate([rows + k * len(train) for k in range(train.dataset.sites.shape[1])])
    units = np.unique(expand_ranges(starts[chosen], stops[chosen])[0])
    return units[np.linspace(0, len(units) - 1, min(len(units), _SAMPLE)).round().astype(np.int64)]


def _normalize_layer(layer: Floats) -> Floats:
    """Each unit with mean 0 and variance 1."""
    centred = layer - layer.mean(1, keepdims=True)
    return np.asarray(
        centred / np.sqrt(np.square(centred).mean(1, keepdims=True) + 1e-5), np.float32
    )
