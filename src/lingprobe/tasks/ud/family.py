"""The nine universal tasks of Krasnowska-Kieraś & Wróblewska 2019 (section 3), from any UD
treebank.

Rules are put to the main clauses of a treebank in one pass; a `CorpusQuestion` each says how their
answers become a task. All nine take the options of `TreebankTaskOptions`. docs/tasks-ud.md has the
definitions, where they differ from the paper's, and the error rates found by reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from lingprobe.corpora.conllu import TREE_SUFFIXES
from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.marks import strip_marks
from lingprobe.corpora.views import Block, RunningText, check_dependencies
from lingprobe.data._closure import root_of
from lingprobe.data.core import Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.data.vectors import Ints
from lingprobe.tasks import baseline_names
from lingprobe.tasks.answers import (
    Answer,
    Finding,
    RuleFindings,
    count_by_finding,
    count_constructions,
    count_findings,
    make_answer,
)
from lingprobe.tasks.findings import FoundCandidates
from lingprobe.tasks.languages import treebank_code
from lingprobe.tasks.parsed_corpora import CORPUS_CACHE, ParsedCorpus, SentenceRules, parsed_corpus
from lingprobe.tasks.questions import Answers, CorpusOptions, CorpusQuestion, Notes
from lingprobe.tasks.shards import DEPTH_COLUMN, EXACT_COLUMN, LENGTH_COLUMN
from lingprobe.tasks.sources import NamedFile, find_corpus_files, is_text, same_files
from lingprobe.tasks.task import TaskDefinition
from lingprobe.tasks.ud import rules as ud_rules
from lingprobe.tasks.ud.account import (
    CONTRADICTION_TASKS,
    DOUBT_TASKS,
    account_for_rows,
    find_contradiction,
    find_doubt,
    mark_contradictions,
    tag_readings,
)
from lingprobe.tasks.ud.classes import (
    MIN_WORD_SENTENCES,
    assign_target_words,
    choose_target_words,
    cross_tabulate,
    explain_excluded_depth,
    find_comparable_depths,
)
from lingprobe.tasks.ud.clause import extract_main_clauses
from lingprobe.tasks.ud.facts import (
    CLAUSE_FACTS,
    CONTENT_WORD_FACTS,
    WORD_DEPTH_FACTS,
    WORD_PLACE_FACTS,
    build_content_facts,
    compute_treebank_facts,
)
from lingprobe.tasks.ud.markings import refuse_obliques
from lingprobe.tasks.ud.rules import (
    LENGTH_INTERVAL_NAMES,
    LENGTH_INTERVALS,
    Rule,
    find_misread_tenses,
)
from lingprobe.tasks.ud.types import sent_type as sentence_type


@dataclass(frozen=True, slots=True)
class TreebankTaskOptions(CorpusOptions):
    """What every ud task takes; an option that a task has no use for changes nothing in it."""

    rules: Annotated[
        Literal["lingprobe", "paper"],
        Help(
            "lingprobe: as docs/tasks-ud.md says; paper: Passive, Tense, SubjNum, ObjNum and"
            " TopDeps literally as section 3.2 says"
        ),
    ] = field(default="lingprobe", kw_only=True)
    forms: Annotated[
        Literal["all", "simple"],
        Help(
            "of Tense, all: also tenses of several words, as perfects and passives; simple: finite"
            " verbs of one word alone, which is one question in all languages"
        ),
    ] = field(default="all", kw_only=True)
    passive: Annotated[
        Literal["auxiliary", "morphological"],
        Help(
            "whether Voice=Pass without aux:pass is excluded (auxiliary) or counts as passive"
            " (morphological); it counts where fewer than 50 main predicates have aux:pass"
        ),
    ] = field(default="auxiliary", kw_only=True)
    relations: Annotated[
        Literal["universal", "subtypes"],
        Help("whether TopDeps uses universal relations (obl) or subtypes too (obl:agent)"),
    ] = field(default="universal", kw_only=True)
    final: Annotated[
        Literal["keep", "strip"],
        Help("whether SentType keeps the final punctuation mark, or takes it off"),
    ] = field(default="keep", kw_only=True)


TOP_SCHEMA_COUNT, OTHER_SCHEMA = 19, "OTHER"  # section 3.2

DEPENDENCY_TREE_RULES: dict[str, Rule] = {
    "top-deps": ud_rules.top_deps,
    "passive": ud_rules.classify_voice,
    "tense": ud_rules.classify_clause_tense,
    "subj-num": ud_rules.find_subject_number,
    "obj-num": ud_rules.find_object_number,
    "sent-type": sentence_type,
}
_LITERAL: dict[str, ud_rules.Literal] = {
    "top-deps": ud_rules.top_deps_literal,
    "passive": ud_rules.passive_literal,
    "tense": ud_rules.tense_literal,
    "subj-num": ud_rules.subj_num_literal,
    "obj-num": ud_rules.obj_num_literal,
}
_NO_TREE = "running text has no tree"
_NO_AUXILIARY = "no auxiliary"
_NO_OBLIQUE = "no oblique with an adposition"


def judge_sentences(
    block: Block, sentences: list[Sentence], language: str = ""
) -> dict[str, list[Finding]]:
    """What all rules say of some sentences, and which auxiliary the tense is read from; language:
    the code of the treebank, '' where its name does not say it.
    """
    if isinstance(block, RunningText):
        none: list[Finding] = [_NO_TREE] * len(sentences)
        columns = (
            _OBLIQUES,
            *DEPENDENCY_TREE_RULES,
            *map(_literal, _LITERAL),
            *map(_doubts, DOUBT_TASKS),
            *map(_checks, CONTRADICTION_TASKS),
        )
        return dict.fromkeys((*columns, _AUXILIARIES), none)
    mains = list(
        extract_main_clauses(check_dependencies(block, "a task of ud/"), sentences, language)
    )
    answers: dict[str, list[Finding]] = {
        name: list(map(rule, mains)) for name, rule in DEPENDENCY_TREE_RULES.items()
    }
    for name, literal in _LITERAL.items():
        answers[_literal(name)] = list(map(literal, mains, answers[name]))
    for name in DOUBT_TASKS:
        answers[_doubts(name)] = [
            find_doubt(name, clause, finding)
            for clause, finding in zip(mains, answers[name], strict=True)
        ]
    for name in CONTRADICTION_TASKS:
        answers[_checks(name)] = [
            find_contradiction(name, clause, finding)
            for clause, finding in zip(mains, answers[name], strict=True)
        ]
    answers[_OBLIQUES] = [
        make_answer(clause.obliques) if clause.obliques else _NO_OBLIQUE for clause in mains
    ]
    groups = (clause.group for clause in mains)
    answers[_AUXILIARIES] = [
        make_answer(f"{group.tense} {group.how}".strip(), group.cell)
        if group.cell
        else _NO_AUXILIARY
        for group in groups
    ]
    return answers


def rules_of_file(path: Path) -> SentenceRules:
    """The rules, for the language that a file's name or folder says."""
    code = treebank_code(path)
    return SentenceRules(partial(judge_sentences, language=code), (root_of(judge_sentences),), code)


