"""What a probe is told of the words that an example asks about (Ettinger et al. 2018, section
5).
"""

from __future__ import annotations

import numpy as np

from sonde.examples import DataProblem, Dataset
from sonde.vectors import Floats, Ints


def one_hot(dataset: Dataset) -> Floats:
    """The asked words one-hot, one block a slot, [examples, slots x vocabulary]."""
    size = len(dataset.vocabulary)
    hot = np.zeros((len(dataset), dataset.asked.shape[1] * size), np.float32)
    for slot, words in enumerate(dataset.asked.T):
        hot[np.arange(len(dataset)), slot * size + words] = 1
    return hot


def alone(dataset: Dataset) -> Ints:
    """Which sentence of the data set is each word of its vocabulary and nothing else,
    [vocabulary].
    """
    places = {
        sentence.words[0]: i
        for i, sentence in enumerate(dataset.sentences)
        if len(sentence.words) == 1
    }
    missing = next((word for word in dataset.vocabulary if word not in places), None)
    if missing is not None:
        raise DataProblem(
            f"the data set does not have the asked word {missing!r} as a sentence, so it has no"
            " vector; read it one-hot"
        )
    return np.array([places[word] for word in dataset.vocabulary], np.int64)
