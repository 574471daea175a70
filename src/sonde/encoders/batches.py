"""Batches of sentences of like length, so that hardly anything is padding."""

from __future__ import annotations

import numpy as np

from sonde.vectors import Ints


def batches(lengths: Ints, tokens: int) -> list[Ints]:
    """Rows longest first, cut into batches of at most `tokens` tokens counted with padding; at least one row each.

    Rows of length 0 are in none. The same lengths give the same batches.
    """
    order = np.argsort(-lengths, kind="stable")
    order = order[: int((lengths > 0).sum())]
    found = []
    start = 0
    while start < len(order):
        stop = start + max(1, tokens // int(lengths[order[start]]))
        found.append(order[start:stop])
        start = stop
    return found
