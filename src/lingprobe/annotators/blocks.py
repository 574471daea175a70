"""A block of a parsed corpus: some passages of text, cut, annotated and written to files of their
own, all of them or none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.annotators.parser import Annotation, Parser
from lingprobe.annotators.segment import SegmentedSentence, TextSegmenter
from lingprobe.corpora.machine import CONFIDENCE_COMMENT
from lingprobe.corpora.running import TextPassage
from lingprobe.corpora.trees import compute_tree_depth, parse_features
from lingprobe.data.cache import open_draft, write_text
from lingprobe.data.core import DataProblem

BLOCK_NOTES_FOLDER = "blocks"
"""The folder of notes; a block with one is done."""
_LONG, _NO_TREE, _NO_WORDS = "a sentence of more than {:,} words", "no tree", "no words"
_PIECE = 1 << 21  # characters of text that are compressed at once
_LEVEL = 9  # of zstd: files are smaller than of xz's fastest, and read ten times faster


@dataclass(frozen=True, eq=False)
class ParsingPipeline:
    """What becomes of text: a parser, what cuts text for it, and whether each line is a sentence;
    sentences of more words than `longest` are excluded.
    """

    parser: Parser
    segmenter: TextSegmenter
    lines: bool = False
    longest: int = 500


class PlacedSentence(NamedTuple):
    """A sentence, and where its passage begins."""

    cut: SegmentedSentence
    file: str
    line: int


@dataclass
class CompressedText:
    """Text that is compressed while more comes, some megabytes at once, so that little of it is
    held as it is.
    """

    waiting: list[str] = field(default_factory=list)
    characters: int = 0
    packed: bytearray = field(default_factory=bytearray)

    def add(self, text: str) -> None:
        """Put text behind what there is."""
        self.waiting.append(text)
        self.characters += len(text)
        if self.characters >= _PIECE:
            self._pack()

    def write(self, path: Path) -> int:
        """Write a compressed file, and return its size; none, and 0, where there is no text."""
        self._pack()
        if self.packed:
            with open_draft(path) as part:
                part.write_bytes(self.packed)
        return len(self.packed)

    def _pack(self) -> None:
        from pyarrow import Codec

        if self.characters:
            text = "".join(self.waiting).encode()
            self.packed += Codec("zstd", compression_level=_LEVEL).compress(text, asbytes=True)
            self.waiting, self.characters = [], 0


@dataclass
class ParsedBlock:
    """What was written of a block, and what was not.

    skipped  what was excluded: the reason, the place, and the text
    mended   what was changed: what, and the place
    """

    sentences: int = 0
    words: int = 0
    conllu: CompressedText = field(default_factory=CompressedText)
    trees: CompressedText = field(default_factory=CompressedText)
    skipped: list[tuple[str, str, str]] = field(default_factory=list)
    mended: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, reason: str, place: PlacedSentence | TextPassage, text: str) -> None:
        """Leave something out."""
        where = f"{place.file}:{place.line}" if place.line else place.file  # 0: all of the file
        self.skipped.append((reason, where, text))

    def note(self) -> dict[str, Any]:
        """What there is to say of the block."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "skipped": _count_cases([(why, where) for why, where, _ in self.skipped]),
            "mended": _count_cases(self.mended),
        }


Counts = dict[str, dict[str, Any]]


def _count_cases(cases: Sequence[tuple[str, str]]) -> Counts:
    """How often each thing happened, and where first."""
    counts: Counts = {}
    for what, where in cases:
        counts.setdefault(what, {"times": 0, "first": where})["times"] += 1
    return counts


def annotate_passages(
    number: int,
    passages: Sequence[TextPassage],
    road: ParsingPipeline,
    advance: Callable[[int], Any],
) -> ParsedBlock:
    """A block of text as the parser has it; `advance` is called with 1 for each sentence."""
    block = ParsedBlock()
    annotate_sentences(number, list(_cut(passages, road, block)), road.parser, block, advance)
    return block


def annotate_sentences(
    number: int,
    places: Sequence[PlacedSentence],
    parser: Parser,
    block: ParsedBlock,
    advance: Callable[[int], Any] = lambda done: None,
) -> None:
    """Add some sentences to a block, as a parser has them."""
    answers = parser.annotate([place.cut.words for place in places])
    for place, answer in zip(places, answers, strict=True):
        why = _fault(place.cut.words, answer)
        if why:
            block.skip(why, place, place.cut.text)
        else:
            _add(block, number, place, answer)
        advance(1)


