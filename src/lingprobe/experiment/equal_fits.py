"""One fit for cells of a matrix that are trained alike: where a probe is trained in one language
and tested in several, mostly the test examples alone differ.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from numpy.typing import NDArray

from lingprobe.data.core import FitJob, Predictor, Probe, needs_of
from lingprobe.data.digests import RunningDigest
from lingprobe.data.latest import LruCache

_ROOM = 2**26  # bytes of weights that are kept for the next cell
_MATCHED = "matched"  # the note of data sets that are cells of a matrix


class FitCache:
    """The latest fits, by all numbers that they were made of; safe among threads."""

    def __init__(self) -> None:
        self._latest: LruCache[list[Predictor]] = LruCache(_ROOM)

    def fit(self, probe: Probe, job: FitJob) -> list[Predictor]:
        """What a probe learns, a predictor a cell."""
        if not _is_repeatable(probe, job):
            return probe.fit(job.train, job.dev, cells=job.cells)
        key = probe, job.cells, _content(job)
        if (known := self._latest.find(key)) is not None:
            return known
        made = probe.fit(job.train, job.dev, cells=job.cells)
        self._latest.keep(key, made, _size(job))
        return made


def _is_repeatable(probe: Probe, job: FitJob) -> bool:
    """Whether equal features and classes make an equal fit, and are to be expected."""
    needs, train = needs_of(probe), job.train
    reads_more = needs.seeds or needs.words or needs.stratum or needs.mixes
    is_cell = _MATCHED in train.dataset.notes and train.labels.classes is not None
    return is_cell and isinstance(probe, Hashable) and not reads_more


def _content(job: FitJob) -> str:
    """Stands for all that is read: the classes, and the features of each read."""
    state = RunningDigest()
    for part in (job.train, job.dev):
        state.add("\0".join(part.labels.names))
        _add(state, part.labels.codes())
        for read in dict.fromkeys(cell.read for cell in job.cells):
            _add(state, part.features(read))
    return state.hex()


def _add(state: RunningDigest, numbers: NDArray[Any]) -> None:
    state.add(f"{numbers.dtype} {numbers.shape}", numbers)


def _size(job: FitJob) -> int:
    """Bytes of the weights, by the widest read."""
    width: int = sum(layer.shape[1] for layer in job.train.vectors.layers)
    return 4 * len(job.cells) * len(job.train.labels.names) * width


EQUAL_FIT_CACHE = FitCache()
