"""What rules see of a corpus: trees and their words, read off the columns of a batch when they are
asked for.

A `Block` is some sentences of a file: a `TreebankBatch` of a treebank, phrase-structure trees,
CoNLL-2012 columns, or plain sentences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TypeVar

from lingprobe.corpora import brackets, conll2012, conllu, text
from lingprobe.corpora.batches import TreebankBatch, read_treebank_batches
from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.trees import parse_features
from lingprobe.data.core import DataProblem, Sentence

T = TypeVar("T")
_MANY = 1000  # sentences of a block
TREE_FILE_SUFFIXES = (*conllu.CONLLU_SUFFIXES, *brackets.BRACKET_SUFFIXES)
"""What the name of a file of trees ends in, before .gz or .xz."""


class BatchColumns:
    """The columns of a batch as lists over its words, each made when it is first asked for."""

    def __init__(self, batch: TreebankBatch) -> None:
        self._batch = batch

    @cached_property
    def starts(self) -> list[int]:
        """Where the words of each sentence begin, and where the last ends."""
        starts: list[int] = self._batch.starts.tolist()
        return starts

    @cached_property
    def parents(self) -> list[int]:
        """The index of each word's head; a root is its own."""
        parents: list[int] = self._batch.parents.tolist()
        return parents

    @cached_property
    def forms(self) -> list[str]:
        """The words."""
        return self._batch.words.strings()

    @cached_property
    def lemmas(self) -> list[str]:
        """Their lemmas."""
        return self._batch.lemmas.strings()

    @cached_property
    def upos(self) -> list[str]:
        """Their parts of speech."""
        return self._batch.upos.strings()

    @cached_property
    def xpos(self) -> list[str]:
        """The treebank's own tags."""
        return self._batch.xpos.strings()

    @cached_property
    def feats(self) -> list[str]:
        """Their features, as written."""
        return self._batch.feats.strings()

    @cached_property
    def deprels(self) -> list[str]:
        """Their relations."""
        return self._batch.deprels.strings()

    @cached_property
    def children(self) -> list[list[int]]:
        """The indices of the words that each word governs, in order."""
        below: list[list[int]] = [[] for _ in self.parents]
        for word, above in enumerate(self.parents):
            if word != above:
                below[above].append(word)
        return below


