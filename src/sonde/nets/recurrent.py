"""Bidirectional LSTMs over words (Conneau et al. 2018, section 3.1)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BiLSTM(nn.Module):
    """Words [batch, words, dim] -> sentences [batch, 2 * hidden]: the last states, or the maximum
    over words.

    With pool `none`, the states of all words [batch, words, 2 * hidden].

    `last` joins what the forward direction knows after the last word with what the backward one
    knows after the first. Sentences go longest first; what stands behind a sentence's end is never
    read.
    """

    def __init__(self, dim: int, hidden: int = 512, layers: int = 2, pool: str = "max") -> None:
        super().__init__()
        self.pool = pool
        self.lstm = nn.LSTM(dim, hidden, layers, batch_first=True, bidirectional=True)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Sentences [batch, 2 * hidden], or words [batch, words, 2 * hidden]; lengths [batch] are
        at least 1 and descend.
        """
        states, (last, _) = self.lstm(pack_padded_sequence(words, lengths, batch_first=True))
        if self.pool == "last":
            return torch.cat([last[-2], last[-1]], 1)
        padded, _ = pad_packed_sequence(states, batch_first=True, padding_value=-torch.inf)
        return padded if self.pool == "none" else padded.amax(1)


def draw_recurrent(net: nn.Module, generator: torch.Generator) -> None:
    """Weights and biases uniform within 1/sqrt(hidden), as torch draws an LSTM's."""
    bound = next(m.hidden_size for m in net.modules() if isinstance(m, nn.LSTM)) ** -0.5
    for weights in net.parameters():
        weights.uniform_(-bound, bound, generator=generator)
