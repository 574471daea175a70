"""The options of what trains, keeps and uses probes, each written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.api.options import (
    CacheOptions,
    ChosenBaselines,
    FaultOptions,
    LimitOptions,
    ProgressOptions,
    ResultsOptions,
)
from lingprobe.data.options import Help, Options, declare_argument, flag


@dataclass(frozen=True, kw_only=True)
class LayerOptions(Options):
    """Which layer is read."""

    layer: Annotated[
        str | int | None,
        Help("the layer, as tables call it (default: the one that is best on dev)"),
        flag(metavar="LAYER"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class FitOptions(ProgressOptions, LimitOptions, FaultOptions, CacheOptions, LayerOptions):
    """How a probe is trained that is to be kept."""

    probe: Annotated[str, Help("a linear probe: `linear`, `logreg` or `means`")] = "linear"
    baselines: ChosenBaselines = "default"
    copies: Annotated[
        bool,
        Help("whether untrained copies of the model and its input embeddings are, too"),
    ] = False
    output: Annotated[
        str | Path | None,
        Help("the folder of results (default: the user's cache folder)"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class KeepOptions(CacheOptions, LayerOptions, ResultsOptions):
    """Which probe of a run is kept, and where."""

    task: Annotated[
        str | None,
        Help("the task, by name or pattern, of several"),
        flag("--task", "-t", metavar="PATTERN"),
    ] = None
    encoder: Annotated[
        str | None,
        Help("the encoder, by name or pattern, of several"),
        flag("--encoder", "-e", metavar="PATTERN"),
    ] = None
    probe: Annotated[
        str | None,
        Help("the probe, by name, of several"),
        flag(metavar="PROBE", complete="probes"),
    ] = None
    output: Annotated[
        str | Path,
        Help("the folder to write the probe to"),
        flag("-o", metavar="FOLDER"),
    ]
    trust: Annotated[bool, Help("run code in files (`mine.py@thing`) that the results name")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class StoredProbeOptions(Options):
    """A probe that was kept."""

    folder: Annotated[
        str | Path,
        Help("the folder of a probe, which `probe keep` wrote"),
        declare_argument("FOLDER"),
    ]
    model: Annotated[
        Any,
        Help("the encoder, where it lies elsewhere now, such as `hf:FOLDER`"),
        flag("--encoder", "-e", metavar="ENCODER", kind=str),
    ] = None
    trust: Annotated[
        bool, Help("run code in files (`mine.py@thing`) that the probe's folder names")
    ] = False


@dataclass(frozen=True, kw_only=True)
class ScoreFileOptions(StoredProbeOptions):
    """Which texts are scored, and how scores are written."""

    texts: Annotated[
        str | Path,
        Help("a table with a text a row: CSV, TSV, JSON lines, Parquet"),
        declare_argument("TEXTS"),
    ]
    output: Annotated[
        str | Path | None,
        Help("the CSV to write (default: the texts' name with `-scores.csv`)"),
        flag("-o", metavar="FILE"),
    ] = None
    text: Annotated[
        str | None,
        Help("the column of the text (default: the one with a usual name)"),
        flag(metavar="COLUMN"),
    ] = None
    fpr: Annotated[
        float | None,
        Help(
            "also flag texts above the threshold that lets this share of negative examples pass,"
            " such as 0.01",
            ">0-1",
        ),
        flag(metavar="RATE"),
    ] = None
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("what to do about rows without a text: `raise` an error, or `skip` and count them"),
        flag(metavar="raise|skip"),
    ] = "raise"
