"""Rules as tasks: a rule over trees, sentences or whole batches, and the decorator that makes a
task of it.

A rule about sentences gives a label; its task has what those of `ud/` have: balanced classes,
lexical splits, folds. A rule about spans gives spans with their labels; its task has what those of
`edge/` have. Both have size, further sources, official splits, errors that are excluded and
counted, notes, and oracles.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import index
from pathlib import PurePath
from types import FunctionType
from typing import Any, Literal

from lingprobe.corpora import brackets, conll2012
from lingprobe.corpora.corpus import list_corpus_files as corpus_files
from lingprobe.corpora.files import CorpusPart, uncompressed_path
from lingprobe.corpora.machine import drop_parallel_files
from lingprobe.corpora.style import AnnotationStyle
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.views import (
    TREE_FILE_SUFFIXES,
    Block,
    RunningText,
    Word,
    check_dependencies,
    read_blocks,
    view_trees,
)
from lingprobe.data._closure import file_of, root_of
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.oracles import Facts
from lingprobe.data.references import summarise_docstring
from lingprobe.datasets.settings import SampleSettings
from lingprobe.tasks.answers import Answer, Finding, Reason
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import make_span_or_pair_oracle
from lingprobe.tasks.edge.family import (
    EDGE_TREE_SUFFIXES,
    MICRO_F1_METRIC,
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    TargetReader,
    TaskOracle,
    TreeOptions,
    define_edge_task,
)
from lingprobe.tasks.memory import oracle_facts
from lingprobe.tasks.options import derive_options, get_rule_arguments
from lingprobe.tasks.parsed_corpora import (
    CORPUS_CACHE,
    ParsedCorpus,
    SentenceRules,
    is_large,
    parsed_corpus,
)
from lingprobe.tasks.questions import CorpusOptions, CorpusQuestion, answer_by_rule
from lingprobe.tasks.sources import NamedFile, find_corpus_files, same_files
from lingprobe.tasks.task import TaskDefinition
from lingprobe.tasks.ud.facts import (
    WORD_DEPTH_FACTS,
    WORD_FACTS,
    WORD_PLACE_FACTS,
    compute_treebank_facts,
)

Function = Callable[..., Any]
Over = Literal["trees", "sentences", "batches"]
About = Literal["sentences", "spans"]
_SILENT = "the rule returns no label"
_TREES = (*TREE_FILE_SUFFIXES, *conll2012.CONLL2012_SUFFIXES)


@dataclass(frozen=True)
class SpanSettings:
    """How a question about spans is asked.

    files      what the names of its files end in, before .gz or .xz
    key        which of two spans a label is about, from 0, where that is not the last
    relations  whether it is about dependencies, so that tables say where these are of UD release 1
    oracles    what word vectors can hold of the annotation; without, the targets themselves
    every      the values of an option that data have, which a `*` in it stands for
    """

    files: tuple[str, ...] = _TREES
    key: int | None = None
    relations: bool = False
    oracles: Callable[[TargetReader[Any]], Mapping[str, TaskOracle[Any]]] = make_span_or_pair_oracle
    every: Mapping[str, Callable[[Any], Collection[str]]] = field(default_factory=dict)


def question(
    name: str,
    asks: str,
    *,
    about: About = "sentences",
    over: Over = "trees",
    needs: Mapping[str, str] | None = None,
    metric: str = "",
    probe: str = "",
    gold: Mapping[str, Function] | None = None,
    baselines: Sequence[str] = (),
    **settings: Any,
) -> Callable[[Function], TaskDefinition[Any]]:
    """A decorator that turns a rule into a task: `@question("mine/relcl", "Is there a relative
    clause?")`.

    The rule returns a label, an `Answer` (a label with its target form and strata), a `Reason` why
    the sentence is excluded, or None. True and False mean yes and no. Keyword-only parameters of
    the rule become options of the task.

    about     sentences; or spans: the rule returns any number of pairs of a place and a label,
              where a place is a word of the tree, (start, stop), or two of these, as `(word,
              word.head)`
    over      trees: the rule gets one `Tree` at a time; sentences: one `Sentence` at a time, so
              running text is enough; batches: many trees as a
              `TreebankBatch` of columns, for which it
              returns a list with one item per sentence
    needs     labels that the task needs, and the annotation they come from
    metric    how answers are scored (default: accuracy, or micro-f1 for spans)
    probe     the task's default probe (default: linear)
    gold      for sentences: oracles of your own by name (`gold:NAME`), before those that all
              have; each gets a tree, or what the rule gets, returns facts as texts, has a docstring
    baselines  encoders that stand in its table beside `length` and `bow:random`, as references
    settings  how candidates are sampled, such as balance=False or decorrelate=True: the fields of
              `lingprobe.datasets.SampleSettings`; for spans, those of
              `lingprobe.tasks.rules.SpanSettings`
    """
    # what is written wrongly is told where it is written
    asked = SpanSettings(**settings) if about == "spans" else SampleSettings(**settings)

    def define_task(function: Function) -> TaskDefinition[Any]:
        rule, floors = QuestionRule(name, function, over), tuple(baselines)
        place = f"{function.__module__}:{function.__name__}"
        if isinstance(asked, SpanSettings):
            kind = SpanRule(rule, asked).kind(asks, needs or {})
            judged = {
                "metric": metric or MICRO_F1_METRIC,
                "probe": probe or "linear",
                "baselines": floors,
            }
            more = {**judged, "every": asked.every}
            takes = TreeOptions if set(EDGE_TREE_SUFFIXES) <= set(asked.files) else EdgeTaskOptions
            return define_edge_task(
                name, kind, derive_options(function, takes), place=place, **more
            )
        sentences = SentenceRule(rule, gold or {})
        asker = CorpusQuestion(
            name,
            asks,
            sentences.corpus,
            sentences.parts,
            answer_by_rule(name),
            settings=settings,
            needs=needs or {},
            oracles={key: summarise_docstring(each) for key, each in sentences.gold.items()}
            | _ORACLES,
            offered=sentences.offered_oracles,
            facts=sentences.facts,
            probe=probe or "linear",
        )
        options = derive_options(function, CorpusOptions)
        return asker.define(options, place, metric=metric or "accuracy", baselines=floors)

    return define_task


_ORACLES = WORD_FACTS | WORD_DEPTH_FACTS | WORD_PLACE_FACTS


class RuleProblem(DataProblem):
    """What is wrong with a rule, whatever its data are."""


@dataclass(frozen=True)
class QuestionRule:
    """A function, the question that it answers, and what it is put to."""

    name: str
    function: Function
    over: Over

    @property
    def root(self) -> str:
        """Where its code begins."""
        written = isinstance(self.function, FunctionType)
        return root_of(self.function) if written else str(self.function.__module__)

    def cache_key(self, own: Mapping[str, Any]) -> str | None:
        """What decides its answers beside the code of its module; None where that cannot be told,
        as of what was typed in, closes over something or reads a file.
        """
        whole = isinstance(self.function, FunctionType) and self.function.__closure__ is None
        if not whole or file_of(str(self.function.__module__)) is None:
            return None
        read = any(isinstance(value, PurePath) for value in own.values())
        return None if read else f"{self.function.__qualname__} {self.over} {dict(own)}"

    def inputs(self, block: Block, sentences: list[Sentence]) -> Iterable[object]:
        """What the function is given, one item a sentence."""
        if isinstance(block, RunningText) and self.over != "sentences":
            raise DataProblem(
                f"{self.name} asks about trees, and running text has none: give a treebank, or"
                ' write over="sentences" where the rule needs only words'
            )
        return sentences if self.over == "sentences" else view_trees(block, sentences)

    def of_batch(self, block: Block, many: int, own: Mapping[str, Any]) -> list[object]:
        """What the function says of the sentences of a batch."""
        said = list(self.function(check_dependencies(block, self.name), **own))
        if len(said) != many:
            raise RuleProblem(
                f"{self.name}: the rule gave {len(said)} answers for {many} sentences;"
                " give None where there is none"
            )
        return said

    def apply(self, given: object, sentence: Sentence, own: Mapping[str, Any]) -> object:
        """What the function says of one sentence; what it yields, as a list."""
        try:
            said = self.function(given, **own)
            return list(said) if isinstance(said, Iterator) else said
        except DataProblem:
            raise
        except Exception as error:
            raise RuleProblem(
                f"{self.name}: the rule failed on {sentence.text[:80]!r}:"
                f" {type(error).__name__}: {error}"
            ) from error

    def finding(self, said: object, sentence: Sentence) -> Finding:
        """What a rule gives as a label: text, a number, a set, True and False as `yes` and `no`; or
        the reason why there is none.
        """
        if said is None:
            return _SILENT
        if isinstance(said, Answer | Reason):
            return said
        if isinstance(said, bool):
            return _YES if said else _NO
        if isinstance(said, str | float | int | frozenset | Mapping):
            return Answer(float(said) if isinstance(said, int) else said)
        raise RuleProblem(
            f"{self.name}: the rule gave {type(said).__name__} for {sentence.text[:80]!r}; it gives"
            " a label (text, a number, a frozenset), an Answer, a Reason, or None"
        )


_YES, _NO = Answer("yes"), Answer("no")


@dataclass(frozen=True)
class SentenceRule:
    """A rule that gives labels of sentences; gold: its own oracles."""

    rule: QuestionRule
    gold: Mapping[str, Function] = field(default_factory=dict, compare=False)

    def files(self, options: CorpusOptions) -> list[NamedFile]:
        """The treebanks, or running text."""
        return find_corpus_files(options.path, options.with_, TREE_FILE_SUFFIXES)

    def parts(self, options: CorpusOptions) -> list[CorpusPart]:
        """The files alone."""
        return [source.part for source in self.files(options)]

    def corpus(self, options: CorpusOptions) -> ParsedCorpus:
        """The sentences with what the rule says of each; read once for all folds."""
        files, own = self.files(options), get_rule_arguments(options)
        key = (self, same_files(files), options.on_error, tuple(own.items()))

        def judge(block: Block, sentences: list[Sentence]) -> dict[str, list[Finding]]:
            return {self.rule.name: list(self._judge_block(block, sentences, own))}

        rules = SentenceRules(
            judge, (root_of(type(self)), self.rule.root), self.rule.cache_key(own)
        )
        return CORPUS_CACHE.get(key, lambda: parsed_corpus(files, options.on_error, rules))

    def _judge_block(
        self, block: Block, sentences: list[Sentence], own: Mapping[str, Any]
    ) -> Iterator[Finding]:
        """What a rule says of each sentence of a block."""
        given, rule = self.rule.inputs(block, sentences), self.rule
        said: Iterable[object] = (
            rule.of_batch(block, len(sentences), own)
            if rule.over == "batches"
            else (rule.apply(*pair, own) for pair in zip(given, sentences, strict=True))
        )
        return (rule.finding(*pair) for pair in zip(said, sentences, strict=True))

    def offered_oracles(self, options: CorpusOptions) -> Collection[str]:
        """The oracles that the files say something for."""
        suffixes = {uncompressed_path(part.path).suffix for part in self.parts(options)}
        every = (
            _ORACLES
            if suffixes.isdisjoint((".txt", *brackets.BRACKET_SUFFIXES))
            else WORD_PLACE_FACTS
        )
        return [*self.gold, *every]

    def facts(
        self, oracle: str, options: CorpusOptions, sentences: Collection[Sentence]
    ) -> Mapping[Sentence, Facts]:
        """What the annotation of these sentences says."""
        if oracle not in self.gold:
            return compute_treebank_facts(oracle, self.parts(options), options.on_error, sentences)
        key = (self.gold[oracle], same_files(self.files(options)), options.on_error)
        large = is_large(part.path for part in self.parts(options))
        read = partial(self._gold, self.gold[oracle], options)
        return oracle_facts(key, read, sentences if large else ())

    def _gold(self, says: Function, options: CorpusOptions) -> Iterator[tuple[Sentence, Facts]]:
        for part in self.parts(options):
            for block in read_blocks(part.path, options.on_error, ProblemTally()):
                given = self.rule.inputs(block, sentences := block.sentences())
                yield from zip(sentences, ((tuple(says(one)),) for one in given), strict=True)


@dataclass(frozen=True)
class SpanRule:
    """A rule that gives spans with their labels."""

    rule: QuestionRule
    settings: SpanSettings

    def kind(self, asks: str, needs: Mapping[str, str]) -> TargetFinder[EdgeTaskOptions]:
        """The kind of targets that it gives."""
        oracles = self.settings.oracles(self.targets)
        return TargetFinder(asks, self.parts, self.targets, self.settings.key, oracles, needs)

    def parts(self, options: EdgeTaskOptions) -> list[CorpusPart]:
        """The files."""
        plain = (".txt",) if self.rule.over == "sentences" else ()
        return drop_parallel_files(corpus_files(options.paths, (*self.settings.files, *plain)))

    def targets(
        self, options: EdgeTaskOptions, parts: list[CorpusPart], count: ReadingTally
    ) -> Iterator[SentenceTargets]:
        """The sentences of some files with their targets."""
        own = get_rule_arguments(options)
        for part in parts:
            style = AnnotationStyle()
            for block in read_blocks(part.path, options.on_error, count.tally):
                if self.settings.files == EDGE_TREE_SUFFIXES:
                    style.add(check_dependencies(block, self.rule.name).deprels.names)
                for sentence, said in self._apply_rule(block, own, options, count):
                    yield self._targets(sentence, said, part.split, count)
            if self.settings.relations and (old := style.first_release()):
                count.tally.say(f"{part.path} {old}")

    def _apply_rule(
        self, block: Block, own: Mapping[str, Any], options: EdgeTaskOptions, count: ReadingTally
    ) -> Iterator[tuple[Sentence, object]]:
        """What the rule says of the sentences of a block; where the annotation is damaged that it
        looks at, a sentence is excluded and counted.
        """
        sentences, rule = block.sentences(), self.rule
        if rule.over == "batches":
            yield from zip(sentences, rule.of_batch(block, len(sentences), own), strict=True)
            return
        for given, sentence in zip(rule.inputs(block, sentences), sentences, strict=True):
            try:
                said = rule.apply(given, sentence, own)
            except RuleProblem:
                raise
            except DataProblem as problem:
                count.tally.refuse(problem, options.on_error)
            else:
                yield sentence, said

    def _targets(
        self, sentence: Sentence, said: object, split: str, count: ReadingTally
    ) -> SentenceTargets:
        """The words or phrases of a sentence that a rule yields, each with its label; what is
        excluded is counted by reason.
        """
        spans: list[tuple[int, ...]] = []
        answers: list[Answer] = []
        for item in self._items(said, sentence):
            label = item if isinstance(item, Reason) else item[1]
            finding = self.rule.finding(label, sentence)
            if isinstance(finding, Answer):
                spans.append(_ends(item[0]))
                answers.append(finding)
            else:
                count.left_out[str(finding)] += 1
        keys = dict.fromkeys(key for answer in answers for key in answer.strata)
        strata = {key: [answer.strata.get(key, "") for answer in answers] for key in keys}
        return SentenceTargets(sentence, spans, [answer.label for answer in answers], split, strata)

    def _items(self, said: object, sentence: Sentence) -> Iterator[Any]:
        """What the rule gave, one target or reason after the other."""
        for item in said if isinstance(said, Sequence) else () if said is None else (said,):
            if not (isinstance(item, Reason) or _is_target(item, len(sentence.words))):
                raise RuleProblem(
                    f"{self.rule.name}: the rule gave {item!r:.80} for {sentence.text[:80]!r}; it"
                    " gives pairs of a place and a label, where a place is a word, (start, stop)"
                    " inside the sentence, or two of these; or a Reason"
                )
            yield item


def _is_target(item: object, many: int) -> bool:
    """Whether something is a pair of a place among so many words, and a label."""
    if not (isinstance(item, tuple) and len(item) == 2):
        return False
    try:
        ends = _ends(item[0])
    except (TypeError, ValueError):
        return False
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return all(0 <= start < stop <= many for start, stop in pairs)


def _ends(place: Any) -> tuple[int, ...]:
    """Where a span begins and ends, or each of two."""
    if isinstance(place, Word):
        return place.index, place.index + 1
    first, second = place
    if isinstance(first, Word | tuple):
        return (*_ends(first), *_ends(second))
    return index(first), index(second)
