"""Parsing running text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sonde import annotators
from sonde.annotators.blocks import Road
from sonde.annotators.parse import Parsed
from sonde.annotators.parse import parse as parsed
from sonde.annotators.parser import Parser
from sonde.api.arguments import listed
from sonde.errors import UsageProblem


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
    """Parse running text into a folder, which is then a corpus like a treebank. A run that was
    stopped goes on where it was.

    texts    files of running text: .txt, also .gz, .xz, .zst, or .zip with such files
    parser   a folder that `sonde train parser` wrote, a reference, as 'udpipe:english.udpipe'
             (`available("parsers")`), or a Parser of your own
    output   a folder: shards 00000.conllu.xz (and .trees.xz), and parsed.json, which says what was
             parsed by what, and what was left out
    tokens   what cuts text into sentences and words: 'rules', or a reference of a parser that has
             a tokenizer; without, the parser's own if it has one, else rules
    lines    each line is a sentence; without, a blank line ends a paragraph
    longest  sentences of more words are left out, and counted
    share    '2/3': the second of three runs that share the work
    DataProblem for a parser or files that are not there; what is wrong within the text is counted.

        print(sonde.parse("novels.txt.xz", "udpipe:english.udpipe", "parsed"))
    """
    made = annotators.parser(parser) if isinstance(parser, str | Path) else parser
    road = Road(made, annotators.segmenter(tokens, made), lines, longest)
    files = [Path(text).expanduser() for text in listed(texts)]
    return parsed(files, Path(output).expanduser(), road, share=_share(share), progress=progress)


def _share(text: str) -> tuple[int, int]:
    """'2/3' as numbers."""
    part, _, of = text.partition("/")
    if not (part.isdigit() and of.isdigit() and 1 <= int(part) <= int(of)):
        raise UsageProblem(f"share {text!r}: write 2/3 for the second of three runs")
    return int(part), int(of)
