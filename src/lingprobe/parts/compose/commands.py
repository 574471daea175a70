"""`lingprobe generate` and `languages`: sentences with known meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import lingprobe
from lingprobe.cli.listing import lister
from lingprobe.cli.options import Quiet, Seed, remark


def generate(
    request: Annotated[
        Path,
        typer.Argument(
            metavar="REQUEST",
            help="A JSON file that describes the sentences; `{}` for the default.",
        ),
    ],
    n: Annotated[
        int | None,
        typer.Option("--n", "-n", metavar="N", help="Number of sentences (default: all)."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write (default: only count the sentences).",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="NAME",
            help=(
                "`polish`, `mine.py@esperanto`, ...; `lingprobe languages` lists them (default:"
                " the request's language, or `english`)."
            ),
        ),
    ] = None,
    seed: Seed = 0,
    text: Annotated[
        bool, typer.Option("--text", help="Write plain text, one sentence per line.")
    ] = False,
    asserted: Annotated[
        bool, typer.Option("--asserted", help="Also write which clauses are asserted.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Generate sentences with known meaning: who did what to whom, and what did not happen.

    Without `-o`, it only counts the sentences that fit the request, which is exact and fast.
    Sentences are drawn without replacement.

    **Examples**

    - `lingprobe generate request.json`
    - `lingprobe generate request.json -n 100000 -o sentences.jsonl`
    - `lingprobe generate empty.json --language polish -n 1000 -o zdania.txt --text`
    """
    done = lingprobe.generate(
        request,
        output,
        n=n,
        language=language,
        seed=seed,
        text=text,
        asserted=asserted,
        progress=not quiet,
    )
    typer.echo(f"{done.admitted:,} sentences of {done.structures:,} structures")
    if output is not None:
        remark(f"{output}: {done.written:,} sentences", quiet)


languages = lister(
    "languages",
    """List the languages that `lingprobe generate` writes.

    **Examples**: `lingprobe languages`
    """,
)
