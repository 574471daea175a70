"""Questions about sentences of a corpus: what a task asks, how answers become candidates, and how
these are sampled.

The tasks of `ud/`, of `tree/` and of users are made of these and share all that is done here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar

from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.machine import MAX_LABEL_NOISE_PERCENT
from lingprobe.data.core import DataProblem, Dataset, Sentence
from lingprobe.data.notes import ByParser, FrozenRecord
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.data.references import PlaceOption
from lingprobe.datasets.draw import sample_pool
from lingprobe.datasets.settings import SampleSettings
from lingprobe.tasks.answers import count_by_finding
from lingprobe.tasks.findings import FoundCandidates
from lingprobe.tasks.memory import pause_garbage_collection
from lingprobe.tasks.parsed_corpora import ParsedCorpus
from lingprobe.tasks.sources import note_sources
from lingprobe.tasks.task import TaskDefinition

Notes = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """What every task takes whose examples are sampled from files; a family adds its own."""

    path: Annotated[PlaceOption, Help("a source: a file or a folder")]
    with_: Annotated[
        tuple[PlaceOption, ...],
        Help("further sources; sentences that occur in several are taken once"),
    ] = field(default=(), kw_only=True)
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("raise: malformed data are an error; skip: bad sentences are excluded and counted"),
    ] = field(default="raise", kw_only=True)
    splits: Annotated[
        Literal["sampled", "official"],
        Help(
            "sampled: train, dev, test with disjoint target forms; official: those that the files'"
            " names say"
        ),
    ] = field(default="sampled", kw_only=True)
    seed: Annotated[int, Help("of everything that is drawn", "0")] = field(default=0, kw_only=True)
    size: Annotated[
        int | None,
        Help("examples in all, over all folds with `fold`; without, as many as the data allow"),
    ] = field(default=None, kw_only=True)
    fold: Annotated[
        str | None,
        Help(
            "2/5: the second of five folds is test, the rest train and dev; */5: all five of them"
        ),
    ] = field(default=None, kw_only=True)
    noise: Annotated[
        Literal["refuse", "accept"],
        Help(
            "refuse: labels of a parser that an audit found wrong in more than 16 % are an error;"
            " accept: they are taken"
        ),
    ] = field(default="refuse", kw_only=True)
    min_confidence: Annotated[
        float,
        Help("of a parsed corpus: sentences alone of which the parser was at least so sure"),
    ] = field(default=0.0, kw_only=True)
    classes: Annotated[
        tuple[str, ...],
        Help(
            "these labels alone, all of them, so that several sources are asked one question;"
            " without, those that the data allow"
        ),
    ] = field(default=(), kw_only=True)
    rarest: Annotated[
        int | None,
        Help(
            "target forms of fewer candidates are excluded; without, the task's own bound; 0: none"
        ),
    ] = field(default=None, kw_only=True)
    commonest: Annotated[
        int | None,
        Help(
            "target forms of more candidates are excluded; without, the task's own bound; 0: none"
        ),
    ] = field(default=None, kw_only=True)

    def settings(self, **others: Any) -> SampleSettings:
        """How candidates are sampled; what the user gives counts, not what the question has."""
        band = {"rarest": self.rarest, "commonest": self.commonest}
        others |= {name: bound for name, bound in band.items() if bound is not None}
        return SampleSettings(
            seed=self.seed, size=self.size, fold=self.fold, splits=self.splits, **others
        )


O = TypeVar("O", bound=CorpusOptions)  # noqa: E741
Answers = Callable[[ParsedCorpus, O, Notes], FoundCandidates]
"""The candidates of a corpus; what was counted on the way is added to the notes."""


def answer_by_rule(rule: str) -> Answers[O]:
    """The sentences that a rule has an answer for."""

    def answers(corpus: ParsedCorpus, options: O, notes: Notes) -> FoundCandidates:
        findings = corpus.findings(rule)
        notes |= count_by_finding(findings)
        return FoundCandidates.of(corpus, findings)

    return answers


@dataclass(frozen=True)
class CorpusQuestion(Generic[O]):
    """What a task asks of the sentences of a corpus, and how what rules say becomes a data set.

    corpus   reads the files, and puts the rules to their sentences
    parts    the files
    answers  the candidates
    settings how they are sampled; varied: what options change of that
    needs    the labels without which the question cannot be asked, and the annotation that they
             come from
    reads    the features that labels depend on; foreign values of these are named in a refusal
    oracles  what the labels are derived from, by name, in one sentence each
    offered  the oracles that data have, where that is not all of them; facts: what they say
    classes  how many classes the question has, 0 for as many as the data allow; a data set with
             fewer says so
    probe    what it is read with where nothing else is said
    reference_lines  baselines that solve it by its definition
    """

    name: str
    asks: str
    corpus: Callable[[O], ParsedCorpus]
    parts: Callable[[O], Sequence[CorpusPart]]
    answers: Answers[O]
    settings: Mapping[str, Any] = field(default_factory=dict)
    varied: Callable[[O], Mapping[str, Any]] | None = None
    needs: Mapping[str, str] = field(default_factory=dict)
    reads: Collection[str] = ()
    oracles: Mapping[str, str] = field(default_factory=dict)
    offered: Callable[[O], Collection[str]] | None = None
    facts: Callable[[str, O, Collection[Sentence]], Mapping[Sentence, Facts]] | None = None
    classes: int = 0
    probe: str = "linear"
    reference_lines: tuple[str, ...] = ()

    def define(self, options: type[O], place: str = "", **more: Any) -> TaskDefinition[O]:
        """The definition of its task."""
        return TaskDefinition(
            self.name,
            self.asks,
            options,
            self.load,
            self.parts,
            probe=self.probe,
            reference_lines=self.reference_lines,
            oracles=self.oracles,
            offered=self.offered,
            facts=self.facts,
            candidates=self.candidates,
            place=place,
            **more,
        )

    def candidates(self, options: O) -> tuple[FoundCandidates, Notes]:
        """All sentences that answer the question, before sampling, and what was counted on the
        way.
        """
        with pause_garbage_collection():
            return self._find_answers(self._corpus(options), options)

    def load(self, options: O) -> Dataset:
        """The sampled data set; what was read and excluded, and why, is in its notes."""
        with pause_garbage_collection():
            corpus = self._corpus(options)
            candidates, notes = self._find_answers(corpus, options)
            try:
                return self._draw_sample(options, candidates, notes)
            except DataProblem as problem:
                foreign = corpus.foreign_values(self.reads)
                raise (DataProblem(f"{problem}; {foreign}") if foreign else problem) from None

    def _corpus(self, options: O) -> ParsedCorpus:
        """What was read, or the surer part of it."""
        corpus = self.corpus(options)
        return corpus.surer(options.min_confidence) if options.min_confidence else corpus

    def _find_answers(self, corpus: ParsedCorpus, options: O) -> tuple[FoundCandidates, Notes]:
        notes = note_sources(self.name, corpus.files, corpus.tally, **corpus.left_out)
        wrong = FrozenRecord(notes).part(ByParser)
        if (
            wrong
            and wrong.wrong
            and wrong.wrong > MAX_LABEL_NOISE_PERCENT
            and options.noise == "refuse"
        ):
            raise DataProblem(
                f"{self.name}: {wrong.wrong:.1f} % of the labels from {wrong.name} are wrong,"
                " according to its audit; noise=accept uses them anyway"
            )
        return self.answers(corpus, options, notes), notes

    def _draw_sample(self, options: O, candidates: FoundCandidates, notes: Notes) -> Dataset:
        self.check(options, candidates, notes)
        kept = select_classes(candidates, options.classes, notes)
        settings = {**self.settings, **(self.varied(options) if self.varied else {})}
        if options.classes:
            settings["rare"] = "refuse"
        elif self.classes:
            notes["classes of the question"] = self.classes
        return sample_pool(kept.pool(), options.settings(**settings), notes)

    def check(self, options: O, candidates: FoundCandidates, notes: Mapping[str, Any]) -> None:
        """Refuse a question that the annotation cannot answer, and say what is missing of the
        classes that are asked for.
        """
        labels = candidates.counts()
        needed = [label for label in self.needs if label in (options.classes or self.needs)]
        missing = [label for label in needed if not labels[label]]
        if missing or not len(candidates):
            why = (
                "; ".join(f"no sentence is {label!r}: {self.needs[label]}" for label in missing)
                or "no sentence has an answer to its question"
            )
            out = ", ".join(
                f"{reason}: {n}" for reason, n in list(notes.get("left out", {}).items())[:4]
            )
            there = [label for label in needed if labels[label]]
            rest = ",".join(f"classes={label}" for label in there) if len(there) > 1 else ""
            raise DataProblem(
                f"{self.name} cannot be built from {options.path}: {why} (excluded:"
                f" {out or 'nothing'})" + (f"; {rest} asks of the others" if rest else "")
            )


def select_classes(
    candidates: FoundCandidates, classes: Sequence[str], notes: dict[str, Any]
) -> FoundCandidates:
    """The candidates of some classes, all without; the others are counted, and a class that none
    has is a DataProblem.
    """
    if not classes:
        return candidates
    counts = candidates.counts()
    if missing := [name for name in classes if not counts[name]]:
        there = ", ".join(f"{name} ({n:,})" for name, n in counts.most_common(_MANY)) or "none"
        raise DataProblem(f"classes={missing[0]}: no sentence has that label; there are {there}")
    chosen = candidates.with_labels(classes)
    notes["left out"] = {
        **notes.get("left out", {}),
        "of a class that classes= does not name": len(candidates) - len(chosen),
    }
    return chosen


_MANY = 24  # labels that a message names
