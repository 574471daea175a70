"""What tells annotation from the states of words: tags by a layer each, heads and their labels by
biaffine products (Dozat and Manning 2017), phrases by tags of words and of the pairs between them
(Kitaev and Klein 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

NO_ANNOTATION = -1  # the number of what is not told of a word


@dataclass(frozen=True, slots=True)
class HeadShape:
    """What is told of the states of words.

    width   numbers of a state
    tags    how many values each kind of tag has, by its name; the kinds of phrases are tags, too
    labels  how many labels of heads there are; 0 where heads are not told
    arcs    numbers that a word has as a head, and as what stands below one
    named   the same, where the label of a head is told
    """

    width: int
    tags: Mapping[str, int]
    labels: int = 0
    arcs: int = 256
    named: int = 64

    def plain(self) -> dict[str, Any]:
        """The fields, as JSON has them."""
        return {**asdict(self), "tags": dict(self.tags)}


PHRASE_WORDS, PHRASE_PAIRS = "words of phrases", "pairs of phrases"


class GoldAnnotations(NamedTuple):
    """What is true of the words of a batch, one sentence behind the other; `NO_ANNOTATION` where it
    is not told.

    heads   the place of the head in its sentence, counted from 1; 0 at the root [words]
    labels  of the heads [words]
    tags    by kind: of words [words], or of the pairs between words [words - sentences]
    """

    heads: Tensor
    labels: Tensor
    tags: Mapping[str, Tensor]


class LogProbabilities(NamedTuple):
    """The logarithms of probabilities.

    tags   by kind: [words, values], or of the pairs [words - sentences, values]
    arcs   of heads [batch, words, words + 1], the root first; None where heads are not told
    """

    tags: Mapping[str, Tensor]
    arcs: Tensor | None


class ParsingHeads(nn.Module):
    """States of words -> what is told of them."""

    def __init__(self, shape: HeadShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape, self.dropout = shape, nn.Dropout(dropout)
        width, arcs, named = shape.width, shape.arcs, shape.named
        self.tags = nn.ModuleDict(
            {
                name: nn.Linear(width * (2 if name == PHRASE_PAIRS else 1), values)
                for name, values in shape.tags.items()
            }
        )
        if shape.labels:
            self.root = nn.Parameter(torch.empty(width))
            self.below, self.above = nn.Linear(width, arcs), nn.Linear(width, arcs)
            self.arc = nn.Parameter(torch.empty(arcs + 1, arcs))
            self.named_below = nn.Linear(width, named)
            self.named_above = nn.Linear(width, named)
            self.label = nn.Parameter(torch.empty(shape.labels, named + 1, named + 1))

    def forward(self, states: Tensor, lengths: Tensor) -> LogProbabilities:
        """What is told of states [batch, words, width] of sentences of these lengths."""
        there = _mark_present_words(states, lengths)
        dropped = self.dropout(states)
        tags = {
            name: functional.log_softmax(layer(self._read(name, dropped, there)), 1)
            for name, layer in self.tags.items()
        }
        return LogProbabilities(tags, self._arcs(dropped, there) if self.shape.labels else None)

    def _read(self, name: str, states: Tensor, there: Tensor) -> Tensor:
        """The states that a kind of tag is told from: a word's, or those of two neighbours."""
        if name != PHRASE_PAIRS:
            return states[there]
        both = there[:, 1:]
        return torch.cat([states[:, :-1][both], states[:, 1:][both]], 1)

    def _arcs(self, states: Tensor, there: Tensor) -> Tensor:
        """The logarithm of the probability of each head [batch, words, words + 1]."""
        below = self.dropout(functional.leaky_relu(self.below(states)))
        above = self.dropout(functional.leaky_relu(self.above(self._add_root(states))))
        ones = below.new_ones(*below.shape[:2], 1)
        scores = torch.cat([below, ones], 2) @ self.arc @ above.transpose(1, 2)
        allowed = functional.pad(there, (1, 0), value=True)[:, None]
        return functional.log_softmax(scores.masked_fill(~allowed, -torch.inf), 2)

    def _add_root(self, states: Tensor) -> Tensor:
        """States with the root before the first word."""
        return torch.cat([self.root.expand(len(states), 1, -1), states], 1)

    def labels(self, states: Tensor, lengths: Tensor, heads: Tensor) -> Tensor:
        """The logarithms of the probabilities of labels [words, labels], for heads [words], counted
        from 1, of the words one sentence behind the other.
        """
        there, dropped = _mark_present_words(states, lengths), self.dropout(states)
        sentence = there.nonzero()[:, 0]
        below = self.dropout(functional.leaky_relu(self.named_below(dropped[there])))
        above = functional.leaky_relu(self.named_above(self._add_root(dropped)[sentence, heads]))
        above = self.dropout(above)
        ones = below.new_ones(len(below), 1)
        below, above = torch.cat([below, ones], 1), torch.cat([above, ones], 1)
        wide = below @ self.label.transpose(0, 1).flatten(1)
        scores = (wide.view(len(below), -1, above.shape[1]) @ above[..., None])[..., 0]
        return functional.log_softmax(scores, 1)

    def loss(self, states: Tensor, lengths: Tensor, gold: GoldAnnotations) -> Tensor:
        """Minus the logarithms of the probabilities of what is told in gold, summed."""
        told, there = self(states, lengths), _mark_present_words(states, lengths)
        losses = [_total_loss(told.tags[name], gold.tags[name]) for name in self.tags]
        if told.arcs is not None:
            losses.append(_total_loss(told.arcs[there], gold.heads))
            labels = self.labels(states, lengths, gold.heads.clamp(min=0))
            losses.append(_total_loss(labels, gold.labels))
        return torch.stack(losses).sum()


def _mark_present_words(states: Tensor, lengths: Tensor) -> Tensor:
    steps = torch.arange(states.shape[1], device=states.device)
    return steps < lengths.to(states.device)[:, None]


def _total_loss(told: Tensor, wanted: Tensor) -> Tensor:
    return functional.nll_loss(told, wanted, ignore_index=NO_ANNOTATION, reduction="sum")


def draw_heads(net: nn.Module, generator: torch.Generator) -> None:
    """Weights uniform within one over the square root of their inputs; biases, and all of the
    biaffine products, zero.
    """
    for name, weights in net.named_parameters():
        if name.endswith("bias") or name in ("arc", "label"):
            weights.zero_()
        else:
            bound = weights.shape[-1] ** -0.5
            weights.uniform_(-bound, bound, generator=generator)
