"""The options of `erase` and `intervene`, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.api.options import CacheOptions, LimitOptions, ProgressOptions
from lingprobe.data.options import Help, flag


@dataclass(frozen=True, kw_only=True)
class EraserOptions(ProgressOptions, CacheOptions, LimitOptions):
    """How a property is erased."""

    method: Annotated[
        Literal["leace", "inlp", "mean"], Help("`leace`, `inlp` or `mean`"), flag(metavar="METHOD")
    ] = "leace"
    draws: Annotated[int, Help("samples of each kind of baseline", "1"), flag(metavar="N")] = 5


@dataclass(frozen=True, kw_only=True)
class EraseOptions(EraserOptions):
    """What is erased, and what is measured."""

    tasks: Annotated[
        Any,
        Help("tasks to erase, and to measure"),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ]
    encoders: Annotated[
        Any,
        Help("encoders, as of `run`"),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ] = None
    measure: Annotated[
        Any, Help("tasks to measure only"), flag(metavar="TASK", complete="tasks")
    ] = ()
    ranks: Annotated[
        Sequence[int],
        Help("dimensions to erase (default: as needed)", "1"),
        flag("--rank", metavar="N"),
    ] = ()
    probe: Annotated[
        str,
        Help("the probe"),
        flag(metavar="PROBE", complete="probes"),
    ] = "logreg"
    nonlinear: Annotated[
        str, Help("a nonlinear probe; '' for none"), flag(metavar="PROBE", complete="probes")
    ] = "mlp"
    layers: Annotated[
        Sequence[str], Help("which layers (default: each)"), flag(metavar="LAYERS")
    ] = ()
    erasers: Annotated[
        str | Path | None, Help("a folder to write erasers to"), flag(metavar="FOLDER")
    ] = None


@dataclass(frozen=True, kw_only=True)
class InterveneOptions(EraserOptions):
    """What is changed in a running model, and what is measured."""

    task: Annotated[
        str,
        Help("the task; of two classes, states are moved too"),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ]
    encoder: Annotated[
        str,
        Help("`hf:MODEL`, or `lm:MODEL` for choices and loss too"),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ]
    layer: Annotated[
        int | str,
        Help("where: 8, `mlp:8`, `attn:8` or `head:8.3`"),
        flag(metavar="LAYER", kind=str),
    ]
    pairs: Annotated[
        str,
        Help("minimal pairs for `lm:`; else scored pairs, or TEXT+TRANSLATION"),
        flag(metavar="TASK", complete="tasks"),
    ] = ""
    doses: Annotated[
        Sequence[float],
        Help("how many distances between classes states are moved", "0"),
        flag("--dose", metavar="X"),
    ] = (0.5, 1.0, 2.0)
    probe: Annotated[
        str, Help("the probe of later layers"), flag(metavar="PROBE", complete="probes")
    ] = "logreg"