_AUXILIARIES, _OBLIQUES = "auxiliaries", "obliques"
"""Columns of which auxiliary carries the tense, and of how obliques are marked."""


def _literal(name: str) -> str:
    """The name of the paper's rule."""
    return f"{name}, rules=paper"


def _doubts(name: str) -> str:
    """The name of the column of what rows leave out in doubt."""
    return f"{name}, in doubt"


def _checks(name: str) -> str:
    """The name of the column of what contradicts the labels of a rule."""
    return f"{name}, contradicted"


def list_source_files(options: CorpusOptions) -> list[NamedFile]:
    """The treebanks, or running text."""
    return find_corpus_files(options.path, options.with_, TREE_SUFFIXES)


def list_corpus_parts(options: CorpusOptions) -> list[CorpusPart]:
    """The files alone."""
    return [source.part for source in list_source_files(options)]


def parsed_files(options: CorpusOptions) -> ParsedCorpus:
    """All that the nine tasks ask of some files; read once for all tasks of a process, while the
    files stay as they are.
    """
    sources = list_source_files(options)
    key = ("ud", same_files(sources), options.on_error)
    return CORPUS_CACHE.get(key, lambda: parsed_corpus(sources, options.on_error, rules_of_file))


def clausal(options: CorpusOptions) -> ParsedCorpus:
    """The same for questions about relations."""
    corpus = parsed_files(options)
    corpus.refuse_first_release()
    return corpus


