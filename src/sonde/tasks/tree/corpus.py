"""One pass over some files that answers all ten questions of Conneau et al. 2018; tasks of the same
files share what it reads.

Files are bracketed trees, tagged text or running text. The corpus has the distinct sentences of 5
to 28 tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from sonde.core import Sentence
from sonde.corpora import brackets, tagged, text
from sonde.corpora.brackets import Strings, Tree
from sonde.corpora.files import Part, treebank, uncompressed
from sonde.corpora.tally import OnError, Tally
from sonde.corpora.text import letters, tokens
from sonde.corpora.views import Block, Phrases, Plain, parted
from sonde.references import Place
from sonde.tasks import parsed
from sonde.tasks.parsed import CORPORA, ParsedCorpus, Source, parsed_corpus, same_files
from sonde.tasks.questions import CorpusOptions
from sonde.tasks.tree import rules as tree_rules
from sonde.tasks.tree.altered import coordination

LENGTHS = range(5, 29)  # tokens of a sentence (section 2)
Rules = Mapping[str, Callable[[Tree], Any]]
RULES: Rules = {
    "top-const": tree_rules.top_const,
    "tense": tree_rules.tense,
    "subj-num": tree_rules.subj_num,
    "obj-num": tree_rules.obj_num,
    "coord-inv": coordination,
}
LITERAL: Rules = {
    "top-const": partial(tree_rules.top_const, literal=True),
    "tense": tree_rules.tense,
    "subj-num": partial(tree_rules.subj_num, literal=True),
    "obj-num": partial(tree_rules.obj_num, literal=True),
    "coord-inv": partial(coordination, literal=True),
}
"""The same as literally as the paper and its README have them."""
NO_TREE = "text without a tree"
DEPTH, TAGS = "depth", "tags"
"""Beside the answers of rules: how deep each tree is, 0 without one, and the tags of its words."""
# what is in several splits stays where it is tested
HOME = {"test": 3, "dev": 2, "train": 1, "": 0}


@dataclass(frozen=True, slots=True)
class Options(CorpusOptions):
    """What every tree task takes; an option that a task has no use for changes nothing in it.

    path      trees in brackets: a file or a folder of them, plain, .gz or .xz; also running text
              (.txt) and tagged text (.tagged)
    freq      corpora that frequencies are taken from, of any of these kinds; none: the sources
              themselves
    inventory found: TopConst's classes are the most frequent sequences of the sources; published:
    those of SentEval's README
    bins      equal: SentLen's six bins are equally wide, as the paper says; readme: as in the
              published files
    rules     sonde: as docs/tasks-tree.md says; paper: BShift, TopConst, SubjNum, ObjNum and
              CoordInv as literally as the paper and its README have them, without what was left out
              since
    depths    flat: TreeDepth has equally many sentences of each depth; gaussian: lengths and depths
              follow a Gaussian over both with a diagonal covariance, as the README says, so that
              depths in the middle are more frequent
    band      scaled: target forms of Tense, SubjNum and ObjNum are neither rare nor common for so
              many sentences; literal: they occur 100 to 5,000 times in the sources or `freq`, as
              the README says
    """

    freq: tuple[Place, ...] = field(default=(), kw_only=True)
    inventory: Literal["found", "published"] = field(default="found", kw_only=True)
    bins: Literal["equal", "readme"] = field(default="equal", kw_only=True)
    band: Literal["scaled", "literal"] = field(default="scaled", kw_only=True)
    depths: Literal["flat", "gaussian"] = field(default="flat", kw_only=True)
    rules: Literal["sonde", "paper"] = field(default="sonde", kw_only=True)

    @property
    def literal(self) -> bool:
        """Whether rules are the paper's."""
        return self.rules == "paper"

    @property
    def sources(self) -> list[Source]:
        """The files, each by the kind that its name says: .txt is running text, .tagged tagged
        text, the others trees.
        """
        parts = partial(treebank, suffixes=brackets.SUFFIXES)
        return parsed.sources((self.path, *self.with_), parts)

    def corpus(self) -> ParsedCorpus:
        """All that the ten tasks ask of the sources; read once for all tasks of a process, while
        the files stay as they are.
        """
        files, rules = self.sources, LITERAL if self.literal else RULES
        key = ("tree", same_files(files), self.on_error, self.literal)
        return CORPORA.get(key, lambda: _parsed(files, self.on_error, rules))

    @property
    def counted(self) -> bool:
        """Whether target forms are kept or left out by their frequency in a corpus, not by that
        among the candidates.
        """
        return bool(self.freq) or self.band == "literal"


