"""What a structural probe reads and gives: the words of sentences with their units, and lists of
numbers; and the plan of its training. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Predictions
from lingprobe.data.labels import NumberLists
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import (
    Floats,
    Ints,
    expand_ranges,
)


@dataclass(frozen=True, slots=True)
class AdamSchedule:
    """Adam as in the paper's program: the rate is divided by ten after an epoch without a lower
    loss on dev, and training ends at the fifth in a row.

    batch   sentences
    margin  share by which the loss must fall to keep the rate; `clear`: by how much to be kept
    """

    batch: int = 20
    rate: float = 1e-3
    epochs: int = 40
    fall: float = 0.1
    margin: float = 1e-4
    clear: float = 1e-4
    patience: int = 4


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """The words of examples as the probe reads them.

    starts, stops  units of each word [words]
    bounds         words of each example, and where the last end [examples + 1]
    labels         distances or depths
    """

    starts: Ints
    stops: Ints
    bounds: Ints
    labels: NumberLists


def select_complete_examples(readings: Readings, probe_name: str) -> SentenceWords:
    """Sentences that are trained on: those all of whose words have units."""
    labels, spans = lists_of(readings, probe_name), readings.vectors.spans
    if spans is None:
        raise ReadingProblem(
            f"{probe_name} reads a vector for each word, and the encoder gives one a sentence; take"
            " units, as hf:NAME,pool=none"
        )
    first, stop = (spans.first_word[readings.dataset.sites[:, 0, 0] + k] for k in (0, 1))
    words, bounds = expand_ranges(first, stop)
    starts, stops = spans.words[words].T
    has = stops > starts
    whole = np.flatnonzero(np.add.reduceat(~has, bounds[:-1]) == 0) if len(first) else first
    mine, bounds = expand_ranges(bounds[whole], bounds[whole + 1])
    return SentenceWords(starts[mine], stops[mine], bounds, labels.take(whole))


def lists_of(readings: Readings, probe_name: str) -> NumberLists:
    """The labels of examples, which are lists of numbers."""
    if not isinstance(readings.labels, NumberLists):
        raise ReadingProblem(
            f"{probe_name} predicts distances and depths of words; this task's labels are others,"
            " so use its own probe, or ask structure/distance or structure/depth"
        )
    return readings.labels


def units_of_words(layers: Sequence[Floats], starts: Ints, stops: Ints) -> Floats:
    """The mean of the units of each word, layers side by side, [words, dim] float32."""
    if (stops - starts == 1).all():
        blocks = [np.asarray(layer[starts], np.float32) for layer in layers]
    else:
        rows, bounds = expand_ranges(starts, stops)
        many = np.maximum(stops - starts, 1).astype(np.float32)[:, None]
        blocks = [
            np.add.reduceat(np.asarray(layer[rows], np.float32), bounds[:-1]) / many
            for layer in layers
        ]
    return np.concatenate(blocks, 1) if len(blocks) > 1 else blocks[0]


def words_of_sentence(readings: Readings, sentence: int, layers: Sequence[Floats]) -> Floats:
    """The vectors of the words of a sentence; a word whose pieces the tokenizer dropped has the
    mean vector of its sentence.
    """
    spans = readings.vectors.spans
    assert spans is not None
    starts, stops = spans.words[spans.first_word[sentence] : spans.first_word[sentence + 1]].T
    has = stops > starts
    found = units_of_words(layers, starts[has], stops[has])
    words = np.tile(found.mean(0), (len(starts), 1))
    words[has] = found
    return words


def make_predictions(labels: NumberLists, predicted: Sequence[NDArray[Any]]) -> Predictions:
    """Lists that were predicted for examples; they have no scores of outputs."""
    values = np.concatenate([np.zeros(0), *predicted]).astype(np.float32)
    lists = NumberLists(labels.offsets, values, labels.counted, labels.names)
    return Predictions(np.zeros((len(labels), 0), np.float32), labels.names, lists)