def _offered_oracles(oracles: Mapping[str, str], options: TreebankTaskOptions) -> list[str]:
    """What labels are derived from; running text has no trees that would say it."""
    text = any(is_text(part.path) for part in list_corpus_parts(options))
    return [
        name for name in oracles if name in (*WORD_PLACE_FACTS, *CONTENT_WORD_FACTS) or not text
    ]


def _find_sentence_facts(
    oracle: str, options: TreebankTaskOptions, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """What the annotation of these sentences says."""
    if oracle in CONTENT_WORD_FACTS:
        return build_content_facts(
            sentences, choose_target_words(parsed_files(options).forms).frequent
        )
    return compute_treebank_facts(oracle, list_corpus_parts(options), options.on_error, sentences)


def _facts_of_types(
    oracle: str, options: TreebankTaskOptions, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """The same of sentences that may have lost their final marks."""
    if options.final == "keep":
        return _find_sentence_facts(oracle, options, sentences)
    return compute_treebank_facts(
        oracle, list_corpus_parts(options), options.on_error, sentences, strip_marks
    )


def _lengths(corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of ud/sent-len: one of `3-5` to `21-23` words; other lengths are excluded."""
    lengths = corpus.columns(LENGTH_COLUMN)[0]
    labels = [LENGTH_INTERVAL_NAMES.get(length) for length in range(int(lengths.max()) + 1)]
    found = FoundCandidates.where(corpus, lengths, [label and Answer(label) for label in labels])
    notes["left out"] = {"fewer than 3 or more than 23 words": len(corpus) - len(found)}
    return found


def _find_content_words(
    corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes
) -> FoundCandidates:
    """The label of ud/word-content: the one target word that a sentence contains; none, or several,
    is excluded.
    """
    chosen = assign_target_words(corpus.words(), corpus.forms)
    notes["word content"] = chosen.notes
    found = FoundCandidates.where(corpus, chosen.codes, list(map(Answer, chosen.words)))
    notes["left out"] = {"no target word, or several": len(corpus) - len(found)}
    return found


def _depths(corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of ud/tree-depth: words on the longest path from the root; depths outside the range
    are excluded.
    """
    depths, lengths = corpus.columns(DEPTH_COLUMN, LENGTH_COLUMN)
    run = find_comparable_depths(cross_tabulate(depths, lengths))
    labels = set(options.classes) or set(map(str, run))
    said = [Answer(str(d)) if str(d) in labels else None for d in range(int(depths.max()) + 1)]
    found = FoundCandidates.where(corpus, depths, said)
    notes["left out"] = {explain_excluded_depth(run): len(corpus) - len(found)}
    return found


def _schemata(corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of ud/top-deps: the 19 most frequent multisets of the root's dependents are
    classes, others OTHER; without subtypes unless `relations=subtypes`.
    """
    findings = _findings("top-deps", corpus, options)
    counts, notes["left out"] = count_findings(findings)
    named = {
        schema: schema if options.relations == "subtypes" else strip_subtypes(schema)
        for schema in counts
    }
    totals: Counter[str] = Counter()
    for schema, n in counts.items():
        totals[named[schema]] += n
    ranked = [
        name
        for name, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))[
            :TOP_SCHEMA_COUNT
        ]
    ]
    common = set(options.classes or ranked)
    labels = {schema: name if name in common else OTHER_SCHEMA for schema, name in named.items()}
    return FoundCandidates.of(corpus, findings).map_answers(
        lambda said: Answer(labels[str(said.label)])
    )


def strip_subtypes(schema: str) -> str:
    """The relations of a main predicate's dependents without their subtypes."""
    return " ".join(sorted(relation.partition(":")[0] for relation in schema.split(" ")))


def _findings(name: str, corpus: ParsedCorpus, options: TreebankTaskOptions) -> RuleFindings:
    """What a rule says, or with `rules=paper` the paper's literal definition where it has
    another.
    """
    paper = options.rules == "paper" and name in _LITERAL
    return corpus.findings(_literal(name) if paper else name)


def _rule_answers(
    name: str,
) -> Callable[[ParsedCorpus, TreebankTaskOptions, Notes], FoundCandidates]:
    """The sentences that a rule has an answer for, with what the answers consist of."""

    def answers(
        corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes
    ) -> FoundCandidates:
        findings = _findings(name, corpus, options)
        if name == "obj-num" and options.rules == "lingprobe":
            findings = refuse_obliques(corpus, findings, corpus.findings(_OBLIQUES))
        if name in DOUBT_TASKS and options.rules == "lingprobe":
            findings = _account(name, corpus, findings, notes)
        notes |= count_by_finding(findings)
        if name in CONTRADICTION_TASKS and options.rules == "lingprobe":
            findings = _mark_contradictions(name, corpus, findings, notes)
        if name in _CONSTRUCTIONS:
            notes["constructions"] = count_constructions(findings)
        return FoundCandidates.of(corpus, findings)

    return answers


def _mark_contradictions(
    name: str, corpus: ParsedCorpus, findings: RuleFindings, notes: Notes
) -> RuleFindings:
    """The findings, marked where another rule contradicts them, which goes into the notes."""
    notes["contradictions"] = _contradictions(corpus, name)
    return mark_contradictions(findings, corpus.findings(_checks(name)))


def _contradictions(corpus: ParsedCorpus, name: str) -> dict[str, dict[str, int | str]]:
    """What contradicts the labels of a rule -> how many clauses, and the first of them."""
    checks = corpus.findings(_checks(name))
    found: dict[str, dict[str, int | str]] = {}
    for code, (value, n) in enumerate(zip(checks.values, checks.many, strict=True)):
        if n and type(value) is Answer:
            first = np.flatnonzero(checks.codes == code)[:1]
            (sentence,) = corpus.read_rows(first)[0]
            found[str(value.label)] = {"clauses": n, "example": sentence.text}
    return found


def _account(name: str, corpus: ParsedCorpus, findings: RuleFindings, notes: Notes) -> RuleFindings:
    """The findings, tagged by whether rows cover them; how many they cover goes into the notes."""
    account = account_for_rows(name, corpus.files, findings, corpus.findings(_doubts(name)))
    notes[account.key] = account.plain()
    if said := account.remarks():
        notes["remarks"] = [*notes.get("remarks", ()), *said]
    return tag_readings(findings)


def _tenses(corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of ud/tense; `forms=simple` keeps finite verbs of one word."""
    notes["auxiliaries"] = _auxiliaries(corpus.findings(_AUXILIARIES))
    findings = _findings("tense", corpus, options)
    if options.forms == "simple":
        findings = findings.map_values(_simple)
    if options.rules == "lingprobe":
        findings = _account("tense", corpus, findings, notes)
    notes |= count_by_finding(findings)
    if options.rules == "lingprobe":
        findings = _mark_contradictions("tense", corpus, findings, notes)
    notes["constructions"] = count_constructions(findings)
    notes["mislabelled by rules=paper"] = find_misread_tenses(
        corpus.columns(EXACT_COLUMN)[0],
        corpus.findings("tense"),
        corpus.findings(_literal("tense")),
    )
    return FoundCandidates.of(corpus, findings)


def _auxiliaries(findings: RuleFindings) -> dict[str, dict[str, int]]:
    """Tense and construction -> the auxiliary that carries the tense and the form beside it ->
    sentences; those that make no known construction as well.
    """
    counts: dict[str, Counter[str]] = {}
    for finding, n in findings.recurring():
        if type(finding) is Answer:
            counts.setdefault(str(finding.label), Counter())[finding.target] += n
    return {how: dict(cells.most_common(_CELLS)) for how, cells in counts.items()}


_CONSTRUCTIONS = ("passive", "subj-num")
_CELLS = 12  # auxiliaries of a construction that notes name
_FEWEST_PASSIVES = 50  # that a class needs
_MORPHOLOGICAL = "too few main predicates have aux:pass, so those with Voice=Pass are passive, too"
_COMPOUND = "a tense of several words"


def _simple(finding: Finding) -> Finding:
    """The finding, if the tense is that of a finite verb of one word (`forms=simple`)."""
    if type(finding) is not Answer or finding.strata.get("construction", "").startswith("simple"):
        return finding
    return _COMPOUND


def _voices(corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of ud/passive: Voice=Pass without aux:pass is excluded, or passive where aux:pass
    is rare or with `passive=morphological`.
    """
    found = _rule_answers("passive")(corpus, options, notes)
    morphological = notes["labels"].get("morphological", 0)
    if not morphological:
        return found
    lacks_auxiliaries = notes["labels"].get("passive", 0) < _FEWEST_PASSIVES
    if lacks_auxiliaries and options.passive == "auxiliary":
        notes["remarks"] = [*notes.get("remarks", ()), _MORPHOLOGICAL]
    if lacks_auxiliaries or options.passive == "morphological":
        return found.map_answers(
            lambda said: said._replace(label="passive") if said.label == "morphological" else said
        )
    hint = "Voice=Pass without aux:pass (passive=morphological counts it as passive)"
    notes["left out"] = {hint: morphological, **notes["left out"]}
    return found.with_labels(("passive", "active"))


def _types(corpus: ParsedCorpus, options: TreebankTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of ud/sent-type; `final=strip` removes the final mark."""
    found = _rule_answers("sent-type")(corpus, options, notes)
    return found if options.final == "keep" else replace(found, edit=_all_stripped)


def _all_stripped(corpus: ParsedCorpus, rows: Ints) -> list[Sentence]:
    """Some sentences without their final marks."""
    return list(map(strip_marks, corpus.read_rows(rows)[0]))


_DROP = {"least": 50, "rare": "drop"}
_CONTENT = {"least": MIN_WORD_SENTENCES, "rare": "drop", "least_test": 10}
_NUMBER = {
    "sing": "it needs a NOUN with Number=Sing there",
    "plur": "it needs a NOUN with Number=Plur there",
}
_PASSIVE = {
    "passive": "it needs aux:pass or Voice=Pass at main predicates",
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


def _task(
    name: str,
    asks: str,
    answers: Answers[TreebankTaskOptions],
    oracles: Mapping[str, str],
    *,
    says: Callable[..., Mapping[Sentence, Facts]] = _find_sentence_facts,
    **more: Any,
) -> TaskDefinition[TreebankTaskOptions]:
    question = CorpusQuestion(
        f"ud/{name}",
        asks,
        clausal if name in DEPENDENCY_TREE_RULES else parsed_files,
        list_corpus_parts,
        answers,
        oracles=oracles,
        offered=partial(_offered_oracles, oracles),
        facts=says,
        **more,
    )
    return question.define(TreebankTaskOptions)


sent_len = _task(
    "sent-len", "How many words does the sentence have?", _lengths, WORD_PLACE_FACTS,
    settings=_DROP, classes=len(LENGTH_INTERVALS),
    reference_lines=(baseline_names.LENGTH_BASELINE,),
)  # fmt: skip
word_content = _task(
    "word-content", "Which of some mid-frequency words does the sentence hold?",
    _find_content_words, CONTENT_WORD_FACTS, settings=_CONTENT,
)  # fmt: skip
tree_depth = _task(
    "tree-depth", "How deep is the dependency tree of the sentence, whatever its length?", _depths,
    WORD_DEPTH_FACTS, settings={**_DROP, "decorrelate": True},
)  # fmt: skip
top_deps = _task(
    "top-deps", "Which dependents does the main predicate have?", _schemata, CLAUSE_FACTS,
    settings=_DROP, classes=TOP_SCHEMA_COUNT + 1,
)  # fmt: skip
passive = _task(
    "passive", "Is the main clause in the passive voice?", _voices, CLAUSE_FACTS,
    needs=_PASSIVE, reads=("Voice", "VerbForm"), classes=2,
)  # fmt: skip
tense = _task(
    "tense", "Is the main verb in the present or in the past?", _tenses, CLAUSE_FACTS,
    needs=_TENSE, reads=("Tense", "Mood", "VerbForm"), classes=2,
)  # fmt: skip
subj_num = _task(
    "subj-num", "Is the subject of the main clause singular or plural?", _rule_answers("subj-num"),
    CLAUSE_FACTS, needs=_NUMBER, reads=("Number",), classes=2,
)  # fmt: skip
obj_num = _task(
    "obj-num", "Is the direct object of the main clause singular or plural?",
    _rule_answers("obj-num"), CLAUSE_FACTS, needs=_NUMBER, reads=("Number",), classes=2,
)  # fmt: skip
sent_type = _task(
    "sent-type", "Is the sentence a question, a command, or neither?", _types, CLAUSE_FACTS,
    needs=_TYPE, reads=("Mood",), classes=3, says=_facts_of_types,
)  # fmt: skip
