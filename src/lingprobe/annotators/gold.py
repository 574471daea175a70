"""Gold sentences, parsed with their own tokens, so that a parser can be judged by them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingprobe.annotators.blocks import (
    ParsedBlock,
    PlacedSentence,
    annotate_sentences,
    write_parsed_block,
)
from lingprobe.annotators.parser import Parser
from lingprobe.annotators.segment import SegmentedSentence
from lingprobe.corpora import brackets, conllu
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.views import TREE_FILE_SUFFIXES, split_into_blocks
from lingprobe.data.core import DataProblem


def gold_files(gold: str | Path) -> list[Path]:
    """The files of a treebank that a parser is judged by: those of test, where they name splits."""
    parts = list_corpus_files([gold], TREE_FILE_SUFFIXES)
    test = [part.path for part in parts if part.split == "test"]
    return test or [part.path for part in parts]


def parse_again(gold: Sequence[Path], folder: Path, parser: Parser) -> list[Path]:
    """The sentences of gold files as a parser has them, in files of a folder; DataProblem where
    they have none.
    """
    tally = ProblemTally()
    words: dict[tuple[str, ...], str] = {}
    for path in gold:
        phrases = uncompressed_path(path).suffix in brackets.BRACKET_SUFFIXES
        read = brackets.read_brackets if phrases else conllu.read_conllu
        for tree in read(path, "skip", tally):
            words.setdefault(tree.words, tree.sentence.text)
    if not words:
        first = f"; the first problem: {tally.problems[0]}" if tally.problems else ""
        raise DataProblem(
            f"{gold[0]} has no trees; give a treebank, as CoNLL-U or in brackets{first}"
        )
    for number, some in enumerate(split_into_blocks(words.items())):
        block = ParsedBlock()
        annotate_sentences(
            number,
            [PlacedSentence(SegmentedSentence(*each), "gold", 0) for each in some],
            parser,
            block,
        )
        write_parsed_block(folder, number, block)
    return sorted(folder.glob("*.zst"))
