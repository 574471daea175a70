"""`lingprobe claims`: whether claims of papers are reproduced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import lingprobe
from lingprobe.cli.declaration import command, option
from lingprobe.cli.options import SHARED_OPTIONS, put
from lingprobe.data.errors import UsageProblem


@command(
    "claims",
    *SHARED_OPTIONS["selection of layers"],
    option("papers", "--paper", metavar="PAPER"),
    option(
        "as_",
        metavar="ENCODER=ROW",
        help=(
            "The row of a paper's table that an encoder corresponds to, such as"
            " `trained:models/fr=NMT En-Fr BiLSTM-max`; may be repeated."
        ),
    ),
    "published",
    "correction",
    option("every", "--all"),
    *SHARED_OPTIONS["style"],
    *SHARED_OPTIONS["page"],
    "trust",
    heading="Results",
)
def claims(
    given: Mapping[str, Any],
    *,
    as_: list[str] | None = None,
    style: Literal["terminal", "markdown", "latex", "html", "csv"] = "terminal",
    output: Path | None = None,
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
    page = lingprobe.claims(**given, named=dict(map(_parse_encoder_row, list(as_ or ()))))
    put(page, style, output, "claim")


def _parse_encoder_row(text: str) -> tuple[str, str]:
    """An encoder and its row; UsageProblem where one is missing."""
    encoder, equals, row = text.rpartition("=")
    if not (encoder and equals and row):
        raise UsageProblem(f"--as {text}: write ENCODER=ROW, as 'st:mine=BiLSTM-max, NLI'")
    return encoder, row
