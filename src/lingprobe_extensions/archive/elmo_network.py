"""The network of ELMo (Peters et al. 2018, section 3): convolutions over characters, highways, and
LSTMs whose output is projected. Imports torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from lingprobe.extend import Floats, Ints, gather_vectors
from lingprobe_extensions.archive.elmo_shape import ElmoShape

Arrays = dict[str, NDArray[np.float32]]
_AT_ONCE = 256  # words whose characters are read at once


class ElmoModel:
    """The weights of an ELMo, and what it makes of words and sentences.

    Weights are taken out of `arrays`, so that each is in memory once.
    """

    def __init__(self, shape: ElmoShape, arrays: dict[str, NDArray[np.float32]]) -> None:
        self.shape = shape
        cells = [_load_lstm(arrays, name, shape) for name in shape.cells]
        self.ways = cells[: shape.layers], cells[shape.layers :]
        flat = [n for n in arrays if n.startswith(("CNN_high", "CNN_proj")) and "/W_" in n]
        self.products = {
            name: (_pop_weights(arrays, name), torch.from_numpy(arrays.pop(_bias(name))))
            for name in flat
        }
        self.weights = {name: torch.from_numpy(array) for name, array in arrays.items()}

    @torch.inference_mode()
    def words(self, characters: Ints) -> Floats:
        """What the character network makes of words [words, longest]: [words, projection]."""
        there = characters != characters[0, -1]
        lengths = there.sum(1)
        made = np.empty((len(characters), self.shape.projection), np.float32)
        order = np.argsort(lengths, kind="stable")
        widest = max(width for width, _ in self.shape.filters)
        for start in range(0, len(order), _AT_ONCE):
            rows = order[start : start + _AT_ONCE]
            # a window of nothing but padding is like any other, so one of each width is enough
            stop = min(int(lengths[rows].max()) + widest, characters.shape[1])
            made[rows] = self._encode_characters(torch.from_numpy(characters[rows, :stop])).numpy()
        return made

    def _encode_characters(self, characters: Tensor) -> Tensor:
        weights = self.weights
        read = weights["char_embed"][characters].transpose(1, 2)
        parts = []
        for i in range(len(self.shape.filters)):
            kernel = weights[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            parts.append(functional.conv1d(read, kernel, weights[f"CNN/b_cnn_{i}"]).amax(2))
        states = torch.cat(parts, 1)
        states = states.tanh() if self.shape.tanh else states.relu()
        for i in range(self.shape.highways):
            gate = functional.linear(states, *self.products[f"CNN_high_{i}/W_carry"])
            new = functional.linear(states, *self.products[f"CNN_high_{i}/W_transform"])
            states = torch.lerp(states, new.relu(), gate.sigmoid())
        last = self.products.get("CNN_proj/W_proj")
        return states if last is None else functional.linear(states, *last)

    @torch.inference_mode()
    def layers(self, vectors: Floats, rows: Sequence[Ints], deep: bool) -> dict[str, Tensor]:
        """The layers of sentences [rows, longest, 2 * projection], longest first, by the numbers of
        their words; `vectors` are those of the marks of a sentence and of words. Only the lowest
        unless `deep`. Each sentence begins with a state of zeros.
        """
        low = gather_vectors(vectors[2:], rows)
        layers = {"0": torch.cat([low, low], 2)}
        layers["lex"] = layers["0"]
        if deep:
            both = self._way(vectors, rows, 0), self._way(vectors, rows, 1)
            for number, pair in enumerate(zip(*both, strict=True), 1):
                layers[str(number)] = torch.cat(pair, 2)
        return layers

    def _way(self, vectors: Floats, rows: Sequence[Ints], back: int) -> Iterator[Tensor]:
        """The layers of one direction [rows, longest, projection], which reads the mark of the side
        on which it begins, and then all words.
        """
        marked = [np.r_[1, row[::-1] + 2] if back else np.r_[0, row + 2] for row in rows]
        words, lengths = gather_vectors(vectors, marked), [len(row) for row in rows]
        for layer, cell in enumerate(self.ways[back]):
            made = cell.encode(words, [length + 1 for length in lengths])
            words = made + words if layer and self.shape.skips else made
            states = torch.zeros_like(words[:, 1:])
            for row, length in enumerate(lengths):
                read = words[row, 1 : length + 1]
                states[row, :length] = read.flip(0) if back else read
            yield states


@dataclass(frozen=True)
class ElmoCell:
    """An LSTM in one direction with a projection of its states, both clipped, which torch's cannot
    do; its gates are in torch's order, of which the weights have four blocks.

    read, keep  the weights of a word and of the state before
    projection  of states, where there is one
    clips       the greatest absolute value in the memory and in the projected state, 0 for no limit
    """

    read: Tensor
    keep: Tensor
    bias: Tensor
    projection: Tensor | None
    clips: tuple[float, float]

    def encode(self, words: Tensor, lengths: Sequence[int]) -> Tensor:
        """The states of sentences, longest first [rows, longest, width], by the vectors of their
        words [rows, longest, n]; zeros behind their ends.
        """
        gates = functional.linear(words, self.read, self.bias)
        made = words.new_zeros(*words.shape[:2], self.keep.shape[1])
        state, memory = made[:, 0], words.new_zeros(len(words), self.keep.shape[0] // 4)
        for step in range(words.shape[1]):
            there = sum(length > step for length in lengths)
            state, memory = self._step(gates[:there, step], state[:there], memory[:there])
            made[:there, step] = state
        return made

    def _step(self, gates: Tensor, state: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """State and memory after a word."""
        take, keep, new, give = (gates + functional.linear(state, self.keep)).chunk(4, 1)
        memory = take.sigmoid() * new.tanh() + keep.sigmoid() * memory
        limit, clip = self.clips
        if limit:
            memory = memory.clamp(-limit, limit)
        state = give.sigmoid() * memory.tanh()
        if self.projection is not None:
            state = functional.linear(state, self.projection)
            state = state.clamp(-clip, clip) if clip else state
        return state, memory


def _pop_weights(arrays: dict[str, NDArray[np.float32]], name: str) -> Tensor:
    """The weights of a product [read, made], turned round as torch has them."""
    return torch.from_numpy(arrays.pop(name)).T


def _bias(name: str) -> str:
    """The name of the bias of some weights."""
    return name.replace("/W_", "/b_")


def _load_lstm(arrays: dict[str, NDArray[np.float32]], name: str, shape: ElmoShape) -> ElmoCell:
    """One LSTM, its gates i, j, f, o in torch's order i, f, g, o."""
    take, new, keep, give = _pop_weights(arrays, f"{name}/W_0").chunk(4)
    read, state = torch.cat([take, keep, new, give]).chunk(2, 1)
    take, new, keep, give = torch.from_numpy(arrays.pop(f"{name}/B")).chunk(4)
    # TensorFlow adds 1 to the gate that keeps
    bias = torch.cat([take, keep + 1, new, give])
    ends = _pop_weights(arrays, f"{name}/W_P_0") if f"{name}/W_P_0" in arrays else None
    return ElmoCell(read, state, bias, ends, shape.clips)


