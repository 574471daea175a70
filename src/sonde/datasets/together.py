"""What the examples of a data set were drawn together with: what they share is chance once for all
of them.
"""

from __future__ import annotations

import numpy as np

from sonde.core import Dataset
from sonde.vectors import Ints


def together(dataset: Dataset) -> dict[str, Ints]:
    """Codes [n] of what examples share, -1 for nothing, by what it is; only what two of them share
    at least.

    Their sentences, the words of their spans (ignoring case), and the strata that the data set
    names as `clusters`: target forms, pairs.
    """
    shared = {}
    for k in range(dataset.sites.shape[1]):
        which = f" {k + 1}" if k else ""
        shared[f"sentence{which}"] = dataset.sites[:, k, 0]
        shared[f"words{which}"] = span_words(dataset, k)
    if dataset.sites.shape[1] > 1 and (dataset.sites[:, 1:, 0] == dataset.sites[:, :1, 0]).all():
        shared = {name: codes for name, codes in shared.items() if not name.startswith("sentence ")}
    shared |= {
        name: dataset.strata[name].codes for name in dataset.clusters if name in dataset.strata
    }
    return {name: _numbered(codes) for name, codes in shared.items() if _shared(codes)}


def span_words(dataset: Dataset, site: int) -> Ints:
    """Codes [n] of the words of each example's span, ignoring case; -1 for whole sentences."""
    numbers: dict[str, int] = {}
    words: dict[int, list[str]] = {}
    codes = np.full(len(dataset), -1)
    for i, (sentence, start, stop) in enumerate(dataset.sites[:, site].tolist()):
        if start >= 0:
            if sentence not in words:
                words[sentence] = [word.casefold() for word in dataset.sentences[sentence].words]
            codes[i] = numbers.setdefault(" ".join(words[sentence][start:stop]), len(numbers))
    return codes


def _shared(codes: Ints) -> bool:
    """Whether two examples have one code."""
    some = codes[codes >= 0]
    return len(np.unique(some)) < len(some)


def _numbered(codes: Ints) -> Ints:
    """Codes from 0 on without gaps; below 0 stays -1."""
    present, numbers = np.unique(codes, return_inverse=True)
    return np.maximum(numbers.reshape(-1) - int((present < 0).sum()), -1).astype(np.int64)
