"""What lies in a store, by the format that it was written in; and its results written anew in the
format of today.

Results of an earlier format are shown, marked with the version that measured them, and so they are
after a migration: their identities were kept by hand then, and do not say what code measured them,
so they never stand in for a measurement. Vectors of an earlier format are not read, for the same
reason, and cannot be rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lingprobe.store import columns
from lingprobe.store.blocks import FORMAT, Block, Damaged, set_aside
from lingprobe.store.folder import SUFFIX as VECTORS
from lingprobe.store.kept_vectors import listed_columns, size_of
from lingprobe.store.results import SCORES, ResultStore
from lingprobe.store.results import SUFFIX as RESULTS

PLAN = ".plan"
IN_RESULTS = {RESULTS: "results", SCORES: "scores"}
KINDS = {**IN_RESULTS, VECTORS: "vectors", PLAN: "vectors"}


@dataclass(frozen=True, slots=True)
class Holding:
    """Files of one kind and format: `results`, `scores`, `vectors` (with their plans) or
    `columns`.
    """

    kind: str
    format: int
    made: str
    files: tuple[Path, ...] = ()
    bytes: int = 0


@dataclass
class Migration:
    """What a migration did.

    results, files   how many results were rewritten, and how many files held them
    left, removed    files of vectors that were kept, and how many were deleted
    damaged          files that were set aside
    """

    results: int = 0
    files: int = 0
    left: list[Path] = field(default_factory=list)
    removed: int = 0
    damaged: list[Path] = field(default_factory=list)

    def __str__(self) -> str:
        lines = []
        if self.files:
            lines.append(
                f"{self.results} results in {self.files} files were converted to the format of"
                " this version, and are still marked with their own version"
            )
        if self.removed:
            lines.append(f"{self.removed} files of vectors of earlier versions are deleted")
        if self.left:
            lines.append(
                f"{len(self.left)} files of vectors of earlier versions stay as they are: it is"
                " unknown which code made them, so they are not used and are encoded again when"
                " needed; `--remove` deletes them"
            )
        if self.damaged:
            lines.append(f"{len(self.damaged)} damaged files are set aside as *.damaged")
        return "\n".join(lines) or "everything is in the format of this version"


def holdings(results: Path, cache: Path) -> list[Holding]:
    """What lies in a folder of results and in a cache, by kind and format; damaged files are left
    out.
    """
    groups: dict[tuple[str, int, str], list[Path]] = {}
    for path in _files(results, cache):
        try:
            block = Block(path)
        except (Damaged, FileNotFoundError):
            continue
        groups.setdefault((KINDS[path.suffix], block.format, block.made), []).append(path)
    for path in listed_columns(cache):
        if path.suffix == columns.SUFFIX and (made := columns.Made.of(path)):
            groups.setdefault(("columns", columns.FORMAT, made.lingprobe), []).append(path)
    return [
        Holding(*key, tuple(paths), sum(map(size_of, paths)))
        for key, paths in sorted(groups.items())
    ]


def migrate(results: Path, cache: Path, remove: bool = False) -> Migration:
    """Write results of earlier formats anew, each file whole before the old one goes; with
    `remove`, delete their vectors.

    A damaged file is set aside. A full disk is a StoreProblem; what was rewritten before stays, and
    the same again goes on.
    """
    done, store = Migration(), ResultStore(results)
    for path in _files(results, cache):
        try:
            if (block := Block(path)).format == FORMAT:
                continue
            if path.suffix == RESULTS:
                done.results += store.rewrite(block)
                done.files += 1
                path.unlink()
            elif remove:
                path.unlink()
                done.removed += 1
            else:
                done.left.append(path)
        except FileNotFoundError:  # another process was quicker
            continue
        except Damaged as damage:
            set_aside(path, damage)
            done.damaged.append(path)
    return done


def _files(results: Path, cache: Path) -> Iterator[Path]:
    """The files of results and scores, then those of vectors."""
    yield from sorted(
        p for p in results.glob("*") if p.suffix in IN_RESULTS and not p.name.startswith(".")
    )
    yield from sorted(
        p
        for p in (cache / "vectors").glob("*/*")
        if p.suffix in (VECTORS, PLAN) and not p.name.startswith(".")
    )
