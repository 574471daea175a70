"""Recurrent layers that only read, for encoders that are not trained any more: words that come
again enter the gates once, nothing is padding, and weights are laid out once for the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Self

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from lingprobe.data.vectors import Floats, Ints

TOGETHER = 512  # words whose gates are computed at once
ROWS = 8  # a product has a multiple of so many rows: oneDNN compiles code for each number of them
SHARED = 0.75  # the part of words that are distinct above which copying takes what it saves
Gates = Callable[[int, int], Tensor]
"""What gates take from some of the words, in the order in which they are read: [words, gates]."""
Known = tuple[Tensor, ...]
"""What a cell keeps of the words before: its state, and a memory where it has one; nothing before
the first word."""


class Product:
    """Rows [n, read] times weights [made, read], and a bias on top: [n, made].

    On a processor the weights are laid out for oneDNN, which computes in float32 as torch's own
    product does, but with all the width of a processor that is not Intel's. Where torch was built
    without it, torch's product is taken. The weights as they were are not kept.
    """

    def __init__(self, weights: Tensor, bias: Tensor | None = None) -> None:
        self.makes, self.reads = weights.shape
        laid_out = _laid_out(weights)
        self.fast = laid_out is not None
        self.weights = weights if laid_out is None else laid_out
        self.bias = bias

    def __call__(self, rows: Tensor) -> Tensor:
        if not self.fast:
            return functional.linear(rows, self.weights, self.bias)
        made: Tensor = torch.ops.mkldnn._linear_pointwise(
            rows.contiguous(), self.weights, self.bias, "none", [], ""
        )
        return made


def _laid_out(weights: Tensor) -> Tensor | None:
    """The weights as oneDNN likes them; none where they are not on a processor, or there is no
    oneDNN.
    """
    if weights.device.type != "cpu" or weights.dtype != torch.float32:
        return None
    try:
        found: Tensor = torch.ops.mkldnn._reorder_linear_weight(weights.contiguous(), TOGETHER)
    except (AttributeError, RuntimeError):
        return None
    return found


@dataclass(frozen=True)
class Reading:
    """How one direction goes through sentences, longest first: which states it makes, each of a
    word and the state before. Sentences that begin with the same words share the states of these.
    Each step is filled up by repeating its last state, which nobody reads.

    numbers  at each step, the word of each state
    before   at each step, the state of the step before that each state goes on from
    places   which state each word of a sentence has, of all in a row [rows, longest]; 0 behind the
             end of a sentence
    last     the state with which each sentence ends
    """

    numbers: list[Ints]
    before: list[Tensor]
    places: Tensor
    last: Tensor

    @classmethod
    def of(cls, rows: Sequence[Ints], back: bool) -> Self:
        """By the numbers of the words of each sentence."""
        lengths = np.array([len(row) for row in rows])
        words = np.zeros((int(lengths[0]), len(rows)), np.int64)
        for column, row in zip(words.T, rows, strict=True):
            column[: len(row)] = row[::-1] if back else row
        numbers, before, places = [], [], np.zeros_like(words)
        start, size, parents = 0, int(words.max()) + 1, np.zeros(len(rows), np.int64)
        for step, (n, each) in enumerate(zip(_many(lengths), words, strict=True)):
            keys, parents = np.unique(parents[:n] * size + each[:n], return_inverse=True)
            places[step, :n] = start + parents
            keys = _pad_numbers(keys)
            start += len(keys)
            before.append(torch.from_numpy(keys // size))
            numbers.append(keys % size)
        last = places[lengths - 1, np.arange(len(rows))]
        if back:
            steps = np.arange(len(words))[:, None]
            places = np.take_along_axis(places, np.maximum(lengths - 1 - steps, 0), 0)
        return cls(numbers, before, torch.from_numpy(places.T.copy()), torch.from_numpy(last))

    def pad_states(self, states: Tensor) -> Tensor:
        """States by sentence [rows, longest, n]; what is behind its end means nothing."""
        found = states.index_select(0, self.places.flatten())
        return found.view(*self.places.shape, states.shape[1])

    def pool_states(self, states: Tensor, pool: str) -> Tensor:
        """The last state of each sentence with pool `last`, or the maximum over its states with
        `max`, for which they are changed where they stand [rows, n]; else as `pad_states`.
        """
        if pool == "max":
            each = torch.split(states, [len(numbers) for numbers in self.numbers])
            for before, last, here in zip(self.before[1:], each[:-1], each[1:], strict=True):
                torch.maximum(here, last.index_select(0, before), out=here)
        whole = pool in ("max", "last")
        return states.index_select(0, self.last) if whole else self.pad_states(states)


def _pad_numbers(numbers: Ints) -> Ints:
    """The numbers, and the last one again until they are as many as rows of a product."""
    many = len(numbers)
    unit = max(ROWS, 1 << max(many.bit_length() - 5, 0))  # few lengths, and little to fill up
    return np.pad(numbers, (0, -many % unit), "edge")


def _many(lengths: Ints) -> Ints:
    """How many sentences have a word at each step."""
    many: Ints = (np.arange(int(lengths[0]))[:, None] < lengths).sum(1)
    return many


class Lstm:
    """An LSTM in one direction: its gates in torch's order, of which the weights have four blocks.

    projection  of states, where there is one
    clips       how large a number of the memory and of the projected state can be, 0 for no limit
    """

    def __init__(
        self,
        read: Product,
        keep: Product,
        units: int,
        projection: Product | None = None,
        clips: tuple[float, float] = (0, 0),
    ) -> None:
        self.read, self.keep, self.units = read, keep, units
        self.projection, self.clips = projection, clips

    @property
    def width(self) -> int:
        """How many numbers a state has."""
        return self.units if self.projection is None else self.projection.makes

    def step(self, gates: Tensor, known: Known) -> Known:
        """State and memory after a word, by what the gates take from it and what was known before;
        both are changed where they stand.
        """
        if known:
            gates.add_(self.keep(known[0]))
        take, keep, new, give = gates.chunk(4, 1)
        new.mul_(2)  # for its tanh, as in `_tanh`
        gates.sigmoid_()
        memory = take * new.mul_(2).sub_(1)
        if known:
            memory.addcmul_(keep, known[1])
        limit, clip = self.clips
        if limit:
            memory.clamp_(-limit, limit)
        made = give * _tanh(memory)
        if self.projection is None:
            return made, memory
        made = self.projection(made)
        return made.clamp_(-clip, clip) if clip else made, memory


class Gru:
    """A GRU in one direction, its gates in torch's order, without a bias on its state."""

    def __init__(self, read: Product, keep: Product, units: int) -> None:
        self.read, self.keep, self.units = read, keep, units

    @property
    def width(self) -> int:
        """How many numbers a state has."""
        return self.units

    def step(self, gates: Tensor, known: Known) -> Known:
        """The state after a word, by what the gates take from it, which is changed where it stands,
        and the state before.
        """
        cut = 2 * self.units
        both, new = gates[:, :cut], gates[:, cut:]
        if not known:
            return (_tanh(new).mul_(1 - both[:, self.units :].sigmoid_()),)
        kept = self.keep(known[0])
        forget, hold = both.add_(kept[:, :cut]).sigmoid_().chunk(2, 1)
        new.addcmul_(forget, kept[:, cut:])
        return (torch.lerp(_tanh(new), known[0], hold),)


