"""Vectors of word forms: learnt ones of frequent words, what their letters tell, and static ones,
side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from lingprobe.extend import Floats

_PAD, _OTHER, _BEGIN, _END = range(4)
"""Numbers of letters that stand for none, for one that is not known, and for a word's ends."""
_LETTERS = 4  # the number of the first letter
_LONGEST = 32  # letters; of a longer word half as many of its beginning and of its end are read
FORM_WEIGHT_PREFIX = (
    "words."  # before the names of weights, where they are kept beside an encoder's
)
_PART = 1024  # forms that are read at once
_RARE = (
    0.25  # a word that occurs n times is not told by its form in _RARE / (_RARE + n) of the cases
)


@dataclass(frozen=True, slots=True)
class FormShape:
    """What vectors of forms are made of.

    words     words that have a vector of their own, of `dim` numbers; one more is for all others
    letters   letters that have a vector, of `drawn` numbers
    filters   numbers that come of each of `widths` letters in a row; the greatest over the word
    dilated   instead, three convolutions one after the other, of 512, 256 and `filters` numbers,
              over 3 letters that stand 1, 2 and 4 apart (Rybak and Wróblewska 2018, COMBO)
    static    numbers of a static vector, 0 for none, which a layer makes `projected` of
    """

    words: int
    letters: int
    dim: int = 100
    drawn: int = 32
    filters: int = 64
    widths: tuple[int, ...] = (3, 5)
    dilated: bool = False
    static: int = 0
    projected: int = 100

    @property
    def width(self) -> int:
        """Numbers of a form's vector."""
        spelt = self.filters * (1 if self.dilated else len(self.widths))
        return self.dim + spelt + (self.projected if self.static else 0)

    @property
    def convolutions(self) -> list[tuple[int, int, int, int]]:
        """Of letters: numbers that each reads and makes, letters in a row, and how far apart."""
        if not self.dilated:
            return [(self.drawn, self.filters, width, 1) for width in self.widths]
        sizes = (self.drawn, 512, 256, self.filters)
        return [(sizes[i], sizes[i + 1], 3, 2**i) for i in range(3)]

    def plain(self) -> dict[str, Any]:
        """The fields, as JSON has them."""
        return asdict(self)

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> FormShape:
        """From the fields that JSON has."""
        return cls(**{**fields, "widths": tuple(fields["widths"])})


class FormNumbers(NamedTuple):
    """Some forms as numbers.

    rows     the row of each in the table of words [forms]; 0 for all that are not in it
    letters  the numbers of its letters [forms, longest], `_PAD` behind
    static   its static vector [forms, static]; no columns where there are none
    """

    rows: Tensor
    letters: Tensor
    static: Tensor

    @classmethod
    def of(
        cls, forms: Sequence[str], words: Sequence[str], letters: Sequence[str], static: Floats
    ) -> FormNumbers:
        """Of forms, by the words and letters that have vectors."""
        row = {word: i for i, word in enumerate(words, 1)}
        number = {letter: i for i, letter in enumerate(letters, _LETTERS)}
        spelt = [[_BEGIN, *(number.get(c, _OTHER) for c in _short(form)), _END] for form in forms]
        table: NDArray[np.int64] = np.full((len(forms), _LONGEST + 2), _PAD, np.int64)
        for i, each in enumerate(spelt):
            table[i, : len(each)] = each
        return cls(
            torch.tensor([row.get(form, 0) for form in forms]),
            torch.from_numpy(table),
            torch.from_numpy(static),
        )


def _short(form: str) -> str:
    half = _LONGEST // 2
    return form if len(form) <= _LONGEST else form[:half] + form[-half:]


