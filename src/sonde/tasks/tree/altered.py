"""What the tasks that alter sentences share.

They are put to the distinct sentences of a corpus, each of which comes either as it was or
altered, never both; a random half of those that could be altered is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sonde.corpora.frequencies import Frequencies
from sonde.corpora.rendering import mark
from sonde.datasets import Candidate
from sonde.datasets.candidates import NOTHING
from sonde.tasks.parsed import stratum

QUOTES = frozenset(['"', "“", "”", "``", "''", "„", "«", "»"])
NAMES = ("NNP", "NNPS")


class Altered(NamedTuple):
    """A candidate, and the place that each of its words had in the sentence as it was written, from
    0; -1 for a word put in.
    """

    candidate: Candidate
    origins: Sequence[int]


def altered(rows: Sequence[int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which rows are altered: a random half, [rows]."""
    return rng.permutation(len(rows)) < len(rows) // 2


def quoted(words: Iterable[str]) -> bool:
    """Whether there are double quotes among the words."""
    return not QUOTES.isdisjoint(words)


def shouted(words: Sequence[str]) -> bool:
    """Whether most words of two letters or more are written in capitals, so that a first word's
    capital says nothing.
    """
    longer = [word for word in words if len(word) > 1 and word.isalpha()]
    return 2 * sum(map(str.isupper, longer)) > len(longer)


def is_name(word: str, tag: str, counts: Frequencies) -> bool:
    """Whether a first word keeps its capital elsewhere: names, `I`, capitals inside, and what a
    corpus mostly writes so.
    """
    return (
        tag in NAMES
        or word == "I"
        or word[1:] != word[1:].lower()
        or bool(counts.is_name(word))
        or mark(word)
    )


def source(sources: Sequence[str], row: int) -> Mapping[str, str]:
    """The stratum that says where a sentence comes from, nothing where that is not known."""
    return stratum(sources[row]) if sources else NOTHING
