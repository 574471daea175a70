"""Where a run keeps things: results in one folder, vectors and what was learnt about data in the
cache.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lingprobe.data.abilities import TextWriting
from lingprobe.data.cache import cache_dir
from lingprobe.data.checks import check_working_folder
from lingprobe.data.core import Dataset, Encoder, Result
from lingprobe.data.digests import digest_texts
from lingprobe.store.blocks import check_folder_writable
from lingprobe.store.items import write_items, write_written
from lingprobe.store.precision import kept_as, type_name
from lingprobe.store.results import ResultStore, find_scores, write_scores
from lingprobe.store.vectors import VectorStore


@dataclass(frozen=True)
class RunPaths:
    """Where results and vectors lie, the type that vectors are kept in, whether scores are kept
    beside results, whether vectors are removed as soon as all of them was measured, and whether the
    test examples are kept beside results.
    """

    results: Path
    cache: Path
    dtype: str = "float32"
    scores: bool = False
    passing: bool = False
    texts: bool = True

    @classmethod
    def of(
        cls,
        results: str | Path | None = None,
        cache: str | Path | None = None,
        dtype: str = "float32",
        project: int | None = None,
    ) -> RunPaths:
        """The folders given; otherwise $LINGPROBE_CACHE, or the user's cache folder, with the
        results inside it.
        """
        check_working_folder()
        root = (Path(cache) if cache else cache_dir()).absolute()
        folder = Path(results).absolute() if results else root / "results"
        passing = dtype == "none"
        kept = type_name("float32" if passing else dtype, project)
        kept_as(kept)  # or says what is wrong with it
        return cls(folder, root, kept, passing=passing)

    def check(self) -> None:
        """Refuse a folder that no results can be written to, before hours of work find it out."""
        check_folder_writable(self.results)

    def result_store(self) -> ResultStore:
        """The store of results."""
        return ResultStore(self.results)

    def known_results(self, ids: Iterable[str]) -> dict[str, Result]:
        """The results of those of the trial ids that need not be measured; where scores are kept,
        those that have them, or cannot.
        """
        results = self.result_store().find(ids)
        if not self.scores:
            return results
        return {
            i: replace(results[i], scores=one)
            for i, one in find_scores(self.results, results).items()
        }

    def keep(self, results: Sequence[tuple[str, Result]]) -> None:
        """Keep the results (trial id, result) of one unit of work."""
        if self.scores or any(result.scores is not None for _, result in results):
            write_scores(self.results, results)
        self.result_store().write(results)

    def keep_items(self, result: Result, dataset: Dataset) -> None:
        """Keep the test examples of a result, in its order, unless no texts are to be kept."""
        if self.texts:
            write_items(self.results, result, dataset)

    def keep_written(self, result: Result, dataset: Dataset, encoder: Encoder) -> None:
        """Keep what an encoder wrote itself behind the texts of test examples, likewise."""
        if not (self.texts and isinstance(encoder, TextWriting)):
            return
        found = encoder.find_written(dataset.sentences)
        if any(text is not None for text in found):
            sites = dataset.sites[:, :, 0].tolist()
            write_written(self.results, result, [[found[k] for k in row] for row in sites])

    def revisions(self) -> dict[str, set[str]]:
        """The revisions of each encoder that results are kept of, where the user chose the folder;
        the cache has everybody's.
        """
        revisions: dict[str, set[str]] = {}
        for trial, made_with in (
            self.result_store().facts() if self.results != self.cache / "results" else ()
        ):
            revisions.setdefault(trial.encoder, set()).add(str(made_with.get("revision", "")))
        return revisions

    def vector_store(self) -> VectorStore:
        """The cache of vectors; its open blocks are kept, so that not every group of trials opens
        them anew.
        """
        return _open_store(self.vectors, self.dtype, threading.get_ident())

    @property
    def vectors(self) -> Path:
        """The folder of vectors; those that are not kept have one for each folder of results."""
        if not self.passing:
            return self.cache / "vectors"
        return self.cache / "passing" / digest_texts(str(self.results))


def close_stores() -> None:
    """Let go of the blocks of vectors that are open in this process."""
    _open_store.cache_clear()


@functools.lru_cache(maxsize=4)
def _open_store(root: Path, dtype: str, thread: int) -> VectorStore:
    """A store for each thread, since its lists of blocks are changed while it is read; processes
    have their own.
    """
    return VectorStore(root, dtype)
