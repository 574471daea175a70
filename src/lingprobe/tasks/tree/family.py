"""The ten tasks of Conneau et al. 2018 (section 2), from constituency trees; three of them from any
text, one from tagged text.

Each is a `CorpusQuestion` put to a parsed corpus; all ten take the options of `TreeTaskOptions`.
docs/tasks-tree.md has the definitions, where the paper leaves something open, and the error rates
found by reading.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from lingprobe.corpora import brackets
from lingprobe.corpora import tagged_text as tagged
from lingprobe.corpora.brackets import BracketTree, InternedStrings
from lingprobe.corpora.files import (
    CorpusPart,
    digest_files,
    uncompressed_path,
)
from lingprobe.corpora.frequencies import list_readable_files
from lingprobe.corpora.tally import OnError
from lingprobe.data.core import Sentence
from lingprobe.data.oracles import Facts
from lingprobe.tasks import baseline_names
from lingprobe.tasks.findings import CANDIDATE_BATCH_ROWS, FoundCandidates
from lingprobe.tasks.memory import oracle_facts, pause_garbage_collection
from lingprobe.tasks.parsed_corpora import is_large
from lingprobe.tasks.questions import Answers, CorpusQuestion
from lingprobe.tasks.sources import NamedFile
from lingprobe.tasks.task import TaskDefinition
from lingprobe.tasks.tree import answers
from lingprobe.tasks.tree.altered_sentences import SentenceAlteration
from lingprobe.tasks.tree.clause import NO_OBJECT_TAGS, VERB_TAGS, find_head_noun
from lingprobe.tasks.tree.corpus import SENTENCE_LENGTHS, TreeTaskOptions
from lingprobe.tasks.ud.classes import MIN_WORD_SENTENCES
from lingprobe.tasks.ud.facts import (
    CONTENT_WORD_FACTS,
    WORD_PLACE_FACTS,
    build_content_facts,
    build_place_facts,
)

_PHRASES = {
    "phrases": (
        "verbs and the heads of noun phrases, each with its tag and the labels of the phrases above"
        " it, six at most"
    )
}
_CONSTITUENTS = {"constituents": "the constituents right below the sentence, each with its place"}
_DEPTHS = {"depths": "how many nodes lie above each word"}
_ORIGINS = {
    "origins": (
        "the place that each word had before the sentence was altered; it is not a linguistic"
        " annotation"
    )
}
_TOP = 6  # phrases above a word, from the top, that are told

Says = Callable[[BracketTree], Sequence[str]]


def compute_phrase_facts(
    oracle: str, files: Sequence[NamedFile], on_error: OnError, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """The facts of an oracle about some sentences, or about all that the files have."""
    if oracle in WORD_PLACE_FACTS:
        return build_place_facts(sentences)
    paths = [source.part.path for source in files]
    key = (
        "tree",
        oracle,
        tuple(str(path.resolve()) for path in paths),
        digest_files(paths),
        on_error,
    )
    wanted = sentences if is_large(paths) else ()
    return oracle_facts(key, lambda: _read_tree_facts(_OF_TREES[oracle], paths, on_error), wanted)


def find_word_origins(
    candidates: FoundCandidates, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """Where each word of some sentences stood before they were altered."""
    assert isinstance(candidates.edit, SentenceAlteration)
    wanted = frozenset(sentences)
    return {
        one.sentence: (_moves(tuple(one.origins)),)
        for first in range(0, len(candidates), CANDIDATE_BATCH_ROWS)
        for one in candidates.edit.alter_rows(
            candidates.corpus, candidates.rows[first : first + CANDIDATE_BATCH_ROWS]
        )
        if one.sentence in wanted
    }


def has_trees(files: Sequence[NamedFile]) -> bool:
    """Whether all of some files are of trees."""
    return not any(_is_running_text(source.part.path) for source in files)


def _is_running_text(path: Path) -> bool:
    return uncompressed_path(path).suffix == ".txt" or tagged.is_tagged(path)


def _read_tree_facts(
    says: Says, paths: Sequence[Path], on_error: OnError
) -> Iterator[tuple[Sentence, Facts]]:
    strings = InternedStrings()
    for path in paths:
        for tree in brackets.read_brackets(path, on_error, strings=strings):
            if len(tree.words) in SENTENCE_LENGTHS:
                yield tree.sentence, (says(tree),)


def _phrases(tree: BracketTree) -> list[str]:
    paths, levels = [""] * len(tree.labels), [0] * len(tree.labels)
    said = []
    for node in range(len(tree.labels)):
        if node:
            above = tree.parents[node]
            levels[node], paths[node] = (
                levels[above] + 1,
                _below(paths[above], _get_phrase_label(tree, node)),
            )
        if levels[node] > _TOP:
            continue
        if tree.labels[node] == "NP" and (noun := find_head_noun(tree, node)).at >= 0:
            said.append(_below(paths[node], tree.tags[noun.at]))
        said += [
            _below(paths[node], child.label)
            for child in tree.children(node)
            if child.label in VERB_TAGS or child.label == "MD"
        ]
    return said


def _get_phrase_label(tree: BracketTree, node: int) -> str:
    """A phrase's label, with the function tag that makes it an adverbial."""
    adverbial = next((tag for tag in tree.functions[node].split("-") if tag in NO_OBJECT_TAGS), "")
    return tree.labels[node] + (f"-{adverbial}" if adverbial else "")


@lru_cache(maxsize=1 << 16)
def _below(above: str, label: str) -> str:
    """A way down the tree, one label further."""
    return f"{above}/{label}"


def _constituents(tree: BracketTree) -> list[str]:
    top = tree.children(0)
    below = tree.children(top[0].node) if len(top) == 1 and top[0].node >= 0 else top
    return [f"{place}={child.label}" for place, child in enumerate(below, 1)]


