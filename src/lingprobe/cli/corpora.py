"""`lingprobe parse` and `audit-parser`: running text, annotated, and how well."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lingprobe
from lingprobe.api.data_options import ParseOptions, ParserAuditOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    QuietOptions,
    StyleOptions,
    print_page,
    print_remark,
)

if TYPE_CHECKING:
    from lingprobe.annotators.parse import ParsedText


@dataclass(frozen=True, kw_only=True)
class ParseCommand(QuietOptions, ParseOptions):
    """The options of `lingprobe parse`."""


@command(ParseCommand)
def parse(options: ParseCommand) -> None:
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
    done = lingprobe.parse(**options.select(ParseOptions), progress=not options.quiet)
    print_remark(str(done), options.quiet)
    for line in _list_changes(done):
        print_remark(line, options.quiet)


@dataclass(frozen=True, kw_only=True)
class ParserAuditCommand(StyleOptions, ParserAuditOptions):
    """The options of `lingprobe data audit-parser`."""


@command(ParserAuditCommand)
def audit_parser(options: ParserAuditCommand) -> None:
    """Show how often labels of tasks are right if they come from a parser instead of gold trees, by
    class and by the parser's confidence.

    **Examples**

    - `lingprobe data audit-parser UD_English-EWT udpipe:english.udpipe`
    - `lingprobe data audit-parser UD_English-EWT models/ewt --into parsed`
    - `lingprobe data audit-parser gold/ parsed/ --format markdown`
    """
    print_page(lingprobe.audit_parser(**options.select(ParserAuditOptions)), options.style)


def _list_changes(done: ParsedText) -> list[str]:
    """What was left out, and what was changed, a line each."""
    kinds = {"excluded": done.skipped, "changed": done.mended}
    return [
        f"- {kind} {_often(case['times'])}: {what} (first in {case['first']})"
        for kind, cases in kinds.items()
        for what, case in cases.items()
    ]


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"
