"""How long and how fast a joint training goes, as plain numbers; imports no torch, so settings can
be made without it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal


def list_early_steps(first_check: int) -> frozenset[int]:
    """Steps at which the loss on dev is looked at before the first look of a schedule: none, one,
    two, four and so on.

    A small training set is learnt by heart in a few steps, and only before that are chances worth
    anything.
    """
    return frozenset(
        [0, *(1 << k for k in range(first_check.bit_length()) if 1 << k < first_check)]
    )


@dataclass(frozen=True, slots=True)
class AnnealingSchedule:
    """Large batches, a rate that warms up and falls along a cosine, decoupled weight decay, dev
    looked at `looks` times.

    A small training set is cut into about forty batches a pass, and every set gets at least `steps`
    steps. `cuts` halve a grid early: after a share of the steps so many networks go on, those of
    the lowest loss on dev (successive halving, Jamieson & Talwalkar 2016). Batches then run on over
    the end of a pass, and are all of one size.
    """

    batch: int = 1024
    smallest: int = 32
    epochs: int = 14
    steps: int = 560
    rate: float = 1e-2
    decay: float = 0.3
    warm: float = 0.1
    looks: int = 14
    cuts: tuple[tuple[float, int], ...] = ()

    def batch_of(self, examples: int) -> int:
        """Examples a batch, of which train is cut into about forty."""
        return max(1, min(self.batch, max(self.smallest, examples // 40), examples))

    def steps_of(self, examples: int) -> int:
        """Steps in all."""
        return max(self.epochs * math.ceil(examples / self.batch_of(examples)), self.steps)

    def looks_of(self, steps: int) -> set[int]:
        """After how many steps dev is looked at."""
        return {round(steps * (i + 1) / self.looks) for i in range(self.looks)}

    def cuts_of(self, steps: int) -> dict[int, int]:
        """How many networks are left after a quarter and half of the steps: before which steps how
        many go on.
        """
        return {round(share * steps): most for share, most in self.cuts}

    def going(self, most: int) -> float:
        """How many of so many networks go on, on average over all steps."""
        shares, counts = zip((0.0, most), *self.cuts, strict=True)
        ends = (*shares[1:], 1.0)
        parts = zip(counts, shares, ends, strict=True)
        return math.fsum(count * (end - start) for count, start, end in parts)

    def rate_at(self, step: int, steps: int) -> float:
        """The rate of a step, counted from zero: warm-up over a tenth, then a cosine."""
        warm = self.warm * steps
        fallen = max(0.0, step - warm) / max(steps - warm, 1)
        return (
            self.rate * min(1.0, (step + 1) / max(warm, 1)) * (1 + math.cos(math.pi * fallen)) / 2
        )


@dataclass(frozen=True, slots=True)
class SentEvalLoop:
    """SentEval's loop: dev is looked at every `epoch_size` passes, and what did not improve is
    counted over the whole run.

    The count is never reset, so training ends at the (tenacity + 1)-th look without improvement, or
    when `max_epoch` is passed. `reduction=sum` is what the loss was in 2017, `mean` what the same
    code has computed since torch changed under it.
    """

    batch: int = 64
    tenacity: int = 5
    epoch_size: int = 4
    max_epoch: int = 200
    rate: float = 1e-3
    reduction: Literal["mean", "sum"] = "mean"

    def batch_of(self, examples: int) -> int:
        """Examples a batch, however many there are."""
        return self.batch

    def over(self, misses: Any) -> Any:
        """Whether the sixth dev evaluation without improvement, counted over the whole run, ends
        the training; a number or a tensor of them.
        """
        return misses > self.tenacity