def _depths(tree: BracketTree) -> list[str]:
    levels = [1] * len(tree.labels)
    for node in range(1, len(levels)):
        levels[node] = levels[tree.parents[node]] + 1
    return [
        f"depth={levels[node]}"
        for node in range(len(levels))
        for child in tree.children(node)
        if child.node < 0
    ]


@lru_cache(maxsize=1 << 16)
def _moves(places: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(
        f"{to} from {place + 1 if place >= 0 else 'nowhere'}" for to, place in enumerate(places, 1)
    )


_OF_TREES: Mapping[str, Says] = {
    "phrases": _phrases,
    "constituents": _constituents,
    "depths": _depths,
}


def _list_tree_files(options: TreeTaskOptions) -> list[CorpusPart]:
    """The files, and those that frequencies are counted in."""
    counted = [
        CorpusPart("freq", path) for name in options.freq for path in list_readable_files(name)
    ]
    return [*(source.part for source in options.sources), *counted]


def _offered_oracles(oracles: Mapping[str, str], options: TreeTaskOptions) -> list[str]:
    """What labels are derived from; only trees say where in a tree a word is."""
    trees = has_trees(options.sources)
    return [name for name in oracles if trees or name not in _OF_TREES]


def _find_sentence_facts(
    name: str, oracle: str, options: TreeTaskOptions, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """What the trees of these sentences say, or where their words stood before they were
    altered.
    """
    if oracle in CONTENT_WORD_FACTS:
        return build_content_facts(
            sentences, answers.find_frequent_words(options.corpus(), options)
        )
    if oracle in _ORIGINS:
        with pause_garbage_collection():
            found = answers.SENTENCE_ALTERATIONS[name](options.corpus(), options, {})
            return find_word_origins(found, sentences)
    return compute_phrase_facts(oracle, options.sources, options.on_error, sentences)


def _settings(name: str, options: TreeTaskOptions) -> dict[str, Any]:
    """What options change of how candidates are sampled."""
    counted: dict[str, Any] = {"rarest": 1, "commonest": 0} if options.has_corpus_band else {}
    if name == "tree-depth" and options.depths == "gaussian":
        return {**counted, "balance": False, "decorrelate": False}  # the candidates are
    return counted


_DROP = {"least": 50, "rare": "drop"}
_CONTENT = {"least": MIN_WORD_SENTENCES, "rare": "drop", "least_test": 10}
_TENSE = {"PRES": "it needs main clauses with VBP or VBZ", "PAST": "it needs main clauses with VBD"}
_NUMBER = {
    "NN": "it needs noun phrases with NN in main clauses",
    "NNS": "it needs noun phrases with NNS in main clauses",
}


def _task(
    name: str,
    asks: str,
    candidates: Answers[TreeTaskOptions],
    oracles: Mapping[str, str],
    **more: Any,
) -> TaskDefinition[TreeTaskOptions]:
    question = CorpusQuestion(
        f"tree/{name}",
        asks,
        TreeTaskOptions.corpus,
        _list_tree_files,
        candidates,
        varied=partial(_settings, name),
        oracles=oracles,
        offered=partial(_offered_oracles, oracles),
        facts=partial(_find_sentence_facts, f"tree/{name}"),
        **more,
    )
    return question.define(TreeTaskOptions)


sent_len = _task(
    "sent-len", "How many words does the sentence have?",
    answers.label_lengths, settings=_DROP, classes=len(answers.EQUAL_LENGTH_BINS),
    oracles=WORD_PLACE_FACTS, reference_lines=(baseline_names.LENGTH_BASELINE,),
)  # fmt: skip
word_content = _task(
    "word-content", "Which of some mid-frequency words does the sentence hold?",
    answers.find_word_candidates, settings=_CONTENT, oracles=CONTENT_WORD_FACTS,
)  # fmt: skip
tree_depth = _task(
    "tree-depth",
    "How deep is the constituency tree of the sentence, whatever its length?",
    answers.find_depth_candidates, settings={**_DROP, "decorrelate": "gaussian"},
    classes=len(answers.TREE_DEPTH_CLASSES), oracles=_DEPTHS,
)  # fmt: skip
top_const = _task(
    "top-const", "Which constituents is the sentence made of?",
    answers.label_sequences, settings=_DROP, classes=answers.TOP_SEQUENCE_COUNT + 1,
    oracles=_CONSTITUENTS,
)  # fmt: skip
bigram_shift = _task(
    "bigram-shift", "Have two neighbouring words of the sentence changed places?",
    answers.shift_answers, classes=2, oracles=_ORIGINS,
)  # fmt: skip
tense = _task(
    "tense", "Is the verb of the main clause in the present or in the past?",
    answers.find_rule_candidates("tense"), needs=_TENSE, classes=2,
    oracles=_PHRASES,
)  # fmt: skip
subj_num = _task(
    "subj-num", "Is the subject of the main clause singular or plural?",
    answers.find_rule_candidates("subj-num"), needs=_NUMBER, classes=2, oracles=_PHRASES,
)  # fmt: skip
obj_num = _task(
    "obj-num", "Is the direct object of the main clause singular or plural?",
    answers.find_rule_candidates("obj-num"), needs=_NUMBER, classes=2, oracles=_PHRASES,
)  # fmt: skip
somo = _task(
    "somo", "Has a noun or verb of the sentence been replaced by another?",
    answers.replacement_answers, settings={"rarest": 1, "commonest": 0}, classes=2,
    oracles=_ORIGINS,
)  # fmt: skip
coord_inv = _task(
    "coord-inv", "Have the two coordinated clauses of the sentence changed places?",
    answers.inversion_answers, settings={"decorrelate": True}, classes=2, oracles=_ORIGINS,
)  # fmt: skip
