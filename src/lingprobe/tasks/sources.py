"""The files that questions are put to, the names that their sentences are reported by, and what is
said of them in notes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from lingprobe.corpora.files import (
    CorpusPart,
    digest_files,
    find_treebank_files,
    uncompressed_path,
)
from lingprobe.corpora.machine import drop_parallel_files, list_annotators
from lingprobe.corpora.places import locate_path
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem
from lingprobe.data.notes import ByParser
from lingprobe.datasets.candidates import NO_STRATA


class NamedFile(NamedTuple):
    """A file, and the name that its sentences are reported by."""

    name: str
    part: CorpusPart


def name_files(
    paths: Sequence[str], list_files: Callable[[str], Iterable[CorpusPart]]
) -> list[NamedFile]:
    """The files that some paths name, by the last part of the path, or all of it where several
    paths end alike.
    """
    short = [uncompressed_path(Path(path)).name for path in paths]
    names = [
        path if short.count(name) > 1 else name for path, name in zip(paths, short, strict=True)
    ]
    files = [
        NamedFile(name, part)
        for name, path in zip(names, paths, strict=True)
        for part in list_files(path)
    ]
    seen: set[Path] = set()
    for _, part in files:
        if part.path.resolve() in seen:
            raise DataProblem(f"{part.path} is named twice; with= is for further files")
        seen.add(part.path.resolve())
    return files


@lru_cache
def make_source_stratum(source: str) -> Mapping[str, str]:
    """The stratum that says which source a sentence comes from, one mapping for all of them;
    nothing without a name.
    """
    return MappingProxyType({"source": source}) if source else NO_STRATA


def note_sources(
    task: str, files: Sequence[str], tally: ProblemTally, **more: Any
) -> dict[str, Any]:
    """Notes that say what was read: the files, how many sentences and words, how many were skipped,
    and the first problems.
    """
    source = {
        "files": list(files),
        "sentences": tally.sentences,
        "words": tally.words,
        "skipped": tally.skipped,
        **more,
    }
    return {
        "source": source,
        **note_source_remarks(task, tally, files),
        "problems": list(tally.problems),
    }


def note_source_remarks(task: str, tally: ProblemTally, files: Iterable[str]) -> dict[str, Any]:
    """That labels come from a parser, as every table says, with what else is known of the sources,
    as a note; {} where there is nothing to say.
    """
    by = list_annotators(map(Path, files))
    said = [*tally.remarks(), *(each.remark(task) for each in by)]
    wrong = [each.wrong(task) for each in by]
    known = max((w for w in wrong if not math.isnan(w)), default=None)
    parser = ByParser(", ".join(each.parser for each in by), known)
    return {
        **({"remarks": said} if said else {}),
        **({parser.key: parser.plain()} if by else {}),
    }


def same_files(files: Sequence[NamedFile]) -> tuple[object, ...]:
    """What is equal for files of the same names, splits and contents."""
    named = [(name, part.split, str(part.path.resolve())) for name, part in files]
    return (*named, digest_files(source.part.path for source in files))


def find_corpus_files(
    path: str, further_paths: tuple[str, ...], suffixes: tuple[str, ...]
) -> list[NamedFile]:
    """The files that some paths name: trees, or running text one sentence a line (.txt); of one
    path the files need no name.
    """

    def parts(place: str) -> list[CorpusPart]:
        if is_text(Path(place)):
            return [CorpusPart("", _file(place))]
        return drop_parallel_files(find_treebank_files(place, suffixes))

    files = name_files((path, *further_paths), parts)
    return files if further_paths else [source._replace(name="") for source in files]


def is_text(path: Path) -> bool:
    """Whether a file is running text, which has no trees."""
    return uncompressed_path(path).suffix == ".txt"


def _file(path: str) -> Path:
    file = locate_path(path)
    if not file.is_file():
        raise DataProblem(
            f"no file {path!r}; give running text, one sentence a line, as .txt, .txt.gz or .txt.xz"
        )
    return file