def _tanh(numbers: Tensor) -> Tensor:
    """The tanh of numbers by the logistic function, which torch computes in a fifth of the time: at
    most 0.0000002 off.
    """
    return (numbers * 2).sigmoid_().mul_(2).sub_(1)


def states(cell: Lstm | Gru, gates: Gates, reading: Reading) -> Tensor:
    """All states that a direction makes [states, n], each sentence begun with zeros."""
    many = [len(each) for each in reading.numbers]
    starts = [0, *accumulate(many)]
    made = torch.empty(starts[-1], cell.width)
    known: Known = ()
    for run in _runs(many):
        taken = gates(starts[run[0]], starts[run[-1] + 1])
        for step, each in zip(run, torch.split(taken, [many[s] for s in run]), strict=True):
            known = cell.step(each, tuple(k.index_select(0, reading.before[step]) for k in known))
            made[starts[step] : starts[step + 1]] = known[0]
    return made


def gates_of(cell: Lstm | Gru, words: Tensor, numbers: Ints) -> Gates:
    """What gates take from words, by their rows in a table [rows, n]; where many words come more
    than once, it is computed once for each.
    """
    own, places = np.unique(numbers, return_inverse=True)
    if len(own) > SHARED * len(numbers):
        rows = torch.from_numpy(numbers)
        return lambda first, stop: cell.read(words.index_select(0, rows[first:stop]))
    table = cell.read(words.index_select(0, torch.from_numpy(_pad_numbers(own))))
    found = torch.from_numpy(places)
    return lambda first, stop: table.index_select(0, found[first:stop])


