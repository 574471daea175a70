"""`lingprobe data generate`: sentences with known meaning."""

from __future__ import annotations

from dataclasses import dataclass

import typer

import lingprobe
from lingprobe import command
from lingprobe.extend import QuietOptions
from lingprobe_extensions.compose.options import GenerateOptions


@dataclass(frozen=True, kw_only=True)
class GenerateCommand(QuietOptions, GenerateOptions):
    """The options of `lingprobe data generate`."""


@command(GenerateCommand, heading="Data")
def generate(options: GenerateCommand) -> None:
    """Generate sentences with known meaning: who did what to whom, and what did not happen.

    Without `-o`, it only counts the sentences that fit the request, which is exact and fast.
    Sentences are drawn without replacement.

    **Examples**

    - `lingprobe data generate request.json`
    - `lingprobe data generate request.json -n 100000 -o sentences.jsonl`
    - `lingprobe data generate empty.json --language polish -n 1000 -o zdania.txt --text`
    """
    done = lingprobe.generate(**options.select(GenerateOptions), progress=not options.quiet)
    typer.echo(f"{done.admitted:,} sentences of {done.structures:,} structures")
    if options.output is not None and not options.quiet:
        typer.echo(f"{options.output}: {done.written:,} sentences", err=True)
