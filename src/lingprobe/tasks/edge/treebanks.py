"""Questions about words and phrases of treebanks: parts of speech, dependencies and features of
words, and constituents (Tenney et al. 2019, section 2.1).

Each is a rule that is given a tree and gives spans with their labels, as a rule of one's own does.
Parts of speech and constituents also come from CoNLL-2012 columns, as in the paper, which takes
OntoNotes' tags and trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise, repeat
from typing import Annotated, Any, Literal, NamedTuple

from lingprobe.corpora import brackets, conll2012
from lingprobe.corpora.batches import TreebankBatch
from lingprobe.corpora.brackets import BracketTree as Constituents
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.machine import drop_parallel_files
from lingprobe.corpora.trees import parse_features
from lingprobe.corpora.views import BatchColumns, Tree, Word, read_blocks, view_trees
from lingprobe.data.core import DataProblem
from lingprobe.data.labels import Label
from lingprobe.data.options import Help
from lingprobe.tasks.answers import Answer, Reason
from lingprobe.tasks.edge.facts import make_span_oracle
from lingprobe.tasks.edge.family import (
    EDGE_TREE_SUFFIXES,
    EdgeTaskOptions,
    ReadingTally,
    TargetReader,
    TaskOracle,
    WordFacts,
)
from lingprobe.tasks.features import features_of_words, varied_features
from lingprobe.tasks.options import get_rule_arguments
from lingprobe.tasks.rules import question

_ABSENT = "_"
_COMMON = {
    "obl:npmod": "obl:unmarked",
    "obl:tmod": "obl:unmarked",
    "nmod:npmod": "nmod:unmarked",
    "nmod:tmod": "nmod:unmarked",
    "nmod:desc": "compound",
    "flat:foreign": "flat",
    "obl:agent": "obl",
    "advcl:relcl": "acl:relcl",
    "nsubj:outer": "nsubj",
    "csubj:outer": "csubj",
}
"""Relations of English EWT that release 2.2 and today's do not both have -> the finest that both
can be told by.
"""
_PHRASES = brackets.BRACKET_SUFFIXES + conll2012.CONLL2012_SUFFIXES
_WRAPPER = "TOP"
Unary = Literal["top", "joined", "set", "separate"]
_ROWS = (
    "the row of each word: parts of speech, relation and features, but for the part of speech that"
    " is asked about"
)


def _of_rows(reader: TargetReader[Any]) -> Mapping[str, TaskOracle[Any]]:
    return {"rows": TaskOracle(_ROWS, _read_word_rows)}


def _read_word_rows(
    options: EdgeTaskOptions, parts: list[CorpusPart], count: ReadingTally
) -> WordFacts:
    """The row of each word but for the column that is asked about, where there are rows; otherwise
    the tags.
    """
    left = get_rule_arguments(options).get("tags")
    for part in parts:
        for block in read_blocks(part.path, options.on_error, count.tally):
            sentences = block.sentences()
            if not isinstance(block, TreebankBatch):
                for tree in view_trees(block, sentences):
                    yield tree.sentence, [(f"tag={word.upos}",) for word in tree.words]
                continue
            every = BatchColumns(block)
            columns = {"upos": every.upos, "xpos": every.xpos, "deprel": every.deprels}
            cells = {name: values for name, values in columns.items() if name != left}
            rows = [
                _build_word_facts(tuple(cells), *row)
                for row in zip(every.feats, *cells.values(), strict=True)
            ]
            for sentence, (start, stop) in zip(sentences, pairwise(every.starts), strict=True):
                yield sentence, rows[start:stop]


@lru_cache(maxsize=1 << 16)
def _build_word_facts(names: tuple[str, ...], feats: str, *cells: str) -> tuple[str, ...]:
    """The facts of a word: its features and its other cells."""
    return tuple(
        f"{name}={cell}"
        for name, cell in (*zip(names, cells, strict=True), *parse_features(feats).items())
    )


@question(
    "edge/pos",
    "Which part of speech is the word?",
    about="spans",
    files=EDGE_TREE_SUFFIXES + _PHRASES,
    oracles=_of_rows,
)
def pos(
    tree: Tree,
    *,
    tags: Annotated[
        Literal["upos", "xpos"],
        Help(
            "of CoNLL-U: universal (upos) or the treebank's own (xpos); trees and columns have"
            " their own"
        ),
    ] = "upos",
) -> Iterator[tuple[Word, str] | Reason]:
    """As all edge tasks; from CoNLL-U, trees in brackets (.mrg, .ptb, ...) or CoNLL-2012 columns
    (.gold_conll).
    """
    for word in tree.words:
        tag = word.upos if tags == "upos" else word.xpos
        yield Reason("words without a tag") if tag == _ABSENT else (word, tag)


@question(
    "edge/dep",
    "What is the first word to the second, its head?",
    about="spans",
    files=EDGE_TREE_SUFFIXES,
    key=0,
    relations=True,
    oracles=_of_rows,
)
def dep(
    tree: Tree,
    *,
    root: Annotated[
        Literal["none", "self"],
        Help(
            "none: the root, which has no head, is no target; self: it is its own head, as in"
            " jiant's files"
        ),
    ] = "none",
    relations: Annotated[
        Literal["subtypes", "universal", "common"],
        Help(
            "subtypes: as written; universal: without what follows the colon; common: EWT of any"
            " release alike"
        ),
    ] = "subtypes",
) -> Iterator[tuple[tuple[Word, Word], str] | Reason]:
    """As all edge tasks."""
    for word in tree.words:
        head, relation = word.head, _relation(word.deprel, relations)
        if head is None and root == "none":
            yield Reason("roots")
        elif relation == _ABSENT:
            yield Reason("words without a relation")
        else:
            yield (word, head or word), relation


def _relation(deprel: str, relations: str) -> str:
    """`relations=universal` removes subtypes; `relations=common` has the labels that all releases
    of EWT share.
    """
    if relations == "universal":
        return deprel.partition(":")[0]
    return _COMMON.get(deprel, deprel) if relations == "common" else deprel


def _every_feature(options: EdgeTaskOptions) -> list[str]:
    """`feature=*`: each feature of words of which two values or more have enough of them."""
    parts = drop_parallel_files(list_corpus_files(options.paths, EDGE_TREE_SUFFIXES))
    upos = get_rule_arguments(options).get("upos")
    return varied_features(features_of_words(parts, options.on_error, upos))


@question(
    "edge/feat",
    "Which value of the feature has the word?",
    about="spans",
    files=EDGE_TREE_SUFFIXES,
    oracles=_of_rows,
    every={"feature": _every_feature},
)
def feat(
    tree: Tree,
    *,
    feature: Annotated[
        str,
        Help(
            "the feature whose value is asked for, as Case; with a `*`, each feature of that"
            " pattern of which two values have 50 words or more is a task"
        ),
    ],
    upos: Annotated[str | None, Help("only words of this part of speech")] = None,
    absent: Annotated[
        Literal["leave", "label"],
        Help("leave: words without the feature are no targets; label: their label is `none`"),
    ] = "leave",
) -> Iterator[tuple[Word, str] | Reason]:
    """As all edge tasks."""
    for word in tree.words:
        value = word.feats.get(feature, "none" if absent == "label" else "")
        if upos not in (None, word.upos):
            yield Reason(f"words that are no {upos}")
        elif not value:
            yield Reason(f"words without {feature}")
        else:
            yield word, value


@question(
    "edge/const",
    "Which constituent is the span?",
    about="spans",
    files=_PHRASES,
    oracles=make_span_oracle,
)
def const(
    tree: Tree,
    *,
    unary: Annotated[
        Unary,
        Help(
            "of phrases over the same words (S over VP) top: the highest is the target; joined:"
            " one target, whose label is `S+VP`; set: one target with the set of their labels;"
            " separate: each is a target, as in the paper, so that the same span is asked about"
            " twice with different answers"
        ),
    ] = "top",
    root: Annotated[
        bool,
        Help("whether the node over the whole tree, TOP, is a target too, as in the paper"),
    ] = False,
) -> Iterator[tuple[tuple[int, int], Answer] | Reason]:
    """As all edge tasks; from trees in brackets (.mrg, .ptb, ...) or CoNLL-2012 columns
    (.gold_conll).
    """
    if tree.phrases is None:
        raise DataProblem("edge/const asks about constituents: give trees in brackets")
    targets = list_phrases(tree.phrases, unary, root)
    others = len(tree.phrases.labels) - (not root) - len(targets.spans)
    yield from repeat(Reason("phrases right below another over the same words"), others)
    if not targets.spans:
        yield Reason("sentences without a phrase")
    for span, label, height in zip(*targets, strict=True):
        yield span, Answer(label, strata={"height": height})


class PhraseTargets(NamedTuple):
    """The targets of a tree; a word's own tag is none."""

    spans: list[tuple[int, int]]
    labels: list[Label]
    heights: list[str]