def _runs(many: Sequence[int]) -> list[range]:
    """Steps after each other with at most `TOGETHER` words, at least one step each."""
    cuts, held = [0], 0
    for step, words in enumerate(many):
        if held and held + words > TOGETHER:
            cuts.append(step)
            held = 0
        held += words
    return [range(*pair) for pair in pairwise([*cuts, len(many)])]


class Recurrence:
    """Layers of LSTMs or GRUs in one direction or in both, each over the states of that below."""

    def __init__(self, layers: Sequence[Sequence[Lstm | Gru]]) -> None:
        self.cells = layers

    @classmethod
    def of(cls, weights: dict[str, Tensor], layers: int, ways: int, prefix: str = "") -> Self:
        """LSTMs by weights as torch names them behind a prefix, which are taken out of the
        dictionary, so that each is in memory once.
        """

        def cell(end: str) -> Lstm:
            read, keep, one, other = (
                weights.pop(f"{prefix}{name}_{end}").float()
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            )
            return Lstm(Product(read, one + other), Product(keep), keep.shape[1])

        sides = ("", "_reverse")[:ways]
        return cls([[cell(f"l{layer}{side}") for side in sides] for layer in range(layers)])

    @property
    def reads(self) -> int:
        """How many numbers the vector of a word has."""
        return self.cells[0][0].read.reads

    @property
    def width(self) -> int:
        """How many numbers a state has, of both directions."""
        return sum(cell.width for cell in self.cells[-1])

    def layers(self, vectors: Floats, rows: Sequence[Ints]) -> Iterator[Tensor]:
        """The states of each layer [rows, longest, width], of sentences longest first by the
        numbers of their words in a table of vectors; those behind the end of a sentence mean
        nothing.
        """
        return self._read(vectors, rows)

    def top(self, vectors: Floats, rows: Sequence[Ints], pool: str) -> Tensor:
        """The last layer: what it knows at the end of each sentence with pool `last`, the maximum
        over words with `max` [rows, width], or else its states as in `layers`.
        """
        *_, last = self._read(vectors, rows, pool)
        return last

    @torch.inference_mode()
    def _read(self, vectors: Floats, rows: Sequence[Ints], pool: str = "") -> Iterator[Tensor]:
        words = torch.from_numpy(vectors)
        for depth, cells in enumerate(self.cells, 1):
            if depth <= 2:  # above, words are read as in the second layer
                readings = [Reading.of(rows, bool(back)) for back in range(len(cells))]
            last = depth == len(self.cells)
            words = _join_directions(cells, words, readings, pool if last else "")
            yield words
            if not last:
                longest, words = words.shape[1], words.flatten(0, 1)
                rows = [np.arange(len(row)) + i * longest for i, row in enumerate(rows)]


def _join_directions(
    cells: Sequence[Lstm | Gru], words: Tensor, readings: Sequence[Reading], pool: str
) -> Tensor:
    """The states of all directions of a layer side by side, pooled."""
    sides = []
    for cell, reading in zip(cells, readings, strict=True):
        gates = gates_of(cell, words, np.concatenate(reading.numbers))
        sides.append(reading.pool_states(states(cell, gates, reading), pool))
    return torch.cat(sides, -1)