def _cut(
    passages: Sequence[TextPassage], road: ParsingPipeline, block: ParsedBlock
) -> Iterator[PlacedSentence]:
    """The sentences of some passages that can be parsed; those of too many words, and text in a
    script without spaces, are excluded and counted.
    """
    for passage in passages:
        if passage.problem:
            block.skip(passage.problem, passage, passage.text)
            continue
        block.mended += [(what, f"{passage.file}:{passage.line}") for what in passage.mended]
        try:
            cuts = list(road.segmenter.segment(passage.text, is_sentence=road.lines))
        except DataProblem as problem:
            block.skip(str(problem), passage, passage.text)
            continue
        places = [PlacedSentence(cut, passage.file, passage.line) for cut in cuts]
        if not places:
            block.skip(_NO_WORDS, passage, passage.text)
        for place in places:
            if len(place.cut.words) <= road.longest:
                yield place
            else:
                block.skip(_LONG.format(road.longest), place, place.cut.text)


def _fault(words: Sequence[str], answer: Annotation) -> str:
    """Why a sentence cannot be parsed, as with bad bytes or no tree, '' where it can."""
    heads = answer.heads
    if not heads:
        return "" if answer.brackets else _NO_TREE
    wrong = (
        len(heads) != len(words)
        or heads.count(-1) != 1
        or not all(-1 <= head < len(words) for head in heads)
        or not compute_tree_depth(heads)
    )
    if wrong:
        return _NO_TREE
    try:
        for raw in answer.feats:
            parse_features(raw)
    except ValueError as error:
        return f"features: {error}"
    return ""


def _add(block: ParsedBlock, number: int, place: PlacedSentence, answer: Annotation) -> None:
    block.sentences += 1
    block.words += len(place.cut.words)
    if answer.heads:
        comments = [
            f"# sent_id = {number:05}-{block.sentences}",
            f"# source = {place.file}:{place.line}",
            f"# text = {place.cut.text}",
        ]
        if not math.isnan(answer.confidence):
            comments.append(f"{CONFIDENCE_COMMENT}{answer.confidence:.4f}")
        block.conllu.add("\n".join([*comments, *_format_conllu_rows(place.cut, answer)]) + "\n\n")
    if answer.brackets:
        block.trees.add(answer.brackets + "\n")


def _format_conllu_rows(cut: SegmentedSentence, answer: Annotation) -> Iterator[str]:
    """The rows of a sentence in CoNLL-U."""
    many, spaced = len(cut.words), _spaces_after(cut)
    untold = ("_",) * many
    heads = [str(head + 1) for head in answer.heads]
    columns = (cut.words, answer.lemmas or untold, answer.upos or untold, answer.xpos or untold,
               answer.feats or untold, heads, answer.deprels or ("dep",) * many)  # fmt: skip
    ranges = {r.start: r for r in cut.ranges}
    inside = {i for r in cut.ranges for i in range(r.start, r.stop)}
    for i, cells in enumerate(zip(*columns, strict=True)):
        if i in ranges:
            r = ranges[i]
            yield "\t".join([f"{i + 1}-{r.stop}", r.form, *"_______", _misc(spaced[r.stop - 1])])
        plain = (" ".join(cell.split()) or "_" for cell in cells)
        yield "\t".join([str(i + 1), *plain, "_", _misc(i in inside or spaced[i])])


def _misc(space: bool) -> str:
    return "_" if space else "SpaceAfter=No"


def _spaces_after(cut: SegmentedSentence) -> list[bool]:
    """Whether a space follows each word in the text, or the multiword token that it ends."""
    forms, spaced = list(cut.words), [True] * len(cut.words)
    for r in cut.ranges:
        forms[r.start : r.stop] = [*[""] * (r.stop - r.start - 1), r.form]
    at = 0
    for i, form in enumerate(forms):
        found = cut.text.find(form, at)
        if form and found >= 0:
            at = found + len(form)
            spaced[i] = cut.text[at : at + 1] in ("", " ")
    return spaced


def write_parsed_block(folder: Path, number: int, block: ParsedBlock) -> dict[str, Any]:
    """Write a block, its note last; returns the note."""
    parts = {f"{number:05}.conllu.zst": block.conllu, f"{number:05}.trees.zst": block.trees}
    sizes = {name: part.write(folder / name) for name, part in parts.items()}
    left = CompressedText()
    for why, where, text in block.skipped:
        row = {"why": why, "where": where, "text": text}
        left.add(json.dumps(row, ensure_ascii=False) + "\n")
    left.write(folder / BLOCK_NOTES_FOLDER / f"{number:05}.skipped.jsonl.zst")
    note = {**block.note(), "bytes": sizes}
    write_text(get_note_path(folder, number), json.dumps(note, ensure_ascii=False))
    return note


def get_note_path(folder: Path, number: int) -> Path:
    """Where the note of a block stands."""
    return folder / BLOCK_NOTES_FOLDER / f"{number:05}.json"


def is_block_complete(folder: Path, number: int) -> bool:
    """Whether a block is there, and its files are as long as they were."""
    try:
        note = json.loads(get_note_path(folder, number).read_text("utf-8"))
        sizes = note.get("bytes", {}).items()
        return all(not size or (folder / name).stat().st_size == size for name, size in sizes)
    except (OSError, ValueError):
        return False
