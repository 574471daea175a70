"""Progress of a long fit: probes report it, and the run that called them may show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int | None], None]
"""Gets how many steps are done, and of how many, if that is known."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tell(done: int, of: int | None = None) -> None:
    """Say that so many steps are done; without a listener this costs next to nothing."""
    listener = _listener.get()
    if listener is not None:
        listener(done, of)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """What is told in this thread while the block runs goes to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
