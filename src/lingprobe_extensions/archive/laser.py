"""LASER (Artetxe & Schwenk 2019; Heffernan et al. 2022) as it was published: one encoder for many
languages.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem, Help, Sentence, Vectors
from lingprobe.extend import Ints, digest_files
from lingprobe_extensions.archive.bpe import vocabulary_of
from lingprobe_extensions.archive.files import find_file, format_installed_versions, torch_file
from lingprobe_extensions.archive.laser_text import (
    TEXT_RULES_VERSION,
    SubwordSegmenter,
    by_codes,
    by_sentencepiece,
)
from lingprobe_extensions.archive.passes import MAX_SENTENCE_WORDS, TokenBatch, pool_layers
from lingprobe_extensions.archive.sources import LASER_SOURCE

_SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}


@dataclass(frozen=True)
class LaserEncoder:
    """LASER by the folder of a model: that of 93 languages (Artetxe & Schwenk 2019) with its BPE
    codes and vocabulary, or LASER2 or LASER3 (Heffernan et al. 2022) with sentencepiece.
    """

    folder: Path
    lang: Annotated[
        str,
        Help(
            "by whose rules the model of 93 languages has punctuation normalised and words cut:"
            " two letters, as Moses names languages; LASER2 and LASER3 normalise all by the"
            " English ones"
        ),
    ] = field(default="en", kw_only=True)
    pool: Annotated[
        Literal["auto", "none"],
        Help(
            "auto, as published: the maximum over states, or the first of a LASER3 that was"
            " trained so; or none for the states of subwords"
        ),
    ] = field(default="auto", kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"laser:{self.folder}"

    @property
    def fingerprint(self) -> str:
        """The digests of the model and its pieces, and the versions of what cuts texts."""
        files = [file for file in (self._model, *self._pieces) if file is not None]
        cut = f"{TEXT_RULES_VERSION} {format_installed_versions('sacremoses', 'sentencepiece')}"
        return f"{' '.join(digest_files([f]) for f in files)} {cut}"

    @property
    def _model(self) -> Path:
        return find_file(self.folder, ("*.pt",), "the model of LASER", LASER_SOURCE)

    @property
    def _pieces(self) -> tuple[Path, Path | None]:
        """The file of merges or of sentencepiece, and that of the vocabulary where there is one."""
        what = "how LASER cuts words"
        first = find_file(self.folder, ("*.fcodes", "*.spm"), what, LASER_SOURCE)
        if first.suffix == ".fcodes":
            what = "the subwords of the codes"
            return first, find_file(self.folder, ("*.fvocab",), what, LASER_SOURCE)
        return first, next(iter(sorted(self.folder.expanduser().glob("*.cvocab"))), None)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        pieces, model = self._read()
        read = _tokens(sentences, pieces, model, self.pool == "none")
        pool = model.pool if self.pool == "auto" else self.pool

        def forward(rows: Ints) -> dict[str, Any]:
            return {"-": model.network.top(model.vectors, read.of(rows), pool)}

        return pool_layers(forward, read, [("-", pool)], {"-": model.network.width}, self.tokens)

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Of which words some piece is unknown."""
        pieces, model = self._read()
        return np.array(
            [any(p not in model.numbers for p in pieces.of(word)) for word in words], bool
        )

    def _read(self) -> tuple[SubwordSegmenter, LaserModel]:
        """What cuts texts, and the model."""
        first, vocabulary = self._pieces
        if first.suffix == ".fcodes":
            pieces = by_codes(first, vocabulary, self.lang)
        else:
            pieces = by_sentencepiece(first)
        marks = digest_files([self._model]), digest_files([vocabulary]) if vocabulary else ""
        return pieces, _load_model(self._model, vocabulary, marks)


@dataclass(frozen=True)
class LaserModel:
    """A model: the numbers of its pieces, their vectors, its network, and how it reads a sentence.

    marked   whether <s> stands before a sentence; </s> stands behind in any case
    longest  how many tokens it can read
    pool     max or cls
    """

    numbers: Mapping[str, int]
    vectors: NDArray[np.float32]
    network: Any
    marked: bool
    longest: int
    pool: str


def _tokens(
    sentences: Sequence[Sentence], pieces: SubwordSegmenter, model: LaserModel, by_word: bool
) -> TokenBatch:
    """The pieces of each sentence between its marks: of its text, or of its words one by one."""
    unknown, find = model.numbers["<unk>"], model.numbers.get
    begin = [model.numbers["<s>"]] if model.marked else []
    end = [model.numbers["</s>"]]
    room = model.longest - len(begin) - 1
    rows, counts, cut = [], [], []
    for sentence in sentences:
        parts = [pieces.of(w) for w in sentence.words] if by_word else [pieces.of(sentence.text)]
        ids = [find(piece, unknown) for part in parts for piece in part]
        before = np.minimum(np.cumsum([0, *(len(part) for part in parts)]), room)
        counts += np.diff(before).tolist()
        cut.append(len(ids) > room)
        rows.append([*begin, *ids[:room], *end])
    words = np.array([len(s.words) for s in sentences], np.int64)
    pieces_of = np.array(counts, np.int64)
    return TokenBatch.of_rows(rows, pieces_of, words, (len(begin), 1), np.array(cut, bool))


@functools.lru_cache(maxsize=2)
def _load_model(file: Path, vocabulary: Path | None, marks: tuple[str, str]) -> LaserModel:
    """The model of a file, whose digest and that of its vocabulary are `marks`."""
    from lingprobe_extensions.archive.laser_networks import load_laser3

    state = torch_file(file, namespaces=True)
    if not isinstance(state, Mapping) or "model" not in state:
        raise DataProblem(f"{file} has no weights under 'model', which every LASER has")
    if "params" in state:
        return _recurrent(file, state)
    deep, vectors, settings = load_laser3(file, state)
    if vocabulary is None:
        raise DataProblem(
            f"{file} is a LASER3, which is read with the .cvocab beside it; download that, too"
        )
    numbers = _vocabulary(vocabulary, len(vectors))
    pool = "cls" if settings.get("sentemb_criterion") == "cls" else "max"
    longest = int(settings.get("max_source_positions") or MAX_SENTENCE_WORDS)
    marked = bool(settings.get("prepend_bos"))
    return LaserModel(numbers, vectors, deep, marked, longest, pool)


def _recurrent(file: Path, state: Mapping[str, Any]) -> LaserModel:
    """A model of LSTMs, which brings its dictionary."""
    from lingprobe_extensions.archive.laser_networks import load_lstm

    network, vectors = load_lstm(file, state)
    numbers = dict(state.get("dictionary") or {})
    if not numbers.keys() >= {"</s>", "<unk>"} or max(numbers.values()) >= len(vectors):
        raise DataProblem(
            f"{file} has no dictionary of its {len(vectors):,} subwords; download it again"
        )
    return LaserModel(_SPECIAL | numbers, vectors, network, False, MAX_SENTENCE_WORDS, "max")


def _vocabulary(file: Path, rows: int) -> dict[str, int]:
    """The numbers of the pieces of a fairseq dictionary (`piece count` a line), behind the four
    special ones.
    """
    pieces = vocabulary_of(file)
    # fairseq fills tables of vectors up to a multiple of eight
    if not rows - 8 < len(pieces) + len(_SPECIAL) <= rows:
        raise DataProblem(f"{file} has {len(pieces):,} subwords, and the model {rows:,} vectors")
    return {piece: number for number, piece in enumerate(pieces, len(_SPECIAL))} | _SPECIAL
