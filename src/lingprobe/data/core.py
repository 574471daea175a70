"""The central types: values such as `Example` and `Result`, and protocols such as `Task`.

A probing example is a label about one or more sites in one or more sentences. Everything here is a
frozen value or a protocol; numpy is the only library. `Task`, `Encoder`, `Probe` and `Predictor`
are the required members of an object. Each optional ability is a separate protocol
(`LayeredEncoder`, `ProbeWithNeeds`): an object with its members has the ability, and the protocol
documents the default for objects without it. `lingprobe.data.identity.HasFingerprint` is optional
for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.errors import DataProblem
from lingprobe.data.examples import DATA_SPLITS, Dataset, Example, Sentence, Site, Tags
from lingprobe.data.labels import Column, Link
from lingprobe.data.notes import ResultProvenance
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Floats, Ints, Vectors

__all__ = [
    "DATA_SPLITS",
    "AnnotatedTask",
    "Cell",
    "ConfigurableTask",
    "Control",
    "DataProblem",
    "Dataset",
    "DeviceAwareEncoder",
    "Encoder",
    "EncoderWithKind",
    "Example",
    "Facts",
    "FitJob",
    "JointProbe",
    "Kind",
    "KindredProbe",
    "LayeredEncoder",
    "LexicalEncoder",
    "OracleEncoder",
    "PrecisionAwareProbe",
    "Predictions",
    "Predictor",
    "PreparedEncoder",
    "Probe",
    "ProbeNeeds",
    "ProbeWithNeeds",
    "Result",
    "RevisedEncoder",
    "SampledTask",
    "SamplingOptions",
    "Sentence",
    "Site",
    "Tags",
    "Task",
    "TrainingAwareEncoder",
    "Trial",
    "TunedPredictor",
    "UnsplitTask",
    "choice_of",
    "needs_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """The options of a task that a run may set itself; a field has the name of its option.

    fold      fold=2/5: the second of five parts of the data is test; used for small data
    sample    sample=2/5: the second of five draws from train, over the same dev and test
    size      size=1000: this many examples in all
    on_error  on_error=skip: malformed data are excluded and counted
    """

    fold: bool = False
    sample: bool = False
    size: bool = False
    on_error: bool = False

    @classmethod
    def of(cls, task: Task) -> SamplingOptions:
        """What a task declares; a task that declares nothing is measured unchanged."""
        return task.sampling if isinstance(task, SampledTask) else cls()

    def __contains__(self, option: str) -> bool:
        return bool(asdict(self).get(option))


Facts = Sequence[Sequence[str]]
"""The annotation of a sentence, unit by unit: 'root.Tense=Past', 'nsubj', 'agent(help,professor)'.