def _parsed(files: list[Source], on_error: OnError, rules: Rules) -> ParsedCorpus:
    distinct = Distinct()
    which = f"sentences of {LENGTHS[0]} to {LENGTHS[-1]} tokens"
    corpus = parsed_corpus(files, on_error, partial(_judge, rules), distinct.read, which)
    corpus.splits[:] = distinct.splits
    return corpus


def _judge(rules: Rules, block: Block, sentences: list[Sentence]) -> dict[str, list[Any]]:
    """What all rules say of some sentences, their depths, and the tags of their words."""
    if isinstance(block, Phrases):
        answers: dict[str, list[Any]] = {
            name: list(map(rule, block.trees)) for name, rule in rules.items()
        }
        depths, tags = list(map(tree_rules.depth, block.trees)), [tree.tags for tree in block.trees]
        return {**answers, DEPTH: depths, TAGS: tags}
    assert isinstance(block, Plain)
    many = len(sentences)
    none: dict[str, list[Any]] = dict.fromkeys(rules, [NO_TREE] * many)
    return {**none, DEPTH: [0] * many, TAGS: list(block.tags) or [()] * many}


class Distinct:
    """Reads the distinct sentences of 5 to 28 tokens of some files, one after the other.

    splits  of each sentence the one that it is tested in, whichever files have it
    """

    def __init__(self) -> None:
        self.splits: list[str] = []
        self._rows: dict[int, int] = {}
        self._strings = Strings()

    def read(self, corpus: ParsedCorpus, source: Source, on_error: OnError) -> Iterator[Block]:
        """The sentences of a file that are new."""
        for block in _blocks(source.part.path, on_error, corpus.tally, self._strings):
            ones: Sequence[Tree | Sentence] = (
                block.trees if isinstance(block, Phrases) else block.lines
            )
            rows = [
                row for row, one in enumerate(ones) if self._new(one.words, corpus, source.part)
            ]
            if rows:
                yield _taken(block, rows)

    def _new(self, words: tuple[str, ...], corpus: ParsedCorpus, part: Part) -> bool:
        """Whether a sentence is one of the corpus that was not met before; it is counted, or why it
        is left out.
        """
        corpus.counted.update(words)
        if len(words) not in LENGTHS:
            corpus.left_out["fewer than 5 or more than 28 tokens"] += 1
            return False
        # 64-bit hashes stand for the words: at ten million sentences two differing ones meet
        # with a chance of 3e-6
        row = self._rows.setdefault(hash(letters("".join(words)) or words), len(self._rows))
        if row == len(self.splits):
            self.splits.append(part.split)
            return True
        corpus.left_out["a second time"] += 1
        if HOME[part.split] > HOME[self.splits[row]]:
            self.splits[row] = part.split
        return False


def _blocks(
    path: Path, on_error: OnError, tally: Tally, strings: Strings
) -> Iterator[Phrases | Plain]:
    """The sentences of one file by the kind that its name says; English text is cut into words as
    trees are.
    """
    if uncompressed(path).suffix == ".txt":
        for lines in parted(text.read(path, on_error, tally)):
            cut = (Sentence(tokens(line.words), line.text) for line in lines)
            yield Plain(list(cut), str(path))
    elif tagged.is_tagged(path):
        for pairs in parted(tagged.read(path, on_error, tally)):
            yield Plain([line for line, _ in pairs], str(path), [tags for _, tags in pairs])
    else:
        yield from map(Phrases, parted(brackets.read(path, on_error, tally, strings=strings)))


def _taken(block: Phrases | Plain, rows: list[int]) -> Phrases | Plain:
    """Some sentences of a block."""
    if isinstance(block, Phrases):
        return Phrases([block.trees[row] for row in rows])
    tags = [block.tags[row] for row in rows] if block.tags else ()
    return Plain([block.lines[row] for row in rows], block.file, tags)
