"""One pass over some files that answers all ten questions of Conneau et al. 2018; tasks of the same
files share what it reads.

Files are bracketed trees, tagged text or running text. The corpus has the distinct sentences of 5
to 28 tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from sonde.core import DataProblem, Sentence
from sonde.corpora import brackets, tagged, text
from sonde.corpora.brackets import Strings, Tree
from sonde.corpora.files import treebank, uncompressed
from sonde.corpora.tally import OnError, Tally
from sonde.corpora.text import letters, tokens
from sonde.references import Place
from sonde.tasks import parsed
from sonde.tasks.parsed import CORPORA, ParsedCorpus, Source, same_files
from sonde.tasks.questions import CorpusOptions
from sonde.tasks.tree import rules as tree_rules
from sonde.tasks.tree.coord import coordination

LENGTHS = range(5, 29)  # tokens of a sentence (section 2)
RULES: dict[str, Callable[[Tree], Any]] = {
    "top-const": tree_rules.top_const,
    "tense": tree_rules.tense,
    "subj-num": tree_rules.subj_num,
    "obj-num": tree_rules.obj_num,
    "coord-inv": coordination,
}
LITERAL: dict[str, Callable[[Tree], Any]] = {
    "top-const": partial(tree_rules.top_const, literal=True),
    "tense": tree_rules.tense,
    "subj-num": partial(tree_rules.subj_num, literal=True),
    "obj-num": partial(tree_rules.obj_num, literal=True),
    "coord-inv": partial(coordination, literal=True),
}
"""The same as literally as the paper and its README have them."""
NO_TREE = "text without a tree"
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


Read = tuple[tuple[str, ...], Tree | Sentence, tuple[str, ...]]
"""The words of a sentence, what it is made from, and its tags."""


def _parsed(
    found: list[Source], on_error: OnError, rules: Mapping[str, Callable[[Tree], Any]]
) -> ParsedCorpus:
    forms: Counter[str] = Counter()
    whole = ParsedCorpus(
        tuple(str(source.part.path) for source in found),
        {name: [] for name in rules},
        counted=forms,
    )
    seen: dict[int, int] = {}
    strings = Strings()
    for source in found:
        for words, made, tags in _read(source.part.path, on_error, whole.tally, strings):
            forms.update(words)
            if len(words) not in LENGTHS:
                whole.left_out["fewer than 5 or more than 28 tokens"] += 1
                continue
            # 64-bit hashes stand for the words: at ten million sentences two differing ones meet
            # with a chance of 3e-6
            row = seen.setdefault(hash(letters("".join(words)) or words), len(seen))
            if row == len(whole.sentences):
                _add(whole, source, made, tags)
                for name, rule in rules.items():
                    whole.answers[name].append(rule(made) if isinstance(made, Tree) else NO_TREE)
                continue
            whole.left_out["a second time"] += 1
            if HOME[source.part.split] > HOME[whole.splits[row]]:
                whole.splits[row] = source.part.split
    if not whole.sentences:
        first = f"; the first problem: {whole.tally.problems[0]}" if whole.tally.problems else ""
        raise DataProblem(
            f"no sentences of {LENGTHS[0]} to {LENGTHS[-1]} tokens in"
            f" {', '.join(whole.files)}{first}"
        )
    return whole


def _read(path: Path, on_error: OnError, tally: Tally, strings: Strings) -> Iterator[Read]:
    """The sentences of one file."""
    if uncompressed(path).suffix == ".txt":
        for sentence in text.read(path, on_error, tally):
            words = tokens(sentence.words)
            yield words, Sentence(words, sentence.text), ()
    elif tagged.is_tagged(path):
        for sentence, tags in tagged.read(path, on_error, tally):
            yield sentence.words, sentence, tags
    else:
        for tree in brackets.read(path, on_error, tally, strings=strings):
            yield tree.words, tree, tree.tags


def _add(whole: ParsedCorpus, source: Source, made: Tree | Sentence, tags: tuple[str, ...]) -> None:
    tree = made if isinstance(made, Tree) else None
    whole.sentences.append(made if isinstance(made, Sentence) else made.sentence)
    whole.tags.append(tags)
    whole.splits.append(source.part.split)
    whole.sources.append(source.name)
    whole.depths.append(tree_rules.depth(tree) if tree else 0)
