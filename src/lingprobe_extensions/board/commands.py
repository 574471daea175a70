"""`lingprobe submit` and `lingprobe board`: results for others, and what others see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

import lingprobe
from lingprobe.extend import SHARED_OPTIONS, command, option, show_page


@command(
    "submit",
    *SHARED_OPTIONS["selection"],
    *SHARED_OPTIONS["folder"],
    "check",
    option("name", metavar="NAME"),
    "trained_on_ud",
    "trained_on_sources",
    option("mteb", metavar="FOLDER"),
    "trust",
    heading="Results",
)
def submit(given: Mapping[str, Any]) -> None:
    """Write results as a folder for a board, or check such a folder.

    **Examples**

    - `lingprobe submit results/ -o mine --name mine --trained-on-ud no`
    - `lingprobe submit mine --check`
    """
    show_page(lingprobe.submit(**given))


@command(
    "board",
    option("folders", metavar="FOLDER", positional=True, kind=list[str]),
    *SHARED_OPTIONS["folder"],
    heading="Results",
)
def board(given: Mapping[str, Any]) -> None:
    """Write a site of models from submissions.

    **Examples**

    - `lingprobe board mine yours -o site`
    """
    files = lingprobe.board(**given)
    typer.echo(f"{files[0]}: {len(files):,} pages", err=True)
