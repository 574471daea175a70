"""The network of ELMo (Peters et al. 2018, section 3): convolutions over characters, highways, and
LSTMs whose output is projected. Imports torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sonde.encoders.published.elmo_shape import Shape
from sonde.vectors import Ints

Arrays = dict[str, NDArray[np.float32]]
AT_ONCE = 256  # words whose characters are read at once
TOGETHER = 512  # words of which the gates are computed at once


class Network:
    """The weights of an ELMo, and what it makes of words and sentences."""

    def __init__(self, shape: Shape, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        self.shape = shape
        self.weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
        for cell in shape.cells:
            # TensorFlow adds 1 to the forget gate, which comes third of i, j, f, o
            bias = self.weights[f"{cell}/B"].clone()
            bias[2 * shape.cell : 3 * shape.cell] += 1
            self.weights[f"{cell}/B"] = bias

    @torch.inference_mode()
    def words(self, characters: Ints) -> Tensor:
        """What the character network makes of words [words, longest]: [words, projection]."""
        there = characters != characters[0, -1]
        lengths = there.sum(1)
        made = torch.empty(len(characters), self.shape.projection)
        order = np.argsort(lengths, kind="stable")
        widest = max(width for width, _ in self.shape.filters)
        for start in range(0, len(order), AT_ONCE):
            rows = order[start : start + AT_ONCE]
            # a window of nothing but padding is like any other, so one of each width is enough
            stop = min(int(lengths[rows].max()) + widest, characters.shape[1])
            made[rows] = self._projected(torch.from_numpy(characters[rows, :stop]))
        return made

    def _projected(self, characters: Tensor) -> Tensor:
        weights = self.weights
        read = weights["char_embed"][characters].transpose(1, 2)
        parts = []
        for i in range(len(self.shape.filters)):
            kernel = weights[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            parts.append(functional.conv1d(read, kernel, weights[f"CNN/b_cnn_{i}"]).amax(2))
        states = torch.cat(parts, 1)
        states = states.tanh() if self.shape.tanh else states.relu()
        for i in range(self.shape.highways):
            name = f"CNN_high_{i}"
            gate = states @ weights[f"{name}/W_carry"] + weights[f"{name}/b_carry"]
            new = states @ weights[f"{name}/W_transform"] + weights[f"{name}/b_transform"]
            states = torch.lerp(states, new.relu(), gate.sigmoid())
        if "CNN_proj/W_proj" in weights:
            states = states @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]
        return states

    @torch.inference_mode()
    def layers(self, vectors: Tensor, rows: Sequence[Ints], deep: bool) -> dict[str, Tensor]:
        """The layers of sentences [rows, longest, 2 * projection], longest first, by the numbers of
        their words; `vectors` are those of the marks of a sentence and of words. Only the lowest
        unless `deep`. Each sentence begins with a state of zeros.
        """
        lengths = torch.tensor([len(row) for row in rows])
        numbers = _filled(rows)
        low = vectors[numbers]
        layers = {"0": torch.cat([low, low], 2)}
        layers["lex"] = layers["0"]
        if not deep:
            return layers
        turned = (lengths[:, None] - 1 - torch.arange(numbers.shape[1])).clamp(min=0)
        forward = self._way(0, vectors, numbers, lengths)
        back = turned[..., None].expand_as(low)
        backward = self._way(1, vectors, numbers.gather(1, turned), lengths)
        for number, (there, other) in enumerate(zip(forward, backward, strict=True), 1):
            layers[str(number)] = torch.cat([there, other.gather(1, back)], 2)
        return layers

    def _way(self, way: int, vectors: Tensor, words: Tensor, lengths: Tensor) -> list[Tensor]:
        """The layers of one direction [rows, longest, projection], in the order in which it reads
        words, by their numbers.
        """
        marked = torch.cat([torch.full((len(words), 1), way), words], 1)
        states = vectors[marked].transpose(0, 1)
        layers = []
        for layer in range(self.shape.layers):
            made = self._read(self.shape.cells[way * self.shape.layers + layer], states, lengths)
            states = made + states if layer and self.shape.skips else made
            layers.append(states[1:].transpose(0, 1))
        return layers

    def _read(self, cell: str, words: Tensor, lengths: Tensor) -> Tensor:
        """One LSTM over sentences with a mark before them [1 + longest, rows, projection], of which
        only the first are still read at later steps.
        """
        rows = words.shape[1]
        memory, state = torch.zeros(rows, self.shape.cell), torch.zeros(words.shape[1:])
        made = torch.zeros(words.shape)
        many = (lengths >= torch.arange(len(words))[:, None]).sum(1).tolist()
        kernel = self.weights[f"{cell}/W_0"][: self.shape.projection]
        for first, stop in _runs(many):
            # what the gates take from words at several steps is one product
            read = torch.cat([words[step, : many[step]] for step in range(first, stop)])
            gates = torch.addmm(self.weights[f"{cell}/B"], read, kernel)
            for step, each in enumerate(torch.split(gates, many[first:stop]), first):
                n = many[step]
                state[:n] = made[step, :n] = self._step(cell, each, state[:n], memory[:n])
        return made

    def _step(self, cell: str, gates: Tensor, state: Tensor, memory: Tensor) -> Tensor:
        """The state after a word [rows, projection], by what its gates take from the word; `memory`
        is changed where it stands.
        """
        weights, (limit, clip) = self.weights, self.shape.clips
        gates.addmm_(state, weights[f"{cell}/W_0"][self.shape.projection :])
        take, new, keep, give = gates.chunk(4, 1)
        memory.mul_(keep.sigmoid_()).addcmul_(take.sigmoid_(), new.tanh_())
        if limit:
            memory.clamp_(-limit, limit)
        made = give.sigmoid_() * memory.tanh()
        if f"{cell}/W_P_0" not in weights:
            return made
        made = made @ weights[f"{cell}/W_P_0"]
        return made.clamp_(-clip, clip) if clip else made


def _runs(many: Sequence[int]) -> list[tuple[int, int]]:
    """Steps after each other, by first and behind the last, with at most `TOGETHER` rows at all of
    them; `many` says how many rows each step has.
    """
    runs, first, held = [], 0, 0
    for step, rows in enumerate(many):
        if held and held + rows > TOGETHER:
            runs.append((first, step))
            first, held = step, 0
        held += rows
    return [*runs, (first, len(many))]


def _filled(rows: Sequence[Ints]) -> Tensor:
    """The numbers of words behind those of the two marks [rows, longest], filled up."""
    numbers = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for target, row in zip(numbers, rows, strict=True):
        target[: len(row)] = torch.from_numpy(row) + 2
    return numbers


def drawn(shape: Shape, how: str, seed: int) -> Arrays:
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
