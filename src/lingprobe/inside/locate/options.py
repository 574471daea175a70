"""The options of `locate`, each written once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from lingprobe.data.options import Help, declare_argument, flag
from lingprobe.inside.erase.options import EraserOptions


@dataclass(frozen=True, kw_only=True)
class LocateOptions(EraserOptions):
    """What is looked for, and in which model."""

    task: Annotated[str, Help("the task"), declare_argument("TASK")]
    encoder: Annotated[
        Any,
        Help("`hf:MODEL`, or `lm:MODEL` for choices; in Python also `(model, tokenizer)`"),
        declare_argument("MODEL", kind=str),
    ]
    pairs: Annotated[
        str,
        Help("minimal pairs for `lm:`, by which use is tested"),
        flag(metavar="TASK", complete="tasks"),
    ] = ""
    probe: Annotated[
        str, Help("the probe of all sites"), flag(metavar="PROBE", complete="probes")
    ] = "logreg"