def draw_weights(shape: ElmoShape, scheme: str, seed: int) -> Arrays:
    """Weights that a seed draws: `orthonormal` ones of the LSTMs and their projections, with normal
    biases (Tenney et al. 2019, section 4), or `random` ones of all, as training begins.
    """
    generator = torch.Generator().manual_seed(seed)
    arrays: Arrays = {}
    for name, size in shape.datasets.items():
        weights = torch.zeros(size)
        if scheme == "random":
            _begin(weights, name, generator)
        elif not name.startswith("RNN"):
            continue
        elif weights.ndim > 1:
            torch.nn.init.orthogonal_(weights, generator=generator)
        else:
            weights.normal_(generator=generator)
        arrays[name] = weights.numpy()
    return arrays


def _begin(weights: Tensor, name: str, generator: torch.Generator) -> None:
    """Fill weights as training begins with them (bilm/training.py of allenai/bilm-tf)."""
    if name == "char_embed":
        weights.uniform_(-1, 1, generator=generator)
    elif name.startswith("CNN/W"):
        weights.uniform_(-0.05, 0.05, generator=generator)
    elif name.startswith("RNN") and weights.ndim > 1:
        torch.nn.init.xavier_uniform_(weights, generator=generator)
    elif weights.ndim > 1:
        weights.normal_(0, weights.shape[0] ** -0.5, generator=generator)
    elif name.endswith("b_carry"):
        weights.fill_(-2)
