"""One pass over some files that answers all ten questions of Conneau et al. 2018; tasks of the same
files share what it reads.

Files are bracketed trees, tagged text or running text. The corpus has the distinct sentences of 5
to 28 tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sonde.core import DataProblem, Sentence
from sonde.corpora import brackets, tagged, text
from sonde.corpora.brackets import Strings, Tree
from sonde.corpora.english import tokens
from sonde.corpora.files import treebank, uncompressed
from sonde.corpora.likeness import letters
from sonde.corpora.tally import OnError, Tally
from sonde.tasks import parsed
from sonde.tasks.parsed import CORPORA, ParsedCorpus, Source, same_files
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


def sources(path: str, more: tuple[str, ...] = ()) -> list[Source]:
    """The files that some paths name, each by the kind that its name says: .txt is running text,
    .tagged tagged text, the others trees.
    """
    return parsed.sources((path, *more), partial(treebank, suffixes=brackets.SUFFIXES))


def corpus(
    path: str, more: tuple[str, ...] = (), on_error: OnError = "raise", literal: bool = False
) -> ParsedCorpus:
    """All that the ten tasks ask of some files; read once for all tasks of a process, while the
    files stay as they are.
    """
    found = sources(path, more)
    rules = LITERAL if literal else RULES
    key = ("tree", same_files(found), on_error, literal)
    return CORPORA.get(key, lambda: _parsed(found, on_error, rules))


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
