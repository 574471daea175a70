"""Annotated sentences to learn from: of dependency treebanks, of bracketed ones, and of both over
the same sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from lingprobe import DataProblem
from lingprobe.extend import (
    BRACKET_SUFFIXES,
    Annotation,
    BracketTree,
    ProblemTally,
    extract_annotation,
    list_corpus_files,
    locate_path,
    read_brackets,
    read_conllu,
    uncompressed_path,
)
from lingprobe_extensions.train.linear_trees import format_bracket_tree
from lingprobe_extensions.train.parsers import tetra


class AnnotatedSentence(NamedTuple):
    """A sentence with its gold annotation, and its phrases as tags; None where it has none."""

    words: tuple[str, ...]
    text: str
    gold: Annotation
    phrases: tetra.TetraTags | None = None


class TrainDevFiles(NamedTuple):
    """The files of a treebank that are learnt from, and judged by."""

    train: list[Path]
    dev: list[Path]


def find_train_dev_files(paths: Iterable[str | Path]) -> TrainDevFiles:
    """The files that paths name, all of them to learn from, and of a folder or treebank those of
    train and of no split, with its dev files to judge by. DataProblem for a test file that is
    named; of folders test is excluded.
    """
    paths = list(paths)
    parts = list_corpus_files(paths, (".conllu", *BRACKET_SUFFIXES))
    named = {place for path in paths if (place := locate_path(path)).is_file()}
    if tests := [part.path for part in parts if part.split == "test" and part.path in named]:
        raise DataProblem(
            f"{tests[0]} is test data by its name, which no parser should learn from; name other"
            " files, or rename it"
        )
    learnt = [p.path for p in parts if p.split in ("train", "") or p.path in named]
    if parts and not learnt:
        raise DataProblem(
            f"{', '.join(map(str, paths))}: no train files, only such as {parts[0].path.name}; name"
            " the files to train on one by one"
        )
    return TrainDevFiles(
        learnt, [p.path for p in parts if p.split == "dev" and p.path not in named]
    )


def read_annotated_sentences(
    paths: Sequence[Path],
    on_error: Literal["raise", "skip"] = "raise",
    tally: ProblemTally | None = None,
) -> Iterator[AnnotatedSentence]:
    """The sentences of files in CoNLL-U and of bracketed ones; those that stand in both have both
    annotations.
    """
    phrased = [path for path in paths if uncompressed_path(path).suffix in BRACKET_SUFFIXES]
    known: dict[tuple[str, ...], list[BracketTree]] = {}
    for path in phrased:
        for tree in read_brackets(path, on_error, tally):
            known.setdefault(tree.words, []).append(tree)
    for path in paths:
        if path not in phrased:
            for parse in read_conllu(path, on_error, tally):
                same = known.get(parse.words, [])
                gold = AnnotatedSentence(parse.words, parse.text, extract_annotation(parse))
                yield _with_phrases(gold, same.pop(0)) if same else gold
    for rest in known.values():
        yield from map(_phrases, rest)


def _with_phrases(one: AnnotatedSentence, tree: BracketTree) -> AnnotatedSentence:
    gold = replace(one.gold, brackets=format_bracket_tree(tree))
    return one._replace(gold=gold, phrases=tetra.compute_tetra_tags(tree))


def _phrases(tree: BracketTree) -> AnnotatedSentence:
    gold = Annotation(xpos=tree.tags, brackets=format_bracket_tree(tree))
    return AnnotatedSentence(tree.words, tree.sentence.text, gold, tetra.compute_tetra_tags(tree))
