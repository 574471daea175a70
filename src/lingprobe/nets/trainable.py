"""Networks that are trained: sentence encoders over word vectors, and what reads their vectors
while they learn, a decoder of text or a classifier of pairs (Conneau et al. 2018, sections 3.1 and
3.2).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, get_args

import torch
from torch import Tensor, nn

from lingprobe.nets.architectures import (
    BackwardNetwork,
    GatedConvNet,
    RecurrentNetwork,
    draw_convolutional,
    draw_network,
    draw_recurrent,
    empty_net,
)

NetworkArchitecture = Literal[
    "bilstm-max",
    "bilstm-last",
    "bilstm-mean",
    "lstm-last",
    "lstm-backward",
    "bigru-max",
    "bigru-last",
    "gru-last",
    "gru-backward",
    "gated-convnet",
    "mean",
]
"""The architectures of sentence encoders over word vectors."""
_ARCHITECTURES: tuple[NetworkArchitecture, ...] = get_args(NetworkArchitecture)


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """A sentence encoder over word vectors of `dim` numbers.

    hidden     units of a layer, of each direction
    layers     how many; 0 as in the paper: 2 recurrent ones, or 8 convolutions
    embedding  numbers of a sentence vector, by a linear layer over the pooled states; 0 for none
    """

    architecture: NetworkArchitecture
    dim: int
    hidden: int = 512
    layers: int = 0
    embedding: int = 0

    @property
    def pooled_dim(self) -> int:
        """How many numbers the pooled states have."""
        if self.architecture == "mean":
            return self.dim
        return self.hidden * (2 if self.architecture.startswith("bi") else 1)

    @property
    def width(self) -> int:
        """How many numbers a sentence vector has."""
        return self.embedding or self.pooled_dim

    def plain(self) -> dict[str, Any]:
        """The fields, as JSON has them."""
        return asdict(self)

    def network(self, seed: int = 0, by_word: bool = False) -> SentenceNetwork:
        """The encoder with weights that the seed draws; `by_word` gives a vector for each word."""
        body, draw = self._body("none" if by_word else "")
        head = None
        if self.embedding:
            head = empty_net(lambda: nn.Linear(self.pooled_dim, self.embedding))
            bound = self.pooled_dim**-0.5
            with torch.no_grad():
                for weights in head.parameters():
                    weights.uniform_(
                        -bound, bound, generator=torch.Generator().manual_seed(seed + 1)
                    )
        return SentenceNetwork(draw_network(body, draw, seed), head)

    def _body(self, pool: str) -> Any:
        layers, kind = self.layers, self.architecture
        if kind == "mean":
            return lambda: MeanPooling(pool), lambda net, generator: None
        if kind == "gated-convnet":
            return (
                lambda: GatedConvNet(self.dim, self.hidden, layers or 8, pool=pool or "max"),
                draw_convolutional,
            )
        name, _, last = kind.partition("-")
        directions, gru = 2 if name.startswith("bi") else 1, name.endswith("gru")
        turned, pool = last == "backward", pool or ("last" if last == "backward" else last)

        def build() -> nn.Module:
            net = RecurrentNetwork(self.dim, self.hidden, layers or 2, pool, directions, gru)
            return BackwardNetwork(net) if turned else net

        return build, draw_recurrent


class MeanPooling(nn.Module):
    """Words [batch, words, dim] -> their mean [batch, dim], or the words themselves."""

    def __init__(self, pool: str = "") -> None:
        super().__init__()
        self.pool = pool

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, dim]; what stands behind a sentence's end is zeros."""
        sentences, states = self.read(words, lengths)
        return states if self.pool else sentences

    def read(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Sentences and words."""
        return words.sum(1) / lengths.to(words.device)[:, None], words


class SentencesRead(NamedTuple):
    """What an encoder makes of a batch.

    sentences  [batch, width]
    words      the states that were pooled [batch, words, pooled]
    lengths    words of each sentence [batch]
    """

    sentences: Tensor
    words: Tensor
    lengths: Tensor


class SentenceNetwork(nn.Module):
    """Words [batch, words, dim] -> sentences [batch, width]."""

    def __init__(self, body: nn.Module, head: nn.Module | None) -> None:
        super().__init__()
        self.body, self.head = body, head

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, width], or states of words [batch, words, width] where the body does
        not pool; words [batch, words, dim]; lengths [batch] are at least 1 and descend.
        """
        states: Tensor = self.body(words, lengths)
        return states if self.head is None else self.head(states)

    def read(self, words: Tensor, lengths: Tensor) -> SentencesRead:
        """Sentences with the states of their words [batch, words, dim]; lengths [batch] descend."""
        sentences, states = self.body.read(words, lengths)  # type: ignore[operator]
        return SentencesRead(
            sentences if self.head is None else self.head(sentences), states, lengths
        )
