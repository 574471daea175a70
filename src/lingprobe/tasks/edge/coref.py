"""Coreference: do two mentions name the same? (Tenney et al. 2019, sections 2.1 and 2.2).

Every pair of mentions of a sentence is a target, in textual order, so that the first span is always
the one that begins first. Mentions come from `Entity=` in CoNLL-U (GUM, CorefUD), from the last of
CoNLL-2012's columns (OntoNotes, LitBank), or from columns of whole documents whose sentences a
treebank has (OntoGUM).
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Annotated, NamedTuple

from lingprobe.corpora import conll2012, conllu
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import CorpusPart, uncompressed_path
from lingprobe.corpora.mentions import MentionReader, assign_mentions, read_documents
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.data.references import PlaceOption
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import mark_span_words, nesting_depths
from lingprobe.tasks.edge.family import (
    EDGE_TREE_SUFFIXES,
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    TaskOracle,
    WordFacts,
    define_edge_task,
)

_SAME, _OTHER = "1", "0"
_CHAINS = (
    "the mentions that each word lies in, begins and ends, by the number of their chain and how"
    " many others are around them"
)
_BEYOND = "mentions in pieces, or that go beyond their sentence"


@dataclass(frozen=True, slots=True)
class CorefOptions(EdgeTaskOptions):
    """As all edge tasks."""

    across: Annotated[
        int,
        Help(
            "also pairs of mentions in two sentences of a document, up to so many sentences apart;"
            " 0: of one, as in the paper"
        ),
    ] = field(default=0, kw_only=True)
    singletons: Annotated[
        bool,
        Help(
            "whether mentions of what is named only once in the document count, as GUM and LitBank"
            " annotate and OntoNotes does not"
        ),
    ] = field(default=True, kw_only=True)
    sentences: Annotated[
        PlaceOption | None,
        Help(
            "the treebank that has the sentences of documents in three columns, as GUM/dep those"
            " of GUM/coref_ontogum"
        ),
    ] = field(default=None, kw_only=True)


class SentenceMentions(NamedTuple):
    """A sentence with its mentions (start, stop, chain) in textual order, its document, and the
    split that this says ('' for nothing).
    """

    sentence: Sentence
    mentions: list[tuple[int, int, str]]
    document: str
    split: str = ""


@dataclass
class SentenceBank:
    """The sentences of a treebank that documents are cut by: by document, with its split, and in
    the order of each split.
    """

    named: dict[str, tuple[str, list[Sentence]]] = field(default_factory=dict)
    ordered: dict[str, Iterator[Sentence]] = field(default_factory=dict)

    def of(self, name: str, split: str) -> tuple[str, Iterator[Sentence]]:
        """The split and the sentences of a document of this name; without one, those that come next
        in a split.
        """
        if name in self.named:
            of_document, sentences = self.named[name]
            return split or of_document, iter(sentences)
        return split, self.ordered.setdefault(split, iter(()))


def pair_mentions(
    left_mentions: SentenceMentions,
    right_mentions: SentenceMentions | None,
    split: str,
    apart: int = 0,
) -> SentenceTargets:
    """All pairs of mentions in a sentence, or of one in each of two, are targets; pairs of equal
    spans are excluded.
    """
    first, second = (
        left_mentions.mentions,
        left_mentions.mentions if right_mentions is None else right_mentions.mentions,
    )
    spans, labels = [], []
    for i, (start, stop, name) in enumerate(first):
        for other_start, other_stop, other in second[i + 1 :] if right_mentions is None else second:
            if right_mentions is not None or (start, stop) != (other_start, other_stop):
                spans.append((start, stop, other_start, other_stop))
                labels.append(_SAME if name == other else _OTHER)
    strata = {"sentences apart": [str(apart)] * len(spans)}
    return SentenceTargets(
        left_mentions.sentence,
        spans,
        labels,
        split,
        strata,
        None if right_mentions is None else right_mentions.sentence,
        left_mentions.document,
    )


def _coref(
    options: CorefOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    if options.across < 0:
        raise DataProblem(
            f"across={options.across}: write how many sentences apart two mentions may be, from 0"
        )
    for split, document in _documents_of(options, parts, count):
        yield from _pair_mentions(document, options, split, count)


def _documents_of(
    options: CorefOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[tuple[str, list[SentenceMentions]]]:
    """The mentions of each document, without entities mentioned once where `singletons=false`, and
    its split.
    """
    banks = _treebank(options)
    bank = _bank(banks, count)
    for part in parts[: len(parts) - len(banks)]:
        for _, sentences in groupby(
            _read_mentions(options, part, bank, count), key=lambda one: one.document
        ):
            document = list(sentences)
            if not options.singletons:
                sizes = Counter(name for one in document for *_, name in one.mentions)
                count.left_out["mentions of what is named once"] += sum(
                    n == 1 for n in sizes.values()
                )
                document = [
                    one._replace(mentions=[m for m in one.mentions if sizes[m[2]] > 1])
                    for one in document
                ]
            yield part.split or document[0].split, document


def _pair_mentions(
    document: list[SentenceMentions], options: CorefOptions, split: str, count: ReadingTally
) -> Iterator[SentenceTargets]:
    """The pairs of mentions of a document; `across=N` adds pairs up to N sentences apart."""
    for i, one in enumerate(document):
        for k in range(max(0, i - options.across), i):
            yield pair_mentions(document[k], one, split, i - k)
        target_pairs = pair_mentions(one, None, split)
        many = len(one.mentions)
        count.left_out["pairs of mentions of the same words"] += many * (many - 1) // 2 - len(
            target_pairs.spans
        )
        count.left_out["sentences without two mentions"] += many < 2
        yield target_pairs


def _chains(options: CorefOptions, parts: list[CorpusPart], count: ReadingTally) -> WordFacts:
    """The chains of each document, numbered; a number is free again when no pair can have the chain
    any more.
    """
    for _, document in _documents_of(options, parts, count):
        used: dict[str, tuple[int, int]] = {}
        for i, one in enumerate(document):
            used = {
                name: (number, last)
                for name, (number, last) in used.items()
                if last >= i - options.across
            }
            taken = {number for number, _ in used.values()}
            free = (number for number in itertools.count(1) if number not in taken)
            for name, _ in Counter(name for *_, name in one.mentions).most_common():
                used[name] = (used[name][0] if name in used else next(free), i)
            yield (
                one.sentence,
                _numbered_chains(one, {name: number for name, (number, _) in used.items()}),
            )


def _numbered_chains(one: SentenceMentions, numbers: Mapping[str, int]) -> Facts:
    units: list[list[str]] = [[] for _ in one.sentence.words]
    chains: dict[tuple[int, ...], int] = {
        (start, stop): numbers[name] for start, stop, name in one.mentions
    }
    for span, around in nesting_depths(chains).items():
        mark_span_words(units, span, f"chain {chains[span]} {around}")
    return units


def _read_mentions(
    options: CorefOptions, part: CorpusPart, bank: SentenceBank, count: ReadingTally
) -> Iterator[SentenceMentions]:
    if uncompressed_path(part.path).suffix in EDGE_TREE_SUFFIXES:
        mentions, document = MentionReader(), 0
        for tree in conllu.read_conllu(part.path, options.on_error, count.tally):
            document += any(
                comment.startswith(("# newdoc", "#newdoc")) for comment in tree.comments
            )
            of_sentence = count.try_reading(options.on_error, partial(mentions.of, tree))
            if of_sentence is not None:
                yield SentenceMentions(
                    tree.sentence,
                    [(m.start, m.stop, m.group) for m in of_sentence],
                    f"{part.path}: {document}",
                )
        count.left_out[_BEYOND] += mentions.unfinished
        return
    if options.sentences is not None:
        yield from _documents(options, part, bank, count)
        return
    for block in conll2012.read_conll2012(part.path, options.on_error, count.tally):
        spans = count.try_reading(options.on_error, block.mentions)
        if spans is not None:
            yield SentenceMentions(
                block.sentence,
                sorted({(m.start, m.stop, m.label) for m in spans}),
                f"{part.path}: {block.document}",
            )


def _documents(
    options: CorefOptions, part: CorpusPart, bank: SentenceBank, count: ReadingTally
) -> Iterator[SentenceMentions]:
    """The sentences of documents in three columns, in the words of the treebank."""
    for document in read_documents(part.path):
        split, sentences = bank.of(document.name, part.split)
        for sentence, mentions, beyond in assign_mentions(
            document, sentences, options.on_error, count.tally
        ):
            count.left_out[_BEYOND] += beyond
            ordered = sorted({(m.start, m.stop, m.label) for m in mentions})
            yield SentenceMentions(sentence, ordered, f"{document.file}: {document.line}", split)


def _bank(parts: list[CorpusPart], count: ReadingTally) -> SentenceBank:
    """A treebank by its documents; none of its sentences can be excluded, or all that follow would
    be others.
    """
    bank, every = SentenceBank(), dict[str, list[Sentence]]()
    name = ""
    for part in parts:
        try:
            for tree in conllu.read_conllu(part.path, "raise", count.tally):
                name = next(
                    (match[1] for comment in tree.comments if (match := _NEWDOC.match(comment))),
                    name,
                )
                bank.named.setdefault(name, (part.split, []))[1].append(tree.sentence)
                every.setdefault(part.split, []).append(tree.sentence)
        except DataProblem as problem:
            told = str(problem).partition(" (on_error=skip")[0]
            raise DataProblem(
                f"{told} (sentences= needs every sentence of it: fix the file)"
            ) from None
        name = ""
    bank.named.pop("", None)
    bank.ordered = {split: iter(sentences) for split, sentences in every.items()}
    return bank


_NEWDOC = re.compile(r"#\s*newdoc\s+id\s*=\s*(\S+)")


def _list_corpus_parts(options: CorefOptions) -> list[CorpusPart]:
    suffixes = (
        (".conll",)
        if options.sentences is not None
        else EDGE_TREE_SUFFIXES + conll2012.CONLL2012_SUFFIXES + (".conll",)
    )
    return list_corpus_files(options.paths, suffixes) + _treebank(options)


def _treebank(options: CorefOptions) -> list[CorpusPart]:
    return (
        []
        if options.sentences is None
        else list_corpus_files([options.sentences], EDGE_TREE_SUFFIXES)
    )


coref = define_edge_task(
    "edge/coref",
    TargetFinder(
        "Do the two spans name the same?",
        _list_corpus_parts,
        _coref,
        oracles={"chains": TaskOracle(_CHAINS, _chains)},
    ),
    CorefOptions,
)
