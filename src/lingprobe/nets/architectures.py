"""Networks over words (Conneau et al. 2018, section 3.1): LSTMs, GRUs and stacked gated
convolutions (Gehring et al. 2017), and drawing their weights from a generator of their own, so that
neither the global seed nor the order of work matters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

_HALF = 0.5**0.5  # keeps the variance of a sum of two (Gehring et al. 2017, 3.5)


class GatedConvNet(nn.Module):
    """Words [batch, words, dim] -> sentences [batch, hidden]: the maximum over words of the last of
    `layers` gated convolutions.

    With pool `none`, words [batch, words, hidden] as that convolution has them.

    Each layer halves its output by a gate and adds its input. What stands behind a sentence's end
    is zero for every layer, as if the sentence were alone.
    """

    def __init__(
        self, dim: int, hidden: int = 512, layers: int = 8, kernel: int = 3, pool: str = "max"
    ) -> None:
        super().__init__()
        self.pool = pool
        self.enter = nn.Linear(dim, hidden)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(hidden, 2 * hidden, kernel, padding=kernel // 2) for _ in range(layers)
        )

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, hidden], or words [batch, words, hidden]; lengths [batch] are at least
        1.
        """
        sentences, states = self.read(words, lengths)
        return states if self.pool == "none" else sentences

    def read(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Sentences and words, with zeros for words behind a sentence's end."""
        lengths = lengths.to(words.device)
        steps = torch.arange(words.shape[1], device=words.device)
        there = (steps < lengths[:, None]).unsqueeze(1)
        states = self.enter(words * compute_position_weights(words, lengths)).transpose(1, 2)
        for convolution in self.convolutions:
            states = torch.where(there, states, 0)
            states = (functional.glu(convolution(states), 1) + states) * _HALF
        states = torch.where(there, states, 0).transpose(1, 2)
        return pool_maximum(states, lengths), states


def compute_position_weights(words: Tensor, lengths: Tensor) -> Tensor:
    """What word j of J is weighted with in dimension k of d: (1 - j/J) - (k/d)(1 - 2j/J)
    (Sukhbaatar et al. 2015, 4.1).
    """
    steps, dim = words.shape[1:]
    j = (
        torch.arange(1, steps + 1, device=words.device)[None, :, None] / lengths[:, None, None]
    ).to(words.dtype)
    k = torch.arange(1, dim + 1, device=words.device)[None, None, :] / dim
    return (1 - j) - k * (1 - 2 * j)


def draw_convolutional(net: nn.Module, generator: torch.Generator) -> None:
    """Weights normal with variance 4/inputs before a gate and 1/inputs elsewhere (Gehring et al.
    2017, 3.5); biases zero.
    """
    for module in net.modules():
        if isinstance(module, nn.Conv1d | nn.Linear):
            gated = isinstance(module, nn.Conv1d)
            module.weight.normal_(
                0, ((4 if gated else 1) / module.weight[0].numel()) ** 0.5, generator=generator
            )
            assert module.bias is not None
            module.bias.zero_()


class RecurrentNetwork(nn.Module):
    """Words [batch, words, dim] -> sentences [batch, directions * hidden]: the last states of LSTM
    or GRU cells, or the maximum or mean over words.

    With pool `none`, the states of all words [batch, words, directions * hidden].

    `last` joins what the forward direction knows after the last word with what the backward one
    knows after the first. Sentences go longest first; what stands behind a sentence's end is never
    read.
    """

    def __init__(
        self,
        dim: int,
        hidden: int = 512,
        layers: int = 2,
        pool: str = "max",
        directions: int = 2,
        gru: bool = False,
    ) -> None:
        super().__init__()
        self.pool, self.directions = pool, directions
        kind = nn.GRU if gru else nn.LSTM
        self.cells = kind(dim, hidden, layers, batch_first=True, bidirectional=directions == 2)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, width], or words [batch, words, width]; lengths [batch] are at least 1
        and descend.
        """
        sentences, states = self.read(words, lengths)
        return states if self.pool == "none" else sentences

    def read(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Sentences and words, with zeros for words behind a sentence's end."""
        if (
            isinstance(self.cells, nn.LSTM)
            and words.device.type == "cpu"
            and torch.is_grad_enabled()
        ):
            return self._read_padded(words, lengths)
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True)
        states, last = self.cells(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True)
        if self.pool == "last":
            ends = last[0] if isinstance(last, tuple) else last
            return torch.cat([*ends[-self.directions :]], 1), padded
        return self._pool_states(padded, lengths), padded

    def _pool_states(self, states: Tensor, lengths: Tensor) -> Tensor:
        """The maximum or mean over words, of states that are zeros behind a sentence's end."""
        if self.pool == "mean":
            return states.sum(1) / lengths.to(states.device)[:, None]
        return pool_maximum(states, lengths)

    def _read_padded(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The same, each direction over the padded batch and the backward one turned round: to
        learn from that takes two thirds of the time that packed sequences take.
        """
        steps, ends = torch.arange(words.shape[1]), lengths[:, None]
        turned, states = _reversed_indices(words.shape[1], lengths), words
        for layer in range(self.cells.num_layers):
            if layer:
                states = functional.dropout(states, self.cells.dropout, self.training)
            states = self._layer(states, turned, layer)
        states = states.masked_fill((steps >= ends)[..., None], 0.0)
        if self.pool == "last":
            rows, half = torch.arange(len(words)), self.cells.hidden_size
            last = states[rows, lengths - 1, :half]
            return torch.cat([last, states[:, 0, half:]], 1), states
        return self._pool_states(states, lengths), states

    def _layer(self, states: Tensor, turned: Tensor, layer: int) -> Tensor:
        """One layer's states of a padded batch, of both directions."""
        each = cast("list[Tensor]", self.cells._flat_weights)
        zero = states.new_zeros(1, len(states), self.cells.hidden_size)
        sides = []
        for side in range(self.directions):
            first = 4 * (layer * self.directions + side)
            read = states.gather(1, turned.expand_as(states)) if side else states
            weights = each[first : first + 4]
            made = torch.lstm(read, (zero, zero), weights, True, 1, 0.0, True, False, True)[0]
            sides.append(made.gather(1, turned.expand_as(made)) if side else made)
        return torch.cat(sides, 2)


class BackwardNetwork(nn.Module):
    """A network of one direction, which reads each sentence from its last word to its first."""

    def __init__(self, net: RecurrentNetwork) -> None:
        super().__init__()
        self.net = net

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, hidden], or words [batch, words, hidden] in the order of the text."""
        sentences, states = self.read(words, lengths)
        return states if self.net.pool == "none" else sentences

    def read(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Sentences and words, with zeros for words behind a sentence's end."""
        turned = _reversed_indices(words.shape[1], lengths.to(words.device))
        sentences, states = self.net.read(words.gather(1, turned.expand_as(words)), lengths)
        return sentences, states.gather(1, turned.expand_as(states))


