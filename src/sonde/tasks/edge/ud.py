"""Parts of speech, dependencies and morphological features of words: from Universal Dependencies or
any CoNLL-U file.

Parts of speech also come from bracketed trees and CoNLL-2012 columns, as in the paper, which takes
OntoNotes' tags.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeVar

from sonde.core import Sentence
from sonde.corpora import brackets, conll2012, conllu
from sonde.corpora.corpus import corpus
from sonde.corpora.files import Part, uncompressed
from sonde.corpora.style import Style
from sonde.corpora.trees import Tree, features
from sonde.tasks.edge.columns import Marked
from sonde.tasks.edge.family import CONLLU, GOLD, Count, Kind, Options, Oracle, Told, edge

ABSENT = "_"
O = TypeVar("O", bound=Options)  # noqa: E741
COMMON = {
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


@dataclass(frozen=True, slots=True)
class PosOptions(Options):
    """As all edge tasks; from CoNLL-U, trees in brackets (.mrg, .ptb, ...) or CoNLL-2012 columns
    (.gold_conll).

    tags  of CoNLL-U: universal (upos) or the treebank's own (xpos); trees and columns have their
          own
    """

    tags: Literal["upos", "xpos"] = field(default="upos", kw_only=True)


@dataclass(frozen=True, slots=True)
class DepOptions(Options):
    """As all edge tasks.

    root       none: the root, which has no head, is no target; self: it is its own head, as in
               jiant's files
    relations  subtypes: as written; universal: without what follows the colon; common: EWT of any
               release alike
    """

    root: Literal["none", "self"] = field(default="none", kw_only=True)
    relations: Literal["subtypes", "universal", "common"] = field(default="subtypes", kw_only=True)


@dataclass(frozen=True, slots=True)
class FeatOptions(Options):
    """As all edge tasks.

    feature  the feature whose value is asked for, as Case
    upos     only words of this part of speech
    absent   leave: words without the feature are no targets; label: their label is `none`
    """

    feature: str = field(kw_only=True)
    upos: str | None = field(default=None, kw_only=True)
    absent: Literal["leave", "label"] = field(default="leave", kw_only=True)


def words_of(tags: list[str]) -> list[tuple[int, int]]:
    """The span of each word."""
    return [(i, i + 1) for i in range(len(tags))]


def _pos(options: PosOptions, parts: list[Part], count: Count) -> Iterator[Marked]:
    for part in parts:
        for sentence, tags in _tagged(options, part, count):
            kept = [i for i, tag in enumerate(tags) if tag != ABSENT]
            count.left_out["words without a tag"] += len(tags) - len(kept)
            yield Marked(sentence, [(i, i + 1) for i in kept], [tags[i] for i in kept], part.split)


def _tagged(
    options: PosOptions, part: Part, count: Count
) -> Iterator[tuple[Sentence, tuple[str, ...]]]:
    suffix = uncompressed(part.path).suffix
    if suffix in brackets.SUFFIXES:
        for tree in brackets.read(part.path, options.on_error, count.tally):
            yield tree.sentence, tree.tags
    elif suffix in GOLD:
        for block in conll2012.read(part.path, options.on_error, count.tally):
            yield block.sentence, block.tags
    else:
        for found in conllu.read(part.path, options.on_error, count.tally):
            yield found.sentence, found.upos if options.tags == "upos" else found.xpos


def _dep(options: DepOptions, parts: list[Part], count: Count) -> Iterator[Marked]:
    for part in parts:
        style = Style()
        yield from _dependencies(options, part, count, style)
        if old := style.first_release():
            count.tally.say(f"{part.path} {old}")


def _dependencies(options: DepOptions, part: Part, count: Count, style: Style) -> Iterator[Marked]:
    for tree in conllu.read(part.path, options.on_error, count.tally):
        style.add(tree.deprels)
        labels = _relations(tree, options.relations)
        spans = [(i, i + 1, head, head + 1) for i, head in enumerate(tree.heads)]
        if options.root == "self":
            spans[tree.root] = (tree.root, tree.root + 1) * 2
        else:
            del spans[tree.root], labels[tree.root]
            count.left_out["roots"] += 1
        if ABSENT in labels:
            count.left_out["words without a relation"] += labels.count(ABSENT)
            spans = [span for span, label in zip(spans, labels, strict=True) if label != ABSENT]
            labels = [label for label in labels if label != ABSENT]
        yield Marked(tree.sentence, spans, labels, part.split)


def _relations(tree: Tree, relations: str) -> list[str]:
    if relations == "universal":
        return [deprel.partition(":")[0] for deprel in tree.deprels]
    if relations == "common":
        return [COMMON.get(deprel, deprel) for deprel in tree.deprels]
    return list(tree.deprels)


def _feat(options: FeatOptions, parts: list[Part], count: Count) -> Iterator[Marked]:
    for part in parts:
        for tree in conllu.read(part.path, options.on_error, count.tally):
            spans, labels = [], []
            for i, (upos, raw) in enumerate(zip(tree.upos, tree.feats, strict=True)):
                value = features(raw).get(
                    options.feature, "none" if options.absent == "label" else ""
                )
                if options.upos not in (None, upos):
                    count.left_out[f"words that are no {options.upos}"] += 1
                elif not value:
                    count.left_out[f"words without {options.feature}"] += 1
                else:
                    spans.append((i, i + 1))
                    labels.append(value)
            yield Marked(tree.sentence, spans, labels, part.split)


def _rows(options: Options, parts: list[Part], count: Count) -> Told:
    """The row of each word but for the column that is asked about, where there are rows; otherwise
    the tags.
    """
    for part in parts:
        if isinstance(options, PosOptions) and uncompressed(part.path).suffix not in CONLLU:
            yield from (
                (sentence, [(f"tag={tag}",) for tag in tags])
                for sentence, tags in _tagged(options, part, count)
            )
            continue
        left = options.tags if isinstance(options, PosOptions) else ""
        for tree in conllu.read(part.path, options.on_error, count.tally):
            columns = {"upos": tree.upos, "xpos": tree.xpos, "deprel": tree.deprels}
            kept = {name: values for name, values in columns.items() if name != left}
            yield (
                tree.sentence,
                [_row(tuple(kept), *row) for row in zip(tree.feats, *kept.values(), strict=True)],
            )


@lru_cache(maxsize=1 << 16)
def _row(names: tuple[str, ...], feats: str, *cells: str) -> tuple[str, ...]:
    """The facts of a word: its features and its other cells."""
    return tuple(
        f"{name}={cell}"
        for name, cell in (*zip(names, cells, strict=True), *features(feats).items())
    )


def _treebank(options: Options) -> list[Part]:
    return corpus(options.paths, CONLLU)


def _any(options: PosOptions) -> list[Part]:
    return corpus(options.paths, CONLLU + brackets.SUFFIXES + GOLD)


def _oracle(options: type[O]) -> dict[str, Oracle[O]]:
    """The oracle of tasks with these options."""
    return {"rows": Oracle(ROWS, _rows)}


ROWS = (
    "the row of each word: parts of speech, relation and features, but for the part of speech that"
    " is asked about"
)
_POS = Kind("Which part of speech is the word?", _any, _pos, oracles=_oracle(PosOptions))
_DEP = Kind(
    "What is the first word to the second, its head?",
    _treebank,
    _dep,
    about=0,
    oracles=_oracle(DepOptions),
)
_FEAT = Kind(
    "Which value of the feature has the word?", _treebank, _feat, oracles=_oracle(FeatOptions)
)

pos = edge("edge/pos", _POS, PosOptions)
dep = edge("edge/dep", _DEP, DepOptions)
feat = edge("edge/feat", _FEAT, FeatOptions)
