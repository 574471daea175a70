"""Labels of words: which label has the word? From any column of a file that has a word a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

from lingprobe.corpora import bio
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import CorpusPart
from lingprobe.data.options import Help
from lingprobe.tasks.edge.bio import COLUMN_FILE_SUFFIXES, MIN_DOCUMENT_FILES
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import make_span_oracle
from lingprobe.tasks.edge.family import (
    EDGE_TREE_SUFFIXES,
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    define_edge_task,
)

_NONE = ("_", "")  # in a column of labels: the word has none
_SUFFIXES = (*COLUMN_FILE_SUFFIXES, ".cupt")


@dataclass(frozen=True, slots=True)
class TagColumnOptions(EdgeTaskOptions):
    """As all edge tasks; from columns with a word and its label a line."""

    column: Annotated[
        int | str | None,
        Help(
            "the column of labels, from 0 (-1 is the last) or by its name in CoNLL-U (Plus), as"
            " XPOS; without, the one beside the words"
        ),
    ] = field(default=None, kw_only=True)
    word: Annotated[
        int | str | None,
        Help(
            "the column of words, the same; without, FORM, or the second where rows are numbered,"
            " else the first"
        ),
    ] = field(default=None, kw_only=True)
    encoding: Annotated[
        str,
        Help("of the files, where it is not UTF-8: latin-1"),
    ] = field(default="utf-8", kw_only=True)


def _targets(
    options: TagColumnOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    """edge/tags: every word with its label; a word without one (`_`) is counted."""
    column = () if options.column is None else (options.column,)
    layout = bio.TagLayout(options.word, column, encoding=options.encoding, any_tag=True)
    for part in parts:
        for one in bio.read_tag_columns(part.path, layout, options.on_error, count.tally):
            (tags,) = one.layers
            labelled = [i for i, tag in enumerate(tags) if tag.strip() not in _NONE]
            count.left_out["words without a label"] += len(tags) - len(labelled)
            alone = one.document or len(parts) > MIN_DOCUMENT_FILES
            yield SentenceTargets(
                one.sentence,
                [(i, i + 1) for i in labelled],
                [tags[i].strip() for i in labelled],
                part.split,
                group=f"{part.path}: {one.document}" if alone else "",
            )


def _list_tag_files(options: TagColumnOptions) -> list[CorpusPart]:
    named = options.column is not None  # a treebank has several columns of labels
    return list_corpus_files(
        options.paths, (*_SUFFIXES, *EDGE_TREE_SUFFIXES) if named else _SUFFIXES
    )


tags = define_edge_task(
    "edge/tags",
    TargetFinder(
        "Which label has the word?", _list_tag_files, _targets, oracles=make_span_oracle(_targets)
    ),
    TagColumnOptions,
)
