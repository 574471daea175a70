"""What is trained: inputs, and fits on all of one or on a part of it, as SentEval divides data that
have no dev split (tools/validation.py, KFoldClassifier and InnerKFoldClassifier).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lingprobe.data.vectors import Floats, Ints
from lingprobe.datasets.splits import stratified_folds
from lingprobe.probes.features import AffineScaling, ScaledTargets
from lingprobe.probes.mlp.grid import GridMember

SENTEVAL_FOLD_COUNT, _SHUFFLED = 10, 1111  # SentEval's `kfold` of published figures, and its seed
_HELD_OUT = 0.05  # of train, by which the network that was chosen is stopped
MIN_EXAMPLES_TO_HOLD_OUT = 20  # examples of which that is one


@dataclass(frozen=True, slots=True)
class JobInput:
    """One read of one job, scaled: [examples, features] float32.

    seeds   the seeds that are asked for
    grid    the members that are tried
    kind    the loss, how many outputs, and whether states of the lowest loss are asked for
    strata  what is to be equally frequent in folds of train, [examples]
    """

    job: int
    read: str
    seeds: tuple[int, ...]
    grid: Sequence[GridMember]
    scaling: AffineScaling
    train: Floats
    dev: Floats
    aims: ScaledTargets
    kind: tuple[str, int, bool]
    strata: Ints


class GridFit(NamedTuple):
    """An input, the seed of its draws, and the members of its grid.

    rows  those of train that are learnt from and those that are judged on; None: train and dev
    told  what is known of the choice before
    """

    input: JobInput
    seed: int
    grid: Sequence[GridMember]
    rows: tuple[Ints, Ints] | None = None
    told: Mapping[str, Any] = MappingProxyType({})

    @property
    def examples(self) -> int:
        """How many are learnt from."""
        return len(self.input.train) if self.rows is None else len(self.rows[0])


def make_tuning_folds(job: JobInput) -> list[tuple[Ints, Ints]]:
    """The inner folds of train on which L2 and the rest of a grid is tuned where there is no dev:
    what is learnt from and what is judged on.
    """
    fold = stratified_folds(job.strata, SENTEVAL_FOLD_COUNT, _SHUFFLED)
    return [
        (np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(SENTEVAL_FOLD_COUNT)
    ]


def hold_out_rows(job: JobInput, seed: int) -> tuple[Ints, Ints]:
    """Train without a twentieth, and that twentieth, at random."""
    order = np.random.default_rng([seed, _SHUFFLED]).permutation(len(job.train))
    few = int(_HELD_OUT * len(order))
    return order[few:], order[:few]