def _reversed_indices(words: int, lengths: Tensor) -> Tensor:
    """Where the words of sentences [batch, words, 1] stand when these are turned round and what is
    behind their ends is not.
    """
    steps, ends = torch.arange(words, device=lengths.device), lengths[:, None]
    return torch.where(steps < ends, ends - 1 - steps, steps)[..., None]


def pool_maximum(states: Tensor, lengths: Tensor) -> Tensor:
    """The greatest of each number over a sentence's words: [batch, words, n] -> [batch, n]."""
    there = torch.arange(states.shape[1], device=states.device) < lengths.to(states.device)[:, None]
    return states.masked_fill(~there[..., None], -torch.inf).amax(1)


def draw_recurrent(net: nn.Module, generator: torch.Generator) -> None:
    """Weights and biases uniform within 1/sqrt(hidden), as torch draws an LSTM's."""
    bound = next(m.hidden_size for m in net.modules() if isinstance(m, nn.RNNBase)) ** -0.5
    for weights in net.parameters():
        weights.uniform_(-bound, bound, generator=generator)


def draw_network(
    build: Callable[[], nn.Module], draw: Callable[[nn.Module, torch.Generator], None], seed: int
) -> nn.Module:
    """A net whose weights `draw` fills; building it touches no random state."""
    net = empty_net(build)
    with torch.no_grad():
        draw(net, torch.Generator().manual_seed(seed))
    return net.eval()


def empty_net(build: Callable[[], nn.Module]) -> nn.Module:
    """A net whose weights are still to be filled. `to_empty` does the same, but torch loads sympy
    for it, which takes most of a second.
    """
    with torch.device("meta"):
        net = build()
    for module in net.modules():
        for name, weights in [*module.named_parameters(recurse=False)]:
            place = torch.empty(weights.shape, dtype=weights.dtype)
            setattr(module, name, nn.Parameter(place, weights.requires_grad))
        for name, numbers in [*module.named_buffers(recurse=False)]:
            setattr(module, name, torch.empty(numbers.shape, dtype=numbers.dtype))
    return net
