"""The options of `submit` and `board`, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from lingprobe import Help, Options, flag
from lingprobe.extend import SelectionOptions


@dataclass(frozen=True, kw_only=True)
class SubmitOptions(SelectionOptions):
    """What is submitted, and what is known of the model."""

    output: Annotated[
        str | Path | None, Help("the folder to write"), flag("-o", metavar="FOLDER")
    ] = None
    check: Annotated[
        bool,
        Help(
            "check a folder, and measure one fit again, which its content chooses (encoders: where"
            " a model lies here)"
        ),
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
class BoardOptions(Options):
    """Which submissions a site shows."""

    folders: Annotated[
        Sequence[str | Path] | str | Path,
        Help("submissions, checked first"),
        flag(metavar="FOLDER", kind=list[str], positional=True),
    ]
    output: Annotated[str | Path, Help("the folder of the site"), flag("-o", metavar="FOLDER")]
