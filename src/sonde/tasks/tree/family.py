"""The ten tasks of Conneau et al. 2018 (section 2), from constituency trees; three of them from any
text, one from tagged text.

Each is a `Question` put to a parsed corpus; all ten take the options of `Options`.
docs/tasks-tree.md has the definitions, where the paper leaves something open, and the error rates
found by reading.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from sonde.core import Sentence
from sonde.corpora.files import Part
from sonde.corpora.frequencies import corpus
from sonde.oracles import Facts
from sonde.tasks.parsed import uncollected
from sonde.tasks.questions import LOGISTIC, Answers, Question
from sonde.tasks.task import Definition
from sonde.tasks.tree import answers
from sonde.tasks.tree.corpus import Options
from sonde.tasks.tree.facts import (
    CONSTITUENTS,
    DEPTHS,
    OF_TREES,
    ORIGINS,
    PHRASES,
    facts,
    has_trees,
    origins,
)
from sonde.tasks.ud.facts import CONTENT, PLACES, content
from sonde.tasks.ud.words import LEAST


def _parts(options: Options) -> list[Part]:
    """The files, and those that frequencies are counted in."""
    counted = [Part("freq", path) for name in options.freq for path in corpus(name)]
    return [*(source.part for source in options.sources), *counted]


def _offered(oracles: Mapping[str, str], options: Options) -> list[str]:
    """What labels are derived from; only trees say where in a tree a word is."""
    trees = has_trees(options.sources)
    return [name for name in oracles if trees or name not in OF_TREES]


def _facts(
    name: str, oracle: str, options: Options, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """What the trees of these sentences say, or where their words stood before they were
    altered.
    """
    if oracle in CONTENT:
        return content(sentences, answers.frequent(options.corpus(), options))
    if oracle in ORIGINS:
        with uncollected():
            return origins(answers.ALTERATIONS[name](options.corpus(), options, {}))
    return facts(oracle, options.sources, options.on_error, sentences)


def _settings(name: str, options: Options) -> dict[str, Any]:
    """What options change of how candidates are sampled."""
    counted: dict[str, Any] = {"rarest": 1, "commonest": 0} if options.counted else {}
    if name == "tree-depth" and options.depths == "gaussian":
        return {**counted, "balance": False, "decorrelate": False}  # the candidates are
    return counted


_DROP = {"least": 50, "rare": "drop"}
_CONTENT = {"least": LEAST, "rare": "drop", "least_test": 10}
_TENSE = {"PRES": "it needs main clauses with VBP or VBZ", "PAST": "it needs main clauses with VBD"}
_NUMBER = {
    "NN": "it needs noun phrases with NN in main clauses",
    "NNS": "it needs noun phrases with NNS in main clauses",
}


def _task(
    name: str, asks: str, candidates: Answers[Options], oracles: Mapping[str, str], **more: Any
) -> Definition[Options]:
    question = Question(
        f"tree/{name}",
        asks,
        Options.corpus,
        _parts,
        candidates,
        varied=partial(_settings, name),
        oracles=oracles,
        offered=partial(_offered, oracles),
        facts=partial(_facts, f"tree/{name}"),
        **more,
    )
    return question.defined(Options)


sent_len = _task(
    "sent-len", "How many words does the sentence have?",
    answers.lengths, settings=_DROP, classes=len(answers.EQUAL), oracles=PLACES,
)  # fmt: skip
word_content = _task(
    "word-content", "Which of some mid-frequency words does the sentence hold?",
    answers.words, settings=_CONTENT, oracles=CONTENT, probe=LOGISTIC,
)  # fmt: skip
tree_depth = _task(
    "tree-depth",
    "How deep is the constituency tree of the sentence, whatever its length?",
    answers.depths, settings={**_DROP, "decorrelate": "gaussian"}, classes=len(answers.DEPTHS),
    oracles=DEPTHS,
)  # fmt: skip
top_const = _task(
    "top-const", "Which constituents is the sentence made of?",
    answers.sequences, settings=_DROP, classes=answers.SEQUENCES + 1, oracles=CONSTITUENTS,
)  # fmt: skip
bigram_shift = _task(
    "bigram-shift", "Have two neighbouring words of the sentence changed places?",
    answers.altered("tree/bigram-shift"), classes=2, oracles=ORIGINS,
)  # fmt: skip
tense = _task(
    "tense", "Is the verb of the main clause in the present or in the past?",
    answers.ruled("tense"), needs=_TENSE, classes=2,
    oracles=PHRASES,
)  # fmt: skip
subj_num = _task(
    "subj-num", "Is the subject of the main clause singular or plural?",
    answers.ruled("subj-num"), needs=_NUMBER, classes=2, oracles=PHRASES,
)  # fmt: skip
obj_num = _task(
    "obj-num", "Is the direct object of the main clause singular or plural?",
    answers.ruled("obj-num"), needs=_NUMBER, classes=2, oracles=PHRASES,
)  # fmt: skip
somo = _task(
    "somo", "Has a noun or verb of the sentence been replaced by another?",
    answers.altered("tree/somo"), settings={"rarest": 1, "commonest": 0}, classes=2,
    oracles=ORIGINS,
)  # fmt: skip
coord_inv = _task(
    "coord-inv", "Have the two coordinated clauses of the sentence changed places?",
    answers.altered("tree/coord-inv"), settings={"decorrelate": True}, classes=2, oracles=ORIGINS,
)  # fmt: skip
