"""`sonde predictions`: what probes say of each test example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sonde.cli.options import EncoderPatterns, Folder, ReadPatterns, TaskPatterns, Which, remark


def predictions(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    style: Annotated[
        Literal["jsonl", "jiant"],
        typer.Option("--format", "-f", help="JSON lines, or jiant's files."),
    ] = "jsonl",
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write, one file a fit."),
    ] = Path("predictions"),
) -> None:
    """Write what probes say of each test example: gold, answer, the probability of each label,
    bits.

    Of results that `sonde run --keep scores` measured; the data have to be where they were.
    Probabilities are those of the state of a fit with the lowest loss on dev; the answer is that of
    the state with the best score, as it stands in tables.

    **Examples**

    - `sonde predictions results/ -o predictions/`
    - `sonde predictions results/ -t edge/dep --read mix -o predictions/`
    - `sonde predictions results/ -t edge/spr2 --format jiant -o predictions/`
    """
    from sonde.cli.show import found_in
    from sonde.pages.predictions import write

    written = write(
        found_in(results, which, scores=True, tasks=task, encoders=encoder, reads=read),
        output,
        style,
    )
    remark(f"{output}: {len(written):,} file{'s' * (len(written) > 1)}")
