"""The options of `submit` and `board`, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe import Help, flag
from lingprobe.extend import ProgressOptions, SelectionOptions


@dataclass(frozen=True, kw_only=True)
class SubmitOptions(SelectionOptions):
    """What is submitted, and what is known of the model."""

    output: Annotated[
        str | Path | None, Help("the folder to write"), flag("-o", metavar="FOLDER")
    ] = None
    check: Annotated[
        bool,
        Help("check a folder: checksums, and that scores and identities follow from the answers"),
    ] = False
    name: Annotated[str | None, Help("what the board calls the model"), flag(metavar="NAME")] = None
    trained_on_ud: Annotated[
        Literal["yes", "no", "unknown"], Help("whether the model saw Universal Dependencies")
    ] = "unknown"
    trained_on_sources: Annotated[
        Literal["yes", "no", "unknown"], Help("whether it saw the texts of the tasks")
    ] = "unknown"
    mteb: Annotated[
        str | Path | None,
        Help("a folder of mteb's results with scores of the model"),
        flag(metavar="FOLDER"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class BoardOptions(ProgressOptions):
    """What a site shows, and what is measured for it."""

    folders: Annotated[
        Sequence[str | Path] | str | Path | None,
        Help("submissions, listed as reported"),
        flag(metavar="FOLDER", kind=list[str], positional=True),
    ] = None
    output: Annotated[
        str | Path | None, Help("the folder of the site"), flag("-o", metavar="FOLDER")
    ] = None
    measure: Annotated[
        str | Path | None,
        Help(
            "results that you measured (`run -o`), which alone are ranked; submitted models are"
            " measured into it"
        ),
        flag(metavar="FOLDER"),
    ] = None
    encoders: Annotated[
        Any,
        Help(
            "a submitted model to measure, from a model or vectors (`mine=st:FOLDER`,"
            " `mine=npz:FILE`)"
        ),
        flag("--encoder", "-e", metavar="NAME=ENCODER"),
    ] = None
