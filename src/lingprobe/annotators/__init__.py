"""Sentence -> tree: taggers and parsers, our own and others'. This is their list.

`parser` says what a parser is. `parse` applies one to running text, block by block (`blocks`), cut
by what is in `segment`. Parsers of others are in `engines`; those that are trained here are in
`lingprobe_extensions.train`.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from lingprobe.annotators.parser import Parser
from lingprobe.annotators.segment import RuleSegmenter, TextSegmenter
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Contents, Reference
from lingprobe.encoders.facts import ENCODER_FACTS_FILE

PARSERS = Contents(
    "parser",
    "lingprobe.parsers",
    {
        "udpipe": "lingprobe.annotators.engines.udpipe:UDPipeParser",
        "corenlp": "lingprobe.annotators.engines.corenlp:CoreNLP",
        "stanza": "lingprobe.annotators.engines.stanza:StanzaParser",
        "spacy": "lingprobe.annotators.engines.spacy:SpaCy",
    },
    gives="lingprobe.annotators.parser:Parser",
)


def make_parser(reference: str | Path) -> Parser:
    """The parser that a reference names: a folder that `lingprobe train parser` wrote, or another
    engine, as `udpipe:MODEL`.

    DataProblem for a folder without a parser; ReferenceProblem for what names nothing.
    """
    place = Path(reference).expanduser()
    if (place / ENCODER_FACTS_FILE).is_file():
        return cast(Parser, PARSERS.make(Reference("trained", str(place))))
    if place.is_dir():
        raise DataProblem(
            f"no {ENCODER_FACTS_FILE} in {str(place)!r}: give a folder that `lingprobe train"
            " parser` wrote, or another parser, as udpipe:MODEL (`lingprobe list parsers` lists"
            " them)"
        )
    return cast(Parser, PARSERS.make(str(reference)))


def make_segmenter(reference: str, beside: Parser) -> TextSegmenter:
    """What cuts text into words: `rules`, what a parser's reference names, or without one the
    tokenizer of the parser beside, if it has one, else rules.
    """
    if reference == RuleSegmenter.name:
        return RuleSegmenter()
    made = make_parser(reference) if reference else beside
    if isinstance(made, TextSegmenter):
        return made
    if reference:
        raise DataProblem(f"{reference} has no tokenizer; write rules, or udpipe:MODEL")
    return RuleSegmenter()


__all__ = ["PARSERS", "Parser", "TextSegmenter", "make_parser", "make_segmenter"]
