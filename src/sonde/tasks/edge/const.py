"""Constituents of bracketed trees, or of CoNLL-2012 columns: which label has the phrase? (Tenney et
al. 2019, section 2.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sonde.corpora import brackets, conll2012
from sonde.corpora.brackets import Tree
from sonde.corpora.corpus import corpus
from sonde.corpora.files import Part, uncompressed
from sonde.labels import Label
from sonde.tasks.edge.columns import Marked
from sonde.tasks.edge.facts import spans
from sonde.tasks.edge.family import GOLD, Count, Kind, Options, edge

Unary = Literal["top", "joined", "set", "separate"]
WRAPPER = "TOP"


@dataclass(frozen=True, slots=True)
class ConstOptions(Options):
    """As all edge tasks; from trees in brackets (.mrg, .ptb, ...) or CoNLL-2012 columns
    (.gold_conll).

    unary  of phrases over the same words (S over VP) top: the highest is the target; joined: one
           target, whose label is `S+VP`; set: one target with the set of their labels; separate:
           each is a target, as in the paper, so that the same span is asked about twice with
           different answers
    root   whether the node over the whole tree, TOP, is a target too, as in the paper
    """

    unary: Unary = field(default="top", kw_only=True)
    root: bool = field(default=False, kw_only=True)


class Phrases(NamedTuple):
    """The targets of a tree; a word's own tag is none."""

    spans: list[tuple[int, int]]
    labels: list[Label]
    heights: list[str]


def phrases(tree: Tree, unary: Unary = "top", root: bool = False) -> Phrases:
    """The constituents of a tree in preorder; the height of a phrase right over words is 2, that of
    a tag would be 1.
    """
    heights = _heights(tree)
    names = [WRAPPER, *(label.partition("|")[0] for label in tree.labels[1:])]
    found = Phrases([], [], [])
    above: list[int] = []
    for node in range(0 if root else 1, len(names)):
        span = (tree.starts[node], tree.stops[node])
        chain = (
            tree.parents[node] >= (0 if root else 1)
            and span == found.spans[-1]
            and tree.parents[node] == above[-1]
        )
        above.append(node)
        if chain and unary != "separate":
            label = found.labels[-1]
            if unary == "joined":
                found.labels[-1] = f"{label}+{names[node]}"
            elif unary == "set":
                assert isinstance(label, frozenset)
                found.labels[-1] = label | {names[node]}
            continue
        found.spans.append(span)
        found.labels.append(frozenset([names[node]]) if unary == "set" else names[node])
        found.heights.append(str(heights[node]))
    return found


def _heights(tree: Tree) -> list[int]:
    """How many nodes lie on the longest way down from each phrase, itself and the word's tag
    included.
    """
    heights = [2] * len(tree.labels)
    for node in range(len(heights) - 1, 0, -1):
        above = tree.parents[node]
        heights[above] = max(heights[above], heights[node] + 1)
    return heights


def _const(options: ConstOptions, parts: list[Part], count: Count) -> Iterator[Marked]:
    for part in parts:
        for tree in _trees(options, part, count):
            found = phrases(tree, options.unary, options.root)
            count.left_out["phrases right below another over the same words"] += (
                len(tree.labels) - (not options.root) - len(found.spans)
            )
            count.left_out["sentences without a phrase"] += not found.spans
            yield Marked(
                tree.sentence, found.spans, found.labels, part.split, {"height": found.heights}
            )


def _trees(options: ConstOptions, part: Part, count: Count) -> Iterator[Tree]:
    if uncompressed(part.path).suffix not in GOLD:
        yield from brackets.read(part.path, options.on_error, count.tally)
        return
    for block in conll2012.read(part.path, options.on_error, count.tally):
        if (tree := count.tolerated(options.on_error, block.tree)) is not None:
            yield tree


def _parts(options: ConstOptions) -> list[Part]:
    return corpus(options.paths, brackets.SUFFIXES + GOLD)


const = edge(
    "edge/const",
    Kind("Which constituent is the span?", _parts, _const, oracles=spans(_const)),
    ConstOptions,
)
