"""`transfer`: a task of which a probe is trained in one language, or on one data set, and tested in
another.

It is a task like any other, so it is planned, measured, stored and compared as all are. Trained and
tested in the same language it is the upper bound, of the same size and composition. Data of one's
own are not matched (`own_data`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import PurePath
from typing import Annotated

from lingprobe.data.core import DataProblem, Dataset, Facts, SamplingOptions, Sentence, Task
from lingprobe.data.digests import digest_texts
from lingprobe.data.identity import is_stated
from lingprobe.data.notes import SamplingNote
from lingprobe.data.options import Help
from lingprobe.data.oracles import oracles_of
from lingprobe.data.references import (
    PlaceOption,
    Reference,
    ReferenceProblem,
)
from lingprobe.datasets.fold_plan import name_folds
from lingprobe.inside.languages.joining import (
    DEV_CODE,
    TEST_CODE,
    TRAIN_CODE,
    RowSelection,
    join_datasets,
)
from lingprobe.inside.languages.matching import MatchedDatasets
from lingprobe.inside.languages.own_data import OwnTransfer
from lingprobe.tasks import TASKS
from lingprobe.tasks.baseline_names import NGRAM_BASELINE
from lingprobe.tasks.memory import CorpusCache
from lingprobe.tasks.task import DefinedTask

_LANGUAGE = "language"
_LEAST_TEST, _FOLDS = 200, 5  # test examples below which all are tested, fold by fold
_OF_SENTENCES = "mean"  # the view of tasks about one whole sentence
_MATCHED: CorpusCache[MatchedDatasets] = CorpusCache()
"""The data sets that were matched last, since each is in many cells of a table."""


@dataclass(frozen=True, slots=True)
class TransferTask:
    """Does what a probe learnt of a task in one language, or on one data set, hold in another?"""

    path: Annotated[
        PlaceOption,
        Help("the treebank whose train and dev it is fitted on: a path or a code; or a table"),
    ]
    _: KW_ONLY
    task: Annotated[
        str,
        Help(
            "the question, as ud/tense; with options, ud/tense%2Cforms%3Dsimple; table for your"
            " own data"
        ),
    ]
    test: Annotated[
        PlaceOption,
        Help("the treebank or table that it is tested on; the same one for the upper bound"),
    ]
    match: Annotated[
        tuple[PlaceOption, ...],
        Help(
            "further treebanks whose numbers of examples are matched, so that all cells of a table"
            " have the same"
        ),
    ] = ()
    by: Annotated[
        str,
        Help("a tag whose values each class has in the same numbers everywhere, as construction"),
    ] = "none"
    matched: Annotated[
        bool,
        Help(
            "cut all to the same numbers of each class; false: train and test on all examples, with"
            " the classes as frequent as they are"
        ),
    ] = True
    centred: Annotated[
        bool,
        Help(
            "subtract from each vector the mean over unlabelled training sentences of its language"
        ),
    ] = False
    training: Annotated[
        int | None,
        Help("examples to train on, at most; without, as many as all treebanks have"),
    ] = None
    fold: Annotated[
        str | None,
        Help("2/5: the second of five folds of the target is test"),
    ] = None
    seed: Annotated[int, Help("of everything that is drawn", "0")] = 0
    on_error: Annotated[
        str,
        Help("raise: malformed data are an error; skip: bad sentences are excluded and counted"),
    ] = "raise"
    banks: tuple[Task, ...] = field(init=False, repr=False)
    own: OwnTransfer | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        asked = Reference.parse(self.task)
        if asked.argument is not None:
            raise ReferenceProblem(
                f"task={asked}: leave the data out, which are those of train and test; write"
                f" task={asked.name}"
            )
        if self.matched:
            object.__setattr__(self, "banks", tuple(map(self._bank, self.places)))
            return
        own = self._pair(asked)
        object.__setattr__(self, "own", own)
        object.__setattr__(self, "banks", own.tasks)

    def _pair(self, asked: Reference) -> OwnTransfer:
        """Source and target, neither of which is cut. ReferenceProblem where they are to be."""
        if self.match or self.by != "none":
            raise ReferenceProblem("matched=false: leave match= and by= out")
        places, options = (self.path, self.test), asked.options
        source, target = (Reference(asked.name, place, options) for place in places)
        if self.on_error != "raise":
            source, target = (each.plus(on_error=self.on_error) for each in (source, target))
        names = name_places(places)
        pair = names[self.path], names[self.test]
        how = self.training, self.seed, self.centred, self.fold
        return OwnTransfer(source, target, pair, self.task, *how)

    def _bank(self, place: str) -> Task:
        """The task on one treebank."""
        own = Reference.parse(self.task)
        made: Task = TASKS.make(Reference(own.name, place, own.options))
        can = SamplingOptions.of(made)
        given = {"fold": self.fold, "on_error": self.on_error if can.on_error else None}
        options = {name: value for name, value in given.items() if value}
        if self.fold and not can.fold:
            raise ReferenceProblem(f"{own.name} has no folds: leave fold= out")
        more = Reference(own.name, place, own.options).plus(**options)
        return TASKS.make(more) if options else made

    @property
    def places(self) -> tuple[str, ...]:
        """All treebanks that are matched, each once, in the order of their names."""
        return tuple(sorted({self.path, self.test, *self.match}))

    @property
    def name(self) -> str:
        return "transfer"

    @property
    def question(self) -> str:
        """What is asked."""
        if self.own:
            return self.own.question
        return (
            f"Learnt in {get_place_label(self.path)}, tested in {get_place_label(self.test)}:"
            f" {self._one.question}"
        )

    @property
    def metric(self) -> str:
        return self._source.metric

    @property
    def probe(self) -> str:
        return self._source.probe

    @property
    def _source(self) -> Task:
        return self.own or self._one

    @property
    def view(self) -> str:
        """That of the task, with the mean of each language taken off where that is asked."""
        return f"{self._one.view}+centred" if self.centred else self._one.view

    @property
    def baselines(self) -> Sequence[str]:
        """Bags of character n-grams, which related languages share."""
        is_sampled = isinstance(self._one, DefinedTask) and self._one.definition.candidates
        return (NGRAM_BASELINE,) if self._one.view == _OF_SENTENCES and is_sampled else ()

    @property
    def sampling(self) -> SamplingOptions:
        """What a run may set."""
        can = SamplingOptions.of(self._source)
        return SamplingOptions(fold=can.fold, on_error=can.on_error)

    @property
    def fingerprint(self) -> str:
        """Those of the task on source, on target, and on all: paths are in no identity, so which is
        which must be.
        """
        if self.own:
            return self.own.fingerprint
        of = self._fingerprints
        return digest_texts(of[self.path], of[self.test], *sorted(of.values()))

    @property
    def oracles(self) -> Mapping[str, str]:
        """Those of the task, whose annotation is the same in all languages."""
        return {} if self.own else oracles_of(self._one)

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """What the annotation of both treebanks says."""
        known: dict[Sentence, Facts] = {}
        for place in dict.fromkeys((self.test, self.path)):
            bank = self.banks[self.places.index(place)]
            assert oracles_of(bank)
            known |= bank.facts(oracle, sentences)  # type: ignore[attr-defined]
        return known

    @property
    def _one(self) -> Task:
        return self.banks[0]

    def load(self) -> Dataset:
        """Train and dev of the source, test of the target; what was matched is in the notes."""
        if self.own:
            return self.own.load()
        matched = _MATCHED.get(self._key, self._matching)
        source, target = (self.places.index(place) for place in (self.path, self.test))
        train, dev = matched.train(source, target)
        ones, others = matched.datasets[source], matched.datasets[target]
        other_train, _ = matched.train(target, target)
        parts = [
            RowSelection(ones, train, TRAIN_CODE, get_place_label(self.path)),
            RowSelection(ones, dev, DEV_CODE, get_place_label(self.path)),
            RowSelection(others, matched.tests[target], TEST_CODE, get_place_label(self.test)),
        ]
        unlabelled = [
            parts[0],
            RowSelection(others, other_train, TRAIN_CODE, get_place_label(self.test)),
        ]
        if self.centred and not (ones.of_sentences and others.of_sentences):
            raise DataProblem(
                f"centred=true is for tasks about one whole sentence, and {self.task} is about"
                " words or pairs: leave it out"
            )
        whole = join_datasets(parts, unlabelled if self.centred else (), matched.classes, _LANGUAGE)
        sizes = {"train": len(train), "dev": len(dev), "test": len(matched.tests[target])}
        small = len(matched.tests[target]) < _LEAST_TEST or bool(name_folds(others))
        folds = _FOLDS if small and self.sampling.fold and not self.fold else 1
        notes = {
            "matched": {
                "languages": list(map(get_place_label, self.places)),
                "by": self.by,
                **sizes,
            }
        }
        return whole.with_notes(SamplingNote(folds), **notes)

    def _matching(self) -> MatchedDatasets:
        by = "" if self.by == "none" else self.by
        datasets = [bank.load() for bank in self.banks]
        made = MatchedDatasets(
            datasets, list(map(get_place_label, self.places)), by, self.training, self.seed
        )
        made.check()
        return made

    @property
    def _key(self) -> tuple[object, ...]:
        asked = self.task, self.places, self.by, self.training, self.fold, self.seed, self.on_error
        return (*asked, *self._fingerprints.values())

    @property
    def _fingerprints(self) -> dict[str, str]:
        """Of each treebank, what its task reads."""
        return {
            place: bank.fingerprint if is_stated(bank) else place
            for place, bank in zip(self.places, self.banks, strict=True)
        }


def get_place_label(place: str) -> str:
    """What a treebank is called in a table: the last part of its path."""
    return PurePath(place).name.removeprefix("UD_") or place


def name_places(places: Iterable[str]) -> dict[str, str]:
    """What data sets are called in a table: as many of the last parts of their paths as tell them
    apart.
    """
    found, size = dict[str, str](), 0
    rest = set(places)
    while rest:
        size += 1
        tails = {place: "/".join(PurePath(place).parts[-size:]) or place for place in rest}
        known = Counter(tails.values())
        is_whole = size > max(len(PurePath(place).parts) for place in rest)
        done = {place for place in rest if is_whole or known[tails[place]] == 1}
        found |= {place: tails[place].removeprefix("UD_") for place in done}
        rest -= done
    return found
