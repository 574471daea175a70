"""Parsing running text, and what a parser's errors cost."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lingprobe import annotators
from lingprobe.annotators.blocks import Road
from lingprobe.annotators.parse import Parsed
from lingprobe.annotators.parse import parse as parsed
from lingprobe.annotators.parser import Parser
from lingprobe.api.arguments import as_list
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import allow_code


def parse(
    texts: str | Path | Iterable[str | Path],
    parser: str | Path | Parser,
    output: str | Path,
    *,
    tokens: str = "",
    lines: bool = False,
    longest: int = 500,
    share: str = "1/1",
    progress: bool = False,
) -> Parsed:
    """Parse running text into a folder, which can then be used like a treebank. A run that was
    stopped continues where it stopped.

    texts    running text: .txt, also .gz, .xz, .zst, or .zip with such files
    parser   a folder that `lingprobe train parser` wrote, or a parser such as
             'udpipe:english.udpipe' (`lingprobe list parsers` shows them); in Python, a Parser of
             your own as well
    output   the folder to write: shards 00000.conllu.zst (and .trees.zst), and parsed.json, which
             records the texts, the parser, and what was left out
    tokens   the tokenizer: 'rules', or a parser that has one, such as 'udpipe:MODEL' (default: the
             parser's own, else rules)
    lines    the text has one sentence per line; otherwise a blank line ends a paragraph
    longest  leave out and count sentences with more words than this
    share    do a part of the work, such as '2/3' for the second of three runs that share it
    DataProblem if the parser or a file is missing; problems within the text are counted.

        print(lingprobe.parse("novels.txt.xz", "udpipe:english.udpipe", "parsed"))
    """
    allow_code(parser, tokens)
    made = annotators.parser(parser) if isinstance(parser, str | Path) else parser
    road = Road(made, annotators.segmenter(tokens, made), lines, longest)
    files = [Path(text).expanduser() for text in as_list(texts)]
    return parsed(files, Path(output).expanduser(), road, share=_share(share), progress=progress)


def _share(text: str) -> tuple[int, int]:
    """'2/3' as numbers."""
    part, _, of = text.partition("/")
    if not (part.isdigit() and of.isdigit() and 1 <= int(part) <= int(of)):
        raise UsageProblem(f"share {text!r}: write 2/3 for the second of three runs")
    return int(part), int(of)
