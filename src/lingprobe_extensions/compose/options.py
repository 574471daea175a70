"""The options of `generate`, each written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from lingprobe import Help, Options, flag


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(Options):
    """Which sentences are generated."""

    request: Annotated[
        Any,
        Help("a JSON file that describes the sentences; `{}` has all defaults"),
        flag(metavar="REQUEST", kind=Path, positional=True),
    ]
    n: Annotated[
        int | None, Help("number of sentences (default: all)"), flag("--n", "-n", metavar="N")
    ] = None
    output: Annotated[
        str | Path | None,
        Help("where to write; without it, sentences are only counted, exactly and at once"),
        flag("-o", metavar="FILE"),
    ] = None
    language: Annotated[
        str | None,
        Help(
            "`polish`, `mine.py@esperanto`, ...; `lingprobe list languages` shows them (default:"
            " the request's language, or English)"
        ),
        flag(metavar="NAME"),
    ] = None
    seed: Annotated[
        int,
        Help(
            "the random seed that selects and orders sentences, which are sampled without"
            " replacement",
            "0",
        ),
    ] = 0
    text: Annotated[bool, Help("write plain text, one sentence per line")] = False
    asserted: Annotated[bool, Help("also write which clauses are asserted")] = False
