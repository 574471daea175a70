"""Torch's recurrent layers for encoders that are not trained any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from lingprobe.extend import Floats, Ints, gather_vectors

Layer = nn.LSTM | nn.GRU


def build_recurrent_layer(kind: type[Layer], weights: dict[str, Tensor]) -> Layer:
    """A layer with weights by the names that torch gives those of its first; the size of all is
    theirs, and there are two directions where some are of the reverse one.
    """
    wide, hidden = weights["weight_ih_l0"].shape[1], weights["weight_hh_l0"].shape[1]
    with torch.device("meta"):
        layer = kind(wide, hidden, batch_first=True, bidirectional="bias_ih_l0_reverse" in weights)
    layer.load_state_dict(weights, assign=True)
    return layer.eval()


class RecurrentLayers:
    """Layers of LSTMs or GRUs in one direction or in both, each over the states of that below."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.stack = layers

    @classmethod
    def of(cls, weights: dict[str, Tensor], layers: int, ways: int, prefix: str = "") -> Self:
        """LSTMs by weights as torch names them behind a prefix, which are taken out of the
        dictionary, so that each is in memory once.
        """
        names = [
            (name, side)
            for side in ("", "_reverse")[:ways]
            for name in ("weight_ih_l", "weight_hh_l", "bias_ih_l", "bias_hh_l")
        ]
        return cls(
            [
                build_recurrent_layer(
                    nn.LSTM,
                    {
                        f"{name}0{side}": weights.pop(f"{prefix}{name}{layer}{side}").float()
                        for name, side in names
                    },
                )
                for layer in range(layers)
            ]
        )

    @property
    def reads(self) -> int:
        """The dimensions of the vector of a word."""
        return self.stack[0].input_size

    @property
    def width(self) -> int:
        """The dimensions of a state, of both directions."""
        last = self.stack[-1]
        return last.hidden_size * (1 + last.bidirectional)

    def layers(self, vectors: Floats, rows: Sequence[Ints]) -> Iterator[Tensor]:
        """The states of each layer [rows, longest, width], of sentences longest first by the
        numbers of their words in a table of vectors; those behind the end of a sentence are zeros.
        """
        for states, _ in self._read(vectors, rows):
            yield pad_packed_sequence(states, batch_first=True)[0]

    def top(self, vectors: Floats, rows: Sequence[Ints], pool: str) -> Tensor:
        """The last layer: its last state of each direction with pool `last`, the maximum over words
        with `max` [rows, width], or else its states as in `layers`.
        """
        *_, (packed, ends) = self._read(vectors, rows)
        if pool == "last":
            return torch.cat([*ends], 1)
        states, lengths = pad_packed_sequence(packed, batch_first=True)
        if pool != "max":
            return states
        there = torch.arange(states.shape[1]) < lengths[:, None]
        return states.masked_fill(~there[..., None], -torch.inf).amax(1)

    @torch.inference_mode()
    def _read(
        self, vectors: Floats, rows: Sequence[Ints]
    ) -> Iterator[tuple[PackedSequence, Tensor]]:
        """The states of each layer, and the last ones [directions, rows, hidden]."""
        lengths = torch.from_numpy(np.array([len(row) for row in rows]))
        words = pack_padded_sequence(gather_vectors(vectors, rows), lengths, batch_first=True)
        for layer in self.stack:
            words, last = layer(words)
            yield words, last[0] if isinstance(last, tuple) else last