def list_phrases(tree: Constituents, unary: Unary = "top", root: bool = False) -> PhraseTargets:
    """The constituents of a tree in preorder; of several phrases over the same words `unary=top`
    takes the highest. The height of a phrase right over words is 2, that of a tag would be 1.
    """
    heights = _heights(tree)
    names = [_WRAPPER, *(label.partition("|")[0] for label in tree.labels[1:])]
    targets = PhraseTargets([], [], [])
    above: list[int] = []
    for node in range(0 if root else 1, len(names)):
        span = (tree.starts[node], tree.stops[node])
        chain = (
            tree.parents[node] >= (0 if root else 1)
            and span == targets.spans[-1]
            and tree.parents[node] == above[-1]
        )
        above.append(node)
        if chain and unary != "separate":
            label = targets.labels[-1]
            if unary == "joined":
                targets.labels[-1] = f"{label}+{names[node]}"
            elif unary == "set":
                assert isinstance(label, frozenset)
                targets.labels[-1] = label | {names[node]}
            continue
        targets.spans.append(span)
        targets.labels.append(frozenset([names[node]]) if unary == "set" else names[node])
        targets.heights.append(str(heights[node]))
    return targets


def _heights(tree: Constituents) -> list[int]:
    """How many nodes lie on the longest way down from each phrase, itself and the word's tag
    included.
    """
    heights = [2] * len(tree.labels)
    for node in range(len(heights) - 1, 0, -1):
        above = tree.parents[node]
        heights[above] = max(heights[above], heights[node] + 1)
    return heights
