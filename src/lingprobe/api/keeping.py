"""What a folder of results and a cache hold: shown, converted, cleaned."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lingprobe.experiment.paths import Paths
from lingprobe.store.kept_vectors import Cleaning, clean
from lingprobe.store.migration import Holding, Migration
from lingprobe.store.migration import holdings as held
from lingprobe.store.migration import migrate as migrated


class Holdings(NamedTuple):
    """The folders of results and of vectors, with their files by kind and format."""

    results: Path
    vectors: Path
    files: list[Holding]


def holdings(results: str | Path | None = None, *, cache: str | Path | None = None) -> Holdings:
    """The files in a folder of results (default: the cache's) and in a cache, by kind; their
    contents are not read.

        print(sum(each.bytes for each in lingprobe.holdings().files))
    """
    paths = Paths.of(results, cache)
    files = held(paths.results, paths.cache)
    return Holdings(paths.results, paths.cache / "vectors", files)


def migrate(
    results: str | Path | None = None,
    *,
    cache: str | Path | None = None,
    remove: bool = False,
) -> Migration:
    """Convert results of earlier versions of lingprobe to the current format; printing it says what
    was done.

    cache   as in `Settings`
    remove  delete vectors of earlier formats, which nothing reads
    StoreProblem if the disk is full: converted results are kept, and the next call continues.

        print(lingprobe.migrate("results/"))
    """
    paths = Paths.of(results, cache)
    return migrated(paths.results, paths.cache, remove)


def clean_cache(cache: str | Path | None = None, *, remove: bool = False) -> Cleaning:
    """The contents of a cache, and what of them is unneeded: vectors that no result was measured
    with, in the cache or in a folder that a run wrote, and columns of large corpora that rules of
    another version found; printing it shows all.

    remove  delete what is unneeded; a run that needs it makes it again

        print(lingprobe.clean_cache())
        lingprobe.clean_cache(remove=True)
    """
    paths = Paths.of(None, cache)
    return clean(paths.cache, paths.results, remove)
