"""Batches of sentences of like length, so that hardly anything is padding, and how they are worked
off: on a processor, one thread a batch wastes less than many threads on each small product of one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Floats, Ints
from lingprobe.nets.device import in_halves


def pad_rows(rows: Sequence[Sequence[int]], fill: int) -> NDArray[np.int64]:
    """Rows of whole numbers [rows, longest], filled up on the right."""
    table = np.full((len(rows), max(len(r) for r in rows)), fill, np.int64)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def gather_vectors(vectors: Floats, rows: Sequence[Ints]) -> Any:
    """The vectors [n, dim] at rows [length] of token numbers: a tensor [rows, longest, dim] with
    zeros behind each row's end.
    """
    import torch

    table = np.zeros((len(rows), max(len(row) for row in rows), vectors.shape[1]), np.float32)
    for target, row in zip(table, rows, strict=True):
        target[: len(row)] = vectors[row]
    return torch.from_numpy(table)


def group_rows(lengths: Ints, tokens: int, mode: str) -> list[Ints]:
    """Batches of rows that may be read together: `padded` to the longest, of `equal` length, or
    each `single`.
    """
    if mode == "padded":
        return make_batches(lengths, tokens)
    return (
        equal_batches(lengths, tokens)
        if mode == "equal"
        else [np.array([row]) for row in np.flatnonzero(lengths > 0)]
    )


def equal_batches(lengths: Ints, tokens: int) -> list[Ints]:
    """Rows of equal length, longest first, cut into batches of at most `tokens` tokens; for models
    that read their padding.
    """
    batches = []
    for length in np.unique(lengths[lengths > 0])[::-1].tolist():
        rows = np.flatnonzero(lengths == length)
        batches += np.split(
            rows, range(max(1, tokens // length), len(rows), max(1, tokens // length))
        )
    return batches


def make_batches(lengths: Ints, tokens: int) -> list[Ints]:
    """The rows of lengths [n], longest first, cut into batches [k] of at most `tokens` tokens
    counted with padding; at least one row each.

    A batch that is half full ends where sentences become shorter, so most batches need no padding
    at all. Rows of length 0 are in none. The same lengths give the same batches.
    """
    order = np.argsort(-lengths, kind="stable")
    order = order[: int((lengths > 0).sum())]
    descending = lengths[order]
    tokens = max(1, tokens)  # with none no batch would end
    cuts = []
    start = 0
    while start < len(order):
        longest = int(descending[start])
        full = start + max(1, tokens // longest)
        half = min(start + -(-tokens // (2 * longest)), full, len(order))
        # behind the last row as long as that at half
        same = int(np.searchsorted(-descending, -int(descending[half - 1]), "right"))
        stop = min(full, max(half, same))
        cuts.append(order[start:stop])
        start = stop
    return cuts


_WORKERS = 16  # more would wait for Python's lock


def run_batches(work: Callable[[Ints], None], batches: Sequence[Ints], side_by_side: bool) -> None:
    """Call work([k]) on each of the batches [k]; side by side in as many threads as torch has, each
    computing by itself.

    What a batch gives does not depend on the thread that it falls to. A batch for which a GPU has
    no memory is cut in two; DataProblem where it is one row.
    """
    import torch

    work = functools.partial(_carefully, work)
    threads = torch.get_num_threads()
    workers = min(threads, _WORKERS, len(batches)) if side_by_side else 1
    if workers <= 1:
        for part in batches:
            work(part)
        return
    try:
        with ThreadPoolExecutor(
            workers, initializer=torch.set_num_threads, initargs=(max(1, threads // workers),)
        ) as pool:
            # alone, because libraries install things on their first call
            pool.submit(work, batches[0]).result()
            list(pool.map(work, batches[1:]))  # raises what a part raised
    finally:
        torch.set_num_threads(threads)  # threads to come take over what was set last


def _carefully(work: Callable[[Ints], None], part: Ints) -> None:
    """The work on a part, or on half of it at a time where a GPU has no memory for the whole."""

    def process_rows(rows: Sequence[int]) -> list[None]:
        work(np.array(rows))
        return []

    in_halves(
        process_rows,
        part.tolist(),
        "sentence",
        "take a smaller model, dtype=bfloat16 or device=cpu",
    )
