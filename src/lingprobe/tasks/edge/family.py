"""Edge probing (Tenney et al. 2019, section 2): a label, or a set of labels, about one or two spans
of words in a sentence.

The `TargetFinder` of a task says how targets are found in files, puts them in columns, keeps the
splits of the source, tags distances and seen words, and counts what was excluded.
docs/tasks-edge.md has the definitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Generic, Literal, TypeVar

from lingprobe.corpora import conllu
from lingprobe.corpora.files import CorpusPart, digest_files
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.data.references import PlaceOption
from lingprobe.data.vectors import Ints
from lingprobe.datasets.splits import carve_dev, draw_train
from lingprobe.tasks.edge.columns import (
    SentenceTargets,
    assign_splits,
    count_targets,
    pool_targets,
    sample_targets,
    tagged_seen,
)
from lingprobe.tasks.edge.exchange import Exchange, exchange_words, lexicon_of
from lingprobe.tasks.memory import oracle_facts, pause_garbage_collection
from lingprobe.tasks.sources import note_source_remarks
from lingprobe.tasks.task import TaskDefinition

EDGE_TREE_SUFFIXES = conllu.CONLLU_SUFFIXES
MICRO_F1_METRIC = "micro-f1"
EDGE_TASK_METRICS = {
    "coref": "micro-f1,only=1",
    "srl": "micro-f1,without=[RC]-*",
    "semeval": "micro-f1,without=Other",
}
"""How the paper scores a task, where that is not micro-F1 over all labels."""


@dataclass(frozen=True, slots=True)
class EdgeTaskOptions:
    """What every edge task takes."""

    path: Annotated[
        PlaceOption,
        Help("a file, or a folder with files named train, dev and test; plain, .gz or .xz"),
    ]
    with_: Annotated[tuple[PlaceOption, ...], Help("further files or folders")] = field(
        default=(), kw_only=True
    )
    splits: Annotated[
        Literal["official", "sampled"],
        Help(
            "official: those that the files' names say, or drawn where they say none; sampled:"
            " sampled again, 8:1:1"
        ),
    ] = field(default="official", kw_only=True)
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("raise: malformed data are an error; skip: bad sentences are excluded and counted"),
    ] = field(default="raise", kw_only=True)
    seed: Annotated[
        int,
        Help("of splits that are drawn or carved, and of what `size` takes", "0"),
    ] = field(default=0, kw_only=True)
    size: Annotated[
        int | None,
        Help(
            "about so many targets in all, whole sentences at a time, splits in their shares; all"
            " without"
        ),
    ] = field(default=None, kw_only=True)
    sample: Annotated[
        str | None,
        Help(
            "2/5: the second of five random four fifths of train, which tables average over; */5:"
            " all five of them"
        ),
    ] = field(default=None, kw_only=True)

    @property
    def paths(self) -> tuple[str, ...]:
        """All that was named."""
        return (self.path, *self.with_)

    @property
    def metric_name(self) -> str:
        """How answers are judged, where the options say so; '' for as the paper does."""
        return ""

    @property
    def exchange(self) -> Exchange:
        """In which sentences words are exchanged."""
        return "none"


@dataclass(frozen=True)
class TreeOptions(EdgeTaskOptions):
    """What edge tasks over treebanks take beside this."""

    exchange: Annotated[
        Exchange,
        Help(
            "test: content words of test sentences give way to others of the treebank with the"
            " same part of speech and features, so that only the syntax stays; all: those of train"
            " and dev as well"
        ),
    ] = field(default="none", kw_only=True)


O = TypeVar("O", bound=EdgeTaskOptions)  # noqa: E741
R = TypeVar("R")


@dataclass
class ReadingTally:
    """What was read, what was excluded and what else a reader should know; readers add to it."""

    tally: ProblemTally = field(default_factory=ProblemTally)
    left_out: Counter[str] = field(default_factory=Counter)
    also: Counter[str] = field(default_factory=Counter)

    def try_reading(self, on_error: OnError, read: Callable[[], R]) -> R | None:
        """What a reader makes of a sentence; None where it is malformed, which is counted, if it is
        not to be an error.
        """
        try:
            return read()
        except DataProblem as problem:
            self.tally.refuse(problem, on_error)
            return None

    def notes(self, parts: Iterable[CorpusPart]) -> dict[str, Any]:
        """The same as plain JSON."""
        tally = self.tally
        files = [str(part.path) for part in parts]
        source = {
            "files": files[:20],
            "sentences": tally.sentences,
            "words": tally.words,
            "skipped": tally.skipped,
        }
        more = {"and further files": len(files) - 20} if len(files) > 20 else {}
        counts = {
            "left out": dict(sorted((+self.left_out).items())),
            **dict(sorted((+self.also).items())),
        }
        return {
            "source": {**source, **more},
            **counts,
            **note_source_remarks("", tally, files),
            "problems": list(tally.problems),
        }


TargetReader = Callable[[O, list[CorpusPart], ReadingTally], Iterator[SentenceTargets]]
"""The sentences of some files with their targets, in order."""
WordFacts = Iterator[tuple[Sentence, Facts]]


@dataclass(frozen=True, slots=True)
class TaskOracle(Generic[O]):
    """An oracle of a task: what its vectors hold, in one sentence, and the facts that some files
    have, word by word.
    """

    holds: str
    read: Callable[[O, list[CorpusPart], ReadingTally], WordFacts]


@dataclass(frozen=True, slots=True)
class TargetFinder(Generic[O]):
    """How the targets of a task are found.

    asks     the question
    parts    the files that its options name, with the splits that their names say
    targets  the sentences of these files with their targets, in order
    about    which span a label is about, where that is not the last
    oracles  what word vectors can hold of the annotation, by name
    needs    labels without which it cannot be asked, and the annotation that they come from
    name     of the task, which `define_edge_task` gives it
    """

    asks: str
    parts: Callable[[O], list[CorpusPart]]
    targets: TargetReader[O]
    about: int | None = None
    oracles: Mapping[str, TaskOracle[O]] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def facts(
        self, oracle: str, options: O, sentences: Collection[Sentence]
    ) -> Mapping[Sentence, Facts]:
        """What the annotation says of the words of all sentences that the files have."""
        parts = self.parts(options)
        key = (self.name, oracle, options, digest_files(part.path for part in parts))
        return oracle_facts(key, lambda: self._facts(oracle, options, parts))

    def _facts(self, oracle: str, options: O, parts: list[CorpusPart]) -> WordFacts:
        """The facts of all sentences; words that were exchanged have those of the words before."""
        every = self.oracles[oracle].read(options, parts, ReadingTally())
        if options.exchange == "none":
            yield from every
            return
        lexicon = lexicon_of(parts, options.on_error)
        for sentence, facts in every:
            yield sentence, facts
            yield lexicon.exchange(sentence, options.seed), facts

    def load(self, options: O) -> Dataset:
        """The targets with their splits; a dev split is carved from train where there is none.
        Counts are in the notes.
        """
        dataset, owners = self._read(options)
        missing = [split for split in ("train", "test") if not len(dataset.rows(split))]
        if missing:
            there = ", ".join(split for split in DATA_SPLITS if len(dataset.rows(split)))
            advice = (
                "too few documents for three splits. Name further files by with=, or take the marks"
                " of documents out, such as -DOCSTART-"
                if options.splits == "sampled"
                else f"its splits: {there}. Name further files by with=, or write splits=sampled to"
                " draw splits from all"
            )
            raise DataProblem(
                f"{self.name}: no {' and no '.join(missing)} targets in {options.path}; {advice}"
                f"{_why(dataset.notes.left_out, dataset.notes.problems)}"
            )
        return self._finish_dataset(carve_dev(dataset, options.seed), owners, options)

    def whole(self, options: O) -> Dataset:
        """All that the files have, whatever splits they lack: for an audit of what was
        published.
        """
        return self._finish_dataset(*self._read(options), options)

    def _check(self, dataset: Dataset, options: O, count: ReadingTally) -> None:
        """Refuse a question that the annotation cannot answer, and say what is missing."""
        missing = [label for label in self.needs if label not in dataset.labels.names]
        if missing:
            why = "; ".join(f"no span is {label!r}: {self.needs[label]}" for label in missing)
            left_out = _why(+count.left_out, count.tally.problems)
            raise DataProblem(f"{self.name} cannot be built from {options.path}: {why}{left_out}")

    def _finish_dataset(self, dataset: Dataset, owners: Ints, options: O) -> Dataset:
        """What was asked for of a data set, with its counts and the words that train has."""
        if options.size is not None:
            dataset, owners = sample_targets(dataset, owners, options.size, options.seed)
        if options.exchange != "none":
            lexicon = lexicon_of(self.parts(options), options.on_error)
            dataset = exchange_words(dataset, lexicon, options.exchange, options.seed)
        about = {} if self.about is None else {"about": self.about}
        dataset = dataset.with_notes(**count_targets(dataset, owners), **about)
        return tagged_seen(
            dataset if options.sample is None else draw_train(dataset, options.sample)
        )

    def _read(self, options: O) -> tuple[Dataset, Ints]:
        count, parts = ReadingTally(), self.parts(options)
        try:
            with pause_garbage_collection():
                pool = pool_targets(self.targets(options, parts, count))
        except DataProblem as problem:
            raise DataProblem(f"{problem}{_why(+count.left_out, count.tally.problems)}") from None
        self._check(pool.dataset, options, count)
        drawn = options.splits == "sampled"
        return assign_splits(pool, drawn, options.seed).with_notes(
            **count.notes(parts)
        ), pool.owners


def _why(left_out: Mapping[str, int], problems: Sequence[str]) -> str:
    """What was excluded before there was nothing to go on with, as far as it tells why."""
    reasons = [f"{what}: {n:,}" for what, n in left_out.items()] + list(problems[:1])
    return f" (excluded: {'; '.join(reasons)})" if reasons else ""


def define_edge_task(
    name: str, kind: TargetFinder[O], options: type[O], **more: Any
) -> TaskDefinition[O]:
    """The definition of a task that asks about the targets of a kind."""
    kind = replace(kind, name=name)
    judged = {
        "metric": EDGE_TASK_METRICS.get(name.rpartition("/")[2], MICRO_F1_METRIC),
        "probe": "linear",
    }
    return TaskDefinition(
        name,
        kind.asks,
        options,
        kind.load,
        kind.parts,
        oracles={name: oracle.holds for name, oracle in kind.oracles.items()},
        facts=kind.facts,
        whole=kind.whole,
        varied=_metric_option,
        **{**judged, **more},
    )


def _metric_option(options: EdgeTaskOptions) -> dict[str, str]:
    return {"metric": options.metric_name} if options.metric_name else {}
