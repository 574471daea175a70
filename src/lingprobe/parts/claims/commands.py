"""`lingprobe claims`: whether claims of papers are reproduced."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import lingprobe
from lingprobe.cli.options import (
    EncoderPatterns,
    Folder,
    Output,
    PageStyle,
    ReadPatterns,
    TaskPatterns,
    Trust,
    Which,
    listed,
    put,
)
from lingprobe.data.errors import UsageProblem


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
            help="Whose claims, such as `conneau2018` (default: all four); may be repeated.",
        ),
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="ENCODER=ROW",
            help=(
                "The row of a paper's table that an encoder corresponds to, such as"
                " `trained:models/fr=NMT En-Fr BiLSTM-max`; may be repeated."
            ),
        ),
    ] = None,
    published: Annotated[
        Literal["conneau2018", "ud2019", "ettinger2018", "tenney2019"] | None,
        typer.Option("--published", help="Test a paper's claims on its own table, not on results."),
    ] = None,
    correction: Annotated[
        Literal["holm", "bh"],
        typer.Option(
            "--correction", help=("Correction for several claims: Holm, or Benjamini-Hochberg.")
        ),
    ] = "holm",
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help=(
                "Also show claims that could not be tested, and the causes that papers suggest,"
                " which are not tested."
            ),
        ),
    ] = False,
    style: PageStyle = "terminal",
    output: Output = None,
    trust: Trust = False,
) -> None:
    """Test claims of papers about encoders: reproduced, not reproduced, or inconclusive.

    Each claim compares cells of the paper's table. Your encoders take the place of its rows:
    trained ones by architecture and objective, others by name, and any with `--as`. Scores are
    compared over the same test examples, and p values are corrected for all tested claims. If your
    data are not the paper's, a claim that is not reproduced may still be true of the paper's data.

    **Examples**

    - `lingprobe claims results/`
    - `lingprobe claims results/ --all`
    - `lingprobe claims results/ --paper conneau2018 --as 'trained:models/fr=NMT En-Fr BiLSTM-max'`
    - `lingprobe claims results/ --correction bh --format csv -o claims.csv`
    - `lingprobe claims --published conneau2018`
    - `lingprobe claims --published ettinger2018 --all --format markdown`
    """
    page = lingprobe.claims(
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
        trust=trust,
    )
    put(page, style, output, "claim")


def _named(text: str) -> tuple[str, str]:
    """An encoder and its row; UsageProblem where one is missing."""
    encoder, equals, row = text.rpartition("=")
    if not (encoder and equals and row):
        raise UsageProblem(f"--as {text}: write ENCODER=ROW, as 'st:mine=BiLSTM-max, NLI'")
    return encoder, row
