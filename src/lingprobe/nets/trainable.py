"""Networks that are trained: sentence encoders over word vectors, and what reads their vectors
while they learn, a decoder of text or a classifier of pairs (Conneau et al. 2018, sections 3.1 and
3.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, cast, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from lingprobe.nets.architectures import (
    Backward,
    GatedConvNet,
    Recurrent,
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
ARCHITECTURES: tuple[NetworkArchitecture, ...] = get_args(NetworkArchitecture)
HEAD = "told."  # before the names of the weights of what reads an encoder, where they are kept
START, END, PAD = 0, 1, 2
"""Pieces that every vocabulary of a decoder begins with."""


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
            return lambda: Mean(pool), lambda net, generator: None
        if kind == "gated-convnet":
            return (
                lambda: GatedConvNet(self.dim, self.hidden, layers or 8, pool=pool or "max"),
                draw_convolutional,
            )
        name, _, last = kind.partition("-")
        directions, gru = 2 if name.startswith("bi") else 1, name.endswith("gru")
        turned, pool = last == "backward", pool or ("last" if last == "backward" else last)

        def build() -> nn.Module:
            net = Recurrent(self.dim, self.hidden, layers or 2, pool, directions, gru)
            return Backward(net) if turned else net

        return build, draw_recurrent


class Mean(nn.Module):
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
        """Sentences [batch, width], or words where the body pools none; lengths [batch] are at
        least 1 and descend.
        """
        states: Tensor = self.body(words, lengths)
        return states if self.head is None else self.head(states)

    def read(self, words: Tensor, lengths: Tensor) -> SentencesRead:
        """Sentences with the states of their words."""
        sentences, states = self.body.read(words, lengths)  # type: ignore[operator]
        return SentencesRead(
            sentences if self.head is None else self.head(sentences), states, lengths
        )


class Words(nn.Module):
    """Vectors of words [words, dim], which are learnt or stay as they are.

    rows  the row of each word; its number is that where there is nothing
    """

    def __init__(self, table: Tensor, learned: bool = False, rows: Tensor | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter(table, requires_grad=learned)
        self.register_buffer("rows", rows, persistent=False)

    def forward(self, numbers: Tensor) -> Tensor:
        """[batch, words] -> [batch, words, dim]; zeros for a number below zero."""
        rows = numbers.clamp(min=0)
        if isinstance(self.rows, Tensor):
            rows = self.rows[rows]
        read = functional.embedding(rows, self.weight)
        return read.masked_fill((numbers < 0)[..., None], 0.0)

    def learned_weights(self) -> Mapping[str, Tensor]:
        """The vectors, where they are learnt."""
        return {"words": self.weight} if self.weight.requires_grad else {}


class Decoder(nn.Module):
    """Writes text from a sentence vector, which is read at every step, by layers of LSTM.

    attended  numbers of the states of words that it looks at, weighted anew at each step by a
              product with its own state (Luong et al. 2015, 3.1, `general`); 0 for none
    """

    def __init__(
        self, width: int, pieces: int, hidden: int, layers: int = 2, attended: int = 0
    ) -> None:
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.embedding = nn.Embedding(pieces, hidden)
        self.lstm = nn.LSTM(hidden + width, hidden, layers, batch_first=True)
        self.output = nn.Linear(hidden, pieces)
        self.query = nn.Linear(hidden, attended, bias=False) if attended else None
        self.mix = nn.Linear(hidden + attended, hidden) if attended else None

    def forward(self, read: SentencesRead, pieces: Tensor) -> Tensor:
        """The loss of pieces [batch, steps], START first, PAD behind the end: minus the logarithm
        of their probabilities, summed.
        """
        scores, wanted = self.scores(read, pieces)
        return functional.cross_entropy(scores, wanted, reduction="sum")

    def scores(self, read: SentencesRead, pieces: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of the piece after each one [steps of all, pieces], and that piece."""
        before, wanted = pieces[:, :-1], pieces[:, 1:]
        there = wanted != PAD
        states, _ = self._states(read, before, None)
        return self.output(states[there]), wanted[there]

    def _states(self, read: SentencesRead, pieces: Tensor, state: Any) -> tuple[Tensor, Any]:
        """The states [batch, steps, hidden] from which pieces are told, and where the LSTM is."""
        steps = pieces.shape[1]
        given = read.sentences[:, None].expand(-1, steps, -1)
        states, state = self.lstm(torch.cat([self.embedding(pieces), given], 2), state)
        if self.query is None or self.mix is None:
            return states, state
        weights = self.query(states) @ read.words.transpose(1, 2)
        words = torch.arange(read.words.shape[1], device=weights.device)
        there = words < read.lengths.to(weights.device)[:, None]
        weights = weights.masked_fill(~there[:, None], -torch.inf).softmax(2)
        return torch.tanh(self.mix(torch.cat([states, weights @ read.words], 2))), state

    @torch.inference_mode()
    def write(self, read: SentencesRead, longest: int) -> list[list[int]]:
        """The pieces that are the likeliest at each step, for each sentence, to the end."""
        many, device = len(read.sentences), read.sentences.device
        pieces = torch.full((many, 1), START, device=device)
        state, texts = None, torch.full((many, longest), END, device=device)
        done = torch.zeros(many, dtype=torch.bool, device=device)
        for step in range(longest):
            states, state = self._states(read, pieces, state)
            scores = self.output(states)
            scores[..., [START, PAD]] = -torch.inf
            pieces = scores.argmax(2)
            done |= pieces[:, 0] == END
            texts[:, step] = torch.where(done, END, pieces[:, 0])
            if done.all():
                break
        return [row[: row.index(END)] if END in row else row for row in texts.tolist()]


class Decoders(nn.Module):
    """A decoder for each of several texts, which share the vectors of their pieces (Kiros et al.
    2015, 2.1).
    """

    def __init__(self, decoders: Sequence[Decoder]) -> None:
        super().__init__()
        first, *others = decoders
        for other in others:
            other.embedding, other.output = first.embedding, first.output
        self.each = nn.ModuleList(decoders)

    def __iter__(self) -> Iterator[Decoder]:
        return (cast("Decoder", decoder) for decoder in self.each)

    def __getitem__(self, i: int) -> Decoder:
        return cast("Decoder", self.each[i])


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
