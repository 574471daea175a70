"""What a run is doing, in notes beside its results: the next run says what was at work when a
process ended without a word, as after a segmentation fault or where memory ran out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lingprobe.data.digests import digest_texts
from lingprobe.store.claims import claim_file, remove_abandoned

log = logging.getLogger("lingprobe.experiment")


@contextmanager
def at_work(doing: str, results: Path | None) -> Iterator[None]:
    """Have it noted in a folder of results, where there is one, what is done while the block runs,
    as in 'loading st:MODEL'.
    """
    if results is None or not results.is_dir():
        yield
        return
    with claim_file(results / f"work-{digest_texts(doing)}", doing):
        yield


def tell_ended_work(results: Path) -> None:
    """Say once what was at work when processes of earlier runs ended without a word."""
    for doing, last in remove_abandoned(results).items():
        log.warning(
            "the last run ended while %s (process %d, since %s); what was finished is kept",
            doing,
            last.process,
            last.since,
        )
