"""The network of ELMo (Peters et al. 2018, section 3): convolutions over characters, highways, and
LSTMs whose output is projected. Imports torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from lingprobe.data.vectors import Floats, Ints
from lingprobe.encoders.batches import gather_vectors
from lingprobe.parts.archive.elmo_shape import Shape
from lingprobe.parts.archive.recurrence import Lstm, Product, Reading, gates_of, states

Arrays = dict[str, NDArray[np.float32]]
AT_ONCE = 256  # words whose characters are read at once


class Network:
    """The weights of an ELMo, and what it makes of words and sentences.

    Weights are taken out of `arrays` as they are laid out, so that each is in memory once.
    """

    def __init__(self, shape: Shape, arrays: dict[str, NDArray[np.float32]]) -> None:
        self.shape = shape
        cells = [_cell(arrays, name, shape) for name in shape.cells]
        self.ways = cells[: shape.layers], cells[shape.layers :]
        flat = [n for n in arrays if n.startswith(("CNN_high", "CNN_proj")) and "/W_" in n]
        self.products = {
            name: Product(_pop_weights(arrays, name), torch.from_numpy(arrays.pop(_bias(name))))
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
        for start in range(0, len(order), AT_ONCE):
            rows = order[start : start + AT_ONCE]
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
            gate = self.products[f"CNN_high_{i}/W_carry"](states)
            new = self.products[f"CNN_high_{i}/W_transform"](states)
            states = torch.lerp(states, new.relu(), gate.sigmoid())
        last = self.products.get("CNN_proj/W_proj")
        return states if last is None else last(states)

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
        marked = [np.r_[row + 2, 1] if back else np.r_[0, row + 2] for row in rows]
        reading = Reading.of(marked, bool(back))
        words, numbers = torch.from_numpy(vectors), np.concatenate(reading.numbers)
        for layer, cell in enumerate(self.ways[back]):
            made = states(cell, gates_of(cell, words, numbers), reading)
            # above the first layer a word is the state below, of which each is read once
            words = made.add_(words) if layer and self.shape.skips else made
            numbers = np.arange(len(made))
            padded = reading.pad_states(made)
            yield padded[:, :-1] if back else padded[:, 1:]


def _pop_weights(arrays: dict[str, NDArray[np.float32]], name: str) -> Tensor:
    """The weights of a product [read, made], turned round as torch has them."""
    return torch.from_numpy(arrays.pop(name)).T


def _bias(name: str) -> str:
    """The name of the bias of some weights."""
    return name.replace("/W_", "/b_")


def _cell(arrays: dict[str, NDArray[np.float32]], name: str, shape: Shape) -> Lstm:
    """One LSTM, its gates i, j, f, o in torch's order i, f, g, o."""
    gates, bias = _pop_weights(arrays, f"{name}/W_0"), torch.from_numpy(arrays.pop(f"{name}/B"))
    take, new, keep, give = range(4)
    order = [take, keep, new, give]
    gates = torch.cat([gates.chunk(4)[part] for part in order])
    parts = bias.chunk(4)
    # TensorFlow adds 1 to the gate that keeps
    bias = torch.cat([parts[take], parts[keep] + 1, parts[new], parts[give]])
    read, state = gates.chunk(2, 1)
    ends = Product(_pop_weights(arrays, f"{name}/W_P_0")) if f"{name}/W_P_0" in arrays else None
    return Lstm(Product(read, bias), Product(state), shape.cell, ends, shape.clips)


def draw_weights(shape: Shape, how: str, seed: int) -> Arrays:
    """Weights that a seed draws: `orthonormal` ones of the LSTMs and their projections, with normal
    biases (Tenney et al. 2019, section 4), or `random` ones of all, as training begins.
    """
    generator = torch.Generator().manual_seed(seed)
    arrays: Arrays = {}
    for name, size in shape.datasets.items():
        weights = torch.zeros(size)
        if how == "random":
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
