"""What changes of a layer's states do behind it: to what probes read off later layers, to which
sentence of a pair a language model prefers, and to its loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.training_sentences import hashes_of
from lingprobe.data.abilities import Predictive, Replaceable
from lingprobe.data.core import Cell, DataProblem, Dataset, Predictor, Probe, Sentence
from lingprobe.data.labels import Column, column_from_codes
from lingprobe.data.reading import Readings, Viewed
from lingprobe.data.vectors import Ints
from lingprobe.datasets import together
from lingprobe.metrics.intervals import Answers
from lingprobe.parts.erase.division import codes_of
from lingprobe.parts.erase.erasure import part_of
from lingprobe.parts.erase.interventions import Change

Key = tuple[str, int, str]
"""Of a change: what, sign and floor."""
UNCHANGED: Key = ("", 0, "")
LEAST = 20  # pairs, of fewer nothing is said


@dataclass
class Item:
    """What is measured: answers about some examples under each change, one column a draw.

    codes  the class of each example in the task that is changed [n]
    """

    name: str
    metric: str
    data: Dataset
    codes: Ints
    said: dict[Key, list[Column]] = field(default_factory=dict)

    def answers(self, what: str, floor: str = "", towards: int = 0) -> Answers:
        """Those under a change, or under a floor of it. `towards` 1: each example moved to the
        other class than its own, -1: further into its own.
        """
        columns = self.said[what, towards, floor]
        if towards:
            columns = [
                _either(there, back, self.codes == 0)
                for there, back in zip(columns, self.said[what, -towards, floor], strict=True)
            ]
        return Answers(self.data.labels, columns, together(self.data))


def _either(one: Column, other: Column, chosen: NDArray[np.bool_]) -> Column:
    """The classes of one column where it is chosen, and of another elsewhere."""
    assert one.classes is not None
    assert other.classes is not None
    assert one.names == other.names
    return column_from_codes(np.where(chosen, one.classes, other.classes), one.names)


class Reader(NamedTuple):
    """An encoder whose states are replaced, and what is read of it then: a column for each item."""

    encoder: Replaceable
    items: Sequence[Item]
    read: Callable[[], list[Column]]


def read_changes(reader: Reader, layer: int, changes: Sequence[Change]) -> None:
    """Fill the items with answers: of the model as it is, and under each change of a layer."""
    _keep(reader, UNCHANGED)
    for change in changes:
        with reader.encoder.replace_states({layer: change.edit}):
            _keep(reader, (change.what, change.sign, change.floor))


def _keep(reader: Reader, key: Key) -> None:
    for item, column in zip(reader.items, reader.read(), strict=True):
        item.said.setdefault(key, []).append(column)


def later_layers(
    readings: Readings,
    parts: tuple[Ints, Ints, Ints],
    encoder: Replaceable,
    probe: Probe,
    metric: str,
) -> Reader:
    """Probes of layers, fitted to vectors as they are, that read those behind a change."""
    (train, dev, test), names = parts, readings.vectors.names
    fitted: list[Predictor] = []
    for name in names:
        fitted += probe.fit(readings.take(train), readings.take(dev), cells=(Cell(name, 0),))
    some = part_of(readings.dataset, test)
    codes = codes_of(some.labels)
    known = np.full(len(some), -1) if codes is None else codes
    items = [Item(f"layer {name}", metric, some, known) for name in names]

    def read() -> list[Column]:
        now = Readings(some, encoder.encode(some.sentences), readings.view)
        return [one.predict(now).decoded for one in fitted]

    return Reader(encoder, items, read)


class Pairs(NamedTuple):
    """Minimal pairs that can be told of, the class of each, and how many were left out as a word in
    which they differ, or the sentence, was among those that the eraser saw.
    """

    data: Dataset
    codes: Ints
    known: int


def preferences(pairs: Pairs, encoder: Predictive, probe: Probe, named: tuple[str, str]) -> Reader:
    """Which sentence of each pair a language model prefers."""
    (name, metric), data = named, pairs.data
    view = encoder.own_view if isinstance(encoder, Viewed) else "mean"

    def readings() -> Readings:
        return Readings(data, encoder.encode(data.sentences), view)

    rows = np.arange(0)  # nothing is learnt
    (chosen,) = probe.fit(readings().take(rows), readings().take(rows), cells=(Cell("-", 0),))
    return Reader(
        encoder,
        [Item(name, metric, data, pairs.codes)],
        lambda: [chosen.predict(readings()).decoded],
    )


def pairs_for(pairs: Dataset, task: Dataset, seen: Sequence[Sentence]) -> Pairs:
    """Pairs whose better sentence has a label in the task, and in words that no eraser saw.
    DataProblem where these are few.
    """
    if pairs.sites.shape[1] != 2 or pairs.labels.classes is None:
        raise DataProblem("pairs= takes a task of minimal pairs, as minimal/agreement:TREEBANK")
    rows = np.arange(len(pairs))
    better = pairs.sites[rows, pairs.labels.classes, 0]
    label_of = _labels_by_text(task)
    keys = hashes_of(pairs.sentences)[:, 0]
    codes = np.array([label_of.get(int(keys[s]), -1) for s in better.tolist()], np.int64)
    words = {word.lower() for sentence in seen for word in sentence.words}
    texts = set(hashes_of(seen)[:, 0].tolist())
    apart = [
        _differing(*(pairs.sentences[s] for s in both)) for both in pairs.sites[:, :, 0].tolist()
    ]
    new = np.array([not each & words for each in apart], bool)
    new &= ~np.isin(keys[better], list(texts))
    kept = np.flatnonzero((codes >= 0) & new)
    if len(kept) < LEAST:
        raise DataProblem(
            f"{len(kept)} of {len(pairs):,} pairs have a label of the task and words that the"
            f" eraser never saw, and at least {LEAST} are needed: take pairs of the treebank that"
            " the task is of"
        )
    return Pairs(part_of(pairs, kept), codes[kept], int(((codes >= 0) & ~new).sum()))


def _differing(one: Sentence, other: Sentence) -> set[str]:
    """The words that one of two sentences has, and the other has not."""
    return {w.lower() for w in one.words} ^ {w.lower() for w in other.words}


def _labels_by_text(task: Dataset) -> dict[int, int]:
    """The class of each sentence that has but one, by a hash of its text."""
    codes = codes_of(task.labels)
    if codes is None:
        return {}
    keys, known = hashes_of(task.sentences)[:, 0], dict[int, int]()
    for sentence, code in zip(task.sites[:, 0, 0].tolist(), codes.tolist(), strict=True):
        key = int(keys[sentence])
        known[key] = code if known.get(key, code) == code else -1
    return known


def losses(
    encoder: Predictive, sentences: Sequence[Sentence], layer: int, changes: Sequence[Change]
) -> dict[Key, list[float]]:
    """The loss of a language model in nats a token, as it is and under each change of a layer."""
    tokens = max(int(encoder.predicted_tokens(sentences).sum()), 1)

    def loss() -> float:
        scores = np.asarray(encoder.encode(sentences).layers[0], np.float64)
        return -float(scores.sum()) / tokens

    found: dict[Key, list[float]] = {UNCHANGED: [loss()]}
    for change in changes:
        with encoder.replace_states({layer: change.edit}):
            found.setdefault((change.what, change.sign, change.floor), []).append(loss())
    return found
