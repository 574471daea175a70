"""`lingprobe publish submit` and `board`: results for others, and what others see."""

from __future__ import annotations

from dataclasses import dataclass

import typer

import lingprobe
from lingprobe import command
from lingprobe.extend import QuietOptions, TrialOptions, show_page
from lingprobe_extensions.board.options import BoardOptions, SubmitOptions


@command(SubmitOptions, heading="Results")
def submit(options: SubmitOptions) -> None:
    """Write results as a folder for a board, or check such a folder.

    **Examples**

    - `lingprobe publish submit results/ -o mine --name mine --trained-on-ud no`
    - `lingprobe publish submit mine --check`
    """
    show_page(lingprobe.submit(**options.select(SubmitOptions)))


@dataclass(frozen=True, kw_only=True)
class BoardCommand(TrialOptions, QuietOptions, BoardOptions):
    """The options of `lingprobe publish board`."""


@command(BoardCommand, heading="Results")
def board(options: BoardCommand) -> None:
    """Write a site of models: measured ones in groups, submitted ones as reported.

    **Examples**

    - `lingprobe publish board mine yours -o site --measure measured/`
    - `lingprobe publish board mine -o site --measure measured/ -e mine=st:all-MiniLM-L6-v2`
    """
    chosen = options.select(BoardOptions)
    if options.dry_run:
        chosen.pop("output", None)
        typer.echo(str(lingprobe.estimate_board(**chosen)))
        return
    site = lingprobe.board(**chosen, progress=not options.quiet)
    for text in (*site.remarks, *site.problems):
        # it may name a task that a submitter called as they liked
        typer.echo("".join(each for each in text if each.isprintable()), err=True)
    typer.echo(f"{site.files[0]}: {len(site.files):,} pages", err=True)
    if site.problems:
        raise typer.Exit(1)
