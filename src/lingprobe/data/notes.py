"""Notes about data sets and results: typed here, plain JSON in files.

`DatasetNotes` of a data set and the `choice` of a probe may contain anything by name, and are shown
unchanged. Notes that lingprobe itself reads are a property or a `NotePart`, so that their names
occur only here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

P = TypeVar("P", bound="NotePart")


class FrozenRecord(Mapping[str, Any]):
    """Frozen values by name, as JSON has them."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:  # so that one can be the default of a field
        return hash(tuple(self._values))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values!r})"

    def part(self, kind: type[P]) -> P | None:
        """A part of some kind; None where there is none."""
        values = self._values.get(kind.key)
        return kind.read(values) if isinstance(values, Mapping) else None

    def plus(self, *parts: NotePart, **values: Any) -> Self:
        """The same with more parts and values."""
        added = {part.key: part.plain() for part in parts}
        return type(self)({**self._values, **added, **values})


EARLIER_PACKAGE = "sonde"  # as files that were written before 0.3 call the package
EMPTY_RECORD = FrozenRecord()


@dataclass(frozen=True, slots=True)
class NotePart:
    """Named values that stand together. What a file does not say has the field's default; None is
    not written.

    key   the name that the part stands under
    more  fields that are written under another name than their own
    """

    key: ClassVar[str] = ""
    written: ClassVar[Mapping[str, str]] = EMPTY_RECORD

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """The part that `plain` wrote; what no field is named after is passed over."""
        names = ((f.name, cls.written.get(f.name, f.name)) for f in fields(cls))
        return cls(**{name: values[key] for name, key in names if key in values})

    def plain(self) -> dict[str, Any]:
        """The part as JSON has it."""
        values = ((self.written.get(f.name, f.name), getattr(self, f.name)) for f in fields(self))
        return {key: _convert_to_json(value) for key, value in values if value is not None}


def _convert_to_json(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, NotePart):
        return value.plain()
    return dict(value) if isinstance(value, FrozenRecord) else value


@dataclass(frozen=True, slots=True)
class SamplingNote(NotePart):
    """How many folds a sample asks for, how many examples they test in all (0: every one), and
    Pearson's r of label and length before and after it was drawn, the latter by split; what else
    was counted is shown alone.
    """

    key: ClassVar[str] = "sampling"
    folds_needed: int = 1
    tested: int = 0
    length_r_before: float | None = None
    length_r_after: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class ControlNote(NotePart):
    """A control: what a probe scores that learnt nothing, how keys are defined, how many there are,
    and the share of test whose key train has.
    """

    key: ClassVar[str] = "control"
    written: ClassVar[Mapping[str, str]] = MappingProxyType({"keys_seen": "keys seen"})
    name: str = ""
    seed: int = 0
    null: float | None = None
    definition: str | None = None
    keys: int | None = None
    keys_seen: float | None = None


@dataclass(frozen=True, slots=True)
class WordRule(NotePart):
    """The best rule of one word, and which share of train and test it gets right."""

    key: ClassVar[str] = "one word"
    rule: str = ""
    train: float = 0.0
    test: float = 0.0


@dataclass(frozen=True, slots=True)
class SourceRule(NotePart):
    """The share of test that the source alone gets right, the lower end of its interval, and that
    of the best constant.
    """

    key: ClassVar[str] = "source alone"
    test: float = 0.0
    low: float = 0.0
    constant: float = 0.0


@dataclass(frozen=True, slots=True)
class SourceNote(NotePart):
    """The files that were read, and how many malformed sentences were excluded."""

    key: ClassVar[str] = "source"
    files: Sequence[str] = ()
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class ByParser(NotePart):
    """The parser whose labels these are, and the percent of them that an audit found wrong; None
    without one.
    """

    key: ClassVar[str] = "parser"
    name: str = ""
    wrong: float | None = None


