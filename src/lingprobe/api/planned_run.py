"""A run that is in memory."""

from __future__ import annotations

from dataclasses import dataclass

from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialPlan


@dataclass(frozen=True)
class PlannedRun:
    """What a run was made of, while it is in memory: its objects can be used again."""

    plan: TrialPlan
    paths: RunPaths
