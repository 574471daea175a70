"""The options of what makes and lists data, and of lists, each written once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.api.options import CacheOptions, FaultOptions
from lingprobe.data.options import Help, Options, declare_argument, flag


@dataclass(frozen=True, kw_only=True)
class BuildOptions(FaultOptions):
    """How the data set of a task is written."""

    task: Annotated[
        Any,
        Help("a task with its data, such as `ud/tense:en_ewt`"),
        declare_argument("TASK...", kind=list[str]),
    ]
    output: Annotated[
        str | Path,
        Help("where to write; the suffix determines the format"),
        flag("-o", metavar="FILE"),
    ]
    format: Annotated[
        Literal["parquet", "jsonl", "senteval", "jiant"] | None,
        Help("the format (default: that of the suffix)"),
    ] = None
    hub: Annotated[
        bool,
        Help(
            "write a new folder for the Hugging Face hub: a set for each task, a card, and files"
            " for mteb and lm-eval"
        ),
    ] = False
    licence: Annotated[
        str | None,
        Help("the licence of the data for the hub, where lingprobe knows no open one"),
        flag(metavar="TEXT"),
    ] = None
    audit: Annotated[
        str | Path | None,
        Help("also write the audit of `inspect`, with baselines, to this file, as Markdown"),
        flag(metavar="FILE"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class InspectOptions(FaultOptions, CacheOptions):
    """What of a data set is shown."""

    task: Annotated[
        Any,
        Help("a task with its data, such as `ud/tense:en_ewt`"),
        declare_argument("TASK", kind=str),
    ]
    sample: Annotated[int, Help("number of examples to show", "0"), flag(metavar="N")] = 20
    seed: Annotated[int, Help("the random seed that selects the examples", "0")] = 0
    checks: Annotated[
        str | Sequence[str],
        Help(
            "further checks of your own, such as `mine.py@check` (`lingprobe list checks` shows"
            " ours)"
        ),
        flag("--check", metavar="CHECK", complete="checks"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class FetchOptions(Options):
    """What is downloaded, from where to where."""

    name: Annotated[
        str,
        Help(
            "a data set, or a treebank such as `ud/en_ewt`, or with a release `ud/en_ewt@2.16`; a"
            " pattern such as `ud/pl_*` lists its matches (default: list everything)"
        ),
        declare_argument("NAME"),
    ] = ""
    output: Annotated[
        str | Path | None,
        Help("the folder to write (default: where tasks look for it)"),
        flag("-o", metavar="FOLDER"),
    ] = None
    mirror: Annotated[
        str | None,
        Help(
            "the URL of a mirror (default: the publisher's, or $LINGPROBE_MIRROR: a web server over"
            " the folder `data` of somebody's cache)"
        ),
        flag("--from", metavar="URL"),
    ] = None
    only: Annotated[
        str, Help("only files that match, such as `*/te.txt`"), flag(metavar="PATTERN")
    ] = "*"


@dataclass(frozen=True, kw_only=True)
class ParseOptions(Options):
    """What is parsed, and how."""

    texts: Annotated[
        str | Path | Iterable[str | Path],
        Help("running text: .txt, also .gz, .xz, .zst, or .zip with such files"),
        declare_argument("TEXT"),
    ]
    parser: Annotated[
        Any,
        Help(
            "a folder that `lingprobe train parser` wrote, or a parser such as"
            " `udpipe:english.udpipe` (`lingprobe list parsers` shows them)"
        ),
        flag("--with", metavar="PARSER", complete="parsers", kind=str),
    ]
    output: Annotated[
        str | Path,
        Help(
            "the folder to write: shards 00000.conllu.zst (and .trees.zst), and parsed.json, which"
            " records the texts, the parser, and what was excluded"
        ),
        flag("-o", metavar="FOLDER"),
    ]
    tokens: Annotated[
        str,
        Help(
            "the tokenizer: `rules`, or a parser that has one, such as `udpipe:MODEL` (default: the"
            " parser's own, else rules)"
        ),
        flag(metavar="TOKENIZER"),
    ] = ""
    lines: Annotated[
        bool, Help("the text has one sentence per line; otherwise a blank line ends a paragraph")
    ] = False
    longest: Annotated[
        int, Help("leave out and count sentences with more words than this", "1")
    ] = 500
    share: Annotated[
        str,
        Help("do a part of the work, such as `2/3` for the second of three runs that share it"),
        flag(metavar="K/N"),
    ] = "1/1"


@dataclass(frozen=True, kw_only=True)
class ParserAuditOptions(Options):
    """What a parser is measured on."""

    gold: Annotated[
        str | Path,
        Help(
            "a treebank that the parser was not trained on: CoNLL-U, brackets, or a folder of both;"
            " if file names mark splits, only test is used"
        ),
        declare_argument("GOLD"),
    ]
    parsed: Annotated[
        Any,
        Help(
            "the same sentences as parsed: a folder that `lingprobe parse` wrote, or other files;"
            " or a parser, such as `udpipe:MODEL`, which then gets the gold words"
        ),
        declare_argument("PARSED", kind=Path),
    ]
    into: Annotated[
        str | Path | Iterable[str | Path],
        Help(
            "store the audit in corpora made with this parser, so that tables of tasks on them show"
            " it"
        ),
        flag(metavar="FOLDER"),
    ] = ()


# ---- lists


@dataclass(frozen=True, kw_only=True)
class PatternOptions(Options):
    """Which of a kind are listed."""

    pattern: Annotated[
        str | None,
        Help("one of them, with its full description, or a pattern"),
        declare_argument("NAME", complete="listed"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TaskFilter(PatternOptions):
    """Which tasks are listed."""

    language: Annotated[
        str,
        Help("only tasks with data in this language, a code (`pl`, `pol`) or a name (`Polish`)"),
        flag("-l", metavar="LANGUAGE"),
    ] = ""
    paper: Annotated[
        str, Help("only tasks of a paper, such as `conneau2018`"), flag(metavar="PAPER")
    ] = ""
    unit: Annotated[
        str,
        Help(
            "only tasks about a `sentence`, its asked `words`, a `word`, a `span` or a pair of"
            " spans"
        ),
        flag(metavar="UNIT"),
    ] = ""
    licence: Annotated[
        Literal["open"] | None,
        Help("only tasks with data that are free to use and share (`open`), or your own"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ListOptions(Options):
    """What is listed."""

    kind: Annotated[
        str,
        Help(
            "what to list: `tasks`, `encoders`, `probes`, `controls`, `metrics`, `suites`,"
            " `parsers`, `objectives`, `languages`, `checks`, `views`, `figures` or `plugins`"
            " (default: the kinds)"
        ),
        declare_argument("KIND", complete="kinds"),
    ] = ""
    pattern: Annotated[
        str | None,
        Help("one of them, with its full description, or a pattern"),
        declare_argument("NAME", complete="listed"),
    ] = None
