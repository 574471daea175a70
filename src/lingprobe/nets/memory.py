"""How much memory the fits of a process may take: what was asked for, or most of what is free."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from lingprobe.data.cache import BYTES_PER_KILOBYTE, set_environment
from lingprobe.data.errors import UsageProblem
from lingprobe.nets.device import free_memory

T = TypeVar("T")
_MEMORY = "LINGPROBE_MEMORY"  # bytes that fits of one process may take
_SHARE = 0.75  # of what is free, where nothing was asked for
_SIZES = ("", "K", "M", "G", "T")


def parse_byte_size(text: str) -> int:
    """The bytes that a size means, as '8GB', '500 MB' or '8e9'. UsageProblem for anything else."""
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([kmgt]?)i?b?\s*", text, re.I)
    count = (
        int(float(found[1]) * BYTES_PER_KILOBYTE ** _SIZES.index(found[2].upper())) if found else 0
    )
    if not count:
        raise UsageProblem(f"memory={text}: give a size, as 8GB or 500MB")
    return count


def limit_memory(memory: str | None, processes: int = 1) -> AbstractContextManager[None]:
    """`--memory`: fits inside take at most so much, all processes together, those of worker
    processes as well; None is three quarters of the memory that is free now.
    """
    if memory is None and os.environ.get(_MEMORY):
        return set_environment(_MEMORY, None)
    bound = _share_of_free() if memory is None else parse_byte_size(memory)
    return set_environment(_MEMORY, None if bound is None else str(bound // processes))


def memory_bound() -> int | None:
    """How much memory, in bytes, the fits of this process may take; None where nobody knows."""
    said = os.environ.get(_MEMORY)
    return parse_byte_size(said) if said else _share_of_free()


def at_most(usual: int, share: float) -> int:
    """A number of bytes, or that share of a run's bound where this is less. It does not follow what
    is free from moment to moment, as what is done at once decides last bits.
    """
    said = os.environ.get(_MEMORY)
    return min(usual, int(parse_byte_size(said) * share)) if said else usual


def in_parts(items: Sequence[T], cost: Callable[[T], int], room: int) -> Iterator[list[T]]:
    """With less memory, fewer are made at once: items in their order, as many as cost no more than
    there is room, or one.
    """
    part, spent = list[T](), 0
    for item in items:
        if part and spent + cost(item) > room:
            yield part
            part, spent = [], 0
        part.append(item)
        spent += cost(item)
    if part:
        yield part


def _share_of_free() -> int | None:
    """Three quarters of the memory that is free."""
    free = free_memory()
    return None if free is None else int(_SHARE * free)
