"""One pass over some files that answers all ten questions of Conneau et al. 2018; tasks of the same
files share what it reads.

Files are bracketed trees, tagged text or running text. The corpus has the distinct sentences of 5
to 28 tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from lingprobe.corpora import brackets, text
from lingprobe.corpora import tagged_text as tagged
from lingprobe.corpora.brackets import BracketTree
from lingprobe.corpora.files import find_treebank_files, uncompressed_path
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.text import tokenize_words
from lingprobe.corpora.views import Block, PhraseTrees, RunningText, split_into_blocks
from lingprobe.data._closure import root_of
from lingprobe.data.core import Sentence
from lingprobe.data.options import Help
from lingprobe.data.references import PlaceOption
from lingprobe.tasks import sources as named
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.parsed_corpora import CORPUS_CACHE, ParsedCorpus, SentenceRules, parsed_corpus
from lingprobe.tasks.questions import CorpusOptions
from lingprobe.tasks.shards import DEPTH_COLUMN, LENGTH_COLUMN, LETTERS_COLUMN, TAGS_COLUMN
from lingprobe.tasks.sources import NamedFile, same_files
from lingprobe.tasks.tree import rules as tree_rules
from lingprobe.tasks.tree.altered_sentences import ClauseCoordination, find_coordination

SENTENCE_LENGTHS = range(5, 29)  # tokens of a sentence (section 2)
PHRASE_TREE_RULES: Mapping[str, Callable[[BracketTree], Any]] = {
    "top-const": tree_rules.top_const,
    "tense": tree_rules.classify_phrase_tense,
    "subj-num": tree_rules.find_subject_phrase_number,
    "obj-num": tree_rules.find_object_phrase_number,
    "coord-inv": find_coordination,
}
_LITERAL: Mapping[str, Callable[[BracketTree], Any]] = {
    "top-const": partial(tree_rules.top_const, literal=True),
    "tense": tree_rules.classify_phrase_tense,
    "subj-num": partial(tree_rules.find_subject_phrase_number, literal=True),
    "obj-num": partial(tree_rules.find_object_phrase_number, literal=True),
    "coord-inv": partial(find_coordination, literal=True),
}
"""The same as literally as the paper and its README have them."""
_NO_TREE = "text without a tree"
_ELSEWHERE = "not of the lengths that are asked about"


@dataclass(frozen=True, slots=True)
class TreeTaskOptions(CorpusOptions):
    """What every tree task takes; an option that a task has no use for changes nothing in it.

    those of SentEval's README
    """

    freq: Annotated[
        tuple[PlaceOption, ...],
        Help(
            "corpora that frequencies are taken from, of any of these kinds; none: the sources"
            " themselves"
        ),
    ] = field(default=(), kw_only=True)
    inventory: Annotated[
        Literal["found", "published"],
        Help(
            "found: TopConst's classes are the most frequent sequences of the sources; published:"
        ),
    ] = field(default="found", kw_only=True)
    bins: Annotated[
        Literal["equal", "readme"],
        Help(
            "equal: SentLen's six bins are equally wide, as the paper says; readme: as in the"
            " published files"
        ),
    ] = field(default="equal", kw_only=True)
    band: Annotated[
        Literal["scaled", "literal"],
        Help(
            "scaled: target forms of Tense, SubjNum and ObjNum are neither rare nor common for so"
            " many sentences; literal: they occur 100 to 5,000 times in the sources or `freq`, as"
            " the README says"
        ),
    ] = field(default="scaled", kw_only=True)
    depths: Annotated[
        Literal["flat", "gaussian"],
        Help(
            "flat: TreeDepth has equally many sentences of each depth; gaussian: lengths and"
            " depths follow a Gaussian over both with a diagonal covariance, as the README says,"
            " so that depths in the middle are more frequent"
        ),
    ] = field(default="flat", kw_only=True)
    rules: Annotated[
        Literal["lingprobe", "paper"],
        Help(
            "lingprobe: as docs/tasks-tree.md says; paper: BShift, TopConst, SubjNum, ObjNum and"
            " CoordInv as literally as the paper and its README have them, without what was"
            " excluded since"
        ),
    ] = field(default="lingprobe", kw_only=True)

    @property
    def literal(self) -> bool:
        """Whether rules are the paper's."""
        return self.rules == "paper"

    @property
    def sources(self) -> list[NamedFile]:
        """The files, each by the kind that its name says: .txt is running text, .tagged tagged
        text, the others trees.
        """
        parts = partial(find_treebank_files, suffixes=brackets.BRACKET_SUFFIXES)
        return named.name_files((self.path, *self.with_), parts)

    def corpus(self) -> ParsedCorpus:
        """All that the ten tasks ask of the sources; read once for all tasks of a process, while
        the files stay as they are.
        """
        files = self.sources
        key = ("tree", same_files(files), self.on_error, self.literal)
        return CORPUS_CACHE.get(key, lambda: _distinct_corpus(files, self.on_error, self.literal))

    @property
    def has_corpus_band(self) -> bool:
        """Whether target forms are kept or excluded by their frequency in a corpus, not by that
        among the candidates.
        """
        return bool(self.freq) or self.band == "literal"


