"""The options of `rank_heads`, each written once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from lingprobe.api.options import CacheOptions, LimitOptions, ProgressOptions
from lingprobe.data.options import Help, flag


@dataclass(frozen=True, kw_only=True)
class HeadsOptions(ProgressOptions, CacheOptions, LimitOptions):
    """Which heads are ranked, and by what."""

    task: Annotated[
        str,
        Help("the task"),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ]
    encoder: Annotated[
        str,
        Help("a causal `lm:MODEL`"),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ]
    pairs: Annotated[
        str,
        Help("minimal pairs"),
        flag(metavar="TASK", complete="tasks"),
    ]
    probe: Annotated[
        str, Help("the probe of each head"), flag(metavar="PROBE", complete="probes")
    ] = "logreg"
