"""What sentence encoders are trained on: examples read from files, each a sentence with the text or
label that it is to give.

A blank line in running text ends a paragraph. docs/training.md has the layouts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Literal, NamedTuple

from lingprobe import DataProblem
from lingprobe.extend import (
    ProblemTally,
    read_brackets,
    read_text_lines,
    split_words,
    strip_to_letters,
    tokenize_words,
    uncompressed_path,
)
from lingprobe_extensions.train.linear_trees import linearise_tree
from lingprobe_extensions.train.seen import TextHashes

Words = tuple[str, ...]


class TrainingExample(NamedTuple):
    """A sentence, and what it is to give: texts, or a label with a second sentence.

    first   words that the encoder reads
    texts   what decoders are to write, a line each
    second  words of a second sentence, which is encoded too; () for none
    label   '' for none
    """

    first: Words
    texts: tuple[str, ...] = ()
    second: Words = ()
    label: str = ""


@dataclass
class FileReading:
    """How files are read, and what was counted on the way.

    english   quotes are made straight, and clitics split off, as English treebanks have them
    longest   words, beyond which a sentence is excluded
    on_error  whether a tree that is malformed is an error, or excluded and counted
    left_out  what `strip_to_letters` makes of sentences that are excluded, as they will be probed
    where     of files with columns: which rows are read, a pattern of a column's cells by its name
    dev       whether these are files of dev, from which nothing is learnt
    seen      hashes of the texts of every example that was read
    """

    english: bool = False
    longest: int = 60
    left_out: frozenset[str] = frozenset()
    on_error: Literal["raise", "skip"] = "raise"
    where: Mapping[str, str] = field(default_factory=dict)
    dev: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    seen: TextHashes = field(default_factory=TextHashes)
    _keys: Sequence[str] = field(default=(), init=False)

    def words(self, text: str) -> Words:
        """The words of a text."""
        return tokenize_words(split_words(text)) if self.english else split_words(text)

    def usable(self, *texts: str) -> bool:
        """Whether an example is left by `--exclude`: none of its texts is probed; counts those that
        are.
        """
        self._keys = [strip_to_letters(text) for text in texts]
        known = any(key in self.left_out for key in self._keys)
        self.counts["to be probed"] += known
        return not known

    def fits(self, *sentences: Words) -> bool:
        """Whether no sentence of a usable example is empty or too long, and counts those that are;
        the texts of one that is read are noted in `seen`.
        """
        empty = not all(sentences)
        long = not empty and max(map(len, sentences)) > self.longest
        self.counts["empty"] += empty
        self.counts["too long"] += long
        if empty or long:
            return False
        self.seen.add(self._keys)
        return True


Reader = Callable[[Sequence[Path], FileReading], Iterator[TrainingExample]]


def read_translations(paths: Sequence[Path], reading: FileReading) -> Iterator[TrainingExample]:
    """Of two files of as many lines, or of tables with a source and its translation in the first
    two columns, each line.
    """
    for first, second in _read_translations(paths):
        source = reading.words(first)
        if reading.usable(first, second) and reading.fits(source, reading.words(second)):
            reading.counts["read"] += 1
            yield TrainingExample(source, (second,))


def _read_translations(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    tables = [path for path in paths if uncompressed_path(path).suffix == ".tsv"]
    if len(tables) == len(paths):
        for path in paths:
            for number, line in read_text_lines(path):
                cells = line.split("\t")
                if len(cells) < 2:
                    raise DataProblem(
                        f"{path}:{number}: expected a source, a tab and its translation"
                    )
                yield cells[0].strip(), cells[1].strip()
        return
    if len(paths) != 2 or tables:
        raise DataProblem(
            "translations are read from two files of as many lines, source and target, or from"
            " tables (.tsv) with both in a line"
        )
    for one, other in zip_longest(read_text_lines(paths[0]), read_text_lines(paths[1])):
        if one is None or other is None:
            short, number = (paths[0], other[0]) if one is None else (paths[1], one[0])
            raise DataProblem(
                f"{short}:{number}: the file ends before this line, which the other one has"
            )
        yield one[1].strip(), other[1].strip()


def themselves(paths: Sequence[Path], reading: FileReading) -> Iterator[TrainingExample]:
    """Each line of running text, which is to give itself."""
    for path in paths:
        for text in _running(path):
            sentence = reading.words(text)
            if text and reading.usable(text) and reading.fits(sentence):
                reading.counts["read"] += 1
                yield TrainingExample(sentence, (text,))


def read_following_sentences(
    paths: Sequence[Path], reading: FileReading
) -> Iterator[TrainingExample]:
    """Each line of running text with the next one of its paragraph, which it is to give."""
    for path in paths:
        for first, second in pairwise(_running(path)):
            if not (first and second):
                continue
            source = reading.words(first)
            if reading.usable(first, second) and reading.fits(source, reading.words(second)):
                reading.counts["read"] += 1
                yield TrainingExample(source, (second,))


def neighbours(paths: Sequence[Path], reading: FileReading) -> Iterator[TrainingExample]:
    """Each line of running text with the one before and the one after it in its paragraph, which it
    is to give (Kiros et al. 2015, section 2).
    """
    for path in paths:
        for before, middle, after in _threes(_running(path)):
            if not (before and middle and after):
                continue
            source = reading.words(middle)
            if reading.usable(before, middle, after) and reading.fits(
                reading.words(before), source, reading.words(after)
            ):
                reading.counts["read"] += 1
                yield TrainingExample(source, (before, after))


def _threes(texts: Iterator[str]) -> Iterator[tuple[str, str, str]]:
    for (before, middle), (_, after) in pairwise(pairwise(texts)):
        yield before, middle, after


def _running(path: Path) -> Iterator[str]:
    """The lines of running text; '' for one that begins with `# `, as for a blank one."""
    for _, line in read_text_lines(path):
        text = line.strip()
        yield "" if text.startswith("# ") else text


def read_bracketed_examples(
    paths: Sequence[Path], reading: FileReading
) -> Iterator[TrainingExample]:
    """Each sentence of bracketed trees, which is to give its tree without its words (Vinyals et al.
    2015; Conneau et al. 2018, Table 1).
    """
    for path in paths:
        tally = ProblemTally()
        for tree in read_brackets(path, reading.on_error, tally):
            if reading.usable(tree.sentence.text, " ".join(tree.words)) and reading.fits(
                tree.words
            ):
                reading.counts["read"] += 1
                yield TrainingExample(tree.words, (" ".join(linearise_tree(tree)),))
        reading.counts["trees without words, or malformed"] += tally.skipped
