"""How well the words of some sentences are predicted from the rest of them, and how well counts do
that alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from lingprobe.extend import Ints
from lingprobe_extensions.train.objectives import MAX_PERPLEXITY_LOSS, Figures

if TYPE_CHECKING:
    from lingprobe_extensions.train.steps import TrainingPart, VectorTables

_ROWS = 256  # words whose scores against all others are in memory at once


class WordShares(NamedTuple):
    """How likely each word is drawn as a negative, and is predicted where it stands [words]."""

    negative: NDArray[np.float64]
    predicted: NDArray[np.float64]


def measure_guesses(tables: VectorTables, batch: TrainingPart, shares: WordShares) -> Figures:
    """Of each word of some sentences: its perplexity among all words, and the share of words that
    score above the word that was drawn against them (a tie is half).

    Negative sampling learns scores s of a word in a context so that P(word | context) is in
    proportion to exp(s) times the word's probability as a negative, over the share in which it is
    predicted (Levy & Goldberg 2014).
    """
    from lingprobe_extensions.train.steps import average_contexts

    hidden, seldom = average_contexts(tables.source, batch), -np.log(shares.predicted)
    bias = seldom + np.log(shares.negative)
    total = 0.0
    for first in range(0, len(hidden), _ROWS):
        scores = hidden[first : first + _ROWS] @ tables.target.T + bias
        own = batch.ids[first : first + _ROWS]
        total += float((logsumexp(scores, 1) - scores[np.arange(len(own)), own]).sum())
    other = batch.negatives[:, 0]
    own, against = (
        np.einsum("nd,nd->n", hidden, tables.target[words]) + seldom[words]
        for words in (batch.ids, other)
    )
    return {
        "perplexity": math.exp(min(total / len(hidden), MAX_PERPLEXITY_LOSS)),
        "accuracy": _compute_win_share((own - against)[other != batch.ids]),
    }


def guess_by_frequency(counts: Ints, batch: TrainingPart) -> Figures:
    """The same of words without their context: by their frequency in train, and by which of the two
    is the more frequent one.
    """
    shares = counts / counts.sum()
    other = batch.negatives[:, 0]
    wins = counts[batch.ids] - counts[other]
    return {
        "perplexity of unigrams": float(np.exp(-np.log(shares[batch.ids]).mean())),
        "accuracy of the more frequent word": _compute_win_share(wins[other != batch.ids]),
    }


def _compute_win_share(wins: NDArray[np.generic]) -> float:
    """In percent; a tie is half."""
    return float(50 * (np.sign(wins) + 1).mean()) if len(wins) else 50.0
