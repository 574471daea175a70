"""`lingprobe generate`: sentences with known meaning."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

import lingprobe
from lingprobe.extend import SHARED_OPTIONS, command, option


@command(
    "generate",
    option(
        "request",
        metavar="REQUEST",
        positional=True,
        kind=Path,
        help="A JSON file that describes the sentences; `{}` for the default.",
    ),
    option("n", "--n", "-n", metavar="N"),
    *SHARED_OPTIONS["file"],
    option("language", metavar="NAME"),
    "seed",
    "text",
    "asserted",
    *SHARED_OPTIONS["quiet"],
    heading="Data",
)
def generate(given: Mapping[str, Any], *, quiet: bool = False) -> None:
    """Generate sentences with known meaning: who did what to whom, and what did not happen.

    Without `-o`, it only counts the sentences that fit the request, which is exact and fast.
    Sentences are drawn without replacement.

    **Examples**

    - `lingprobe generate request.json`
    - `lingprobe generate request.json -n 100000 -o sentences.jsonl`
    - `lingprobe generate empty.json --language polish -n 1000 -o zdania.txt --text`
    """
    done = lingprobe.generate(**given, progress=not quiet)
    typer.echo(f"{done.admitted:,} sentences of {done.structures:,} structures")
    if "output" in given and not quiet:
        typer.echo(f"{given['output']}: {done.written:,} sentences", err=True)
