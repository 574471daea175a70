"""What lies in a folder of results and in a cache, by kind and format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lingprobe.store import columns
from lingprobe.store.blocks import BlockFile, DamagedFile
from lingprobe.store.folder import VECTORS_SUFFIX
from lingprobe.store.items import ITEMS_SUFFIX
from lingprobe.store.kept_vectors import get_file_size, listed_columns
from lingprobe.store.results import RESULT_SUFFIX, SCORES_SUFFIX

_PLAN = ".plan"
_IN_RESULTS = {RESULT_SUFFIX: "results", SCORES_SUFFIX: "scores", ITEMS_SUFFIX: "test examples"}
_KINDS = {**_IN_RESULTS, VECTORS_SUFFIX: "vectors", _PLAN: "vectors"}


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Files of one kind and format: `results`, `scores`, `vectors` (with their plans) or
    `columns`.
    """

    kind: str
    format: int
    made: str
    files: tuple[Path, ...] = ()
    bytes: int = 0


def list_holdings(results: Path, cache: Path) -> list[StoredFiles]:
    """What lies in a folder of results and in a cache, by kind and format; damaged files are left
    out.
    """
    groups: dict[tuple[str, int, str], list[Path]] = {}
    for path in _list_kept_files(results, cache):
        try:
            block = BlockFile(path)
        except (DamagedFile, FileNotFoundError):
            continue
        groups.setdefault((_KINDS[path.suffix], block.format, block.made), []).append(path)
    for path in listed_columns(cache):
        if path.suffix == columns.COLUMNS_SUFFIX and (made := columns.ColumnOrigin.of(path)):
            groups.setdefault(
                ("columns", columns.COLUMNS_FORMAT_VERSION, made.lingprobe), []
            ).append(path)
    return [
        StoredFiles(*key, tuple(paths), sum(map(get_file_size, paths)))
        for key, paths in sorted(groups.items())
    ]


def _list_kept_files(results: Path, cache: Path) -> Iterator[Path]:
    """The files of results and scores, then those of vectors."""
    yield from sorted(
        p for p in results.glob("*") if p.suffix in _IN_RESULTS and not p.name.startswith(".")
    )
    yield from sorted(
        p
        for p in (cache / "vectors").glob("*/*")
        if p.suffix in (VECTORS_SUFFIX, _PLAN) and not p.name.startswith(".")
    )
