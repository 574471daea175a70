"""The protocols that `span` trains under, as settings: sonde's own, the paper's, and that of the
code that the paper was made with.
"""

from __future__ import annotations

from dataclasses import dataclass

from sonde.probes.schedules import Annealing
from sonde.probes.span.plans import Plateau


@dataclass(frozen=True, slots=True)
class Protocol:
    """A schedule, and what a protocol adds to the network.

    scaled  whether each layer is brought to one scale first; the paper reads it as it is
    mix_rate  how many times faster than all else the weights of a mix learn; the paper has one
    """

    plan: Annealing | Plateau
    scaled: bool = False
    mix_rate: float = 1.0
    drop_input: float = 0.0
    drop: float = 0.0
    norm: bool = False


PROTOCOLS = {
    # the paper's network under a schedule of our own; batches are counted in sentences
    "fast": Protocol(
        Annealing(
            batch=128, smallest=16, epochs=8, steps=400, rate=5e-3, decay=0.05, warm=0.1, looks=8
        ),
        scaled=True,
        mix_rate=10.0,
    ),
    # Tenney et al. 2019, appendix C; batches of the published code
    "tenney": Protocol(Plateau()),
    # jiant 1 as published with the paper: what its code does beyond the paper's text
    "jiant": Protocol(
        Plateau(halve=6, margin=1e-4, least=1e-6, most=100, judged=5000, amsgrad=True),
        drop_input=0.2,
        drop=0.3,
        norm=True,
    ),
}
