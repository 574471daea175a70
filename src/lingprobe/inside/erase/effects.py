"""What changes of a model's states do to what is read of it: answers about examples, under each
change; and probes of later layers, which give some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.abilities import PatchableEncoder
from lingprobe.data.core import Cell, Dataset, Predictor, Probe
from lingprobe.data.labels import Column, build_column, column_from_codes
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Ints
from lingprobe.datasets.splits import code_shared_groups
from lingprobe.inside.erase.division import codes_of
from lingprobe.inside.erase.erasure import select_examples
from lingprobe.inside.erase.interventions import NO_CHANGE, ChangeName, StateChange, Way
from lingprobe.metrics.intervals import FitAnswers
from lingprobe.metrics.metric import Metric

T = TypeVar("T")
Flags = NDArray[np.bool_]


@dataclass
class EffectMeasurement:
    """What is measured: answers about some examples under each change, one column a draw.

    codes  the class of each example in the task that is changed [n]
    """

    name: str
    metric: str | Metric
    data: Dataset
    codes: Ints
    said: dict[ChangeName, list[Column]] = field(default_factory=dict)

    def answers(self, change: str, floor: str = "", way: Way = "") -> FitAnswers:
        """Those under a change, or under a baseline of it, of each example one way: to the other
        label than its own, or further into its own; of a baseline that goes by labels both.
        """
        columns = by_class(self.said, ChangeName(change, way, floor), self.codes, _either)
        return FitAnswers(self.data.labels, columns, code_shared_groups(self.data))


def by_class(
    measured: Mapping[ChangeName, Sequence[T]],
    key: ChangeName,
    codes: Ints,
    either: Callable[[T, T, Flags], T],
) -> list[T]:
    """What was kept under a key, one a draw; or, where all examples went towards one class and then
    the other, what each example was the way of the key, or in turn both ways where it names none.
    KeyError for what was not measured.
    """
    if key in measured:
        return list(measured[key])
    there, back = (measured[key._replace(way=to)] for to in ("second", "first"))
    towards_second = {"other": codes == 0, "own": codes == 1}
    return [
        either(a, b, towards_second[way])
        for way in ([key.way] if key.way else towards_second)
        for a, b in zip(there, back, strict=True)
    ]


def _either(one: Column, other: Column, chosen: Flags) -> Column:
    """The answers of one column where it is chosen, and of another elsewhere."""
    if one.numbers is not None and other.numbers is not None:
        return build_column(np.where(chosen, one.numbers, other.numbers).tolist())
    assert one.classes is not None
    assert other.classes is not None
    assert one.names == other.names
    return column_from_codes(np.where(chosen, one.classes, other.classes), one.names)


class StateReader(Protocol):
    """What is read of a model whose states are replaced.

    examples  the task's example of each sentence that it reads one by one
    """

    @property
    def encoder(self) -> PatchableEncoder: ...
    @property
    def examples(self) -> Ints: ...
    @property
    def items(self) -> Sequence[EffectMeasurement]: ...

    def reads(self, key: ChangeName) -> bool:
        """Whether it is read under a change."""
        ...

    def keep(self, key: ChangeName, one_by_one: bool) -> None:
        """Keep what is read now, of sentences, or of each example's own copy of its sentence."""


def read_changes(
    reader: StateReader, site: str, changes: Sequence[StateChange], spans: Ints
) -> None:
    """Fill a reader with what it reads: of the model as it is, and under each change of a site.
    `spans` are of the task's examples.
    """
    reader.keep(NO_CHANGE, False)
    for change in (each for each in changes if reader.reads(each.key)):
        with reader.encoder.replace_states(change.edits(site, reader.examples, spans)):
            reader.keep(change.key, change.is_by_sentence)


def copy_sentences(data: Dataset) -> Dataset:
    """The same examples, each site with a sentence of its own."""
    shape = data.sites.shape[:2]
    sites = data.sites.copy()
    sites[:, :, 0] = np.arange(shape[0] * shape[1]).reshape(shape)
    every = data.sites[:, :, 0].ravel().tolist()
    return replace(data, sites=sites, sentences=tuple(data.sentences[k] for k in every))


@dataclass(frozen=True)
class LaterLayers:
    """Probes of later layers, trained on the unmodified model, and applied to the changed
    states.
    """

    encoder: PatchableEncoder
    examples: Ints
    items: Sequence[EffectMeasurement]
    probes: Sequence[Predictor]
    view: str

    @classmethod
    def of(
        cls,
        readings: Readings,
        splits: tuple[Ints, Ints, Ints],
        encoder: PatchableEncoder,
        probe: Probe,
        metric: str,
    ) -> LaterLayers:
        """Fitted to readings of these layers: which rows are of train, dev and test."""
        train, dev, test = splits
        names = readings.vectors.names
        fitted: list[Predictor] = []
        for name in names:
            fitted += probe.fit(readings.take(train), readings.take(dev), cells=(Cell(name, 0),))
        some = select_examples(readings.dataset, test)
        codes = codes_of(some.labels)
        known = np.full(len(some), -1) if codes is None else codes
        items = [EffectMeasurement(f"layer {name}", metric, some, known) for name in names]
        examples = np.repeat(test, some.sites.shape[1])
        assert isinstance(readings.view, str)
        return cls(encoder, examples, items, fitted, readings.view)

    def reads(self, key: ChangeName) -> bool:
        """All of them."""
        return True

    def keep(self, key: ChangeName, one_by_one: bool) -> None:
        data = copy_sentences(self.items[0].data) if one_by_one else self.items[0].data
        now = Readings(data, self.encoder.encode(data.sentences), self.view)
        for item, probe in zip(self.items, self.probes, strict=True):
            item.said.setdefault(key, []).append(probe.predict(now).decoded)
