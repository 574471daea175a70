"""`lingprobe parse` and `audit-parser`: running text, annotated, and how well."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import lingprobe
from lingprobe.cli.completing import names
from lingprobe.cli.options import Quiet, remark

if TYPE_CHECKING:
    from lingprobe.annotators.parse import Parsed


def parse(
    text: Annotated[
        list[Path],
        typer.Argument(metavar="TEXT", help="Running text: .txt, also .gz, .xz, .zst or .zip."),
    ],
    parser: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="PARSER",
            autocompletion=names("parsers"),
            help=(
                "A folder written by `lingprobe train parser`, or a parser such as `udpipe:MODEL`;"
                " see lingprobe parsers."
            ),
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write.")
    ],
    tokens: Annotated[
        str,
        typer.Option(
            "--tokens",
            metavar="HOW",
            help=(
                "The tokenizer: `rules`, or a parser that has one, such as `udpipe:MODEL`"
                " (default: the parser's own, else rules)."
            ),
        ),
    ] = "",
    lines: Annotated[
        bool, typer.Option("--lines", help=("The text has one sentence per line."))
    ] = False,
    longest: Annotated[
        int,
        typer.Option(
            "--longest", min=1, help=("Leave out and count sentences with more words than this.")
        ),
    ] = 500,
    share: Annotated[
        str,
        typer.Option(
            "--share", metavar="K/N", help="Do part K of N, to share the work between N runs."
        ),
    ] = "1/1",
    quiet: Quiet = False,
) -> None:
    """Parse running text into a folder that tasks can use like a treebank.

    The folder has compressed CoNLL-U files (and bracketed trees, if the parser finds constituents),
    and parsed.json with the parser, the sources, and what was left out and why. The same command
    continues a run that was stopped.

    **Examples**

    - `lingprobe parse novels.txt.xz --with udpipe:english.udpipe -o parsed`
    - `lingprobe parse sentences.txt --lines --with models/ewt --tokens rules -o parsed`
    - `lingprobe parse *.txt --with corenlp:http://localhost:9000 -o parsed`
    - `lingprobe run -t ud/tense:parsed`
    """
    # oneDNN keeps what it compiled for each number of words, of which few come again
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "32")
    done = lingprobe.parse(
        text,
        parser,
        output,
        tokens=tokens,
        lines=lines,
        longest=longest,
        share=share,
        progress=not quiet,
    )
    remark(str(done), quiet)
    for line in _counted(done):
        remark(line, quiet)


def _counted(done: Parsed) -> list[str]:
    """What was left out, and what was changed, a line each."""
    kinds = {"left out": done.skipped, "changed": done.mended}
    return [
        f"- {kind} {_often(case['times'])}: {what} (first in {case['first']})"
        for kind, cases in kinds.items()
        for what, case in cases.items()
    ]


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"
