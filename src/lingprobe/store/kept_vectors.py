"""Whose vectors a cache keeps, and which of them no result was measured with.

Beside the vectors of an encoder lies a note that says what the encoder is called, what decides its
vectors, and in which folders there are results of it. What no note is beside, which another version
wrote, is shown and left alone.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.data.cache import (
    DRAFT_SUFFIX,
    STALE_DRAFT_SECONDS,
    FileProblem,
    format_bytes,
    write_text,
)
from lingprobe.store.columns import COLUMNS_FOLDER, COLUMNS_SUFFIX, ColumnOrigin
from lingprobe.store.results import ResultStore

_NOTE = "encoder.json"
_RECENT = 3600  # seconds in which vectors may be those of a run that has no result yet


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """The vectors of one encoder in a cache.

    encoder       its last name; '' if unknown
    files, bytes  the number and size of the files in the folder
    results       how many results were measured with them
    recent        whether a run may be using them now
    """

    encoder: str
    folder: Path
    files: int
    bytes: int
    results: int
    recent: bool

    @property
    def is_needed(self) -> bool:
        """Whether a result needs the vectors: one was measured with them, or that is unknown."""
        return self.results > 0 or self.recent or not self.encoder

    @property
    def fate(self) -> str:
        """How they are used, in words."""
        if not self.encoder:
            return "it is unknown what made them, so they are kept"
        if self.results:
            return f"{self.results:,} results"
        return "no result yet, written within the hour" if self.recent else "no result"


class CacheCleaning(NamedTuple):
    """The contents of a cache, the largest vectors first, and whether what is unneeded was removed;
    printing it shows both.

    columns   files with columns of large corpora, and how many bytes each has
    outdated  those that nothing reads: other code made them, they are damaged, or a process died
              while it wrote them
    """

    vectors: tuple[KeptVectors, ...]
    columns: Mapping[Path, int]
    outdated: tuple[Path, ...]
    removed: bool = False

    @property
    def unneeded_vectors(self) -> tuple[KeptVectors, ...]:
        """The vectors that no result was measured with."""
        return tuple(each for each in self.vectors if not each.is_needed)

    @property
    def bytes(self) -> int:
        """The size of the unneeded vectors and columns."""
        vectors = sum(each.bytes for each in self.unneeded_vectors)
        return vectors + sum(self.columns[path] for path in self.outdated)

    def __str__(self) -> str:
        lines = [
            f"{format_bytes(each.bytes):>9}  {each.encoder or each.folder.name}: {each.fate}"
            for each in self.vectors
        ]
        if self.columns:
            lines.append(f"{format_bytes(sum(self.columns.values())):>9}  columns of large corpora")
        what = []
        if self.unneeded_vectors:
            what.append(f"vectors of {len(self.unneeded_vectors):,} encoders")
        if self.outdated:
            what.append(f"{len(self.outdated):,} files of columns that no rule reads")
        done = "are removed" if self.removed else "would be removed"
        all_of = f"{', '.join(what)}, {format_bytes(self.bytes)}, {done}"
        return "\n".join([*lines, all_of if what else "all of it is needed"])


def note_vectors(
    folder: Path, encoder: str, identities: Iterable[str], results: Path | None
) -> None:
    """Say beside vectors whose they are and where results of them lie, where that is not the cache;
    a cache that cannot be written is done without.
    """
    known, elsewhere = _note(folder), [str(results)] if results else []
    said = {
        "encoder": encoder,
        "identities": sorted({*known.get("identities", ()), *identities}),
        "results": sorted({*known.get("results", ()), *elsewhere}),
    }
    if said != known:
        with contextlib.suppress(FileProblem, OSError):
            write_text(folder / _NOTE, json.dumps(said, ensure_ascii=False, indent=1) + "\n")


def clean_vectors(cache: Path, results: Path, remove: bool) -> CacheCleaning:
    """What lies in a cache; with `remove`, without vectors that no result was measured with, and
    columns that no rule reads. `results` are those of the cache; folders of others are named beside
    the vectors.
    """
    folders = [path for path in sorted((cache / "vectors").glob("*")) if path.is_dir()]
    notes = {path: _note(path) for path in folders}
    places = {Path(p) for said in notes.values() for p in said.get("results", ())} | {results}
    counts = _count_results(places)
    vectors = [_kept_vectors(folder, said, counts) for folder, said in notes.items()]
    columns = {path: get_file_size(path) for path in listed_columns(cache)}
    outdated = tuple(path for path in columns if not _is_current(path))
    by_size = tuple(sorted(vectors, key=lambda each: -each.bytes))
    cleaning = CacheCleaning(by_size, columns, outdated, remove)
    if remove:
        for each in cleaning.unneeded_vectors:
            shutil.rmtree(each.folder)
        for path in outdated:
            path.unlink(missing_ok=True)
    return cleaning


def _kept_vectors(folder: Path, said: Mapping[str, Any], counts: Mapping[str, int]) -> KeptVectors:
    """What lies in the folder of an encoder, of which a note says this."""
    files = [path for path in folder.iterdir() if path.is_file()]
    stats = [path.stat() for path in files]
    newest = max((stat.st_mtime for stat in stats), default=0.0)
    return KeptVectors(
        encoder=str(said.get("encoder", "")),
        folder=folder,
        files=len(files),
        bytes=sum(stat.st_size for stat in stats),
        results=sum(counts.get(identity, 0) for identity in said.get("identities", ())),
        recent=time.time() - newest < _RECENT,
    )


def listed_columns(cache: Path) -> Iterator[Path]:
    """The files of columns in a cache, whatever state they are in."""
    return (path for path in sorted((cache / COLUMNS_FOLDER).glob("*")) if path.is_file())


def get_file_size(path: Path) -> int:
    """How many bytes a file has; none where another process was quicker."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _is_current(path: Path) -> bool:
    if path.name.endswith(DRAFT_SUFFIX):
        with contextlib.suppress(FileNotFoundError):
            return time.time() - path.stat().st_mtime < STALE_DRAFT_SECONDS
    made = ColumnOrigin.of(path) if path.suffix == COLUMNS_SUFFIX else None
    return made is not None and made.current


def _count_results(places: Iterable[Path]) -> dict[str, int]:
    """How many results there are of each identity of an encoder."""
    counts: dict[str, int] = {}
    for place in places:
        for _, made_with in ResultStore(place).facts() if place.is_dir() else ():
            identity = str(made_with.get("identities", {}).get("encoder", ""))
            counts[identity] = counts.get(identity, 0) + 1
    return counts


def _note(folder: Path) -> Mapping[str, Any]:
    """The note beside some vectors; nothing where there is none that can be read."""
    try:
        said = json.loads((folder / _NOTE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}
