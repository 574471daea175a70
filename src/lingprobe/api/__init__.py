"""The Python interface: the functions behind the command line, exported by `lingprobe`.

`measure` runs encoders on tasks and returns an `evaluation`; `results` reads again what was
measured. The other modules have the other functions, by subject. A function checks its arguments
(`arguments`), calls the rooms below, and returns a value that prints itself; the command line is
derived from its signature and docstring.
"""

from __future__ import annotations

import importlib
from typing import Any

from lingprobe.data._old_names import warn

MOVED = ("Evaluation", "Settings", "compare", "evaluate")  # which were here in sonde 0.1


def __getattr__(name: str) -> Any:
    """A name that was here once."""
    if name not in MOVED:
        raise AttributeError(f"module 'lingprobe.api' has no attribute {name!r}")
    warn(f"lingprobe.api.{name}", f"lingprobe.{name}", "0.2")
    return getattr(importlib.import_module("lingprobe"), name)
