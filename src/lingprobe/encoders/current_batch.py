"""Which sentences a running model is at, for changes of its states that depend on the sentence."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Ints


class BatchRows(NamedTuple):
    """The rows of a batch.

    sentences  [rows] the number of each row's sentence among those that are encoded
    words      the tokens first:last of each word of each row, [words, 2] each; None where words
               were not looked for
    """

    sentences: Ints
    words: Sequence[Ints] | None = None


class _Current(threading.local):
    """The batch that a thread is at."""

    batch: BatchRows | None = None


_current = _Current()


@contextmanager
def mark_batch(batch: BatchRows) -> Iterator[None]:
    """Say which batch is run until the block ends."""
    before, _current.batch = _current.batch, batch
    try:
        yield
    finally:
        _current.batch = before


def current_batch(rows: int) -> BatchRows:
    """The batch that this thread is at; EncoderStop where it has not so many rows."""
    batch = _current.batch
    if batch is None or len(batch.sentences) != rows:
        raise EncoderStop(
            "the model's states do not lie row by row as its sentences do, so none of them can be"
            " changed by its sentence"
        )
    return batch
