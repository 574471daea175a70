"""What trees say that labels of the tasks of Conneau et al. 2018 are derived from, as facts for
oracles.

A fact is never a label: it is the place of one word in its tree, a constituent and its place, the
depth of a word, its place or its form. No annotation tells whether a sentence was altered; what
tells is where each of its words stood before, so that the oracles of these tasks hold that, and say
nothing about language.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from sonde.core import Sentence
from sonde.corpora import brackets, tagged
from sonde.corpora.brackets import Strings, Tree
from sonde.corpora.files import digest, uncompressed
from sonde.corpora.tally import OnError
from sonde.oracles import Facts
from sonde.tasks.parsed import Source, oracle_facts
from sonde.tasks.tree.altered import Altered
from sonde.tasks.tree.clause import NO_OBJECT, VERBS, head
from sonde.tasks.tree.corpus import LENGTHS
from sonde.tasks.ud.facts import PLACES, places

PHRASES = {
    "phrases": (
        "verbs and the heads of noun phrases, each with its tag and the labels of the phrases above"
        " it, six at most"
    )
}
CONSTITUENTS = {"constituents": "the constituents right below the sentence, each with its place"}
DEPTHS = {"depths": "how many nodes lie above each word"}
ORIGINS = {
    "origins": (
        "the place that each word had before the sentence was altered; it is no annotation, and"
        " tells nothing about language"
    )
}
TOP = 6  # phrases above a word, from the top, that are told

Says = Callable[[Tree], Sequence[str]]


def facts(
    oracle: str, files: Sequence[Source], on_error: OnError, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """The facts of an oracle about some sentences, or about all that the files have."""
    if oracle in PLACES:
        return places(sentences)
    paths = [source.part.path for source in files]
    key = ("tree", oracle, tuple(str(path.resolve()) for path in paths), digest(paths), on_error)
    return oracle_facts(key, lambda: _read(OF_TREES[oracle], paths, on_error))


def origins(made: Sequence[Altered]) -> Mapping[Sentence, Facts]:
    """Where each word of some sentences stood before they were altered."""
    return {one.candidate.sentence: (_moves(tuple(one.origins)),) for one in made}


def has_trees(files: Sequence[Source]) -> bool:
    """Whether all of some files are of trees."""
    return not any(_is_text(source.part.path) for source in files)


def _is_text(path: Path) -> bool:
    return uncompressed(path).suffix == ".txt" or tagged.is_tagged(path)


def _read(says: Says, paths: Sequence[Path], on_error: OnError) -> Iterator[tuple[Sentence, Facts]]:
    strings = Strings()
    for path in paths:
        for tree in brackets.read(path, on_error, strings=strings):
            if len(tree.words) in LENGTHS:
                yield tree.sentence, (says(tree),)


def _phrases(tree: Tree) -> list[str]:
    paths, levels = [""] * len(tree.labels), [0] * len(tree.labels)
    said = []
    for node in range(len(tree.labels)):
        if node:
            above = tree.parents[node]
            levels[node], paths[node] = levels[above] + 1, _below(paths[above], _label(tree, node))
        if levels[node] > TOP:
            continue
        if tree.labels[node] == "NP" and (noun := head(tree, node)).at >= 0:
            said.append(_below(paths[node], tree.tags[noun.at]))
        said += [
            _below(paths[node], child.label)
            for child in tree.children(node)
            if child.label in VERBS or child.label == "MD"
        ]
    return said


def _label(tree: Tree, node: int) -> str:
    """A phrase's label, with the function tag that makes it an adverbial."""
    adverbial = next((tag for tag in tree.functions[node].split("-") if tag in NO_OBJECT), "")
    return tree.labels[node] + (f"-{adverbial}" if adverbial else "")


@lru_cache(maxsize=1 << 16)
def _below(above: str, label: str) -> str:
    """A way down the tree, one label further."""
    return f"{above}/{label}"


def _constituents(tree: Tree) -> list[str]:
    top = tree.children(0)
    below = tree.children(top[0].node) if len(top) == 1 and top[0].node >= 0 else top
    return [f"{place}={child.label}" for place, child in enumerate(below, 1)]


def _depths(tree: Tree) -> list[str]:
    levels = [1] * len(tree.labels)
    for node in range(1, len(levels)):
        levels[node] = levels[tree.parents[node]] + 1
    return [
        f"depth={levels[node]}"
        for node in range(len(levels))
        for child in tree.children(node)
        if child.node < 0
    ]


@lru_cache(maxsize=1 << 16)
def _moves(places: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(
        f"{to} from {place + 1 if place >= 0 else 'nowhere'}" for to, place in enumerate(places, 1)
    )


OF_TREES: Mapping[str, Says] = {
    "phrases": _phrases,
    "constituents": _constituents,
    "depths": _depths,
}
