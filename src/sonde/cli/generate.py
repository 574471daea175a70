"""`sonde generate`: sentences with their meaning, from a request."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sonde.cli.options import Quiet, remark


def generate(
    request: Annotated[
        Path,
        typer.Argument(
            metavar="REQUEST",
            help="What is asked for, as JSON; an empty object `{}` is a request too.",
        ),
    ],
    n: Annotated[
        int | None, typer.Option("--n", "-n", metavar="N", help="How many sentences; all without.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write; only counted without."
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="NAME",
            help="english or polish, whatever the request says; english if it says nothing.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Which sentences are drawn, and their order.")
    ] = 0,
    text: Annotated[
        bool, typer.Option("--text", help="Write the bare sentences, one a line.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Generate sentences of which is known who did what to whom, what did not happen, and which
    word says so.

    How many sentences a request admits is counted exactly and at once; without `-o` that is all.
    Sentences are drawn without replacement and written as they come.

    **Examples**

    - `sonde generate request.json`
    - `sonde generate request.json -n 100000 -o sentences.jsonl`
    - `sonde generate empty.json --language polish -n 1000 -o zdania.txt --text`
    """
    from tqdm import tqdm

    from sonde.generation.events import files

    asked = files.read(request, language)
    found = files.admitted(asked)
    typer.echo(f"{found.size:,} sentences of {len(found.cells):,} structures")
    if output is None:
        return
    drawn = files.drawn(found, asked, n, seed)
    with tqdm(
        total=drawn.n, desc="generate", unit=" sentences", unit_scale=True, disable=quiet
    ) as bar:
        files.write(output, drawn, bare=text, told=bar.update)
    remark(f"{output}: {drawn.n:,} sentences", quiet)
