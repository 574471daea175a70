"""Running text -> a parsed corpus, block by block: what was written is kept when a run is stopped,
and the next one goes on after it.

How text falls into blocks is decided by the text alone, before it is cut into sentences, so that a
run that goes on, and several that share the work, write what one alone would.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from lingprobe.annotators.blocks import (
    BLOCK_NOTES_FOLDER,
    Counts,
    ParsedBlock,
    ParsingPipeline,
    annotate_passages,
    get_note_path,
    is_block_complete,
    write_parsed_block,
)
from lingprobe.corpora.files import digest_files
from lingprobe.corpora.machine import PARSE_FACTS_FILE
from lingprobe.corpora.running import TextPassage, read_passages
from lingprobe.data.cache import DRAFT_SUFFIX, write_text
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.progress import show_progress

_BLOCK = 1 << 20  # characters of text in a block: some ten thousand sentences
_FORMAT = 1
_OTHER = {
    "format": "in another format",
    "parser": "by another parser",
    "tokens": "with another tokenizer",
    "settings": "with other settings",
    "sonde": "by another version of lingprobe",
    "sources": "of another text",
}


@dataclass(frozen=True, slots=True)
class ParsedText:
    """What became of running text.

    finished  whether all blocks are finished; if several runs share the work, only the last one
              sets it
    skipped   what was excluded, by reason: how often (`times`), and the first place (`first`); the
              text is in `blocks/`
    mended    the same for changes to the text before it was split
    """

    folder: Path
    sentences: int
    words: int
    blocks: int
    finished: bool
    skipped: Counts
    mended: Counts

    def __str__(self) -> str:
        state = "" if self.finished else " so far; the same command goes on"
        return f"{self.folder}: {self.sentences:,} sentences, {self.words:,} words{state}"


def parse_files(
    texts: Sequence[Path],
    folder: Path,
    road: ParsingPipeline,
    *,
    block: int = _BLOCK,
    share: tuple[int, int] = (1, 1),
    progress: bool = False,
) -> ParsedText:
    """Parse some files into a folder; blocks that are there are left as they are.

    block  characters of text in a block
    share  (2, 3): the second of three runs that share the work
    UsageProblem where the folder holds something else, or another parse.
    """
    if not texts:
        raise UsageProblem("no text to parse: name a file, as novels.txt.xz")
    about = _describe_parse(texts, road, block)
    _claim_folder(folder, about, alone=share == (1, 1))
    blocks = 0
    with show_progress(progress, desc="parse", unit=" sentences", unit_scale=True) as shown:
        for number, some in enumerate(_group_passages(texts, road.lines, block)):
            blocks += 1
            if number % share[1] == share[0] - 1 and not is_block_complete(folder, number):
                write_parsed_block(
                    folder, number, annotate_passages(number, some, road, shown.update)
                )
    return _sum_blocks(folder, about, blocks)


def _describe_parse(texts: Sequence[Path], road: ParsingPipeline, block: int) -> dict[str, Any]:
    """What decides what is written."""
    missing = next((path for path in texts if not path.is_file()), None)
    if missing is not None:
        raise DataProblem(f"no file {str(missing)!r}; give running text, as .txt or .txt.xz")
    made = {"name": road.segmenter.name, "fingerprint": road.segmenter.fingerprint}
    return {
        "format": _FORMAT,
        "parser": {"name": road.parser.name, "fingerprint": road.parser.fingerprint},
        "tokens": made,
        "settings": {"lines": road.lines, "longest": road.longest, "block": block},
        "sonde": importlib.metadata.version("lingprobe"),
        "sources": [
            {"name": path.name, "bytes": path.stat().st_size, "digest": digest_files([path])}
            for path in texts
        ],
    }


def _claim_folder(folder: Path, about: dict[str, Any], alone: bool) -> None:
    """Say in the folder what is to be written there; a UsageProblem where that is something
    else.
    """
    there = folder / PARSE_FACTS_FILE
    if there.is_file():
        try:
            found = json.loads(there.read_text("utf-8"))
        except (ValueError, RecursionError):
            found = {}
        other = next((key for key, value in about.items() if found.get(key) != value), "")
        if other:
            raise UsageProblem(f"{folder} holds a parse {_OTHER[other]}; choose another folder")
    elif folder.exists() and any(folder.iterdir()):
        raise UsageProblem(f"{folder} holds something else; choose another folder")
    else:
        _tell(folder, {**about, "finished": False})
    if alone:  # what a process that was killed left behind
        for left in chain(
            folder.glob(f".*{DRAFT_SUFFIX}"),
            (folder / BLOCK_NOTES_FOLDER).glob(f".*{DRAFT_SUFFIX}"),
        ):
            left.unlink(missing_ok=True)


def _group_passages(texts: Sequence[Path], lines: bool, size: int) -> Iterator[list[TextPassage]]:
    """The passages of some files, in blocks of so many characters or a little more."""
    held: list[TextPassage] = []
    length = 0
    for passage in chain.from_iterable(read_passages(path, lines=lines) for path in texts):
        held.append(passage)
        length += len(passage.text)
        if length >= size:
            yield held
            held, length = [], 0
    if held:
        yield held


def _sum_blocks(folder: Path, about: dict[str, Any], blocks: int) -> ParsedText:
    """Add up what all blocks say, and say whether they are all there."""
    total = ParsedBlock().note()
    there = [path for path in (get_note_path(folder, n) for n in range(blocks)) if path.is_file()]
    for path in there:
        note = json.loads(path.read_text("utf-8"))
        total["sentences"] += note["sentences"]
        total["words"] += note["words"]
        for kind in ("skipped", "mended"):
            for what, case in note[kind].items():
                total[kind].setdefault(what, {**case, "times": 0})["times"] += case["times"]
    finished = len(there) == blocks
    if finished:
        _tell(folder, {**about, "finished": True, "blocks": blocks, **total})
    return ParsedText(folder=folder, blocks=blocks, finished=finished, **total)


def _tell(folder: Path, note: dict[str, Any]) -> None:
    write_text(folder / PARSE_FACTS_FILE, json.dumps(note, ensure_ascii=False, indent=1) + "\n")
