"""What CBOW draws: negatives, which words are predicted, which bigrams are excluded (Mikolov et al.
2013, section 2; Pagliardini et al. 2018, section 2.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.extend import Ints

_POWER = 0.5  # of a word's frequency, to which negatives are drawn (Pagliardini et al. 2018)


@dataclass(frozen=True)
class NegativeSampler:
    """Words drawn as often as the root of their frequency says, in constant time each (Walker's
    alias method: a word is drawn evenly, and kept or exchanged for its alias).
    """

    shares: NDArray[np.float64]
    kept: NDArray[np.float32]
    alias: NDArray[np.int32]

    @classmethod
    def of(cls, counts: Ints) -> NegativeSampler:
        """For words that occur so often."""
        weights = counts.astype(np.float64) ** _POWER
        shares = weights / weights.sum()
        kept = shares * len(shares)
        alias = np.arange(len(shares), dtype=np.int32)
        under = np.flatnonzero(kept < 1).tolist()
        over = np.flatnonzero(kept >= 1).tolist()
        while under and over:
            word, other = under.pop(), over[-1]
            alias[word] = other
            kept[other] -= 1 - kept[word]
            if kept[other] < 1:
                under.append(over.pop())
        kept[[*under, *over]] = 1  # what rounding left
        return cls(shares, kept.astype(np.float32), alias)

    def draw(self, shape: tuple[int, int], draws: np.random.Generator) -> NDArray[np.int32]:
        """A table of words."""
        words = draws.integers(0, len(self.alias), shape, np.int32)
        stay = draws.random(shape, np.float32) < self.kept[words]
        return np.where(stay, words, self.alias[words])


def predicted_shares(counts: Ints, threshold: float) -> NDArray[np.float64]:
    """How likely each word is predicted where it stands: min(1, sqrt(t / f) + t / f) for the
    threshold t and its frequency f (Pagliardini et al. 2018, 2.2); 1 for a threshold of 0.
    """
    if not threshold:
        return np.ones(len(counts))
    ratio = threshold / (counts / counts.sum())
    shares: NDArray[np.float64] = np.minimum(1.0, np.sqrt(ratio) + ratio)
    return shares


def without_some(
    bigrams: NDArray[np.int32], starts: Ints, drop_count: int, draws: np.random.Generator
) -> NDArray[np.int32]:
    """Rows of bigrams, of which `drop_count` of each sentence are -1 now, or all where it has no
    more.
    """
    if not drop_count:
        return bigrams
    lengths = np.diff(starts)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    key: NDArray[Any] = draws.random(len(bigrams))
    key[bigrams < 0] = 1.0  # those that are not there come last
    rank = np.empty(len(key), np.int64)
    rank[np.lexsort((key, sentence))] = np.arange(len(key))
    return np.where(rank - starts[sentence] < drop_count, np.int32(-1), bigrams)
