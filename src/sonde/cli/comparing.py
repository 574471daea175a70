"""`sonde compare`: whether scores differ."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from sonde.cli.options import (
    EncoderPatterns,
    Folder,
    Output,
    ReadPatterns,
    TaskPatterns,
    Which,
    put,
    remark,
)


def compare(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            "-a",
            metavar="PATTERN",
            help="Compare all others with encoders of this name; all pairs without.",
        ),
    ] = None,
    style: Annotated[
        Literal["terminal", "markdown", "latex", "html", "csv"],
        typer.Option("--format", "-f", help="How to show it."),
    ] = "terminal",
    output: Output = None,
) -> None:
    """Show whether scores differ: paired differences over the same test examples, with 95 %
    intervals and p values.

    Both scores of a difference are over the same examples, so what is hard for both says nothing,
    and the interval is narrower than those of the scores; that these overlap says little. p values
    are corrected for how many differences are shown (Holm 1979), so choose what to compare with
    `-t`, `-e` and `--against` before you look. Oracles are compared only where `--against` names
    them.

    **Examples**

    - `sonde compare results/ --against bow:random`
    - `sonde compare results/ -t ud/tense -e 'st:*' -e 'hf:*'`
    - `sonde compare results/ -t 'edge/*' -e 'hf:*' --read lex --read mix`
    - `sonde compare results/ --against length --format csv -o differences.csv`
    """
    from sonde.cli.show import found_in
    from sonde.pages import PAGES
    from sonde.pages.asked import of_encoder
    from sonde.pages.compare import compared, comparisons
    from sonde.pages.records import csv

    asked = [*encoder, against] if encoder and against else encoder
    measured = found_in(results, which, tasks=task, encoders=asked, reads=read)
    found = compared(measured, of_encoder(against, measured) if against else None)
    put(csv(found.found) if style == "csv" else PAGES[style](comparisons(found)), output)
    if output is not None:
        remark(f"{output}: {len(found.found):,} difference{'s' * (len(found.found) > 1)}")
