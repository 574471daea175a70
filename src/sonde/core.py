"""The nouns. A probing example is a label about one or more sites in one or more sentences.

Everything here is a frozen value or a protocol; numpy is the only library. Tasks write `Example`s,
other rooms read a `Dataset` in columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from sonde._logits import Logits
from sonde.examples import (
    SPLITS,
    DataProblem,
    Dataset,
    EncoderStop,
    Example,
    Sentence,
    Site,
    Tags,
)
from sonde.labels import Column, Link
from sonde.vectors import Floats, Ints, Vectors

__all__ = [
    "SPLITS",
    "Cell",
    "Control",
    "DataProblem",
    "Dataset",
    "Encoder",
    "EncoderStop",
    "Example",
    "Layered",
    "Predictions",
    "Prepared",
    "Result",
    "Sampled",
    "Sampling",
    "Sentence",
    "Site",
    "Tags",
    "Task",
    "Trial",
]


@dataclass(frozen=True, slots=True)
class Sampling:
    """The options of a task's reference that a run may set itself; a field is named as its option.

    fold      fold=2/5: the second of five parts of the data is test. Small data get folds
    sample    sample=2/5: the second of five draws from train, over the same dev and test
    size      size=1000: so many examples in all
    on_error  on_error=skip: malformed data are left out and counted
    """

    fold: bool = False
    sample: bool = False
    size: bool = False
    on_error: bool = False

    @classmethod
    def of(cls, task: Task) -> Sampling:
        """What a task declares; one that declares nothing is measured as it stands."""
        return task.sampling if isinstance(task, Sampled) else cls()

    def __contains__(self, option: str) -> bool:
        return bool(asdict(self).get(option))


class Task(Protocol):
    """One question about sentences. `metric`, `probe` and `view` are references to what it is
    judged and read with.
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
        """The examples, with splits; files are read now."""
        ...


@runtime_checkable
class Sampled(Task, Protocol):
    """A task that declares which of its options a run may set."""

    @property
    def sampling(self) -> Sampling: ...


@runtime_checkable
class Published(Task, Protocol):
    """A task whose files may lack splits that it needs; an audit is of all that they have."""

    def found(self) -> Dataset:
        """All the examples of the files."""
        ...


@runtime_checkable
class Encoder(Protocol):
    """Something that turns sentences into vectors.

    takes  'sentences': `encode` is given Sentences. What does not say so is taken for an object of
           another library, and is given strings
    """

    @property
    def name(self) -> str: ...
    @property
    def takes(self) -> str: ...

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        """Vectors of the sentences, in their order. The same sentences in the same order give the
        same bits.
        """
        ...


@runtime_checkable
class Layered(Encoder, Protocol):
    """An encoder that can fill several slots ('layer.form', as '6.mean') of the vector cache in one
    pass.

    base   what all its slots share: the reference without layers and pooling; it keys the cache
    slots  what this one yields, one a layer of its Vectors
    """

    @property
    def base(self) -> str: ...
    @property
    def slots(self) -> tuple[str, ...]: ...

    def asking(self, slots: tuple[str, ...]) -> Encoder:
        """The same encoder yielding these slots, in this order."""
        ...


@runtime_checkable
class Prepared(Encoder, Protocol):
    """An encoder that looks at the corpus first (SentEval's `prepare`, a fitted idf); its vectors
    hold for that corpus.
    """

    def prepare(self, sentences: Sequence[Sentence]) -> Encoder:
        """The encoder, made ready for these sentences."""
        ...


class Cell(NamedTuple):
    """One fit of a probe: which layers are read, the seed, and which of its states is wanted.

    by  the state that is best on dev by `score` (accuracy, F1), or by `loss`, which is the one
        whose probabilities mean something; a probe that has but one state gives that
    """

    read: str
    seed: int
    by: Literal["score", "loss"] = "score"


@dataclass(frozen=True, slots=True)
class Predictions:
    """Scores [examples, outputs] of one predictor, with the outputs' names, and what they decode
    to.

    link  how scores become probabilities: a softmax over the outputs, or a sigmoid of each; None
          where they do not
    """

    scores: Floats
    names: tuple[str, ...]
    decoded: Column
    link: Link | None = None


Control = Callable[[Dataset], Dataset]
"""A data set with the linguistics taken out."""


@dataclass(frozen=True, slots=True, order=True)
class Trial:
    """One measurement, in strings and numbers: it pickles, prints and hashes."""

    task: str
    encoder: str
    read: str
    probe: str
    control: str
    seed: int


@dataclass(frozen=True, slots=True)
class Result:
    """What one trial found. `strata` tag examples, `clusters` number what was drawn together,
    `scores` are of the state best by loss.
    """

    trial: Trial
    metric: str
    score: float
    low: float
    high: float
    majority: float
    gold: Column
    predicted: Column
    provenance: Mapping[str, Any]
    strata: Mapping[str, Tags] = field(default_factory=dict)
    clusters: Mapping[str, Ints] = field(default_factory=dict)
    scores: Logits | None = None

    @property
    def n(self) -> int:
        """How many test examples the score is over."""
        return len(self.gold)
