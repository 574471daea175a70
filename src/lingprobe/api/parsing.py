"""Parsing running text, and what a parser's errors cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from lingprobe import annotators
from lingprobe.annotators.blocks import ParsingPipeline
from lingprobe.annotators.gold import gold_files, parse_again
from lingprobe.annotators.parse import ParsedText, parse_files
from lingprobe.annotators.parser import Parser, TrainedParser
from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.data_options import ParseOptions, ParserAuditOptions
from lingprobe.api.options import ProgressOptions
from lingprobe.audit.parses import ParserAudit, compare_parses
from lingprobe.audit.parses_page import parser_page
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.machine import AnnotationSource, keep_audit, list_annotators
from lingprobe.corpora.places import locate_path
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.training_sentences import are_among, hash_sentences
from lingprobe.corpora.views import TREE_FILE_SUFFIXES, read_blocks
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import allow_code
from lingprobe.encoders.facts import ENCODER_FACTS_FILE
from lingprobe.tables.page import Page


@takes_options(ParseOptions, ProgressOptions)
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
) -> ParsedText:
    """Parse running text into a folder, which can then be used like a treebank. A run that was
    stopped continues where it stopped.

    DataProblem if the parser or a file is missing; problems within the text are counted.

        print(lingprobe.parse("novels.txt.xz", "udpipe:english.udpipe", "parsed"))
    """
    allow_code(parser, tokens)
    made = annotators.make_parser(parser) if isinstance(parser, str | Path) else parser
    road = ParsingPipeline(made, annotators.make_segmenter(tokens, made), lines, longest)
    files = [Path(text).expanduser() for text in as_list(texts)]
    return parse_files(
        files, Path(output).expanduser(), road, share=_parse_share(share), progress=progress
    )


@takes_options(ParserAuditOptions)
def audit_parser(
    gold: str | Path,
    parsed: str | Path | Parser,
    *,
    into: str | Path | Iterable[str | Path] = (),
) -> Page[ParserAudit]:
    """How often each task of `ud/` and `tree/` gets the same label from a parse as from the gold
    tree: precision and recall, by class, and in a balanced set. `.content` is the audit; printing
    it shows the tables.

    DataProblem if the two have no sentence in common, or a corpus is another parser's.

        print(lingprobe.audit_parser("UD_English-EWT", "udpipe:english.udpipe"))
    """
    allow_code(parsed)
    files = gold_files(gold)
    if isinstance(parsed, str | Path) and locate_path(parsed).exists() and not _is_parser(parsed):
        said = [part.path for part in list_corpus_files([parsed], TREE_FILE_SUFFIXES)]
        (by,) = list_annotators(said) or [AnnotationSource("", "", {})]
        audit = compare_parses(files, said, (by.parser, by.fingerprint))
    else:
        made = annotators.make_parser(parsed) if isinstance(parsed, str | Path) else parsed
        with TemporaryDirectory() as place:
            said = parse_again(files, Path(place), made)
            audit = compare_parses(files, said, (made.name, made.fingerprint))
            audit = replace(audit, learnt=_learnt(files, made))
    for folder in as_list(into):
        keep_audit(Path(folder), audit.plain())
    return parser_page(audit)


def _learnt(gold: Sequence[Path], parser: Parser) -> int:
    """How many gold sentences a parser was trained on, 0 if it does not say."""
    saw = parser.saw() if isinstance(parser, TrainedParser) else None
    if saw is None:
        return 0
    every = (
        block.sentences() for path in gold for block in read_blocks(path, "skip", ProblemTally())
    )
    return sum(int(are_among(hash_sentences(some), saw).sum()) for some in every)


def _is_parser(place: str | Path) -> bool:
    """Whether a folder is a parser."""
    return (locate_path(place) / ENCODER_FACTS_FILE).is_file()


def _parse_share(text: str) -> tuple[int, int]:
    """'2/3' as numbers."""
    part, _, of = text.partition("/")
    if not (part.isdigit() and of.isdigit() and 1 <= int(part) <= int(of)):
        raise UsageProblem(f"share {text!r}: write 2/3 for the second of three runs")
    return int(part), int(of)
