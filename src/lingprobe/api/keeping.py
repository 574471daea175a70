"""What a folder of results and a cache hold: shown, and cleaned."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lingprobe.api.arguments import takes_options
from lingprobe.api.result_options import HoldingsOptions
from lingprobe.experiment.paths import Paths
from lingprobe.store.holdings import Holding, list_holdings
from lingprobe.store.kept_vectors import Cleaning, clean


class Holdings(NamedTuple):
    """The folders of results and of vectors, with their files by kind and format."""

    results: Path
    vectors: Path
    files: list[Holding]


@takes_options(HoldingsOptions)
def holdings(results: str | Path | None = None, *, cache: str | Path | None = None) -> Holdings:
    """The files in a folder of results (default: the cache's) and in a cache, by kind; their
    contents are not read.

        print(sum(each.bytes for each in lingprobe.holdings().files))
    """
    paths = Paths.of(results, cache)
    files = list_holdings(paths.results, paths.cache)
    return Holdings(paths.results, paths.cache / "vectors", files)


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
