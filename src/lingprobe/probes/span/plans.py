"""What an edge probe is made of and how long it is trained, as plain numbers; imports no torch, so
settings can be made without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lingprobe.probes.schedules import AnnealingSchedule

Pool = Literal["attention", "mean", "endpoints", "max"]


@dataclass(frozen=True, slots=True)
class NetworkDesign:
    """The network of Tenney et al. 2019, section 3.1 and appendix C, and its variants.

    pool        how the units of a span become one vector
    projection  what units are projected to first, for each side on its own; 0 reads them as they
                are
    hidden      units of the layer between spans and labels; 0 is a linear classifier
    context     how many neighbours on each side a unit is projected with, a convolution of width 2
                * context + 1
    bag         whether the mean of a sentence's units stands beside its spans, with a projection of
                its own
    gamma       whether a mix has a learnt factor
    layer_norm  whether each unit of a layer is brought to mean 0 and variance 1 before it is mixed
    drop_input  share of the units' numbers that is dropped in training, and `drop` of the hidden
                layer
    norm        whether the hidden layer is normalised
    """

    pool: Pool = "attention"
    projection: int = 256
    hidden: int = 256
    context: int = 0
    bag: bool = False
    gamma: bool = True
    layer_norm: bool = False
    drop_input: float = 0.0
    drop: float = 0.0
    norm: bool = False

    @property
    def parts(self) -> int:
        """How many vectors a span becomes."""
        return 2 if self.pool == "endpoints" else 1


@dataclass(frozen=True, slots=True)
class PlateauSchedule:
    """Training as published: Adam at a rate that is halved when dev stops improving, until patience
    ends.

    batch     sentences, each with all its targets
    interval  steps from one look at dev to the next; `interval_small` where train has fewer than
              `small` sentences
    halve     looks without improvement after which the rate is halved, counted anew after each
              halving
    stop      looks without improvement after which training ends
    margin    share by which the best must be beaten for an improvement
    least     rate below which training ends
    most      looks at dev in all; 0 for no limit
    judged    dev sentences that are looked at, the first so many; 0 for all
    """

    batch: int = 32
    rate: float = 1e-4
    interval: int = 1000
    interval_small: int = 100
    small: int = 5000
    halve: int = 5
    stop: int = 20
    margin: float = 0.0
    least: float = 0.0
    most: int = 0
    judged: int = 0
    amsgrad: bool = False

    def every(self, sentences: int) -> int:
        """Steps between looks at dev."""
        return self.interval_small if sentences < self.small else self.interval


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """How a probe is trained: its network, its loss, how scores become answers, its schedule, and
    whether input is brought to one scale.

    The batches of both schedules are counted in sentences. The weights of a mix learn at `mix_rate`
    times the rate of all else.
    """

    design: NetworkDesign
    loss: Literal["sigmoid", "softmax"]
    decode: Literal["threshold", "argmax"]
    plan: AnnealingSchedule | PlateauSchedule
    clip: float = 5.0
    scaled: bool = False
    mix_rate: float = 1.0
