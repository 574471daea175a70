"""Batches side by side: on a processor, one thread a batch wastes less than many threads on each
small product of one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from sonde.vectors import Ints

WORKERS = 16  # more would wait for Python's lock


def spread(work: Callable[[Ints], None], parts: Sequence[Ints], side_by_side: bool) -> None:
    """Call `work` on every part; side by side in as many threads as torch has, each computing by
    itself.

    What a part gives does not depend on the thread that it falls to.
    """
    import torch

    threads = torch.get_num_threads()
    workers = min(threads, WORKERS, len(parts)) if side_by_side else 1
    if workers <= 1:
        for part in parts:
            work(part)
        return
    try:
        with ThreadPoolExecutor(
            workers, initializer=torch.set_num_threads, initargs=(max(1, threads // workers),)
        ) as pool:
            # alone, because libraries install things on their first call
            pool.submit(work, parts[0]).result()
            list(pool.map(work, parts[1:]))  # raises what a part raised
    finally:
        torch.set_num_threads(threads)  # threads to come take over what was set last
