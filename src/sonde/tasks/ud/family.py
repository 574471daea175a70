"""The nine universal tasks of Krasnowska-Kieraś & Wróblewska 2019 (section 3), from any UD
treebank.

Each is a `Question` put to the sentences that `harvest` read; all nine take the options of
`Options`. docs/tasks-ud.md has the definitions, where they differ from the paper's, and the error
rates found by reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sonde.core import DataProblem, Dataset, Sampling, Sentence
from sonde.corpora.files import Part
from sonde.datasets import Candidate
from sonde.oracles import Facts
from sonde.tasks.questions import (
    LOGISTIC,
    Asked,
    Question,
    factory,
    fingerprint,
    source_notes,
    stratum,
    uncollected,
)
from sonde.tasks.ud.depths import comparable, outside
from sonde.tasks.ud.facts import CLAUSE, CONTENT, DEPTHS, PLACES, content, facts
from sonde.tasks.ud.harvest import RULES, Harvest, harvest, is_text, parts, refuse_first_release
from sonde.tasks.ud.rules import INTERVALS, LENGTHS, Answer, Finding, composition, misread, tallied
from sonde.tasks.ud.types import final_mark
from sonde.tasks.ud.words import LEAST, contents, targets


@dataclass(frozen=True, slots=True)
class Options(Asked):
    """What every ud task takes; an option that a task has no use for changes nothing in it.

    path      a treebank: a CoNLL-U file or a folder of them, plain, .gz or .xz; for sent-len and
              word-content also .txt
    rules     sonde: as docs/tasks-ud.md says; paper: Passive, Tense, SubjNum, ObjNum and TopDeps
              literally as section 3.2 says
    forms     of Tense, all: also tenses of several words, as perfects and passives; simple: finite
              verbs of one word alone, which is one question in all languages
    passive   whether Voice=Pass without aux:pass is left out (auxiliary) or counts as passive
              (morphological)
    relations whether TopDeps uses universal relations (obl) or subtypes too (obl:agent)
    final     whether SentType keeps the final punctuation mark, or takes it off
    """

    rules: Literal["sonde", "paper"] = field(default="sonde", kw_only=True)
    forms: Literal["all", "simple"] = field(default="all", kw_only=True)
    passive: Literal["auxiliary", "morphological"] = field(default="auxiliary", kw_only=True)
    relations: Literal["universal", "subtypes"] = field(default="universal", kw_only=True)
    final: Literal["keep", "strip"] = field(default="keep", kw_only=True)


SCHEMATA, OTHER = 19, "OTHER"  # section 3.2

Answers = Callable[[Harvest, Options, dict[str, Any]], list[Candidate]]


@dataclass(frozen=True)
class UdTask:
    """A question put to some treebanks; the question is held by name, so that tasks pickle."""

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
        """The files' contents, and the splits that their names say."""
        return fingerprint(self._parts)

    @property
    def _parts(self) -> list[Part]:
        return parts(self.options.path, self.options.with_)

    @property
    def oracles(self) -> Mapping[str, str]:
        """What its labels are derived from; running text has no trees that would say it."""
        every = QUESTIONS[self.name].oracles
        return {
            name: said
            for name, said in every.items()
            if name in (*PLACES, *CONTENT) or not any(is_text(part.path) for part in self._parts)
        }

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """What the annotation of these sentences says."""
        options = self.options
        if oracle in CONTENT:
            return content(
                sentences,
                targets(harvest(options.path, options.with_, options.on_error).forms).frequent,
            )
        found = facts(oracle, self._parts, options.on_error, sentences)
        if self.name == "ud/sent-type" and options.final == "strip":
            return {_stripped(sentence): said for sentence, said in found.items()}
        return found

    def candidates(self) -> tuple[list[Candidate], dict[str, Any]]:
        """All sentences that answer the question, before sampling, and what was counted on the
        way.
        """
        options = self.options
        with uncollected():
            found = harvest(options.path, options.with_, options.on_error)
            notes = source_notes(found.files, found.tally)
            if self.name.removeprefix("ud/") in RULES:
                refuse_first_release(found.styles)
            return QUESTIONS[self.name].answers(found, options, notes), notes

    def load(self) -> Dataset:
        """The sampled data set; what was read and left out, and why, is in its notes."""
        options, about = self.options, QUESTIONS[self.name]
        candidates, notes = self.candidates()
        try:
            return about.sampled(options, candidates, notes)
        except DataProblem as problem:
            found = harvest(options.path, options.with_, options.on_error)
            foreign = "; ".join(
                filter(None, (style.foreign_values() for style in found.styles.values()))
            )
            raise (DataProblem(f"{problem}; {foreign}") if foreign else problem) from None


