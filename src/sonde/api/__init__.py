"""The Python interface: the functions behind the command line, exported by `sonde`."""

from __future__ import annotations

import importlib
from typing import Any

from sonde._renamed import warn

MOVED = ("Evaluation", "Settings", "compare", "evaluate")  # which were here in sonde 0.1


def __getattr__(name: str) -> Any:
    """A name that was here once."""
    if name not in MOVED:
        raise AttributeError(f"module 'sonde.api' has no attribute {name!r}")
    warn(f"sonde.api.{name}", f"sonde.{name}", "0.2")
    return getattr(importlib.import_module("sonde"), name)
