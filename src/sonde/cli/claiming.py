"""`sonde claims`: what papers claim, and whether it is found again."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import sonde
from sonde.cli.options import (
    EncoderPatterns,
    Folder,
    Output,
    PageStyle,
    ReadPatterns,
    TaskPatterns,
    Which,
    listed,
    put,
)
from sonde.errors import UsageProblem


def claims(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    paper: Annotated[
        list[str] | None,
        typer.Option(
            "--paper",
            metavar="PAPER",
            help="Whose claims, as `conneau2018` (default: all four); may be repeated.",
        ),
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="ENCODER=ROW",
            help=(
                "The row of a paper's table that an encoder stands for, as `trained:models/fr=NMT"
                " En-Fr BiLSTM-max`; may be repeated."
            ),
        ),
    ] = None,
    published: Annotated[
        Literal["conneau2018", "ud2019", "ettinger2018", "tenney2019"] | None,
        typer.Option("--published", help="What a paper's own table says, in place of results."),
    ] = None,
    correction: Annotated[
        Literal["holm", "bh"],
        typer.Option("--correction", help="For several claims: Holm, or Benjamini-Hochberg."),
    ] = "holm",
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help=(
                "Show claims that could not be tested, too, and the causes that papers offer, none"
                " of which is tested."
            ),
        ),
    ] = False,
    style: PageStyle = "terminal",
    output: Output = None,
) -> None:
    """Test what papers claim about encoders: found again, not found, or cannot be told from noise.

    Each claim is a comparison of cells of the paper's table. Encoders of sonde stand for its rows:
    trained ones by architecture and objective, others by their names, and all by `--as`. Scores are
    compared over the same test examples, and p values are corrected for all claims that are tested.
    Results on other data can miss a claim that is true of the paper's.

    **Examples**

    - `sonde claims results/`
    - `sonde claims results/ --all`
    - `sonde claims results/ --paper conneau2018 --as 'trained:models/fr=NMT En-Fr BiLSTM-max'`
    - `sonde claims results/ --correction bh --format csv -o claims.csv`
    - `sonde claims --published conneau2018`
    - `sonde claims --published ettinger2018 --all --format markdown`
    """
    page = sonde.claims(
        results,
        papers=listed(paper),
        named=dict(map(_named, listed(as_))),
        published=published,
        correction=correction,
        every=every,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
    )
    put(page, style, output, "claim")


def _named(text: str) -> tuple[str, str]:
    """An encoder and its row; UsageProblem where one is missing."""
    encoder, equals, row = text.rpartition("=")
    if not (encoder and equals and row):
        raise UsageProblem(f"--as {text}: write ENCODER=ROW, as 'st:mine=BiLSTM-max, NLI'")
    return encoder, row
