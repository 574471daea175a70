"""The parser that `lingprobe train parser` made."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from lingprobe import DataProblem, Help, Sentence
from lingprobe.extend import (
    Annotation,
    Ints,
    PlaceOption,
    WordInput,
    gather_vectors,
    make_batches,
    run_batches,
)
from lingprobe_extensions.train.encoder import TrainedEncoder
from lingprobe_extensions.train.parsers.decoding import decode_annotations
from lingprobe_extensions.train.seen import Hashes

_BLOCK = 1024  # sentences that are read before any is annotated
_TOKENS = 1024  # words of a batch, with padding
_CELLS = 1 << 14  # pairs of a word and a head, with padding, that are judged at once
_SHORT = 64  # words; in a batch of shorter sentences labels take more memory than heads do


@dataclass(frozen=True)
class NetworkParser:
    """A parser by its folder."""

    folder: PlaceOption
    epoch: Annotated[
        str,
        Help("after which it is read: the best on dev, or a number"),
    ] = field(default="best", kw_only=True)
    vectors: Annotated[
        Path | None,
        Help("the file of word vectors that it was trained with, where that lies elsewhere now"),
    ] = field(default=None, kw_only=True)

    @property
    def name(self) -> str:
        return f"lingprobe {Path(self.folder).expanduser().name}"

    @property
    def fingerprint(self) -> str:
        """The digests of its weights and of its word vectors."""
        return self._encoder.fingerprint

    @property
    def _encoder(self) -> TrainedEncoder:
        return TrainedEncoder(self.folder, epoch=self.epoch, pool="none", vectors=self.vectors)

    @property
    def _facts(self) -> Mapping[str, Any]:
        """What the folder says of itself; DataProblem where that is no parser."""
        facts = self._encoder.facts
        if "parser" not in facts:
            raise DataProblem(
                f"{self.folder} holds an encoder that does not parse; `lingprobe train parser`"
                " makes those that do"
            )
        return facts

    def saw(self) -> Hashes | None:
        """Hashes of the sentences that it was trained on."""
        return self._encoder.saw()

    def annotate(self, sentences: Sequence[Sequence[str]]) -> Iterator[Annotation]:
        """What is said of each sentence, in order."""
        rest = iter(sentences)
        while block := list(islice(rest, _BLOCK)):
            yield from self._annotate_block(block)

    def _annotate_block(self, block: list[Sequence[str]]) -> list[Annotation]:
        import torch

        encoder, facts = self._encoder, self._facts
        forms, numbers = WordInput.forms([Sentence(tuple(words), "") for words in block])
        network, (vectors, _) = encoder.parts(forms, facts)
        heads = _load_annotation_heads(encoder.weights(facts), encoder.fingerprint)
        sizes = np.array(list(map(len, block)), np.int64)
        words = np.split(numbers, np.cumsum(sizes)[:-1])
        made: dict[int, Annotation] = {}

        def work(rows: Ints) -> None:
            lengths, names = torch.from_numpy(sizes[rows]), facts["parser"]["names"]
            with torch.inference_mode():
                states = network(
                    gather_vectors(vectors, [words[i] for i in rows.tolist()]), lengths
                )
                for at in _group_rows_by_length(sizes[rows]):
                    some, longest = rows[at].tolist(), int(sizes[rows[at.start]])
                    mine = [block[i] for i in some]
                    told = decode_annotations(heads, states[at, :longest], lengths[at], mine, names)
                    made.update(zip(some, told, strict=True))

        run_batches(work, make_batches(sizes, _TOKENS), side_by_side=True)
        lemmas = facts["parser"].get("lemmas", {})
        return [_with_lemmas(made[i], words, lemmas) for i, words in enumerate(block)]


def _with_lemmas(told: Annotation, words: Sequence[str], lemmas: Mapping[str, str]) -> Annotation:
    """The same with the lemmas of auxiliaries that train had."""
    if not (lemmas and told.upos):
        return told
    both = zip(words, told.upos, strict=True)
    known = (lemmas.get(word.lower(), "_") if upos == "AUX" else "_" for word, upos in both)
    return replace(told, lemmas=tuple(known))


def _group_rows_by_length(lengths: Ints) -> Iterator[slice]:
    """Rows, longest first, that are annotated at once, so that memory does not grow with the square
    of their lengths.
    """
    start = 0
    while start < len(lengths):
        longest = int(lengths[start])
        stop = start + max(1, _CELLS // (longest * max(longest, _SHORT)))
        yield slice(start, stop)
        start = stop


@functools.lru_cache(maxsize=2)
def _load_annotation_heads(weights: Path | None, mark: str) -> Any:
    """What tells annotation from states, with the weights of a file; `mark` tells one content of it
    from another.
    """
    from lingprobe.extend import read_training_facts
    from lingprobe_extensions.train.encoder import tensors_of
    from lingprobe_extensions.train.nets.heads import HEAD_WEIGHT_PREFIX
    from lingprobe_extensions.train.nets.parsing import HeadShape, ParsingHeads

    assert weights is not None  # of a parser

    kept = tensors_of(weights)
    heads = ParsingHeads(HeadShape(**read_training_facts(weights.parent)["parser"]["heads"]))
    heads.load_state_dict(
        {name: kept[f"{HEAD_WEIGHT_PREFIX}{name}"] for name in heads.state_dict()}
    )
    return heads.eval()
