"""Skip-Thought vectors (Kiros et al. 2015) as they were published: GRUs over tables of words."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem, Help, Sentence, Vectors
from lingprobe.extend import Floats, Ints, WordTable, open_word_table, report_damage
from lingprobe_extensions.archive.files import (
    Shapes,
    check_weight_shapes,
    digest_of,
    hidden_units,
    mmap_table,
    read_arrays,
)
from lingprobe_extensions.archive.passes import (
    TokenBatch,
    count_word_units,
    gather_read_words,
    pool_layers,
)
from lingprobe_extensions.archive.sources import SKIPTHOUGHT_SOURCE

_WHAT = "a Skip-Thought model"
_END, _UNKNOWN = "<eos>", "UNK"
_FILES = {"uni": ("uni_skip.npz", "utable.npy"), "bi": ("bi_skip.npz", "btable.npy")}
_WORDS = "dictionary.txt"
_HELD = {
    ".txt": "the words of Skip-Thought, one a line",
    ".npz": "the weights of Skip-Thought",
    ".npy": "the vectors of Skip-Thought's words",
}
_OWN = 20_000  # words of the published models' own vocabulary, over which the expansion is learnt


@dataclass(frozen=True)
class SkipThought:
    """Skip-Thought vectors (Kiros et al. 2015) by the folder of their files: uni-skip (2,400
    numbers), bi-skip (2,400) or both side by side.
    """

    folder: Path
    model: Literal["uni", "bi", "combined"] = field(default="combined", kw_only=True)
    normalise: Annotated[
        bool,
        Help("whether the vector of each model is made one long, as published"),
    ] = field(default=True, kw_only=True)
    end: Annotated[
        bool,
        Help(
            "whether <eos> is read behind a sentence, which the published code does not by default"
        ),
    ] = field(default=False, kw_only=True)
    vectors: Annotated[
        Path | None,
        Help(
            "a word2vec file: words that the tables lack are mapped from it, by the least squares"
            " of section 2.2 over the first 20,000 words; else they are UNK"
        ),
    ] = field(default=None, kw_only=True)
    pool: Annotated[
        Literal["last", "none"],
        Help("last as published, or none for the states of words"),
    ] = field(default="last", kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"skipthought:{self.folder},model={self.model}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The models whose vectors stand side by side."""
        return ("uni", "bi") if self.model == "combined" else (self.model,)

    @property
    def fingerprint(self) -> str:
        """The digests of the files that are read."""
        words = [] if self.vectors is None else [open_word_table(self.vectors, 0, 0).fingerprint]
        return " ".join([*(_digest(file) for file in self._files()), *words])

    def _files(self) -> list[Path]:
        folder = self.folder.expanduser()
        return [folder / _WORDS, *(folder / file for part in self.parts for file in _FILES[part])]

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        layers = [self._encode_part(part, sentences) for part in self.parts]
        first = layers[0]
        joined = np.concatenate([each.layers[0] for each in layers], 1)
        return Vectors((joined,), ("-",), first.spans, first.cut)

    def _encode_part(self, part: str, sentences: Sequence[Sentence]) -> Vectors:
        """The vectors of one model."""
        weights, place = (self.folder.expanduser() / name for name in _FILES[part])
        net = _net(weights, _digest(weights), part == "bi")
        words, counts, cut = gather_read_words(sentences)
        forms = dict.fromkeys([_END, *(word for row in words for word in row)])
        table = _check_word_table(self, place, net.reads)
        vectors = table.look_up(list(forms))
        numbers = {form: number for number, form in enumerate(forms)}
        read = _tokens(words, numbers, counts, cut, self.end)

        def forward(rows: Ints) -> dict[str, Any]:
            return {"-": net.top(vectors, read.of(rows), self.pool)}

        made = pool_layers(forward, read, [("-", self.pool)], {"-": net.width}, self.tokens)
        return _one_long(made) if self.normalise and self.pool == "last" else made

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which words are read as UNK."""
        numbers = _read_word_numbers(self.folder, _digest(self.folder.expanduser() / _WORDS))
        lacking = np.array([word not in numbers for word in words], bool)
        if self.vectors is not None:
            lacking &= ~open_word_table(self.vectors, 0, 0).look_up(words)[1]
        return lacking


def _digest(file: Path) -> str:
    """The digest of a file of the folder."""
    return digest_of(file, _HELD[file.suffix], SKIPTHOUGHT_SOURCE)


def _one_long(made: Vectors) -> Vectors:
    """Each vector divided by its length; one of zeros stays."""
    vectors = made.layers[0]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return Vectors((scaled,), ("-",), cut=made.cut)


def _tokens(
    words: list[list[str]],
    numbers: Mapping[str, int],
    counts: Ints,
    cut: NDArray[np.bool_],
    end: bool,
) -> TokenBatch:
    """The words of each sentence, and <eos> where it is read."""
    behind = [numbers[_END]] if end else []
    rows = [[*(numbers[word] for word in row), *behind] for row in words]
    return TokenBatch.of_rows(rows, count_word_units(counts), counts, (0, int(end)), cut)


@dataclass(frozen=True)
class ExpandedVocabulary:
    """The vectors of words that a model reads, and where words that it lacks come from.

    mapped_from  word vectors, and the matrix [dim + 1, dim of the table] that maps them
    """

    numbers: Mapping[str, int]
    rows: Floats
    mapped_from: tuple[WordTable, Floats] | None

    def look_up(self, words: Sequence[str]) -> Floats:
        """A vector for each word [words, dim]."""
        unknown = self.numbers[_UNKNOWN]
        places = np.array([self.numbers.get(word, unknown) for word in words], np.int64)
        vectors = np.asarray(self.rows[places], np.float32)
        new = [i for i, word in enumerate(words) if word not in self.numbers]
        if self.mapped_from is not None and new:
            others, matrix = self.mapped_from
            found, known = others.look_up([words[i] for i in new])
            vectors[np.array(new)[known]] = found[known] @ matrix[:-1] + matrix[-1]
        return vectors


def _check_word_table(encoder: SkipThought, place: Path, dim: int) -> ExpandedVocabulary:
    """The table of a model; DataProblem where it is not one of its words and numbers."""
    numbers = _read_word_numbers(encoder.folder, _digest(encoder.folder.expanduser() / _WORDS))
    own = _digest(place)
    rows = mmap_table(place)
    if rows.shape[1] != dim or len(rows) < len(numbers):
        raise DataProblem(
            f"{place} has {len(rows):,} vectors of {rows.shape[1]:,} dimensions, expected"
            f" {len(numbers):,} of {dim:,}"
        )
    if len(numbers) < len(rows) and not _ends_with_a_line(encoder.folder.expanduser() / _WORDS):
        raise DataProblem(
            f"{encoder.folder / _WORDS} is cut: it ends within a line and has {len(numbers):,}"
            f" words for the {len(rows):,} vectors of {place.name}; download it again"
        )
    if encoder.vectors is None:
        return ExpandedVocabulary(numbers, rows, None)
    marks = own, open_word_table(encoder.vectors, 0, 0).fingerprint
    return ExpandedVocabulary(
        numbers, rows, _expansion(place, encoder.folder, encoder.vectors, marks)
    )


def _ends_with_a_line(file: Path) -> bool:
    with file.open("rb") as text:
        text.seek(-1, 2)
        return text.read() == b"\n"


@functools.lru_cache(maxsize=4)
def _expansion(
    place: Path, folder: Path, vectors: Path, marks: tuple[str, str]
) -> tuple[WordTable, Floats]:
    """Words added by a linear map from word2vec: word vectors, and the matrix that maps them to the
    table with the least squares over words that both have; `marks` are the digests of the files.
    """
    numbers = _read_word_numbers(folder, _digest(folder.expanduser() / _WORDS))
    own = [word for word in list(numbers)[:_OWN] if word not in (_END, _UNKNOWN)]
    others = open_word_table(vectors, 0, 0)
    found, known = others.look_up(own)
    if known.sum() <= found.shape[1]:
        raise DataProblem(
            f"{vectors} has {int(known.sum()):,} of the words of {folder}, too few to map its"
            f" vectors of {found.shape[1]:,} dimensions"
        )
    wanted = mmap_table(place)[[numbers[w] for w, there in zip(own, known, strict=True) if there]]
    read = np.column_stack([found[known], np.ones(int(known.sum()))]).astype(np.float64)
    matrix, *_ = np.linalg.lstsq(read, wanted.astype(np.float64), rcond=None)
    return others, matrix.astype(np.float32)


@functools.lru_cache(maxsize=2)
def _read_word_numbers(folder: Path, mark: str) -> dict[str, int]:
    """The row of each word, by a folder whose dictionary has the digest `mark`."""
    file = folder.expanduser() / _WORDS
    with report_damage(file, "a UTF-8 text"):
        lines = file.read_text("utf-8").removesuffix("\n").split("\n")
    # of a word that comes twice the last row counts, as in a dictionary made of pairs
    numbers = {line.strip(): row for row, line in enumerate(lines)}
    for word in (_END, _UNKNOWN):
        if word not in numbers:
            raise DataProblem(f"{file} lacks {word}, which every table of Skip-Thought has")
    return numbers


def _shapes(dim: int, hidden: int, prefix: str) -> Shapes:
    """The weights of a GRU as the published code names them."""
    return {
        f"{prefix}_W": (dim, 2 * hidden),
        f"{prefix}_b": (2 * hidden,),
        f"{prefix}_U": (hidden, 2 * hidden),
        f"{prefix}_Wx": (dim, hidden),
        f"{prefix}_Ux": (hidden, hidden),
        f"{prefix}_bx": (hidden,),
    }


@functools.lru_cache(maxsize=2)
def _net(file: Path, mark: str, both: bool) -> Any:
    """The GRU of a file, of which `mark` is the digest, or those of `both` directions."""
    import torch

    from lingprobe_extensions.archive.recurrence import RecurrentLayers, build_recurrent_layer

    state = read_arrays(file, "encoder")
    hidden = hidden_units(file, state, "encoder_Ux", _WHAT)
    dim = len(state["encoder_W"]) if "encoder_W" in state else 0
    weights: dict[str, torch.Tensor] = {}
    for prefix, side in (("encoder", ""), ("encoder_r", "_reverse"))[: 1 + both]:
        check_weight_shapes(file, state, _shapes(dim, hidden, prefix), _WHAT)

        def join_weights(*names: str, prefix: str = prefix) -> Any:
            parts = [state.pop(f"{prefix}_{name}").T for name in names]
            return torch.from_numpy(np.concatenate(parts).astype(np.float32, copy=False))

        weights |= {
            f"weight_ih_l0{side}": join_weights("W", "Wx"),
            f"weight_hh_l0{side}": join_weights("U", "Ux"),
            f"bias_ih_l0{side}": join_weights("b", "bx"),
            f"bias_hh_l0{side}": torch.zeros(3 * hidden),
        }
    return RecurrentLayers([build_recurrent_layer(torch.nn.GRU, weights)])