def _lengths(found: Harvest, options: Options, notes: dict[str, Any]) -> list[Candidate]:
    labels = [LENGTHS.get(len(sentence.words)) for sentence in found.sentences]
    notes["left out"] = {"fewer than 3 or more than 23 words": labels.count(None)}
    columns = zip(found.sentences, labels, found.splits, found.sources, strict=True)
    return [
        Candidate(sentence, label, "", split, stratum(source))
        for sentence, label, split, source in columns
        if label
    ]


def _words(found: Harvest, options: Options, notes: dict[str, Any]) -> list[Candidate]:
    chosen = contents(found.sentences, found.forms)
    notes["word content"] = chosen.notes
    notes["left out"] = {"no target word, or several": len(found.sentences) - len(chosen.rows)}
    return [
        Candidate(found.sentences[row], word, "", found.splits[row], stratum(found.sources[row]))
        for row, word in chosen.rows
    ]


def _depths(found: Harvest, options: Options, notes: dict[str, Any]) -> list[Candidate]:
    run = comparable(
        Counter((d, len(s.words)) for d, s in zip(found.depths, found.sentences, strict=True) if d)
    )
    wanted = set(options.classes) or set(map(str, run))
    columns = zip(found.sentences, map(str, found.depths), found.splits, found.sources, strict=True)
    kept = [
        Candidate(sentence, depth, "", split, stratum(source))
        for sentence, depth, split, source in columns
        if depth in wanted
    ]
    notes["left out"] = {outside(run): len(found.sentences) - len(kept)}
    return kept


def _schemata(found: Harvest, options: Options, notes: dict[str, Any]) -> list[Candidate]:
    findings = (found.literal if options.rules == "paper" else found.findings)["top-deps"]
    counts, notes["left out"] = tallied(findings)
    named = {
        schema: schema if options.relations == "subtypes" else _universal(schema)
        for schema in counts
    }
    totals: Counter[str] = Counter()
    for schema, n in counts.items():
        totals[named[schema]] += n
    ranked = [
        name for name, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))[:SCHEMATA]
    ]
    common = set(options.classes or ranked)
    labels = {schema: name if name in common else OTHER for schema, name in named.items()}
    columns = zip(found.sentences, findings, found.splits, found.sources, strict=True)
    return [
        Candidate(sentence, labels[f[0]], "", split, stratum(source))
        for sentence, f, split, source in columns
        if type(f) is Answer
    ]


def _universal(schema: str) -> str:
    return " ".join(sorted(relation.partition(":")[0] for relation in schema.split(" ")))


def _ruled(name: str, *tags: str) -> Answers:
    """Candidates from the findings of one rule; `tags` are the fields of an Answer that become
    strata.
    """

    def answers(found: Harvest, options: Options, notes: dict[str, Any]) -> list[Candidate]:
        literal = found.literal.get(name)
        findings = (
            literal if literal is not None and options.rules == "paper" else found.findings[name]
        )
        if name == "tense":
            findings = _of_forms(findings, options)
            notes["auxiliaries"] = {
                how: dict(counts.most_common(LEMMAS)) for how, counts in found.auxiliaries.items()
            }
        counts, notes["left out"] = tallied(findings)
        notes["labels"] = counts
        if "construction" in tags:
            notes["constructions"] = composition(findings)
        if name == "tense" and literal is not None:
            notes["mislabelled by rules=paper"] = misread(
                found.sentences, found.findings[name], literal
            )
        known = {
            (f, source): _strata(f, source, tags)
            for f, source in set(zip(findings, found.sources, strict=True))
            if type(f) is Answer
        }
        columns = zip(found.sentences, findings, found.splits, found.sources, strict=True)
        return [
            Candidate(one, f.label, f.target, split, known[f, source])
            for one, f, split, source in columns
            if type(f) is Answer
        ]

    return answers


def _strata(finding: Answer, source: str, tags: tuple[str, ...]) -> Mapping[str, str]:
    """What there is to report an answer by."""
    return {
        **{tag: value for tag, value in zip(tags, finding[2:], strict=False) if value},
        **stratum(source),
    }


LEMMAS = 8  # auxiliaries of a construction that notes name
_COMPOUND = "a tense of several words"


def _of_forms(findings: list[Finding], options: Options) -> list[Finding]:
    """The findings, or with forms=simple those alone that are finite verbs of one word."""
    if options.forms == "all":
        return findings
    return [
        _COMPOUND if type(f) is Answer and not f.mark.startswith("simple") else f for f in findings
    ]


