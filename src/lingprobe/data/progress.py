"""Progress of long work: bars for whoever watches, and what probes tell of a long fit to the run
that called them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from lingprobe.data.printing import strip_unprintable

Listener = Callable[[int, int | None], None]
"""Gets how many steps are done, and of how many, if that is known."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def show_progress(
    is_shown: bool, over: Iterable[Any] | None = None, desc: str | None = None, **look: Any
) -> Any:
    """A bar of tqdm on standard error, where it is wanted and somebody can watch: in a terminal or
    a notebook, unless TQDM_DISABLE is set.

    desc  what stands before it, which may name what others wrote
    look  the other keywords of tqdm but `disable`
    """
    from tqdm.auto import tqdm

    off = os.environ.get("TQDM_DISABLE", "").lower() not in ("", "0", "false")
    name = None if desc is None else strip_unprintable(desc)
    return tqdm(over, desc=name, disable=off or not (is_shown and is_watched()), **look)


def is_watched() -> bool:
    """Whether anybody sees what is drawn on standard error: in a terminal or a notebook."""
    kernels = sys.modules.get("ipykernel.kernelapp")  # others import it without being one
    return sys.stderr.isatty() or (kernels is not None and kernels.IPKernelApp.initialized())


def report_progress(done: int, of: int | None = None) -> None:
    """Say that so many steps are done; without a listener this costs next to nothing."""
    listener = _listener.get()
    if listener is not None:
        listener(done, of)


@contextmanager
def listen_to_progress(listener: Listener) -> Iterator[None]:
    """What is told in this thread while the block runs goes to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
