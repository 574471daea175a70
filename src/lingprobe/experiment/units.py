"""Trials that could share one pass, cut into units of work, so that a machine which dies loses no
more than one of them and many machines have something to do.

How they are cut follows from what was asked for and from nothing else: all machines must agree, and
fits that were made side by side differ from such that were made alone in last bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

from lingprobe.data.abilities import EncoderWithWidth
from lingprobe.data.core import Encoder, Trial
from lingprobe.data.narrowing import NarrowName
from lingprobe.data.reading import ReadingProblem, read_of
from lingprobe.encoders.hf import HEAD_COUNT_FIELDS, said_in
from lingprobe.encoders.model_files import SavedModel
from lingprobe.encoders.sites import ModelSite, is_site
from lingprobe.experiment.provenance import list_layer_names

_LARGEST = 2**31
"""Numbers that the fits of a unit are given: training examples x features x fits. On one
thread, `mlp` takes minutes over so many, and `logreg` half an hour.
"""
_USUAL = 1024  # features of a layer where nothing says how many there are
_WIDTHS = ("hidden_size", "d_model", "n_embd", "dim")
"""What models call how many numbers a vector has."""


@dataclass(frozen=True)
class TaskDimensions:
    """How much the fits of an encoder on a task are given; `narrow` layers are not as wide."""

    examples: int
    width: int
    layers: Sequence[str]
    narrow: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, encoder: Encoder, examples: int) -> TaskDimensions:
        """That of an encoder on so many training examples."""
        layers = list_layer_names(encoder)
        narrow = {layer: width_of(encoder, layer) for layer in layers if is_site(layer)}
        return cls(examples, get_width(encoder) or _USUAL, layers, narrow)

    def of_fit(self, trial: Trial) -> int:
        """Numbers that one fit of a trial is given."""
        try:
            read = read_of(trial.read, self.layers).layers
        except ReadingProblem:  # of an encoder that says nothing of its layers
            read = ("",)
        return self.examples * sum(map(self._width_of, read))

    def _width_of(self, layer: str) -> int:
        if part := NarrowName.parse(layer):
            return min(part.width, self._width_of(part.layer))
        return self.narrow.get(layer, self.width)


def split_into_units(trials: Sequence[Trial], size: TaskDimensions) -> Iterator[tuple[Trial, ...]]:
    """Large fits are split into units of work of at most `_LARGEST` numbers: the trials in their
    order. Seeds of one read stay together while they can, since their fits share the choice of
    settings.
    """
    reads = [list(seeds) for _, seeds in groupby(trials, attrgetter("read"))]
    for together in _pack_items(reads, lambda seeds: size.of_fit(seeds[0]) * len(seeds)):
        flat = [trial for seeds in together for trial in seeds]
        yield from map(tuple, _pack_items(flat, size.of_fit))


def _pack_items(items: Iterable[Any], cost: Callable[[Any], int]) -> Iterator[list[Any]]:
    """Items in runs that cost no more than that together, or are one item."""
    run: list[Any] = []
    spent = 0
    for item in items:
        if run and spent + cost(item) > _LARGEST:
            yield run
            run, spent = [], 0
        run.append(item)
        spent += cost(item)
    if run:
        yield run


def get_width(encoder: Encoder) -> int:
    """How many numbers a vector has, as the encoder or its model says; 0 where nothing says it."""
    if isinstance(encoder, EncoderWithWidth):
        return encoder.width
    said: Mapping[str, Any] = encoder.configuration if isinstance(encoder, SavedModel) else {}
    return next((int(said[name]) for name in _WIDTHS if isinstance(said.get(name), int)), 0)


def width_of(encoder: Encoder, layer: str) -> int:
    """About the same of one layer, of some numbers of it, or of a site inside a block."""
    if part := NarrowName.parse(layer):
        return min(part.width, width_of(encoder, part.layer) or part.width)
    whole = get_width(encoder)
    if not is_site(layer) or not isinstance(encoder, SavedModel):
        return whole
    kind = ModelSite.parse(layer).kind
    if kind in ("head", "slice"):
        return (whole or _USUAL) // (said_in(encoder.configuration, HEAD_COUNT_FIELDS) or 1)
    return 1 if kind == "map" else whole
