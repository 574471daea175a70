"""Public conformance checks, for authors of tasks, encoders and probes, and tiny data sets of every
family.

`check_task`, `check_encoder` and `check_probe` take a thing or its reference and raise an
AssertionError that says what is wrong and what to change; they return nothing. sonde's own contents
pass them in its own tests.
"""

from sonde.testing.encoders import check_encoder
from sonde.testing.probes import check_probe
from sonde.testing.tasks import check_dataset, check_task, same_dataset
from sonde.testing.tiny import FAMILIES

__all__ = [
    "FAMILIES",
    "check_dataset",
    "check_encoder",
    "check_probe",
    "check_task",
    "same_dataset",
]