class FormEmbedding(nn.Module):
    """Numbers of forms [batch, words] -> their vectors [batch, words, width]; zeros for a number
    below zero.

    While it learns, rare words are sometimes taken for others, and numbers are dropped.
    """

    known_rows: Tensor
    known_letters: Tensor
    known_static: Tensor
    known_dropped: Tensor

    def __init__(self, shape: FormShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.words = nn.Embedding(shape.words + 1, shape.dim)
        self.letters = nn.Embedding(shape.letters + _LETTERS, shape.drawn)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(read, made, width, padding=(width // 2) * apart, dilation=apart)
            for read, made, width, apart in shape.convolutions
        )
        self.project = nn.Linear(shape.static, shape.projected) if shape.static else None
        self.shape, self.dropout = shape, nn.Dropout(dropout)
        for name in (
            *FormNumbers._fields,
            "dropped",
        ):  # buffers, so that they move with the weights
            self.register_buffer(f"known_{name}", torch.empty(0), persistent=False)

    def know(self, known: FormNumbers, counts: Tensor | None = None) -> FormEmbedding:
        """Take the numbers for these forms from now on, which occur so often in what is learnt."""
        given = known._asdict()
        if counts is not None:
            given["dropped"] = _RARE / (_RARE + counts)
        for name, each in given.items():
            setattr(self, f"known_{name}", each.to(self.words.weight.device))
        return self

    def learned_weights(self) -> dict[str, Tensor]:
        """What was learnt, by names that no encoder has."""
        return {f"{FORM_WEIGHT_PREFIX}{name}": value for name, value in self.state_dict().items()}

    def forward(self, numbers: Tensor) -> Tensor:
        """[batch, words] -> [batch, words, width]."""
        there = numbers >= 0
        forms, back = torch.unique(numbers.clamp(min=0), return_inverse=True)
        rows = self.known_rows[forms][back]
        if self.training and len(self.known_dropped):
            kept = torch.rand(rows.shape, device=rows.device) >= self.known_dropped[forms][back]
            rows = rows * kept
        vectors = torch.cat([self.words(rows), self._form_features(forms)[back]], 2)
        dropped: Tensor = self.dropout(vectors)
        return dropped.masked_fill(~there[..., None], 0.0)

    @torch.inference_mode()
    def vectors(self, known: FormNumbers) -> Floats:
        """The vectors of forms [forms, width]."""
        self.know(known)
        numbers, many = torch.arange(len(known.rows))[None], len(known.rows)
        made = [self(numbers[:, i : i + _PART])[0].cpu().numpy() for i in range(0, many, _PART)]
        return np.concatenate(made) if made else np.empty((0, self.shape.width), np.float32)

    def _form_features(self, forms: Tensor) -> Tensor:
        """What letters and static vectors tell of some forms."""
        letters = self.known_letters[forms]
        letters = letters[:, : int((letters != _PAD).sum(1).max())]
        empty = (letters == _PAD)[:, None]
        spelt = self.letters(letters).masked_fill(empty.transpose(1, 2), 0.0).transpose(1, 2)
        parts = [self._spelt(spelt, empty)]
        if self.project is not None:
            parts.append(functional.relu(self.project(self.known_static[forms])))
        return torch.cat(parts, 1)

    def _spelt(self, states: Tensor, empty: Tensor) -> Tensor:
        """Letters [forms, numbers, letters] -> [forms, numbers]."""
        if not self.shape.dilated:
            made = [  # one after the other, in place: no numbers of a parser take more memory
                convolution(states).masked_fill_(empty, -torch.inf).amax(2)
                for convolution in self.convolutions
            ]
            return functional.relu(torch.cat(made, 1))
        for convolution in self.convolutions:
            states = functional.relu(convolution(states)).masked_fill(empty, 0.0)
        return states.amax(2)


def draw_forms(net: nn.Module, generator: torch.Generator) -> None:
    """Vectors of words and letters normal with variance 1 / numbers; weights uniform as torch draws
    them; biases zero.
    """
    for module in net.modules():
        if isinstance(module, nn.Embedding):
            module.weight.normal_(0, module.embedding_dim**-0.5, generator=generator)
        if isinstance(module, nn.Conv1d | nn.Linear):
            bound = module.weight[0].numel() ** -0.5
            module.weight.uniform_(-bound, bound, generator=generator)
            assert module.bias is not None
            module.bias.zero_()
