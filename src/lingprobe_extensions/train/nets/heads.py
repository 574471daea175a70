"""What reads the vectors of a sentence encoder while it learns: a decoder of text or a classifier
of pairs (Conneau et al. 2018, sections 3.1 and 3.2), and the vectors of words that it learns from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from lingprobe.extend import SentencesRead

HEAD_WEIGHT_PREFIX = (
    "told."  # before the names of the weights of what reads an encoder, where they are kept
)


START_TOKEN_ID, END_TOKEN_ID, PAD_TOKEN_ID = 0, 1, 2
"""Pieces that every vocabulary of a decoder begins with."""


class WordEmbedding(nn.Module):
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


class TextDecoder(nn.Module):
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
        """The loss of pieces [batch, steps], the start first, padding behind the end: minus the
        logarithm of their probabilities, summed.
        """
        scores, wanted = self.scores(read, pieces)
        return functional.cross_entropy(scores, wanted, reduction="sum")

    def scores(self, read: SentencesRead, pieces: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of the piece after each one [steps of all, pieces], and that piece."""
        before, wanted = pieces[:, :-1], pieces[:, 1:]
        there = wanted != PAD_TOKEN_ID
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
        pieces = torch.full((many, 1), START_TOKEN_ID, device=device)
        state, texts = None, torch.full((many, longest), END_TOKEN_ID, device=device)
        done = torch.zeros(many, dtype=torch.bool, device=device)
        for step in range(longest):
            states, state = self._states(read, pieces, state)
            scores = self.output(states)
            scores[..., [START_TOKEN_ID, PAD_TOKEN_ID]] = -torch.inf
            pieces = scores.argmax(2)
            done |= pieces[:, 0] == END_TOKEN_ID
            texts[:, step] = torch.where(done, END_TOKEN_ID, pieces[:, 0])
            if done.all():
                break
        return [
            row[: row.index(END_TOKEN_ID)] if END_TOKEN_ID in row else row for row in texts.tolist()
        ]


class TextDecoders(nn.Module):
    """A decoder for each of several texts, which share the vectors of their pieces (Kiros et al.
    2015, 2.1).
    """

    def __init__(self, decoders: Sequence[TextDecoder]) -> None:
        super().__init__()
        first, *others = decoders
        for other in others:
            other.embedding, other.output = first.embedding, first.output
        self.each = nn.ModuleList(decoders)

    def __iter__(self) -> Iterator[TextDecoder]:
        return (cast("TextDecoder", decoder) for decoder in self.each)

    def __getitem__(self, i: int) -> TextDecoder:
        return cast("TextDecoder", self.each[i])


class PairClassifier(nn.Module):
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
