"""Questions of one's own: a rule over trees, sentences or whole batches, and a decorator that makes
a task of it.

The task has what those of `ud/` have: balanced classes, lexical splits, folds, size, further
sources, official splits, errors that are left out and counted, notes, and oracles.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, make_dataclass
from typing import Any, Literal, get_type_hints

from sonde.core import DataProblem, Sentence
from sonde.corpora import brackets
from sonde.corpora.batches import Batch
from sonde.corpora.files import Part, uncompressed
from sonde.corpora.views import SUFFIXES, Block, Plain, trees
from sonde.datasets import SampleSettings
from sonde.oracles import Facts
from sonde.tasks.answers import Answer, Finding, Reason
from sonde.tasks.parsed import CORPORA, ParsedCorpus, Source, parsed_corpus, same_files, treebanks
from sonde.tasks.questions import CorpusOptions, Question, answered
from sonde.tasks.task import Definition
from sonde.tasks.ud.facts import DEPTHS, PLACES, WORDS, facts

Rule = Callable[..., Any]
Over = Literal["trees", "sentences", "batches"]
SILENT = "the rule gives no label"


def question(
    name: str,
    asks: str,
    *,
    over: Over = "trees",
    needs: Mapping[str, str] | None = None,
    metric: str = "accuracy",
    probe: str = "mlp",
    **settings: Any,
) -> Callable[[Rule], Definition[CorpusOptions]]:
    """A decorator that makes a task of a rule, as `@question("mine/relcl", "Is there a relative
    clause?")`.

    The rule gives a label, an `Answer` (a label with its target form and strata), a `Reason` why
    the sentence is left out, or None. Yes and no may be given as True and False. What it takes by
    keyword alone become options of the task.

    over      trees: it is given one `Tree` after the other; sentences: one `Sentence` after the
              other, so that running text will do; batches: many trees at once as a `Batch` of
              columns, for which it gives a list, one item a sentence
    needs     labels without which the question cannot be asked, and the annotation they come from
    metric    how answers are judged; probe: what the task is read with where nothing else is said
    settings  how candidates are sampled, as balance=False or decorrelate=True: the fields of
              `sonde.datasets.SampleSettings`
    """
    SampleSettings(**settings)  # what is written wrongly is told where it is written

    def defined(rule: Rule) -> Definition[CorpusOptions]:
        asked = Own(name, rule, over)
        made = Question(
            name,
            asks,
            asked.corpus,
            asked.parts,
            answered(name),
            settings=settings,
            needs=needs or {},
            oracles=ORACLES,
            offered=asked.offered,
            facts=asked.facts,
            probe=probe,
        )
        place = f"{rule.__module__}:{rule.__name__}"
        return made.defined(_options(rule), place, metric=metric)

    return defined


ORACLES = WORDS | DEPTHS | PLACES


def _options(rule: Rule) -> type[CorpusOptions]:
    """The options of every question, and what the rule takes by keyword alone."""
    hints = get_type_hints(rule, include_extras=True)
    own = [p for p in inspect.signature(rule).parameters.values() if p.kind is p.KEYWORD_ONLY]
    fields = [
        (p.name, hints.get(p.name, str), field(kw_only=True))
        if p.default is p.empty
        else (p.name, hints.get(p.name, str), field(default=p.default, kw_only=True))
        for p in own
    ]
    if taken := {p.name for p in own} & set(CorpusOptions.__dataclass_fields__):
        raise TypeError(f"{rule.__name__}: every question has an option {min(taken)!r} already")
    made = make_dataclass("Options", fields, bases=(CorpusOptions,), frozen=True)
    made.__doc__ = rule.__doc__ or ""
    return made


@dataclass(frozen=True)
class Own:
    """A rule that a user wrote, and what it is put to."""

    name: str
    rule: Rule
    over: Over

    def files(self, options: CorpusOptions) -> list[Source]:
        """The treebanks, or running text."""
        return treebanks(options.path, options.with_, SUFFIXES)

    def parts(self, options: CorpusOptions) -> list[Part]:
        """The files alone."""
        return [source.part for source in self.files(options)]

    def corpus(self, options: CorpusOptions) -> ParsedCorpus:
        """The sentences with what the rule says of each; read once for all folds."""
        files = self.files(options)
        known = set(CorpusOptions.__dataclass_fields__)
        own = {name: value for name, value in asdict(options).items() if name not in known}
        key = (self, same_files(files), options.on_error, tuple(own.items()))

        def judge(block: Block, sentences: list[Sentence]) -> dict[str, list[Finding]]:
            return {self.name: list(self._judged(block, sentences, own))}

        return CORPORA.get(key, lambda: parsed_corpus(files, options.on_error, judge))

    def _judged(
        self, block: Block, sentences: list[Sentence], own: Mapping[str, Any]
    ) -> Iterable[Finding]:
        if isinstance(block, Plain) and self.over != "sentences":
            raise DataProblem(
                f"{self.name} asks about trees, and running text has none: give a treebank, or"
                ' write over="sentences" where the rule needs words alone'
            )
        if self.over == "batches":
            return self._of_batch(block, sentences, own)
        given = sentences if self.over == "sentences" else trees(block, sentences)
        return (
            self._finding(self._said(each, sentence, own), sentence)
            for each, sentence in zip(given, sentences, strict=True)
        )

    def _of_batch(
        self, block: Block, sentences: list[Sentence], own: Mapping[str, Any]
    ) -> list[Finding]:
        if not isinstance(block, Batch):
            raise DataProblem(f"{self.name} asks about batches of dependency trees: give CoNLL-U")
        said = list(self.rule(block, **own))
        if len(said) != len(sentences):
            raise DataProblem(
                f"{self.name}: the rule gave {len(said)} answers for {len(sentences)} sentences;"
                " give None where there is none"
            )
        return [self._finding(*pair) for pair in zip(said, sentences, strict=True)]

    def _said(self, given: object, sentence: Sentence, own: Mapping[str, Any]) -> object:
        try:
            return self.rule(given, **own)
        except DataProblem:
            raise
        except Exception as error:
            raise DataProblem(
                f"{self.name}: the rule failed on {sentence.text[:80]!r}:"
                f" {type(error).__name__}: {error}"
            ) from error

    def _finding(self, said: object, sentence: Sentence) -> Finding:
        """What the rule gave as an answer, or as the reason why there is none."""
        if said is None:
            return SILENT
        if isinstance(said, Answer | Reason):
            return said
        if isinstance(said, bool):
            return YES if said else NO
        if isinstance(said, str | float | int | frozenset | Mapping):
            return Answer(float(said) if isinstance(said, int) else said)
        raise DataProblem(
            f"{self.name}: the rule gave {type(said).__name__} for {sentence.text[:80]!r}; it gives"
            " a label (text, a number, a frozenset), an Answer, a Reason, or None"
        )

    def offered(self, options: CorpusOptions) -> Collection[str]:
        """The oracles that the files say something for."""
        suffixes = {uncompressed(part.path).suffix for part in self.parts(options)}
        return ORACLES if suffixes.isdisjoint((".txt", *brackets.SUFFIXES)) else PLACES

    def facts(
        self, oracle: str, options: CorpusOptions, sentences: Collection[Sentence]
    ) -> Mapping[Sentence, Facts]:
        """What the annotation of these sentences says."""
        return facts(oracle, self.parts(options), options.on_error, sentences)


YES, NO = Answer("yes"), Answer("no")
