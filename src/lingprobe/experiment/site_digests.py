"""What stands for what examples are about."""

from __future__ import annotations

import numpy as np

from lingprobe.data.core import Dataset
from lingprobe.data.digests import RunningDigest


def digest_sites(dataset: Dataset) -> str:
    """Stands for what examples are about, whatever their labels: their sentences and spans, in
    order.
    """
    used, numbers = np.unique(dataset.sites[:, :, 0], return_inverse=True)
    state = RunningDigest()
    state.add(numbers)
    state.add(b"".join(dataset.sentences[sentence].key for sentence in used.tolist()))
    state.add(dataset.sites[:, :, 1:])
    return state.hex()