def _distinct_corpus(files: list[NamedFile], on_error: OnError, literal: bool) -> ParsedCorpus:
    """The distinct sentences, remembered by the files."""
    rules = SentenceRules(
        partial(_judge, _LITERAL if literal else PHRASE_TREE_RULES),
        (root_of(_judge),),
        str(literal),
    )
    return keep_distinct_sentences(parsed_corpus(files, on_error, rules, _read_file_blocks))


def keep_distinct_sentences(corpus: ParsedCorpus) -> ParsedCorpus:
    """The distinct sentences of 5 to 28 tokens, punctuation included, each in the split that it is
    tested in, whichever files have it.
    """
    lengths, alike = corpus.columns(LENGTH_COLUMN, LETTERS_COLUMN)
    fit = np.flatnonzero((lengths >= SENTENCE_LENGTHS[0]) & (lengths <= SENTENCE_LENGTHS[-1]))
    _, first, alike = np.unique(alike[fit], return_index=True, return_inverse=True)
    splits = np.full(len(first), -1, np.int8)
    np.maximum.at(splits, alike, corpus.splits[fit])
    order = np.argsort(first)
    left_out = {
        "fewer than 5 or more than 28 tokens": len(lengths) - len(fit),
        "a second time": len(fit) - len(first),
    }
    left_out = {reason: n for reason, n in left_out.items() if n}
    some = corpus.part(fit[first[order]], splits=splits[order], whole=True, left_out=left_out)
    if not len(some):
        raise some.nothing(f"sentences of {SENTENCE_LENGTHS[0]} to {SENTENCE_LENGTHS[-1]} tokens")
    return some


def _judge(
    rules: Mapping[str, Callable[[BracketTree], Any]], block: Block, sentences: list[Sentence]
) -> dict[str, Sequence[Any]]:
    """What all rules say of some sentences, their depths, and the tags of their words."""
    fit = [len(sentence.words) in SENTENCE_LENGTHS for sentence in sentences]
    if isinstance(block, PhraseTrees):
        pairs = list(zip(block.trees, fit, strict=True))
        return {
            **{
                name: [_plain_finding(rule(tree)) if asked else _ELSEWHERE for tree, asked in pairs]
                for name, rule in rules.items()
            },
            DEPTH_COLUMN: [
                tree_rules.measure_tree_depth(tree) if asked else 0 for tree, asked in pairs
            ],
            TAGS_COLUMN: [tree.tags for tree in block.trees],
        }
    assert isinstance(block, RunningText)
    none = [_NO_TREE] * len(sentences)
    return {**dict.fromkeys(rules, none), TAGS_COLUMN: list(block.tags) or [()] * len(sentences)}


def _plain_finding(finding: Any) -> Any:
    """A finding; where two clauses are coordinated, their places as a label."""
    return _coordination_answer(*finding) if isinstance(finding, ClauseCoordination) else finding


@lru_cache(maxsize=1 << 16)
def _coordination_answer(*places: int) -> Answer:
    return Answer(" ".join(map(str, places)))


def _read_file_blocks(
    path: Path, on_error: OnError, tally: ProblemTally
) -> Iterator[PhraseTrees | RunningText]:
    """The sentences of one file by the kind that its name says; English text is cut into words as
    trees are.
    """
    if uncompressed_path(path).suffix == ".txt":
        for lines in split_into_blocks(text.read_running_text(path, on_error, tally)):
            cut = (Sentence(tokenize_words(line.words), line.text) for line in lines)
            yield RunningText(list(cut), str(path))
    elif tagged.is_tagged(path):
        for pairs in split_into_blocks(tagged.read_tagged_text(path, on_error, tally)):
            yield RunningText([line for line, _ in pairs], str(path), [tags for _, tags in pairs])
    else:
        yield from map(
            PhraseTrees, split_into_blocks(brackets.read_brackets(path, on_error, tally))
        )