class DatasetNotes(FrozenRecord):
    """What was counted while a data set was built."""

    __slots__ = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to say about the sources as a whole."""
        return tuple(map(str, self.get("remarks") or ()))

    @property
    def problems(self) -> tuple[str, ...]:
        """The first malformed sentences, each with the reason."""
        return tuple(map(str, self.get("problems") or ()))

    @property
    def malformed_sentences(self) -> tuple[int, str]:
        """How many sentences were excluded as malformed, and the first of them with the reason."""
        sources = self.part(SourceNote)
        return (0, "") if sources is None else (sources.skipped, (*self.problems, "")[0])

    @property
    def left_out(self) -> Mapping[str, int]:
        """What was excluded, by the reason."""
        return dict(self.get("left out") or {})

    @property
    def answers(self) -> Mapping[str, int]:
        """How many candidates have each label, before any are drawn."""
        return dict(self.get("labels") or {})

    @property
    def rules(self) -> Mapping[str, float]:
        """Rules of thumb, each with the share of test that it gets right."""
        return dict(self.get("rules") or {})

    @property
    def targets(self) -> Mapping[str, int]:
        """How many targets each split has."""
        return dict(self.get("targets") or {})

    @property
    def classes_of_question(self) -> int:
        """How many classes the question has where the data have fewer; 0 where nothing is said."""
        return int(self.get("classes of the question", 0))

    @property
    def altered_label(self) -> str:
        """The label of altered sentences; '' where the task alters none."""
        return str(self.get("altered", ""))

    @property
    def about(self) -> int | None:
        """Which of several spans the label is about; None where the task does not say."""
        return self.get("about")


@dataclass(frozen=True, slots=True)
class CodeLengthNote(NotePart):
    """Bits of a code for the training labels: of the probe with its fallback, under equal chances,
    and without vectors.
    """

    key: ClassVar[str] = "code"
    bits: float = float("nan")
    uniform: float = float("nan")
    prior: float = float("nan")


@dataclass(frozen=True, slots=True)
class MembersCompared(NotePart):
    """Which model a probe chose for a task and an encoder, and the log loss in nats of held-out
    predictions by each that it compared; {} where it compared none.

    examples  how many were predicted, on how many layers
    """

    key: ClassVar[str] = "compared"
    model: str = ""
    losses: Mapping[str, float] = EMPTY_RECORD
    examples: int = 0
    layers: int = 0


@dataclass(frozen=True, slots=True)
class BoundaryDensity(NotePart):
    """How many examples other training data would answer otherwise: the density at 0 of margins of
    examples that a fit has not seen, in units of their training error. 0.4 where nothing is learnt.
    Folds that share training examples err together as far as it is above 0.

    ranks  the same of the differences between scores of two examples, one of a class and one not,
           in units of the error of one: what metrics of ranks need. 0.28 where nothing is learnt
    """

    key: ClassVar[str] = "boundary"
    density: float = float("nan")
    ranks: float = float("nan")


@dataclass(frozen=True, slots=True)
class ThresholdNote(NotePart):
    """Which class of two is positive, and by rate of false positives, as '0.05', the difference of
    scores from which on an example is.
    """

    key: ClassVar[str] = "thresholds"
    positive: str = ""
    at: Mapping[str, float] = EMPTY_RECORD


@dataclass(frozen=True, slots=True)
class ThresholdCounts(NotePart):
    """By rate of false positives how many positive test examples lie above the threshold, of how
    many, and how many negative ones, of how many.
    """

    key: ClassVar[str] = "above thresholds"
    at: Mapping[str, Sequence[int]] = EMPTY_RECORD


class ProbeChoice(FrozenRecord):
    """What a probe says of its fit."""

    __slots__ = ()

    @property
    def dev(self) -> float:
        """The score on dev, by which states and layers are chosen (the higher, the better); NaN
        where the probe does not say.
        """
        score = self.get("dev")
        return float(score) if isinstance(score, int | float) else float("nan")

    @property
    def mix(self) -> Sequence[float]:
        """The weights of the layers of a mix; () where none is learnt."""
        return tuple(self.get("mix", ()))


@dataclass(frozen=True, slots=True)
class ExampleCounts(NotePart):
    """What was counted while a result was measured, in examples.

    unseen     of test, of a class that train lacks
    unusable   could not be encoded; beyond: about words that were cut off; unaligned: about words
               without a vector; partial: about words of which some have none
    held       about sentences that something in the encoder was fitted on
    cut        sentences that were cut; words: of all sentences; unknown: of them, to the encoder;
               test_words, test_unknown: of those of test
    problems   the first problems of the encoder
    left_out   fate -> split -> class -> examples
    """

    written: ClassVar[Mapping[str, str]] = MappingProxyType({"left_out": "left out"})
    train: int = 0
    dev: int = 0
    test: int = 0
    unseen: int = 0
    unusable: int = 0
    beyond: int = 0
    unaligned: int = 0
    partial: int = 0
    held: int = 0
    cut: int = 0
    words: int | None = None
    unknown: int | None = None
    test_words: int | None = None
    test_unknown: int | None = None
    problems: Sequence[str] = ()
    left_out: Mapping[str, Mapping[str, Mapping[str, int]]] = EMPTY_RECORD


@dataclass(frozen=True, slots=True)
class Checkpoint(NotePart):
    """An encoder at some point of its training, and what was known of the training.

    at         how far it had come: epochs or steps; 0 is before training
    unit       epoch or step
    of, best   how many epochs there were, and which was the best on dev; 0 where nobody says
    objective  what it was trained for
    figure     of dev, by which the best is told, as bleu
    figures    those of this epoch: the loss of train, and those of dev
    trivial    figures of what needs no encoder
    """

    key: ClassVar[str] = "checkpoint"
    at: int = 0
    unit: str = "epoch"
    of: int = 0
    best: int = 0
    objective: str = ""
    figure: str = ""
    figures: Mapping[str, float] = EMPTY_RECORD
    trivial: Mapping[str, float] = EMPTY_RECORD


_NO_NOTES, _NO_CHOICE = DatasetNotes(), ProbeChoice()


@dataclass(frozen=True, slots=True)
class ResultProvenance(NotePart):
    """Everything that a result was made with.

    kind         of encoder: trained, untrained, baseline or oracle; oracle: what its vectors hold
    opposes      of a baseline the questions in which encoders must be above it; None where not said
    own_baselines  of an encoder the references of baselines that are its own, with their questions
    width        dimensions of the vectors that were read; 0 in results of an earlier version
    identities   of task, encoder, probe, control and metric
    computed     the processor, the precisions and the threads
    read_as      what the encoder read of a sentence, with {sentence} in its place; '' for itself
    constant_tokens  by read which token that every sentence has holds most of the norm
    constants    constant answers chosen on train, by kind; None in results of an earlier version
    tested       a digest that stands for the test examples
    is_seeded    whether the fit depends on its seed; None in results of an earlier version
    checkpoint   where in its training the encoder was, where it says so
    format       that of the file, where it is an earlier one; else 0
    other        what another version or a stranger kept, by name
    """

    kind: str = ""
    oracle: str = ""
    opposes: Sequence[str] | None = None
    own_baselines: Mapping[str, str] = EMPTY_RECORD
    width: int = 0
    identities: Mapping[str, str] = EMPTY_RECORD
    revision: str = ""
    computed: Mapping[str, str] = EMPTY_RECORD
    read_as: str = ""
    constant_tokens: Mapping[str, str] = EMPTY_RECORD
    versions: Mapping[str, str] = EMPTY_RECORD
    commit: str | None = None
    date: str = ""
    seeds: Sequence[int] = ()
    counts: ExampleCounts = ExampleCounts()
    notes: DatasetNotes = _NO_NOTES
    fit_seconds: float | None = None
    constants: Mapping[str, Sequence[str]] | None = None
    tested: str = ""
    is_seeded: bool | None = None
    choice: ProbeChoice = _NO_CHOICE
    checkpoint: Checkpoint | None = None
    format: int = 0
    other: Mapping[str, Any] = EMPTY_RECORD

    @property
    def version(self) -> str:
        """The version that measured it, under today's name or the earlier one; '' if unknown."""
        return self.versions.get("lingprobe") or self.versions.get(EARLIER_PACKAGE, "")

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ResultProvenance:
        """The provenance that `plain` wrote, in any version."""
        names = {f.name for f in fields(cls)}
        known = {key: value for key, value in values.items() if key in names and value is not None}
        typed: dict[str, Callable[[Mapping[str, Any]], Any]]
        typed = {"counts": ExampleCounts.read, "notes": DatasetNotes, "choice": ProbeChoice}
        typed["checkpoint"] = Checkpoint.read
        known |= {key: make(known[key]) for key, make in typed.items() if key in known}
        return cls(**known, other={k: v for k, v in values.items() if k not in names})

    def plain(self) -> dict[str, Any]:
        """The provenance as JSON has it; what is not known is not written."""
        said = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "other"}
        kept = {key: v for key, v in said.items() if v is not getattr(_UNSAID, key)}
        return {key: _convert_to_json(value) for key, value in kept.items()} | dict(self.other)

    def identity(self, kind: str, reference: str) -> str:
        """The identity of the task, encoder, probe, control or metric; '' where it is not said."""
        # version 0.1 wrote it under the reference
        return str(self.identities.get(kind, self.identities.get(reference, "")))


_UNSAID = ResultProvenance()
