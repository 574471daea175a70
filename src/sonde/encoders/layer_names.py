"""The layers of a model by name."""

from __future__ import annotations

from sonde.core import DataProblem



