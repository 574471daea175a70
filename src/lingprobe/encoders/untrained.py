"""The sentence encoders of Conneau et al. 2018, section 3, with random weights: what an
architecture knows before training.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from lingprobe.data.checks import check_number
from lingprobe.data.core import Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import DECODABLE_QUESTION, EncoderQuestion, Kind
from lingprobe.data.vectors import (
    Floats,
    Ints,
    Vectors,
    compute_offsets,
    expand_ranges,
    word_units,
)
from lingprobe.encoders.batches import (
    gather_vectors,
    make_batches,
    run_batches,
)
from lingprobe.encoders.tables import open_word_table
from lingprobe.encoders.word_files import word_digest

Architecture = Literal["bilstm-last", "bilstm-max", "gated-convnet"]
_GATES, _KERNEL = 4, 3  # of a cell, each with its weights, and words that a convolution sees
_LONGEST = 10_000  # words; the rest of a longer sentence is not read, and the sentence is flagged


@dataclass(frozen=True)
class UntrainedArchitecture:
    """An encoder with random weights over random or static word vectors: bilstm-last, bilstm-max or
    gated-convnet.
    """

    architecture: Architecture = "bilstm-max"
    vectors: Annotated[
        Path | None,
        Help(
            "a file of static word vectors; random ones of `dim` dimensions without. Words that it"
            " lacks are zeros"
        ),
    ] = field(default=None, kw_only=True)
    pool: Annotated[
        Literal["auto", "none"],
        Help("auto, as the architecture's name says; none keeps a vector for each word"),
    ] = field(default="auto", kw_only=True)
    dim: int = field(default=300, kw_only=True)
    hidden: Annotated[int, Help("units of a layer (of each direction)")] = field(
        default=512, kw_only=True
    )
    layers: Annotated[
        int | None,
        Help("how many; without, as in the paper: 2 recurrent ones, or 8 convolutions"),
    ] = field(default=None, kw_only=True)
    lowercase: bool = field(default=False, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    kind: ClassVar[Kind] = "baseline"
    opposes: ClassVar[tuple[EncoderQuestion, ...]] = (DECODABLE_QUESTION,)
    takes = "sentences"

    def __post_init__(self) -> None:
        check_number("untrained,hidden", self.hidden, "1")
        check_number("untrained,layers", self.layers, "1")

    @property
    def name(self) -> str:
        return f"untrained:{self.architecture}"

    @property
    def width(self) -> int:
        """Numbers of a vector: a state of each direction, or the units of a convolution."""
        return self.hidden * (2 if self.architecture.startswith("bilstm") else 1)

    @property
    def by_word(self) -> bool:
        """Whether each word has a vector."""
        return self.pool == "none"

    @property
    def word_operations(self) -> float:
        """Two for each weight, for vectors of `dim` numbers."""
        hidden = self.hidden
        if self.architecture == "gated-convnet":
            return 2.0 * hidden * (self.dim + (self.layers or 8) * _KERNEL * 2 * hidden)
        layers = self.layers or 2  # the first reads words, the others both directions
        inputs = self.dim + (layers - 1) * 2 * hidden + layers * hidden
        return 2.0 * 2 * _GATES * hidden * inputs

    @property
    def fingerprint(self) -> str:
        """The digest of the word vectors."""
        return "random" if self.vectors is None else word_digest(self.vectors)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        from lingprobe.nets.trainable import NetworkShape

        forms, numbers = WordInput.forms(sentences, self.lowercase)
        vectors, _ = open_word_table(self.vectors, self.dim, self.seed).look_up(forms)
        shape = NetworkShape(self.architecture, vectors.shape[1], self.hidden, self.layers or 0)
        counts = np.array([len(s.words) for s in sentences], np.int64)
        read = WordInput(vectors, numbers, counts)
        net = _draw_sentence_network(shape, self.seed, self.by_word)
        return read.encode(net, shape.width, self.by_word, self.tokens)


class WordInput(NamedTuple):
    """What a network reads.

    vectors  [forms, dim] of the distinct words
    numbers  [words] the row of each word's vector, one sentence after the other
    counts   [sentences] how many words each sentence has
    """

    vectors: Floats
    numbers: Ints
    counts: Ints

    @staticmethod
    def forms(sentences: Sequence[Sentence], lowercase: bool = False) -> tuple[list[str], Ints]:
        """The distinct words of some sentences, and for each word the place of its own among them
        [words], one sentence after the other.
        """
        forms: dict[str, int] = {}
        words = (w.lower() if lowercase else w for s in sentences for w in s.words)
        numbers = np.array([forms.setdefault(w, len(forms)) for w in words], np.int64)
        return list(forms), numbers

    def encode(self, net: Any, width: int, by_word: bool, tokens: int) -> Vectors:
        """What a network over word vectors makes of sentences: a vector of `width` numbers for
        each, or for each of their words.
        """
        counts = self.counts
        lengths, starts = np.minimum(counts, _LONGEST), np.cumsum(counts) - counts
        units = compute_offsets(lengths) if by_word else np.arange(len(counts) + 1)
        outputs = np.zeros((int(units[-1]), width), np.float32)

        def work(rows: Ints) -> None:
            words = [
                self.numbers[s : s + n] for s, n in zip(starts[rows], lengths[rows], strict=True)
            ]
            states = _run_net(net, gather_vectors(self.vectors, words), lengths[rows], by_word)
            outputs[expand_ranges(units[rows], units[rows + 1])[0]] = states

        run_batches(work, make_batches(lengths, tokens), side_by_side=True)
        spans = word_units(counts, lengths) if by_word else None
        return Vectors((outputs,), ("-",), spans, counts > _LONGEST)


def _run_net(net: Any, words: Any, lengths: Ints, by_word: bool) -> Floats:
    """What a network makes of sentences, of which the first is the longest: a row for each, or for
    each of their words.
    """
    import torch

    with torch.inference_mode():
        states: Floats = net(words, torch.from_numpy(lengths)).numpy()
    if not by_word:
        return states
    return np.concatenate([row[:length] for row, length in zip(states, lengths, strict=True)])


@functools.lru_cache(maxsize=4)
def _draw_sentence_network(shape: Any, seed: int, by_word: bool) -> Any:
    return shape.network(seed, by_word)
