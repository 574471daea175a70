"""`lingprobe parse` and `audit-parser`: running text, annotated, and how well."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import lingprobe
from lingprobe.cli.declaration import Arguments, argument, command, option
from lingprobe.cli.options import PAGE_STYLE, QUIET, TO_FOLDER, PageStyle, remark, show

if TYPE_CHECKING:
    from lingprobe.annotators.parse import Parsed


@command(
    "parse",
    argument("texts", "TEXT"),
    option("parser", "--with", metavar="PARSER", complete="parsers"),
    TO_FOLDER,
    option("tokens", metavar="HOW"),
    "lines",
    option("longest", least=1),
    option("share", metavar="K/N"),
    QUIET,
)
def parse(given: Arguments, *, quiet: bool = False) -> None:
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
    done = lingprobe.parse(**given, progress=not quiet)
    remark(str(done), quiet)
    for line in _list_changes(done):
        remark(line, quiet)


@command(
    "audit_parser",
    argument("gold", "GOLD"),
    argument("parsed", "PARSED"),
    option("into", metavar="FOLDER"),
    PAGE_STYLE,
)
def audit_parser(given: Arguments, *, style: PageStyle = "terminal") -> None:
    """Show how often labels of tasks are right if they come from a parser instead of gold trees, by
    class and by the parser's confidence.

    **Examples**

    - `lingprobe audit-parser UD_English-EWT udpipe:english.udpipe`
    - `lingprobe audit-parser UD_English-EWT models/ewt --into parsed`
    - `lingprobe audit-parser gold/ parsed/ --format markdown`
    """
    show(lingprobe.audit_parser(**given), style)


def _list_changes(done: Parsed) -> list[str]:
    """What was left out, and what was changed, a line each."""
    kinds = {"excluded": done.skipped, "changed": done.mended}
    return [
        f"- {kind} {_often(case['times'])}: {what} (first in {case['first']})"
        for kind, cases in kinds.items()
        for what, case in cases.items()
    ]


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"
