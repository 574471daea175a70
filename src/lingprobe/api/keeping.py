"""What a folder of results and a cache hold: shown, and cleaned."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lingprobe.api.arguments import takes_options
from lingprobe.api.result_options import HoldingsOptions
from lingprobe.experiment.paths import RunPaths
from lingprobe.store.holdings import StoredFiles, list_holdings
from lingprobe.store.kept_vectors import CacheCleaning, clean_vectors


class StoreHoldings(NamedTuple):
    """The folders of results and of vectors, with their files by kind and format."""

    results: Path
    vectors: Path
    files: list[StoredFiles]


@takes_options(HoldingsOptions)
def holdings(
    results: str | Path | None = None, *, cache: str | Path | None = None
) -> StoreHoldings:
    """The files in a folder of results (default: the cache's) and in a cache, by kind; their
    contents are not read.

        print(sum(each.bytes for each in lingprobe.holdings().files))
    """
    paths = RunPaths.of(results, cache)
    files = list_holdings(paths.results, paths.cache)
    return StoreHoldings(paths.results, paths.cache / "vectors", files)


def clean_cache(cache: str | Path | None = None, *, remove: bool = False) -> CacheCleaning:
    """The contents of a cache, and what of them is unneeded: vectors that no result was measured
    with, in the cache or in a folder that a run wrote, and columns of large corpora that rules of
    another version found; printing it shows all.

    remove  delete what is unneeded; a run that needs it makes it again

        print(lingprobe.clean_cache())
        lingprobe.clean_cache(remove=True)
    """
    paths = RunPaths.of(None, cache)
    return clean_vectors(paths.cache, paths.results, remove)
