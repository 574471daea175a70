"""Entities and chunks: which type has the span? From columns of BIO tags, CoNLL-U with `Entity=`,
or CoNLL-2012 columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Annotated

from lingprobe.corpora import bio, conll2012, conllu
from lingprobe.corpora.conll2012 import LabelledSpan
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import CorpusPart, uncompressed_path
from lingprobe.corpora.mentions import MentionReader
from lingprobe.data.core import Sentence
from lingprobe.data.options import Help
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import make_span_oracle
from lingprobe.tasks.edge.family import (
    EDGE_TREE_SUFFIXES,
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    define_edge_task,
)

MIN_DOCUMENT_FILES = 10  # files, from which on each is taken for a document
COLUMN_FILE_SUFFIXES = (
    ".txt",
    ".conllup",
    ".conll",
    ".tsv",
    ".bio",
    ".iob",
    ".iob2",
    ".annotated",
    ".train",
    ".testa",
    ".testb",
    ".dev",
    ".test",
)


@dataclass(frozen=True, slots=True)
class BioOptions(EdgeTaskOptions):
    """As all edge tasks; from columns of words and BIO tags."""

    column: Annotated[
        tuple[int | str, ...],
        Help(
            "the columns of tags, from 0 (-1 is the last) or by their names in CoNLL-U Plus, where"
            " their content does not show which they are; repeat for layers"
        ),
    ] = field(default=(), kw_only=True)
    word: Annotated[int | str | None, Help("the column of words, the same")] = field(
        default=None, kw_only=True
    )
    encoding: Annotated[
        str,
        Help("of the files, where it is not UTF-8: latin-1"),
    ] = field(default="utf-8", kw_only=True)


def _entities(
    options: BioOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    for part in parts:
        suffix = uncompressed_path(part.path).suffix
        if suffix in EDGE_TREE_SUFFIXES:
            yield from _read_mentions(options, part, count)
        elif suffix in conll2012.CONLL2012_SUFFIXES:
            for block in conll2012.read_conll2012(part.path, options.on_error, count.tally):
                if (named := count.try_reading(options.on_error, block.entities)) is not None:
                    yield _spans(block.sentence, named, part.split, block.document)
        else:
            yield from _columns(options, part, count, len(parts) > MIN_DOCUMENT_FILES)


def _read_mentions(
    options: BioOptions, part: CorpusPart, count: ReadingTally
) -> Iterator[SentenceTargets]:
    mentions = MentionReader()
    for tree in conllu.read_conllu(part.path, options.on_error, count.tally):
        of_sentence = count.try_reading(options.on_error, partial(mentions.of, tree)) or []
        count.left_out["mentions without a type"] += sum(not m.type for m in of_sentence)
        yield _spans(
            tree.sentence,
            [LabelledSpan(m.type, m.start, m.stop) for m in of_sentence if m.type],
            part.split,
        )
    count.left_out["mentions in pieces, or that go beyond their sentence"] += mentions.unfinished


def _chunks(
    options: BioOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    for part in parts:
        yield from _columns(options, part, count, len(parts) > MIN_DOCUMENT_FILES, chunks=True)


def _columns(
    options: BioOptions, part: CorpusPart, count: ReadingTally, alone: bool, chunks: bool = False
) -> Iterator[SentenceTargets]:
    """The sentences of a file of columns; `alone`: the file is a document."""
    layout = bio.TagLayout(options.word, options.column, chunks, options.encoding)
    for one in bio.read_tag_columns(part.path, layout, options.on_error, count.tally):
        layers = [bio.decode_spans(tags) for tags in one.layers]
        count.also["spans that begin with I, as in IOB1"] += sum(slips for _, slips in layers)
        labelled = list(chain.from_iterable(spans for spans, _ in layers))
        document = f"{part.path}: {one.document}" if one.document or alone else ""
        yield _spans(one.sentence, labelled, part.split, document)


def _spans(
    sentence: Sentence, labelled: list[LabelledSpan], split: str, group: str = ""
) -> SentenceTargets:
    """Labelled spans in textual order, the outer before the inner; the same label of the same span
    is one.
    """
    labelled = sorted(set(labelled), key=lambda s: (s.start, -s.stop, s.label))
    return SentenceTargets(
        sentence,
        [(s.start, s.stop) for s in labelled],
        [s.label for s in labelled],
        split,
        group=group,
    )


def _entity_files(options: BioOptions) -> list[CorpusPart]:
    return list_corpus_files(
        options.paths, COLUMN_FILE_SUFFIXES + EDGE_TREE_SUFFIXES + conll2012.CONLL2012_SUFFIXES
    )


def _chunk_files(options: BioOptions) -> list[CorpusPart]:
    return list_corpus_files(options.paths, COLUMN_FILE_SUFFIXES)


entities = define_edge_task(
    "edge/entities",
    TargetFinder(
        "Which kind of entity does the span name?",
        _entity_files,
        _entities,
        oracles=make_span_oracle(_entities),
    ),
    BioOptions,
)
chunks = define_edge_task(
    "edge/chunks",
    TargetFinder(
        "Which kind of chunk is the span?", _chunk_files, _chunks, oracles=make_span_oracle(_chunks)
    ),
    BioOptions,
)
