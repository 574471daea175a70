"""What the annotation says that labels of UD tasks are derived from, as facts for oracles.

A fact is never a label: it is a relation, a feature or a part of speech of one word in its place in the main
clause, the depth of a word, its place or its form; every sentence has many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from sonde.core import Sentence
from sonde.oracles import Facts
from sonde.sources.files import Part, digest
from sonde.sources.stretches import Stretch, stretches
from sonde.sources.tally import OnError
from sonde.sources.trees import features
from sonde.tasks.questions import Held

CLAUSE = {"clause": "relation, part of speech and features of the main predicate and each of its dependents"}
DEPTHS = {"depths": "how deep each word lies in the tree"}
FEATURES = {"features": "part of speech and features of every word"}
PLACES = {"places": "the place of each word, counted from the first"}
WORDS = {"words": "the form of each word, in lower case, without its place"}


@dataclass(frozen=True, slots=True)
class Told:
    """What an oracle says of the sentences of some files."""

    sentences: Mapping[Sentence, Facts]


_HELD: Held[Told] = Held()


def facts(oracle: str, files: list[Part], on_error: OnError, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
    """The facts of an oracle about some sentences, or about all of the treebanks that they come from."""
    if oracle in OF_WORDS:
        return {sentence: (OF_WORDS[oracle](sentence),) for sentence in sentences}
    key = (oracle, tuple(str(part.path.resolve()) for part in files), digest(part.path for part in files), on_error)
    return _HELD.get(key, lambda: _read(oracle, files, on_error)).sentences


def _read(oracle: str, files: list[Part], on_error: OnError) -> Told:
    found: dict[Sentence, Facts] = {}
    for part in files:
        for stretch in stretches(part.path, on_error):
            for sentence, said in zip(stretch.sentences(), _OF_TREES[oracle](stretch), strict=True):
                found.setdefault(sentence, (said,))
    return Told(found)


def _clause(stretch: Stretch) -> Iterator[tuple[str, ...]]:
    of = np.repeat(np.arange(len(stretch)), np.diff(stretch.starts))
    rows = np.flatnonzero(stretch.parents == stretch.roots[of])
    columns = [column.strings() for column in (stretch.deprels.take(rows), stretch.upos.take(rows), stretch.feats.take(rows))]
    words = stretch.words.take(rows).strings()
    said = [
        _word(*row) if row[0] != "punct" else ("punct", f"punct={word}")
        for row, word in zip(zip(*columns, strict=True), words, strict=True)
    ]
    bounds = np.searchsorted(of[rows], np.arange(len(stretch) + 1)).tolist()
    return (tuple(fact for one in said[a:b] for fact in one) for a, b in pairwise(bounds))


@lru_cache(maxsize=1 << 16)
def _word(place: str, upos: str, raw: str) -> tuple[str, ...]:
    """The facts of one word: its place in the clause, by itself and with each feature."""
    return (place, f"{place}.upos={upos}", *(f"{place}.{name}={value}" for name, value in features(raw).items()))


def _features(stretch: Stretch) -> Iterator[tuple[str, ...]]:
    said = [_word(upos, upos, raw) for upos, raw in zip(stretch.upos.strings(), stretch.feats.strings(), strict=True)]
    return (tuple(fact for one in said[a:b] for fact in one) for a, b in pairwise(stretch.starts.tolist()))


def _depths(stretch: Stretch) -> Iterator[tuple[str, ...]]:
    depths = [f"depth={depth}" for depth in stretch.levels().tolist()]
    return (tuple(depths[a:b]) for a, b in pairwise(stretch.starts.tolist()))


def _places(sentence: Sentence) -> tuple[str, ...]:
    return tuple(f"place={place}" for place in range(1, len(sentence.words) + 1))


def _words(sentence: Sentence) -> tuple[str, ...]:
    return tuple(f"word={word.lower()}" for word in sentence.words)


OF_WORDS: dict[str, Callable[[Sentence], tuple[str, ...]]] = {"places": _places, "words": _words}
_OF_TREES: dict[str, Callable[[Stretch], Iterator[tuple[str, ...]]]] = {"clause": _clause, "features": _features, "depths": _depths}
