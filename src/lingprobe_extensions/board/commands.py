"""`lingprobe publish submit` and `board`: results for others, and what others see."""

from __future__ import annotations

import typer

import lingprobe
from lingprobe import command
from lingprobe.extend import show_page
from lingprobe_extensions.board.options import BoardOptions, SubmitOptions


@command(SubmitOptions, heading="Results")
def submit(given: SubmitOptions) -> None:
    """Write results as a folder for a board, or check such a folder.

    **Examples**

    - `lingprobe publish submit results/ -o mine --name mine --trained-on-ud no`
    - `lingprobe publish submit mine --check`
    """
    show_page(lingprobe.submit(**given.select(SubmitOptions)))


@command(BoardOptions, heading="Results")
def board(given: BoardOptions) -> None:
    """Write a site of models from submissions.

    **Examples**

    - `lingprobe publish board mine yours -o site`
    """
    files = lingprobe.board(**given.select(BoardOptions))
    typer.echo(f"{files[0]}: {len(files):,} pages", err=True)
