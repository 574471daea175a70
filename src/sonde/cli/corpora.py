"""`sonde parse` and `audit-parser`: running text, annotated, and how well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import sonde
from sonde.cli.completing import names
from sonde.cli.options import PageStyle, Quiet, listed, remark, show

if TYPE_CHECKING:
    from sonde.annotators.parse import Parsed


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
            help="A folder that `sonde train parser` wrote, or `udpipe:MODEL`; see sonde parsers.",
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
                "What finds sentences and words: `rules`, or a parser with a tokenizer, as"
                " `udpipe:MODEL` (default: the parser's own, else rules)."
            ),
        ),
    ] = "",
    lines: Annotated[bool, typer.Option("--lines", help="Each line is a sentence.")] = False,
    longest: Annotated[
        int,
        typer.Option("--longest", min=1, help="Sentences of more words are left out, and counted."),
    ] = 500,
    share: Annotated[
        str,
        typer.Option(
            "--share", metavar="K/N", help="Do the part of run K of N that share the work."
        ),
    ] = "1/1",
    quiet: Quiet = False,
) -> None:
    """Parse running text into a folder, which is then a corpus like a treebank.

    The folder holds CoNLL-U (and trees in brackets, where the parser tells constituents) in
    compressed shards, and parsed.json: the parser, the sources, and what was left out and why. A
    run that was stopped goes on where it was.

    **Examples**

    - `sonde parse novels.txt.xz --with udpipe:english.udpipe -o parsed`
    - `sonde parse sentences.txt --lines --with models/ewt --tokens rules -o parsed`
    - `sonde parse *.txt --with corenlp:http://localhost:9000 -o parsed`
    - `sonde run -t ud/tense:parsed`
    """
    done = sonde.parse(
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
        f"- {kind} {case['times']:,} times: {what} (first in {case['first']})"
        for kind, cases in kinds.items()
        for what, case in cases.items()
    ]


def audit_parser(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD", help="A treebank that the parser did not see; of its splits, test."
        ),
    ],
    parsed: Annotated[
        str,
        typer.Argument(
            metavar="PARSED", help="The same sentences, parsed; or a parser, as `udpipe:MODEL`."
        ),
    ],
    into: Annotated[
        list[Path] | None,
        typer.Option(
            "--into",
            metavar="FOLDER",
            help="Keep it in a corpus that this parser parsed, whose tables then show it.",
        ),
    ] = None,
    style: PageStyle = "terminal",
) -> None:
    """Show what a parser's errors cost each task: how often labels from its parses equal those from
    gold trees, in both directions, by class and by the parser's confidence.

    **Examples**

    - `sonde audit-parser UD_English-EWT udpipe:english.udpipe`
    - `sonde audit-parser UD_English-EWT models/ewt --into parsed`
    - `sonde audit-parser gold/ parsed/ --format markdown`
    """
    show(sonde.audit_parser(gold, parsed, into=listed(into)), style)
