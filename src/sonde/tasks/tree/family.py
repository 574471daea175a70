"""The ten tasks of Conneau et al. 2018 (section 2), from constituency trees; three of them from any
text, one from tagged text.

Each is a `Question` put to the sentences that `harvest` read; all ten take the options of
`Options`. docs/tasks-tree.md has the definitions, where the paper leaves something open, and the
error rates found by reading.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sonde.core import Dataset, Sampling, Sentence
from sonde.corpora.files import Part
from sonde.corpora.frequencies import corpus
from sonde.oracles import Facts
from sonde.tasks.questions import (
    LOGISTIC,
    Question,
    factory,
    fingerprint,
    source_notes,
    uncollected,
)
from sonde.tasks.tree import answers
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
from sonde.tasks.tree.harvest import Harvest, sources
from sonde.tasks.tree.options import Options
from sonde.tasks.ud.facts import CONTENT, PLACES, content
from sonde.tasks.ud.words import LEAST


@dataclass(frozen=True)
class TreeTask:
    """A question put to some sources; the question is held by name, so that tasks pickle."""

    name: str
    options: Options
    metric: str = "accuracy"
    view: str = "mean"

    sampling = Sampling(fold=True, size=True, on_error=True)

    @property
    def probe(self) -> str:
        """What it is read with where nothing else is said."""
        return QUESTIONS[self.name].probe

    @property
    def question(self) -> str:
        """What is asked of a sentence."""
        return QUESTIONS[self.name].asks

    @property
    def fingerprint(self) -> str:
        """The files' contents, the splits that their names say, and the code that reads, judges and
        samples them.
        """
        found = [source.part for source in sources(self.options.path, self.options.with_)]
        counted = [Part("freq", path) for name in self.options.freq for path in corpus(name)]
        return fingerprint([*found, *counted])

    @property
    def oracles(self) -> Mapping[str, str]:
        """What its labels are derived from; only trees say where in a tree a word is."""
        trees = has_trees(sources(self.options.path, self.options.with_))
        every = QUESTIONS[self.name].oracles
        return {name: said for name, said in every.items() if trees or name not in OF_TREES}

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """What the trees of these sentences say, or where their words stood before they were
        altered.
        """
        options = self.options
        if oracle in CONTENT:
            return content(sentences, answers.frequent(options.harvest(), options))
        if oracle in ORIGINS:
            with uncollected():
                found = options.harvest()
                return origins(answers.ALTERATIONS[self.name](found, options, {}))
        return facts(oracle, sources(options.path, options.with_), options.on_error, sentences)

    def load(self) -> Dataset:
        """The sampled data set; what was read and left out, and why, is in its notes."""
        options, about = self.options, QUESTIONS[self.name]
        with uncollected():
            found = options.harvest()
            notes = source_notes(found.files, found.tally, **found.left_out)
            candidates = about.answers(found, options, notes)
        special: dict[str, Any] = {"rarest": 1, "commonest": 0} if options.counted else {}
        if self.name == "tree/tree-depth" and options.depths == "gaussian":
            special |= {"balance": False, "decorrelate": False}  # the candidates are
        return about.sampled(options, candidates, notes, **special)


QUESTIONS: dict[str, Question[Harvest, Options]] = {}
_DROP = {"least": 50, "rare": "drop"}
_CONTENT = {"least": LEAST, "rare": "drop", "least_test": 10}
_TENSE = {"PRES": "it needs main clauses with VBP or VBZ", "PAST": "it needs main clauses with VBD"}
_NUMBER = {
    "NN": "it needs noun phrases with NN in main clauses",
    "NNS": "it needs noun phrases with NNS in main clauses",
}


def _task(question: Question[Harvest, Options]) -> Callable[..., TreeTask]:
    QUESTIONS[question.name] = question
    return factory(question.name, question.asks, Options, TreeTask, question.oracles)


sent_len = _task(
    Question(
        "tree/sent-len", "How many words does the sentence have?",
        answers.lengths, _DROP, classes=len(answers.EQUAL), oracles=PLACES,
    )
)  # fmt: skip
word_content = _task(
    Question(
        "tree/word-content", "Which of some mid-frequency words does the sentence hold?",
        answers.words, _CONTENT, oracles=CONTENT, probe=LOGISTIC,
    )
)  # fmt: skip
tree_depth = _task(
    Question(
        "tree/tree-depth",
        "How deep is the constituency tree of the sentence, whatever its length?",
        answers.depths, {**_DROP, "decorrelate": "gaussian"}, classes=len(answers.DEPTHS),
        oracles=DEPTHS,
    )
)  # fmt: skip
top_const = _task(
    Question(
        "tree/top-const", "Which constituents is the sentence made of?",
        answers.sequences, _DROP, classes=answers.SEQUENCES + 1, oracles=CONSTITUENTS,
    )
)  # fmt: skip
bigram_shift = _task(
    Question(
        "tree/bigram-shift", "Have two neighbouring words of the sentence changed places?",
        answers.altered("tree/bigram-shift"), classes=2, oracles=ORIGINS,
    )
)  # fmt: skip
tense = _task(
    Question(
        "tree/tense", "Is the verb of the main clause in the present or in the past?",
        answers.ruled("tense", "majority-feature", "construction"), needs=_TENSE, classes=2,
        oracles=PHRASES,
    )
)  # fmt: skip
subj_num = _task(
    Question(
        "tree/subj-num", "Is the subject of the main clause singular or plural?",
        answers.ruled("subj-num", "majority-feature"), needs=_NUMBER, classes=2, oracles=PHRASES,
    )
)  # fmt: skip
obj_num = _task(
    Question(
        "tree/obj-num", "Is the direct object of the main clause singular or plural?",
        answers.ruled("obj-num", "majority-feature"), needs=_NUMBER, classes=2, oracles=PHRASES,
    )
)  # fmt: skip
somo = _task(
    Question(
        "tree/somo", "Has a noun or verb of the sentence been replaced by another?",
        answers.altered("tree/somo"), {"rarest": 1, "commonest": 0}, classes=2, oracles=ORIGINS,
    )
)  # fmt: skip
coord_inv = _task(
    Question(
        "tree/coord-inv", "Have the two coordinated clauses of the sentence changed places?",
        answers.altered("tree/coord-inv"), {"decorrelate": True}, classes=2, oracles=ORIGINS,
    )
)  # fmt: skip
