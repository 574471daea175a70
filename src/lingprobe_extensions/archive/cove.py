"""CoVe (McCann et al. 2017) as it was published: the encoder of a translation model over GloVe."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe import Help, Sentence, Vectors
from lingprobe.extend import Floats, Ints, SlotEncoder, gather_vectors, open_word_table
from lingprobe_extensions.archive.files import digest_of, over_vectors, torch_file
from lingprobe_extensions.archive.passes import each_word, pool_layers
from lingprobe_extensions.archive.sources import COVE_SOURCE

_DEPTH = 2


@dataclass(frozen=True)
class CoVe:
    """CoVe (McCann et al. 2017) by its file of weights, over GloVe: a two-layer BiLSTM that learned
    to translate English into German. Layer 0 and lex are GloVe's vectors.
    """

    file: Path
    vectors: Annotated[
        Path,
        Help("glove.840B.300d.txt; words that it lacks are zeros"),
    ] = field(kw_only=True)
    layers: Annotated[
        str,
        Help(
            "lex, last, all, N, N-M; several with +. The paper's 900 numbers are read as"
            " cat:lex+top"
        ),
    ] = field(default="last", kw_only=True)
    pool: Annotated[
        Literal["mean", "max", "none"],
        Help("mean, max, or none for a vector of each word"),
    ] = field(default="mean", kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"cove:{self.file}"

    @property
    def kind(self) -> Literal["trained", "baseline", "oracle"]:
        """A trained encoder."""
        return "trained"

    @property
    def fingerprint(self) -> str:
        """The digests of the weights and of the word vectors."""
        return f"{self._digest} {open_word_table(self.vectors, 0, 0).fingerprint}"

    @property
    def base(self) -> str:
        return f"cove,tokens={self.tokens}" + (",units=words" if self.pool == "none" else "")

    @property
    def slots(self) -> tuple[str, ...]:
        return SlotEncoder.slots_of(self, _DEPTH)

    def asking(self, slots: tuple[str, ...]) -> SlotEncoder:
        return SlotEncoder.of(self, slots, "words")

    @property
    def _digest(self) -> str:
        return digest_of(self.file, "the weights of CoVe, SHA-256 b142a7f2…", COVE_SOURCE)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.asking(self.slots).encode(sentences)

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which words have no vector."""
        return ~open_word_table(self.vectors, 0, 0).look_up(words)[1]

    def read(self, sentences: Sequence[Sentence], asked: Sequence[tuple[str, str]]) -> Vectors:
        """The layers that are asked for, each with its pooling."""
        forms, tokens = each_word(sentences)
        vectors, _ = open_word_table(self.vectors, 0, 0).look_up(forms)
        net = _net(self.file, self._digest, vectors.shape[1])
        names = {layer for layer, _ in asked}

        def forward(rows: Ints) -> dict[str, Any]:
            return _layers(net, vectors, tokens.of(rows), names)

        low = vectors.shape[1]
        widths = {"lex": low, "0": low, "1": net.width, "2": net.width}
        return pool_layers(forward, tokens, asked, widths, self.tokens)


def _layers(
    net: Any, vectors: Floats, rows: Sequence[Ints], names: AbstractSet[str]
) -> dict[str, Any]:
    """The layers of a batch that are asked for, by the numbers of its words."""
    layers: dict[str, Any] = {}
    if names & {"lex", "0"}:
        layers["lex"] = layers["0"] = gather_vectors(vectors, rows)
    if names & {"1", "2"}:
        deep = enumerate(net.layers(vectors, rows), 1)
        layers |= {str(n): made for n, made in deep if str(n) in names}
    return layers


@functools.lru_cache(maxsize=2)
def _net(file: Path, mark: str, dim: int) -> Any:
    """The two layers of a file, of which `mark` is the digest, over vectors of `dim` numbers."""
    from lingprobe_extensions.archive.recurrence import RecurrentLayers

    state = torch_file(file)
    over_vectors(file, state, dim, _DEPTH, "CoVe")
    return RecurrentLayers.of(state, _DEPTH, 2)