def _voices(found: Harvest, options: Options, notes: dict[str, Any]) -> list[Candidate]:
    candidates = _ruled("passive", "majority", "construction")(found, options, notes)
    morphological = notes["labels"].get("morphological", 0)
    if not morphological:
        return candidates
    if options.passive == "morphological":
        return [
            c._replace(label="passive") if c.label == "morphological" else c for c in candidates
        ]
    hint = "Voice=Pass without aux:pass (passive=morphological counts it as passive)"
    notes["left out"] = {hint: morphological, **notes["left out"]}
    return [c for c in candidates if c.label != "morphological"]


def _types(found: Harvest, options: Options, notes: dict[str, Any]) -> list[Candidate]:
    candidates = _ruled("sent-type", "majority", "mark")(found, options, notes)
    return (
        candidates
        if options.final == "keep"
        else [c._replace(sentence=_stripped(c.sentence)) for c in candidates]
    )


def _stripped(sentence: Sentence) -> Sentence:
    """The sentence without its final mark and what follows it."""
    mark, _ = final_mark(sentence.words)
    if not mark:
        return sentence
    last = len(sentence.words) - 1 - sentence.words[::-1].index(mark)
    return Sentence(
        sentence.words[:last] or sentence.words,
        sentence.text[: sentence.text.rfind(mark)].rstrip() or sentence.text,
    )


QUESTIONS: dict[str, Question[Harvest, Options]] = {}
_DROP = {"least": 50, "rare": "drop"}
_CONTENT = {"least": LEAST, "rare": "drop", "least_test": 10}
_NUMBER = {
    "sing": "it needs a NOUN with Number=Sing there",
    "plur": "it needs a NOUN with Number=Plur there",
}
_PASSIVE = {
    "passive": "it needs aux:pass at main predicates",
    "active": "it needs main predicates that are VERBs",
}
_TENSE = {
    "pres": "it needs main VERBs, or their auxiliaries, with Tense=Pres",
    "past": "it needs main VERBs, or their auxiliaries, with Tense=Past",
}
_TYPE = {
    "inter": "it needs final question marks",
    "imper": "it needs Mood=Imp at main predicates",
    "other": "it needs statements",
}
_MARKED = ("majority-feature", "construction")


def _task(question: Question[Harvest, Options]) -> Callable[..., UdTask]:
    QUESTIONS[question.name] = question
    return factory(question.name, question.asks, Options, UdTask, question.oracles)


sent_len = _task(
    Question(
        "ud/sent-len",
        "How many words does the sentence have?",
        _lengths,
        _DROP,
        classes=len(INTERVALS),
        oracles=PLACES,
    )
)
word_content = _task(
    Question(
        "ud/word-content", "Which of some mid-frequency words does the sentence hold?", _words,
        _CONTENT,
        oracles=CONTENT, probe=LOGISTIC,
    )
)  # fmt: skip
tree_depth = _task(
    Question(
        "ud/tree-depth", "How deep is the dependency tree of the sentence, whatever its length?",
        _depths,
        {**_DROP, "decorrelate": True}, oracles=DEPTHS,
    )
)  # fmt: skip
top_deps = _task(
    Question(
        "ud/top-deps", "Which dependents does the main predicate have?", _schemata, _DROP,
        classes=SCHEMATA + 1, oracles=CLAUSE,
    )
)  # fmt: skip
passive = _task(
    Question(
        "ud/passive",
        "Is the main clause in the passive voice?",
        _voices,
        needs=_PASSIVE,
        classes=2,
        oracles=CLAUSE,
    )
)
tense = _task(
    Question(
        "ud/tense", "Is the main verb in the present or in the past?", _ruled("tense", *_MARKED),
        needs=_TENSE, classes=2, oracles=CLAUSE,
    )
)  # fmt: skip
subj_num = _task(
    Question(
        "ud/subj-num", "Is the subject of the main clause singular or plural?", _ruled("subj-num",
        *_MARKED),
        needs=_NUMBER, classes=2, oracles=CLAUSE,
    )
)  # fmt: skip
obj_num = _task(
    Question(
        "ud/obj-num", "Is the direct object of the main clause singular or plural?",
        _ruled("obj-num", "majority-feature"),
        needs=_NUMBER, classes=2, oracles=CLAUSE,
    )
)  # fmt: skip
sent_type = _task(
    Question(
        "ud/sent-type",
        "Is the sentence a question, a command, or neither?",
        _types,
        needs=_TYPE,
        classes=3,
        oracles=CLAUSE,
    )
)