For a task about spans a unit is a word, so there are as many as words. For a task about whole
sentences all units are summed, so one is enough; a fact that occurs twice counts twice. """


class Task(Protocol):
    """One question about sentences. `metric`, `probe` and `view` are references of its metric, its
    default probe and its view.
    """

    @property
    def name(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def probe(self) -> str: ...
    @property
    def view(self) -> str: ...

    def load(self) -> Dataset:
        """The examples, with splits; reads files."""


@runtime_checkable
class SampledTask(Task, Protocol):
    """A task that declares which of its options a run may set."""

    @property
    def sampling(self) -> SamplingOptions: ...


@runtime_checkable
class ConfigurableTask(SampledTask, Protocol):
    """A task that is no reference, and whose options a run sets as it does those of references."""

    def plus(self, **options: str) -> Task:
        """The same task with other values of options that it declares."""


@runtime_checkable
class UnsplitTask(Task, Protocol):
    """A task whose files may lack splits that it needs; an audit uses all examples."""

    def all_examples(self) -> Dataset:
        """All the examples of the files."""


@runtime_checkable
class AnnotatedTask(Task, Protocol):
    """A task whose data have the annotation that its labels are derived from.

    oracles  by name, one sentence each: its facts, and the parts of the test set that they
             determine; the first is the default. Empty if the data have no annotation
    """

    @property
    def oracles(self) -> Mapping[str, str]: ...

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """The facts of these sentences, and possibly of others; reads files. A sentence may have
        none.
        """


@runtime_checkable
class Encoder(Protocol):
    """Something that turns sentences into vectors.

    takes  'sentences': `encode` gets Sentences. Objects without this attribute are taken to be of
           another library, and get strings
    """

    @property
    def name(self) -> str: ...
    @property
    def takes(self) -> str: ...

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        """Vectors of the sentences, in their order. The same sentences in the same order give the
        same bits.
        """


@runtime_checkable
class LayeredEncoder(Encoder, Protocol):
    """An encoder that can fill several slots ('layer.form', as '6.mean') of the vector cache in one
    pass.

    base   the reference without layers and pooling, which all slots share; the key of the cache
    slots  the slots of this encoder, one per layer of its Vectors
    """

    @property
    def base(self) -> str: ...
    @property
    def slots(self) -> tuple[str, ...]: ...

    def asking(self, slots: tuple[str, ...]) -> Encoder:
        """The same encoder with these slots, in this order."""


@runtime_checkable
class PreparedEncoder(Encoder, Protocol):
    """An encoder that is fitted to the corpus first (SentEval's `prepare`, an idf); its vectors are
    for that corpus only.
    """

    def prepare(self, sentences: Sequence[Sentence]) -> Encoder:
        """The encoder, fitted to these sentences."""


Kind = Literal["trained", "baseline", "oracle"]
"""The role of an encoder in a table: to be evaluated, or a reference for the others."""


@runtime_checkable
class EncoderWithKind(Encoder, Protocol):
    """An encoder that declares its kind; without it, an encoder counts as trained."""

    @property
    def kind(self) -> Kind: ...


@runtime_checkable
class LexicalEncoder(Encoder, Protocol):
    """An encoder that can report unknown words without encoding."""

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Which words [n] are partly read as the unknown token; None if that is unknown."""


@runtime_checkable
class TrainingAwareEncoder(Encoder, Protocol):
    """An encoder that knows which sentences it was trained on; it is probed on none of them."""

    def saw(self) -> NDArray[np.uint64] | None:
        """Their hashes from `lingprobe.corpora.training_sentences`, sorted; None if unknown."""


@runtime_checkable
class RevisedEncoder(Protocol):
    """An encoder that may share its name with others: a short label that distinguishes it."""

    @property
    def revision(self) -> str: ...


@runtime_checkable
class DeviceAwareEncoder(Protocol):
    """An encoder that may run on several devices and in several precisions: those used here."""

    @property
    def runs(self) -> tuple[str, str]: ...


@runtime_checkable
class OracleEncoder(Encoder, Protocol):
    """An encoder of a task's annotation; its vectors are for that task's data only.

    oracle  which of the task's oracles it is; None for the task's default
    """

    @property
    def oracle(self) -> str | None: ...

    def with_oracle(self, oracle: str) -> OracleEncoder:
        """The same encoder for this oracle."""

    def with_facts(self, facts: Mapping[Sentence, Facts], words: bool) -> Encoder:
        """The encoder for these facts; its vectors are of `words`, or of sentences."""


class Cell(NamedTuple):
    """One fit of a probe: which layers it reads, the seed, and the criterion for its best state.

    by  the state that is best on dev by `score` (accuracy, F1) or by `loss`, whose probabilities
        are better calibrated; a probe with one state returns that
    """

    read: str
    seed: int
    by: Literal["score", "loss"] = "score"


@dataclass(frozen=True, slots=True)
class Predictions:
    """The scores of one predictor, the outputs' names, and the predicted labels.

    scores  [examples, outputs]
    link    how scores become probabilities: a softmax over the outputs, or a sigmoid of each; None
            if they do not
    """

    scores: Floats
    names: tuple[str, ...]
    decoded: Column
    link: Link | None = None


class Predictor(Protocol):
    """A fitted probe."""

    def predict(self, readings: Readings) -> Predictions:
        """Scores of every example, and the predicted labels."""


@runtime_checkable
class TunedPredictor(Predictor, Protocol):
    """A predictor that reports what was selected during fitting; the result stores it."""

    @property
    def choice(self) -> Mapping[str, Any]: ...


def choice_of(predictor: Predictor) -> Mapping[str, Any]:
    """What was selected during fitting; {} if the predictor does not report it."""
    return predictor.choice if isinstance(predictor, TunedPredictor) else {}


@dataclass(frozen=True, slots=True)
class ProbeNeeds:
    """What a probe depends on besides vectors and labels.

    seeds    whether its fit depends on the seed
    words    whether it reads words instead of vectors
    stratum  the stratum that it reads, '' for none
    mixes    whether it learns the weights of a read such as `mix`
    train    whether it needs training examples
    """

    seeds: bool = True
    words: bool = False
    stratum: str = ""
    mixes: bool = False
    train: bool = True


class Probe(Protocol):
    """Settings of a classifier that reads vectors; fitting changes nothing here."""

    @property
    def name(self) -> str: ...

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        """One predictor per cell, in order. Cells share their input, so one call can fit a whole
        grid, all seeds and all layers.
        """


class FitJob(NamedTuple):
    """The arguments of one call of `Probe.fit`."""

    train: Readings
    dev: Readings
    cells: tuple[Cell, ...]
    probe: Probe | None = None


@runtime_checkable
class JointProbe(Probe, Protocol):
    """A probe that can fit several data sets, such as the folds of a task, in one pass."""

    def fit_all(self, jobs: Sequence[FitJob]) -> list[list[Predictor]]:
        """One predictor for each cell of each job, in order."""


@runtime_checkable
class KindredProbe(JointProbe, Protocol):
    """A probe whose `fit_all` takes jobs of other settings (`FitJob.probe`) with the same `kin`."""

    @property
    def kin(self) -> str: ...


@runtime_checkable
class ProbeWithNeeds(Probe, Protocol):
    """A probe that declares what it depends on."""

    @property
    def needs(self) -> ProbeNeeds: ...


def needs_of(probe: Probe) -> ProbeNeeds:
    """What a probe depends on (default: vectors and the seed)."""
    return probe.needs if isinstance(probe, ProbeWithNeeds) else ProbeNeeds()


@runtime_checkable
class PrecisionAwareProbe(Protocol):
    """A probe that may compute its products in several precisions: the one used here."""

    @property
    def used_precision(self) -> str: ...


Control = Callable[[Dataset], Dataset]
"""A function that removes the linguistic information from a data set."""


@dataclass(frozen=True, slots=True, order=True)
class Trial:
    """One measurement as strings and numbers; it can be pickled, printed and hashed."""

    task: str
    encoder: str
    read: str
    probe: str
    control: str
    seed: int


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one trial. `strata` tag examples, `clusters` [n] number groups of examples that
    were sampled together, `scores` are of the state that is best by loss, `folder` is where it is
    kept, with its test examples.
    """

    trial: Trial
    metric: str
    score: float
    low: float
    high: float
    majority: float
    gold: Column
    predicted: Column
    provenance: ResultProvenance
    strata: Mapping[str, Tags] = field(default_factory=dict)
    clusters: Mapping[str, Ints] = field(default_factory=dict)
    scores: ProbeLogits | None = None
    folder: Path | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.provenance, Mapping):  # as files have it
            object.__setattr__(self, "provenance", ResultProvenance.read(self.provenance))

    @property
    def n(self) -> int:
        """The number of test examples."""
        return len(self.gold)
