"""InferSent (Conneau et al. 2017) as it was published: a BiLSTM over GloVe or fastText vectors."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem, Help, Sentence, Vectors
from lingprobe.extend import Ints, open_word_table
from lingprobe_extensions.archive.files import digest_of, over_vectors, torch_file
from lingprobe_extensions.archive.passes import TokenBatch, gather_read_words, pool_layers
from lingprobe_extensions.archive.sources import INFERSENT_SOURCE

_WHAT = "InferSent"
_MARKS = {"1": ("<s>", "</s>"), "2": ("<p>", "</p>")}
"""What stands before and behind a sentence, by version (models.py of facebookresearch/InferSent).
"""


@dataclass(frozen=True)
class InferSent:
    """InferSent (Conneau et al. 2017) by its file of weights, over the word vectors that it was
    trained with.
    """

    file: Path
    vectors: Annotated[
        Path,
        Help(
            "of version 1 glove.840B.300d.txt, of version 2 crawl-300d-2M.vec; words that the file"
            " lacks are excluded"
        ),
    ] = field(kw_only=True)
    version: Annotated[
        Literal["1", "2"],
        Help('1 or 2: the marks of a sentence; in 2 also "ca n\'t" is read as "can \'t"'),
    ] = field(default="1", kw_only=True)
    pool: Annotated[
        Literal["max", "mean", "none"],
        Help("max as published, mean, or none for a vector of each word"),
    ] = field(default="max", kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"infersent:{self.file}"

    @property
    def fingerprint(self) -> str:
        """The digests of the weights and of the word vectors."""
        return f"{self._digest} {open_word_table(self.vectors, 0, 0).fingerprint}"

    @property
    def _digest(self) -> str:
        return digest_of(self.file, "the weights of InferSent", INFERSENT_SOURCE)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        table = open_word_table(self.vectors, 0, 0)
        words, counts, cut = gather_read_words(sentences)
        words = [_as_trained(row) for row in words] if self.version == "2" else words
        forms = dict.fromkeys((*_MARKS[self.version], *(w for row in words for w in row)))
        vectors, known = table.look_up(list(forms))
        _check_marks(self, known[:2])
        places = enumerate(zip(forms, known, strict=True))
        numbers = {form: i if there else -1 for i, (form, there) in places}
        net = _net(self.file, self._digest, vectors.shape[1])
        read = _tokens(words, numbers, counts, _MARKS[self.version], cut)

        def forward(rows: Ints) -> dict[str, Any]:
            return {"-": net.top(vectors, read.of(rows), self.pool)}

        return pool_layers(forward, read, [("-", self.pool)], {"-": net.width}, self.tokens)

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which words have no vector."""
        return ~open_word_table(self.vectors, 0, 0).look_up(words)[1]


def _as_trained(words: list[str]) -> list[str]:
    """Words with "n't" inside a sentence cut as version 2 was trained to read it: "ca n't go" is
    "can 't go". The authors' program replaces " n't " from left to right, so of two in a row the
    second stays.
    """
    cut: list[bool] = []
    for place, word in enumerate(words):
        inside = 0 < place < len(words) - 1
        cut.append(inside and word == "n't" and not cut[-1])
    return [
        "'t" if here else word + "n" if after else word
        for word, here, after in zip(words, cut, [*cut, False][1:], strict=True)
    ]


def _check_marks(encoder: InferSent, known: NDArray[np.bool_]) -> None:
    """Refuse word vectors of the other version, which have no mark of this one."""
    if not known.any():
        first, last = _MARKS[encoder.version]
        raise DataProblem(
            f"{encoder.vectors} has no vector for {first} or {last}, which begin and end sentences"
            f" in version {encoder.version} of InferSent; write version=, or the vectors it was"
            " trained with"
        )


def _tokens(
    words: list[list[str]],
    numbers: dict[str, int],
    counts: Ints,
    marks: tuple[str, str],
    cut: NDArray[np.bool_],
) -> TokenBatch:
    """The known words of each sentence between its marks."""
    begin, end = ([numbers[mark]] if numbers[mark] >= 0 else [] for mark in marks)
    rows = [[numbers[word] for word in row] for row in words]
    kept = [[*begin, *(n for n in row if n >= 0), *end] for row in rows]
    pieces = [n >= 0 for row, many in zip(rows, counts, strict=True) for n in _pad_row(row, many)]
    marked = len(begin), len(end)
    return TokenBatch.of_rows(kept, np.array(pieces, np.int64), counts, marked, cut)


def _pad_row(row: list[int], many: int) -> list[int]:
    """The numbers of a sentence's words, -1 for those behind what is read."""
    return row + [-1] * (int(many) - len(row))


@functools.lru_cache(maxsize=2)
def _net(file: Path, mark: str, dim: int) -> Any:
    """The network of a file, of which `mark` is the digest, over word vectors of `dim` numbers."""
    from lingprobe_extensions.archive.recurrence import RecurrentLayers

    state = torch_file(file)
    over_vectors(file, state, dim, 1, _WHAT, "enc_lstm.")
    return RecurrentLayers.of(state, 1, 2, "enc_lstm.")
