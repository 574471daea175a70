"""Public conformance checks for authors of tasks, encoders and probes, with tiny data sets.

`check_task`, `check_encoder` and `check_probe` take an object or its reference and raise an
AssertionError that says what is wrong and what to change; they return nothing. lingprobe's own
tests apply them to everything that it contains. They are in `tasks`, `encoders` and
`probes`; `tiny` has the data.
"""

from lingprobe.testing.encoders import check_encoder
from lingprobe.testing.probes import check_probe
from lingprobe.testing.tasks import check_dataset, check_task, same_dataset
from lingprobe.testing.tiny import TINY_DATASET_FAMILIES

__all__ = [
    "TINY_DATASET_FAMILIES",
    "check_dataset",
    "check_encoder",
    "check_probe",
    "check_task",
    "same_dataset",
]
