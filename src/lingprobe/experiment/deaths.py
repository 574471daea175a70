"""Encoders that end the process that they run in, as a segmentation fault or os._exit does: which
one is at work is noted, so that whoever goes on knows what to leave out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lingprobe.data._closure import digest
from lingprobe.data._foreign_code import WATCH
from lingprobe.data.examples import DataProblem
from lingprobe.store.claims import claim_file, clear, ended_holder

LOADED, ENCODING = "while it was loaded", "while it encoded"

log = logging.getLogger("lingprobe.experiment")


class Died(DataProblem):
    """An encoder in which a process of this run died; the message says how, and at what."""


@contextmanager
def at_work(name: str, doing: str, results: Path | None = None) -> Iterator[None]:
    """Have it noted that an encoder is at work while the block runs; Died where an earlier process
    of this run died of that.

    results  a folder for a note that the next run finds, where no other process watches this one
    """
    watch, place = WATCH.get(), results and results / f"work-{digest(name)}"
    known = [note for note in watch.died if note.partition("\t")[0] == name]
    if place and known:
        clear(place)
    elif place and (last := ended_holder(place)):
        log.warning(
            "%s: an earlier run died while this encoder was at work (process %d, since %s); should"
            " this one die as well, leave the encoder out",
            name,
            last.process,
            last.since,
        )
    if (note := f"{name}\t{doing}") in known:
        raise Died(f"{watch.died[note]} {doing}")
    with ExitStack() as stack:
        if place and place.parent.is_dir():
            stack.enter_context(claim_file(place))
        watch.tell(note)
        try:
            yield
        finally:
            watch.tell("")
