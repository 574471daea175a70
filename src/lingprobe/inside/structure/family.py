"""The tasks of structure/: how far apart the words of a sentence are in its tree, and how deep each
one is (Hewitt & Manning 2019). An example is a sentence with all its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.views import Tree, read_blocks, view_trees
from lingprobe.data.labels import NumberList
from lingprobe.inside.structure.trees import (
    compute_root_paths,
    compute_tree_distances,
    compute_word_depths,
    list_word_pairs,
)
from lingprobe.tasks.answers import Answer, Reason
from lingprobe.tasks.edge.family import (
    EDGE_TREE_SUFFIXES,
    EdgeTaskOptions,
    ReadingTally,
    TargetReader,
    TaskOracle,
    WordFacts,
)
from lingprobe.tasks.rules import question

_TREE = "the edges between each word and the root: squared distances of words are those in the tree"
_TAGS = "the part of speech of each word, and its place in the sentence"


def _list_heads(tree: Tree) -> list[int | None]:
    return [None if (head := word.head) is None else head.index for word in tree.words]


def _tree(tree: Tree) -> list[tuple[str, ...]]:
    """An edge is named by its lower word, so that words that share it share the fact."""
    return [
        tuple(f"edge above word {at + 1}" for at in path)
        for path in compute_root_paths(_list_heads(tree))
    ]


def _tags(tree: Tree) -> list[tuple[str, ...]]:
    """Places as steps, so that squared distances of words are the numbers of words between them."""
    steps = [f"behind word {at + 1}" for at in range(len(tree.words))]
    return [(f"upos={word.upos}", *steps[:at]) for at, word in enumerate(tree.words)]


_FACTS = {"tree": _tree, "tags": _tags}


def _oracles(reader: TargetReader[Any]) -> Mapping[str, TaskOracle[Any]]:
    return {"tree": TaskOracle(_TREE, _read_trees), "tags": TaskOracle(_TAGS, _read_tags)}


def _read_trees(
    options: EdgeTaskOptions, parts: list[CorpusPart], count: ReadingTally
) -> WordFacts:
    return _read_structure_facts("tree", options, parts, count)


def _read_tags(options: EdgeTaskOptions, parts: list[CorpusPart], count: ReadingTally) -> WordFacts:
    return _read_structure_facts("tags", options, parts, count)


def _read_structure_facts(
    oracle: str, options: EdgeTaskOptions, parts: list[CorpusPart], count: ReadingTally
) -> WordFacts:
    for part in parts:
        for block in read_blocks(part.path, options.on_error, count.tally):
            for tree in view_trees(block, block.sentences()):
                yield tree.sentence, _FACTS[oracle](tree)


@question(
    "structure/distance",
    "How far apart are the words of each pair in the tree?",
    about="spans",
    files=EDGE_TREE_SUFFIXES,
    oracles=_oracles,
    metric="uuas",
    probe="structural",
    baselines=("tags",),
)
def distance(tree: Tree) -> Iterator[tuple[tuple[int, int], Answer] | Reason]:
    """As all edge tasks; an example is a sentence, and `size` counts sentences."""
    words = tree.words
    if len(words) < 2:
        yield Reason("sentences of one word")
        return
    counts = [word.upos != "PUNCT" for word in words]
    first, second = list_word_pairs(len(words))
    both = [counts[i] and counts[j] for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    yield (
        (0, len(words)),
        Answer(NumberList("distance", compute_tree_distances(_list_heads(tree)), both)),
    )


@question(
    "structure/depth",
    "How deep in the tree is each word?",
    about="spans",
    files=EDGE_TREE_SUFFIXES,
    oracles=_oracles,
    metric="root-accuracy",
    probe="structural",
    baselines=("tags",),
)
def depth(tree: Tree) -> Iterator[tuple[tuple[int, int], Answer] | Reason]:
    """As all edge tasks; an example is a sentence, and `size` counts sentences."""
    words = tree.words
    if len(words) < 2:
        yield Reason("sentences of one word")
        return
    counts = [word.upos != "PUNCT" for word in words]
    yield (
        (0, len(words)),
        Answer(NumberList("depth", compute_word_depths(_list_heads(tree)), counts)),
    )
