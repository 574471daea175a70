"""What a parser is, whoever made it: words in, annotation out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lingprobe.corpora.trees import TreeColumns

Words = Sequence[str]
_NOTHING = "_"  # what CoNLL-U writes where a column tells nothing


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a parser says of one sentence, a value for each word; a column that it does not tell is
    empty.

    feats       as CoNLL-U writes them, `_` for none
    heads       the index of each word's head, -1 at the root; always one tree
    brackets    its constituents, as one tree in brackets on one line; '' where they are not told
    confidence  how sure the parser is of the whole sentence, from 0 to 1; NaN where it does not
                tell
    lemmas      the LEMMA column
    """

    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    deprels: tuple[str, ...] = ()
    brackets: str = ""
    confidence: float = float("nan")
    lemmas: tuple[str, ...] = ()


class Parser(Protocol):
    """Annotates sentences whose words are given; the same words give the same annotation, in
    every batch.
    """

    @property
    def name(self) -> str:
        """What it is called in files that it wrote: engine and model."""
        ...

    @property
    def fingerprint(self) -> str:
        """Tells its model from another, and the version that runs it."""
        ...

    def annotate(self, sentences: Sequence[Words]) -> Iterator[Annotation]:
        """What is said of each sentence, in order; every sentence has a word at least."""
        ...


@runtime_checkable
class TrainedParser(Parser, Protocol):
    """A parser that knows which sentences it was trained on."""

    def saw(self) -> NDArray[np.uint64] | None:
        """Their hashes from `lingprobe.corpora.training_sentences`, sorted; None if unknown."""
        ...


def extract_annotation(tree: TreeColumns) -> Annotation:
    """What CoNLL-U tells of a sentence; columns that tell nothing of any word are empty."""
    upos, xpos, feats = (_drop_empty(column) for column in (tree.upos, tree.xpos, tree.feats))
    return Annotation(upos, xpos, feats, tree.heads, tree.deprels, lemmas=_drop_empty(tree.lemmas))


def _drop_empty(column: tuple[str, ...]) -> tuple[str, ...]:
    return column if any(cell != _NOTHING for cell in column) else ()
