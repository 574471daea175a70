"""How much a fit is given, what memory it takes at least, and about how much work it is."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from lingprobe.data.core import Probe, needs_of

FLOAT32_BYTES = 4  # bytes of a number of a vector, or of a score


class FitSize(NamedTuple):
    """How much a fit is given.

    train, rest  examples that are learnt from, and of dev and test together
    features     numbers of an example's vector; 0 where that is not known
    outputs      how many labels there are
    sets         whether an example may have several of them
    sentences    how many sentences the training examples are of; 0 where that is not known
    sides        how many spans an example has
    """

    train: int
    rest: int
    features: int
    outputs: int
    sets: bool = False
    sentences: int = 0
    sides: int = 1

    @property
    def inputs(self) -> int:
        """Bytes of the features of all examples."""
        return FLOAT32_BYTES * self.features * (self.train + self.rest)

    @property
    def targets(self) -> int:
        """Bytes of what is to be learnt: a number an example, or one for each label."""
        return FLOAT32_BYTES * self.train * (self.outputs if self.sets else 2)

    @property
    def scores(self) -> int:
        """Bytes of the scores of all that is not learnt from."""
        return FLOAT32_BYTES * self.rest * self.outputs


@runtime_checkable
class MemoryEstimator(Protocol):
    """A probe that knows what memory a fit takes."""

    def least_memory(self, size: FitSize) -> int:
        """Bytes that one fit takes at its peak, done one after the other as far as it can be."""


def least_memory_of(probe: Probe, size: FitSize) -> int:
    """Bytes that one fit of a probe takes at least: what it says, or what it is given and
    answers.
    """
    if isinstance(probe, MemoryEstimator):
        return probe.least_memory(size)
    return size.scores + (0 if needs_of(probe).words else size.inputs)


class WorkAmount(NamedTuple):
    """About how much there is to do.

    products  additions and multiplications, as many as large products in float32 do meanwhile
    moved     bytes that are read and written beside them
    steps     how often weights are changed, each time by a few dozen operations on arrays
    """

    products: float = 0.0
    moved: float = 0.0
    steps: float = 0.0

    def times(self, many: float) -> WorkAmount:
        """So many times as much."""
        return WorkAmount(*(many * part for part in self))


@runtime_checkable
class WorkEstimator(Protocol):
    """A probe that knows about how much work a fit is."""

    def work(self, size: FitSize, seeds: int) -> WorkAmount:
        """That of the fits of one read for so many seeds."""
