"""Candidates -> a data set with splits: duplicates out, target forms disjoint, classes balanced,
everything counted.

`candidates` is what tasks hand in, `match` pairs classes up (by length where label and length are
to be told apart), `splits` says what examples share, shares whole groups out, makes a missing dev
split and takes part of a data set that has its splits, and `draw` puts it together.
"""

from typing import Any

from sonde._renamed import warn
from sonde.datasets.candidates import Candidate
from sonde.datasets.draw import folds_needed, sample
from sonde.datasets.settings import SampleSettings
from sonde.datasets.splits import carve_dev, sampled, thinned, together

__all__ = [
    "Candidate",
    "SampleSettings",
    "carve_dev",
    "folds_needed",
    "sample",
    "sampled",
    "thinned",
    "together",
]


def __getattr__(name: str) -> Any:
    """The old name of `SampleSettings`."""
    if name == "Settings":
        warn("sonde.datasets.Settings", "sonde.datasets.SampleSettings", "0.2")
        return SampleSettings
    raise AttributeError(f"module 'sonde.datasets' has no attribute {name!r}")
