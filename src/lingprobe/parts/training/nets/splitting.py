"""Which characters of a text end tokens and sentences: dilated convolutions over characters, which
see so far that the end of a text looks alike wherever it is cut into parts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from lingprobe.data.vectors import Floats
from lingprobe.nets.architectures import draw_net
from lingprobe.parts.training.nets.forms import draw_forms

TOKEN, MANY, SENTENCE = range(3)
"""What is told of a character: whether a token ends there, and if so, whether that is a multiword
one, and whether a sentence ends.
"""
NOTHING, OTHER, LETTERS = range(3)
"""Numbers of what stands beyond a text, of characters that are not known, and of the first that
is.
"""
KINDS = (
    *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"),
)
"""General categories of Unicode."""
APART = (1, 2, 4, 8, 16)
REACH = sum(APART) + 1
"""Characters on either side that decide: those of the layers, and one for the last pair."""
_KIND = {kind: i for i, kind in enumerate(KINDS, 1)}
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SplitterShape:
    """Letters that have a vector, its numbers, rows of vectors that pairs of letters share, and
    numbers of a layer.
    """

    letters: int
    drawn: int = 32
    pairs: int = 1 << 13
    width: int = 48

    def plain(self) -> dict[str, Any]:
        """The fields, as JSON has them."""
        return asdict(self)

    def network(self, seed: int) -> SplitterNet:
        """A net that the seed draws."""
        return cast(SplitterNet, draw_net(lambda: SplitterNet(self), draw_forms, seed))


class SplitterNet(nn.Module):
    """Numbers of characters [2, batch, length + 2 * REACH] (which, and of what kind) -> logits of
    TOKEN, MANY and SENTENCE [batch, length, 3].
    """

    def __init__(self, shape: SplitterShape) -> None:
        super().__init__()
        self.shape = shape
        self.letters = nn.Embedding(shape.letters + LETTERS, shape.drawn)
        self.kinds = nn.Embedding(len(KINDS) + 1, shape.drawn)
        self.pairs = nn.Embedding(shape.pairs, shape.drawn)
        self.read = nn.Linear(shape.drawn, shape.width)
        self.layers = nn.ModuleList(nn.Linear(3 * shape.width, shape.width) for _ in APART)
        self.told = nn.Linear(shape.width, 3)

    def forward(self, numbers: Tensor, lost: Lost | None = None) -> Tensor:
        """The logits; `lost` leaves out some numbers while it learns."""
        letters, kinds = numbers
        letters, kinds, after = letters[:, 1:-1], kinds[:, 1:-1], letters[:, 2:]
        pairs = self.pairs((letters * 8191 + after * 31) % self.shape.pairs)
        if lost is not None:
            pairs = pairs * lost.mask(letters.shape, lost.pairs)[..., None]
            letters = torch.where(lost.mask(letters.shape, lost.letters) > 0, letters, OTHER)
        states = self.read(self.letters(letters) + self.kinds(kinds) + pairs)
        for layer, apart in zip(self.layers, APART, strict=True):
            inner = states[:, apart:-apart]  # one product is faster than a convolution of torch
            around = [states[:, : -2 * apart], inner, states[:, 2 * apart :]]
            made = functional.relu(layer(torch.cat(around, 2)))
            if lost is not None:
                made = made * lost.mask((len(made), 1, made.shape[2]), lost.states)
            states = inner + made
        told: Tensor = self.told(states)
        return told


@dataclass(frozen=True)
class Lost:
    """Shares of letters, of pairs of letters and of states that are left out, as a generator draws
    them.
    """

    draws: torch.Generator
    letters: float = 0.05
    pairs: float = 0.2
    states: float = 0.1

    def mask(self, shape: Sequence[int], share: float) -> Tensor:
        """Zero for what is lost, else what keeps the mean."""
        kept = torch.rand(tuple(shape), generator=self.draws) >= share
        return kept / (1 - share)


def numbers_of(text: str, letters: Mapping[str, int]) -> Numbers:
    """The numbers of a text's characters [2, length + 2 * REACH], with nothing at either end."""
    numbers = np.zeros((2, len(text) + 2 * REACH), np.int64)
    numbers[0, REACH : REACH + len(text)] = [letters.get(c.lower(), OTHER) for c in text]
    numbers[1, REACH : REACH + len(text)] = [_KIND[unicodedata.category(c)] for c in text]
    return numbers


@torch.inference_mode()
def logits(net: SplitterNet, numbers: Numbers, window: int, batch: int) -> Floats:
    """What a net tells of a text's characters [length, 3], in windows, some at once, whose edges do
    not show.
    """
    size = numbers.shape[1] - 2 * REACH
    window = min(window, size)
    starts = np.arange(0, size, window)
    made = np.empty((len(starts) * window, 3), np.float32)
    padded = np.pad(numbers, ((0, 0), (0, len(made) - size)))
    for at in range(0, len(starts), batch):
        places = starts[at : at + batch, None] + np.arange(window + 2 * REACH)
        told = net(torch.from_numpy(padded[:, places])).numpy()
        made[at * window : at * window + told.shape[0] * window] = told.reshape(-1, 3)
    return made[:size]
