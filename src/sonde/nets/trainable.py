"""Networks that are trained: sentence encoders over word vectors, and what reads their vectors
while they learn, a decoder of text or a classifier of pairs (Conneau et al. 2018, sections 3.1 and
3.2).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from sonde.nets.architectures import (
    BiLSTM,
    GatedConvNet,
    draw_convolutional,
    draw_recurrent,
    drawn,
)

Architecture = Literal["bilstm-max", "bilstm-last", "lstm-last", "gated-convnet", "mean"]
ARCHITECTURES: tuple[Architecture, ...] = (
    "bilstm-max",
    "bilstm-last",
    "lstm-last",
    "gated-convnet",
    "mean",
)
START, END, PAD = 0, 1, 2
"""Pieces that every vocabulary of a decoder begins with."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A sentence encoder over word vectors of `dim` numbers.

    hidden     units of a layer, of each direction
    layers     how many; 0 as in the paper: 2 recurrent ones, or 8 convolutions
    embedding  numbers of a sentence vector, by a linear layer over the pooled states; 0 for none
    """

    architecture: Architecture
    dim: int
    hidden: int = 512
    layers: int = 0
    embedding: int = 0

    @property
    def pooled(self) -> int:
        """How many numbers the pooled states have."""
        if self.architecture == "mean":
            return self.dim
        return self.hidden * (2 if self.architecture.startswith("bilstm") else 1)

    @property
    def width(self) -> int:
        """How many numbers a sentence vector has."""
        return self.embedding or self.pooled

    def plain(self) -> dict[str, Any]:
        """The fields, as JSON has them."""
        return asdict(self)

    def network(self, seed: int = 0, by_word: bool = False) -> Encoder:
        """The encoder with weights that the seed draws; `by_word` gives a vector for each word."""
        body, draw = self._body("none" if by_word else "")
        with torch.device("meta"):
            head = nn.Linear(self.pooled, self.embedding) if self.embedding else None
        if head is not None:
            head = head.to_empty(device="cpu")
            bound = self.pooled**-0.5
            with torch.no_grad():
                for weights in head.parameters():
                    weights.uniform_(
                        -bound, bound, generator=torch.Generator().manual_seed(seed + 1)
                    )
        return Encoder(drawn(body, draw, seed), head)

    def _body(self, pool: str) -> Any:
        layers, kind = self.layers, self.architecture
        if kind == "mean":
            return lambda: Mean(pool), lambda net, generator: None
        if kind == "gated-convnet":
            return (
                lambda: GatedConvNet(self.dim, self.hidden, layers or 8, pool=pool or "max"),
                draw_convolutional,
            )
        directions = 2 if kind.startswith("bilstm") else 1
        how = pool or kind.rpartition("-")[2]
        return (
            lambda: BiLSTM(self.dim, self.hidden, layers or 2, how, directions),
            draw_recurrent,
        )


class Mean(nn.Module):
    """Words [batch, words, dim] -> their mean [batch, dim], or the words themselves."""

    def __init__(self, pool: str = "") -> None:
        super().__init__()
        self.pool = pool

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, dim]; what stands behind a sentence's end is zeros."""
        return words if self.pool else words.sum(1) / lengths[:, None]


class Encoder(nn.Module):
    """Words [batch, words, dim] -> sentences [batch, width]."""

    def __init__(self, body: nn.Module, head: nn.Module | None) -> None:
        super().__init__()
        self.body, self.head = body, head

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, width]; lengths [batch] are at least 1 and descend."""
        states: Tensor = self.body(words, lengths)
        return states if self.head is None else self.head(states)


class Decoder(nn.Module):
    """Writes text from a sentence vector, which is read at every step; layers of LSTM, without
    attention.
    """

    def __init__(self, width: int, pieces: int, hidden: int, layers: int = 2) -> None:
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.embedding = nn.Embedding(pieces, hidden)
        self.lstm = nn.LSTM(hidden + width, hidden, layers, batch_first=True)
        self.output = nn.Linear(hidden, pieces)

    def forward(self, sentences: Tensor, pieces: Tensor) -> Tensor:
        """The loss of pieces [batch, steps], START first, PAD behind the end: minus the logarithm
        of their probabilities, summed.
        """
        scores, wanted = self.scores(sentences, pieces)
        return functional.cross_entropy(scores, wanted, reduction="sum")

    def scores(self, sentences: Tensor, pieces: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of the piece after each one [steps of all, pieces], and that piece."""
        read, wanted = pieces[:, :-1], pieces[:, 1:]
        there = wanted != PAD
        states, _ = self.lstm(self._inputs(sentences, read))
        return self.output(states[there]), wanted[there]

    def _inputs(self, sentences: Tensor, pieces: Tensor) -> Tensor:
        steps = pieces.shape[1]
        return torch.cat([self.embedding(pieces), sentences[:, None].expand(-1, steps, -1)], 2)

    @torch.inference_mode()
    def write(self, sentences: Tensor, longest: int) -> list[list[int]]:
        """The pieces that are the likeliest at each step, for each sentence, to the end."""
        many = len(sentences)
        pieces = torch.full((many, 1), START)
        state, texts = None, torch.full((many, longest), END)
        done = torch.zeros(many, dtype=torch.bool)
        for step in range(longest):
            states, state = self.lstm(self._inputs(sentences, pieces), state)
            pieces = self.output(states).argmax(2)
            done |= pieces[:, 0] == END
            texts[:, step] = torch.where(done, END, pieces[:, 0])
            if done.all():
                break
        return [row[: row.index(END)] if END in row else row for row in texts.tolist()]


class Classifier(nn.Module):
    """The relation of two sentences, read as [u; v; |u - v|; u * v] (Conneau et al. 2017)."""

    def __init__(self, width: int, classes: int, hidden: int = 100) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(4 * width, hidden), nn.Tanh(), nn.Linear(hidden, classes)
        )

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Scores [batch, classes]."""
        scores: Tensor = self.layers(
            torch.cat([first, second, (first - second).abs(), first * second], 1)
        )
        return scores


def draw_head(net: nn.Module, seed: int) -> None:
    """Fill a decoder or classifier: uniform within one over the square root of its inputs."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in net.parameters():
            bound = weights.shape[-1] ** -0.5 if weights.ndim > 1 else 0.0
            weights.uniform_(-bound, bound, generator=generator)