class Word:
    """A word of a tree. In running text it has only a form; in phrase-structure trees a form and a
    tag, which is both its `upos` and `xpos`.
    """

    __slots__ = ("_at", "_columns")

    def __init__(self, columns: BatchColumns, at: int) -> None:
        self._columns = columns
        self._at = at

    @property
    def form(self) -> str:
        """The word as it stands in the sentence."""
        return self._columns.forms[self._at]

    @property
    def lemma(self) -> str:
        """Its lemma."""
        return self._columns.lemmas[self._at]

    @property
    def upos(self) -> str:
        """Its part of speech: VERB, NOUN, ..."""
        return self._columns.upos[self._at]

    @property
    def xpos(self) -> str:
        """The treebank's own tag for it."""
        return self._columns.xpos[self._at]

    @property
    def feats(self) -> Mapping[str, str]:
        """Its features: {'Tense': 'Past', ...}."""
        return parse_features(self._columns.feats[self._at])

    @property
    def deprel(self) -> str:
        """Its relation to its head, with subtype: nsubj, acl:relcl, ..."""
        return self._columns.deprels[self._at]

    @property
    def head(self) -> Word | None:
        """The word that governs it; None for the root."""
        above = self._columns.parents[self._at]
        return None if above == self._at else Word(self._columns, above)

    @property
    def children(self) -> list[Word]:
        """The words that it governs, in order."""
        return [Word(self._columns, at) for at in self._columns.children[self._at]]

    @property
    def index(self) -> int:
        """Its place in the sentence, from 0."""
        starts = self._columns.starts
        return self._at - starts[bisect_right(starts, self._at) - 1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and self._at == other._at and self._columns is other._columns

    def __hash__(self) -> int:
        return hash((id(self._columns), self._at))

    def __repr__(self) -> str:
        return f"Word({self.form!r})"


class Tree:
    """A sentence with its annotation, as rules get it.

    sentence  its words and its raw text
    """

    __slots__ = ("_columns", "_phrases", "_start", "_words", "sentence")

    def __init__(
        self,
        sentence: Sentence,
        columns: BatchColumns,
        start: int,
        phrases: brackets.BracketTree | conll2012.Conll2012Sentence | None = None,
    ) -> None:
        self.sentence = sentence
        self._phrases = phrases
        self._columns = columns
        self._start = start
        self._words: tuple[Word, ...] | None = None

    @property
    def words(self) -> tuple[Word, ...]:
        """Its syntactic words in order, punctuation included."""
        if self._words is None:
            stop = self._start + len(self.sentence.words)
            self._words = tuple(Word(self._columns, at) for at in range(self._start, stop))
        return self._words

    @property
    def phrases(self) -> brackets.BracketTree | None:
        """The constituents, if the files have any; DataProblem if a column of them is malformed."""
        if isinstance(self._phrases, conll2012.Conll2012Sentence):
            self._phrases = self._phrases.tree()
        return self._phrases

    @property
    def root(self) -> Word:
        """The main predicate: the word without a head."""
        return next(word for word in self.words if word.head is None)

    def __repr__(self) -> str:
        return f"Tree({self.sentence.text!r})"


@dataclass(frozen=True, slots=True)
class PhraseTrees:
    """Some phrase-structure trees."""

    trees: Sequence[brackets.BracketTree]

    @property
    def where(self) -> str:
        """The file and the line of the first."""
        return f"{self.trees[0].file}:{self.trees[0].line}: phrase-structure trees have"

    def sentences(self) -> list[Sentence]:
        """Their words, and readable strings of them."""
        return [tree.sentence for tree in self.trees]


@dataclass(frozen=True, slots=True)
class Conll2012Columns:
    """Some sentences in CoNLL-2012 columns, whose constituents are read when they are asked for."""

    rows: Sequence[conll2012.Conll2012Sentence]

    @property
    def where(self) -> str:
        """The file and the line of the first."""
        return f"{self.rows[0].file}:{self.rows[0].line}: CoNLL-2012 columns have"

    def sentences(self) -> list[Sentence]:
        """Their words, and readable strings of them."""
        return [one.sentence for one in self.rows]


@dataclass(frozen=True, slots=True)
class RunningText:
    """Some sentences without trees; of tagged text, with the tags of their words."""

    lines: list[Sentence]
    file: str = ""
    tags: Sequence[tuple[str, ...]] = ()

    @property
    def where(self) -> str:
        """The file."""
        return f"{self.file}: running text has"

    def sentences(self) -> list[Sentence]:
        """The sentences."""
        return self.lines


Block = TreebankBatch | PhraseTrees | Conll2012Columns | RunningText


def check_dependencies(block: Block, question: str) -> TreebankBatch:
    """A block of a treebank whose words have heads; a DataProblem that says which question asks for
    them, and where there are none.
    """
    if isinstance(block, TreebankBatch):
        return block
    raise DataProblem(
        f"{block.where} no dependencies, which {question} asks about: give a treebank in CoNLL-U"
    )


def read_blocks(path: Path, on_error: OnError, tally: ProblemTally) -> Iterator[Block]:
    """The sentences of a file, by the kind that its name says: .txt is running text, .mrg and the
    like are phrase-structure trees, .gold_conll CoNLL-2012 columns, all others are CoNLL-U.
    """
    suffix = uncompressed_path(path).suffix
    if suffix == ".txt":
        for lines in split_into_blocks(text.read_running_text(path, on_error, tally)):
            yield RunningText(lines, str(path))
    elif suffix in brackets.BRACKET_SUFFIXES:
        yield from map(
            PhraseTrees, split_into_blocks(brackets.read_brackets(path, on_error, tally))
        )
    elif suffix in conll2012.CONLL2012_SUFFIXES:
        yield from map(
            Conll2012Columns, split_into_blocks(conll2012.read_conll2012(path, on_error, tally))
        )
    else:
        yield from read_treebank_batches(path, on_error, tally)


def split_into_blocks(sentences: Iterable[T]) -> Iterator[list[T]]:
    """The same in lists of as many as a block has."""
    left = iter(sentences)
    while some := list(islice(left, _MANY)):
        yield some


def view_trees(block: Block, sentences: Sequence[Sentence]) -> Iterator[Tree]:
    """The sentences of a block as trees."""
    if isinstance(block, TreebankBatch):
        columns = BatchColumns(block)
        return (
            Tree(sentence, columns, start)
            for sentence, start in zip(sentences, columns.starts, strict=False)
        )
    if isinstance(block, PhraseTrees):
        pairs = zip(sentences, block.trees, strict=True)
        return (
            Tree(sentence, _terminals(tree.words, tree.tags), 0, tree) for sentence, tree in pairs
        )
    if isinstance(block, Conll2012Columns):
        return (
            Tree(sentence, _terminals(one.words, one.tags), 0, one)
            for sentence, one in zip(sentences, block.rows, strict=True)
        )
    return (Tree(sentence, _terminals(sentence.words), 0) for sentence in sentences)


def _terminals(words: Sequence[str], tags: Sequence[str] = ()) -> BatchColumns:
    """The columns of one sentence without dependencies."""
    columns, many = BatchColumns.__new__(BatchColumns), len(words)
    vars(columns).update(
        starts=[0, many],
        parents=list(range(many)),
        forms=words,
        lemmas=[""] * many,
        upos=tags or [""] * many,
        xpos=tags or [""] * many,
        feats=["_"] * many,
        deprels=[""] * many,
    )
    return columns
