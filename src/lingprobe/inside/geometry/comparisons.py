"""Layers -> numbers: a row for each measure of each layer, or of two layers, or two languages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.inside.geometry.kernels import (
    LinearKernel,
    compute_kernel,
    fits_in_memory,
    kernel_hsics,
)
from lingprobe.inside.geometry.neighbours import intrinsic_dimension
from lingprobe.inside.geometry.networks import LayerOnText, NetworkVectors
from lingprobe.inside.geometry.rotation import (
    RETRIEVAL_WAYS,
    ROTATION_FOLD_COUNT,
    align_vectors,
    make_test_folds,
)
from lingprobe.inside.geometry.rows import Doubles, IntervalEstimate, compute_jackknife_interval
from lingprobe.inside.geometry.similarity import compute_cka, compute_jackknife_hsic, null_p
from lingprobe.inside.geometry.spread import measure_spread
from lingprobe.metrics.intervals import interval

_NAN = math.nan
_NOWHERE = LayerOnText("", "", "")
Bar = Callable[[Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class GeometryRow:
    """One measure of a layer, or of two layers or languages. NaN where something is not measured.

    measure    cka, cosine, norm, variation, outlying, top (a dimension, from 0), share (of the
               cosine), dimension; between languages cka, error, and retrieval (percent) as is,
               centred, rotated
    other_...  what a layer was compared with; '' for measures of one layer
    n          sentences; of `dimension`, their distinct vectors among which neighbours are found
    low, high  the 95 % interval
    untrained  the same number of the same networks before training
    p          of a CKA, no less than its probability where sentences are paired at random
    chance     what retrieval reaches by chance
    dev        retrieval in the first fold, by which a layer is chosen; `value` is of the others
    """

    measure: str
    encoder: str
    layer: str
    text: str
    other_encoder: str
    other_layer: str
    other_text: str
    n: int
    value: float
    low: float = _NAN
    high: float = _NAN
    untrained: float = _NAN
    p: float = _NAN
    chance: float = _NAN
    dev: float = _NAN


class LayerSimilarities:
    """CKA of layers; what is needed more than once is kept."""

    def __init__(self, networks: NetworkVectors) -> None:
        self.rows = networks.rows
        self.small = fits_in_memory(networks.n, len(networks.rows))
        self.kernels: dict[LayerOnText, LinearKernel] = {}
        self.own: dict[LayerOnText, Doubles] = {}

    def cka(self, left_layer: LayerOnText, right_layer: LayerOnText) -> IntervalEstimate:
        """Debiased CKA of two layers, with its interval."""
        return compute_jackknife_interval(
            compute_cka(
                self._hsics(left_layer, right_layer), self._own(left_layer), self._own(right_layer)
            )
        )

    def _own(self, place: LayerOnText) -> Doubles:
        if place not in self.own:
            self.own[place] = self._hsics(place, place)
        return self.own[place]

    def _hsics(self, one: LayerOnText, other: LayerOnText) -> Doubles:
        if not self.small:
            return compute_jackknife_hsic(self.rows[one], self.rows[other])
        return kernel_hsics(self._kernel(one), self._kernel(other))

    def _kernel(self, place: LayerOnText) -> LinearKernel:
        if place not in self.kernels:
            self.kernels[place] = compute_kernel(self.rows[place])
        return self.kernels[place]


def layer_rows(networks: NetworkVectors, bar: Bar) -> Iterator[GeometryRow]:
    """Of one text: how alike every two layers are, and how the vectors of each lie."""
    (text,) = networks.texts
    places = [
        LayerOnText(name, n, text) for name, layers in networks.encoders.items() for n in layers
    ]
    similarities = LayerSimilarities(networks)
    for one, other in bar(list(combinations(places, 2))):
        yield _cka_row(networks, similarities, one, other)
    known: dict[LayerOnText, dict[str, tuple[IntervalEstimate, int]]] = {}

    def measures_of(place: LayerOnText) -> dict[str, tuple[IntervalEstimate, int]]:
        if place not in known:
            known[place] = dict(_lie(networks, place))
        return known[place]

    place: LayerOnText
    for place in bar(places):
        floor = networks.floor(place)
        before = measures_of(floor) if floor and floor != place else {}
        for measure, (found, n) in measures_of(place).items():
            drawn = before[measure][0].value if before else _NAN
            yield GeometryRow(measure, *place, *_NOWHERE, n, *found, drawn)


def _lie(
    networks: NetworkVectors, place: LayerOnText
) -> Iterator[tuple[str, tuple[IntervalEstimate, int]]]:
    """The measures of one layer, and of how many vectors each is."""
    lie = measure_spread(networks.rows[place])
    yield "cosine", (lie.cosine, networks.n)
    yield "norm", (lie.norm, networks.n)
    alone = {
        "variation": lie.variation,
        "top": lie.dimension,
        "share": lie.share,
        "outlying": lie.outlying,
    }
    for name, value in alone.items():
        yield name, (IntervalEstimate(float(value), _NAN, _NAN), networks.n)
    yield "dimension", intrinsic_dimension(networks.rows[place])


def _cka_row(
    networks: NetworkVectors, similarities: LayerSimilarities, one: LayerOnText, other: LayerOnText
) -> GeometryRow:
    value = similarities.cka(one, other)
    value = value._replace(low=np.minimum(value.low, 1.0), high=np.minimum(value.high, 1.0))
    floors = networks.floor(one), networks.floor(other)
    drawn = _NAN
    if floors[0] and floors[1] and floors != (one, other) and floors[0] != floors[1]:
        drawn = similarities.cka(floors[0], floors[1]).value
    p = null_p(value.value, networks.n)
    return GeometryRow("cka", *one, *other, networks.n, *value, drawn, p)


def language_rows(networks: NetworkVectors, bar: Bar) -> Iterator[GeometryRow]:
    """Of parallel texts: how alike every two languages are in each layer, and how many sentences
    find their translation.
    """
    places = [(name, n) for name, layers in networks.encoders.items() for n in layers]
    pairs = list(combinations(networks.texts, 2))
    similarities = LayerSimilarities(networks)
    for (name, layer), (one, other) in bar([(p, pair) for p in places for pair in pairs]):
        ends = LayerOnText(name, layer, one), LayerOnText(name, layer, other)
        yield _cka_row(networks, similarities, *ends)
        yield from _translation_rows(networks, *ends)


def _translation_rows(
    networks: NetworkVectors, one: LayerOnText, other: LayerOnText
) -> Iterator[GeometryRow]:
    """Retrieval in both directions, and the error of the rotation."""
    found = _align_rows(networks, one, other)
    floors = networks.floor(one), networks.floor(other)
    drawn = None
    if floors[0] and floors[1] and floors[0] != one:
        drawn = _align_rows(networks, floors[0], floors[1])
    test = np.concatenate(make_test_folds(networks.n)[1:])
    dev, pool = make_test_folds(networks.n)[0], networks.n / ROTATION_FOLD_COUNT
    for back, ends in enumerate(((one, other), (other, one))):
        for way, called in enumerate(RETRIEVAL_WAYS):
            hits = found.hits[way, back, test]
            low, high = interval(hits[None].astype(float))
            value = IntervalEstimate(
                *(PERCENT_SCALE * float(each) for each in (hits.mean(), low, high))
            )
            before = (
                _NAN if drawn is None else PERCENT_SCALE * float(drawn.hits[way, back, test].mean())
            )
            known = PERCENT_SCALE * float(found.hits[way, back, dev].mean())
            more = before, _NAN, PERCENT_SCALE / pool, known
            places = *ends[0], *ends[1]
            yield GeometryRow(f"retrieval {called}", *places, len(test), *value, *more)
    before = _NAN if drawn is None else float(drawn.errors[1:].mean())
    error = float(found.errors[1:].mean())
    yield GeometryRow("error", *one, *other, len(test), error, _NAN, _NAN, before)


def _align_rows(networks: NetworkVectors, one: LayerOnText, other: LayerOnText) -> Any:
    read = networks.rows[one].read, networks.rows[other].read
    return align_vectors(read[0](0, networks.n), read[1](0, networks.n))
