"""What the annotation says that labels of UD tasks are derived from, as facts for oracles.

A fact is never a label: it is a relation, a feature or a part of speech of one word in its place in
the main clause, the depth of a word, its place or its form; every sentence has many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

import numpy as np

from lingprobe.corpora.batches import CodedStrings, TreebankBatch, read_treebank_batches
from lingprobe.corpora.files import CorpusPart, digest_files
from lingprobe.corpora.tally import OnError
from lingprobe.corpora.trees import parse_features
from lingprobe.data.core import Sentence
from lingprobe.data.oracles import Facts
from lingprobe.tasks.memory import oracle_facts
from lingprobe.tasks.parsed_corpora import is_large

CLAUSE_FACTS = {
    "clause": (
        "relation, part of speech and features of the main predicate and each of its dependents"
    )
}
WORD_DEPTH_FACTS = {"depths": "how deep each word lies in the tree"}
WORD_FACTS = {"words": "relation, part of speech and features of every word"}
FEATURE_FACTS = {"features": "part of speech and features of every word"}
WORD_PLACE_FACTS = {"places": "the place of each word, counted from the first"}
Says = Callable[[TreebankBatch], Iterator[tuple[str, ...]]]
"""What an oracle says of each of some sentences."""
Edit = Callable[[Sentence], Sentence]
CONTENT_WORD_FACTS = {
    "content": (
        "the words of the sentence, in lower case and without their places, but for the most"
        " frequent ones"
    )
}


def compute_treebank_facts(
    oracle: str,
    files: list[CorpusPart],
    on_error: OnError,
    sentences: Collection[Sentence],
    edit: Edit | None = None,
) -> Mapping[Sentence, Facts]:
    """The facts of an oracle about some sentences, or about all of the treebanks that they come
    from.

    edit  what was made of each sentence of the treebanks, where it is not asked about as it stands
    """
    if oracle in WORD_PLACE_FACTS:
        return build_place_facts(sentences)
    key = (
        "ud",
        oracle,
        tuple(str(part.path.resolve()) for part in files),
        digest_files(part.path for part in files),
        on_error,
        edit,
    )
    large = is_large(part.path for part in files)
    return oracle_facts(
        key,
        lambda: _read_treebank_facts(_OF_TREES[oracle], files, on_error, edit),
        sentences if large else (),
    )


def _read_treebank_facts(
    says: Says, files: list[CorpusPart], on_error: OnError, edit: Edit | None
) -> Iterator[tuple[Sentence, Facts]]:
    for part in files:
        for batch in read_treebank_batches(part.path, on_error):
            for sentence, said in zip(batch.sentences(), says(batch), strict=True):
                yield sentence if edit is None else edit(sentence), (said,)


def _clause(batch: TreebankBatch) -> Iterator[tuple[str, ...]]:
    of = np.repeat(np.arange(len(batch)), np.diff(batch.starts))
    rows = np.flatnonzero(batch.parents == batch.roots[of])
    columns = [
        column.strings()
        for column in (
            batch.deprels.take(rows),
            batch.upos.take(rows),
            batch.feats.take(rows),
        )
    ]
    words = batch.words.take(rows).strings()
    said = [
        _word(*row) if row[0] != "punct" else ("punct", f"punct={word}")
        for row, word in zip(zip(*columns, strict=True), words, strict=True)
    ]
    bounds = np.searchsorted(of[rows], np.arange(len(batch) + 1)).tolist()
    return (tuple(fact for one in said[a:b] for fact in one) for a, b in pairwise(bounds))


@lru_cache(maxsize=1 << 16)
def _word(place: str, upos: str, raw: str) -> tuple[str, ...]:
    """The facts of one word: its place, by itself and with its part of speech and each feature;
    `obl:agent` is an `obl`, too.
    """
    said = [f"upos={upos}", *(f"{name}={value}" for name, value in parse_features(raw).items())]
    places = dict.fromkeys((place.partition(":")[0], place))
    return tuple(fact for at in places for fact in (at, *(f"{at}.{each}" for each in said)))


def _features(batch: TreebankBatch) -> Iterator[tuple[str, ...]]:
    return _every(batch, batch.upos)


def _list_word_facts(batch: TreebankBatch) -> Iterator[tuple[str, ...]]:
    return _every(batch, batch.deprels)


def _every(batch: TreebankBatch, places: CodedStrings) -> Iterator[tuple[str, ...]]:
    """The facts of every word, by what it is called in one column."""
    columns = (column.strings() for column in (places, batch.upos, batch.feats))
    said = list(map(_word, *columns))
    return (
        tuple(fact for one in said[a:b] for fact in one) for a, b in pairwise(batch.starts.tolist())
    )


def _depths(batch: TreebankBatch) -> Iterator[tuple[str, ...]]:
    depths = [f"depth={depth}" for depth in batch.levels().tolist()]
    return (tuple(depths[a:b]) for a, b in pairwise(batch.starts.tolist()))


def build_place_facts(sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
    """The places that sentences have words in."""
    longest = max((len(sentence.words) for sentence in sentences), default=0)
    every = tuple(f"place={place}" for place in range(1, longest + 1))
    return {sentence: (every[: len(sentence.words)],) for sentence in sentences}


def build_content_facts(
    sentences: Collection[Sentence], frequent: Collection[str]
) -> Mapping[Sentence, Facts]:
    """The words of sentences, without the most frequent ones and marks."""
    dropped = frozenset(frequent)
    forms = {word for sentence in sentences for word in sentence.words}
    facts = {
        word: f"word={low}"
        for word in forms
        if (low := word.lower()) not in dropped and any(map(str.isalpha, low))
    }
    return {
        sentence: (tuple(facts[word] for word in sentence.words if word in facts),)
        for sentence in sentences
    }


_OF_TREES: dict[str, Says] = {
    "clause": _clause,
    "features": _features,
    "words": _list_word_facts,
    "depths": _depths,
}
