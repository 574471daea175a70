"""States of long fits, so that a killed fit can continue; the run may store them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class State:
    """A fit on its way: what JSON holds, and arrays by name."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def name_of_fit(settings: object, arrays: Iterable[NDArray[Any]]) -> str:
    """Stands for all that a fit is given: what its settings are written as, and arrays."""
    state = hashlib.blake2b(repr(settings).encode(), digest_size=16)
    for array in arrays:
        state.update(repr((array.dtype.str, array.shape)).encode())
        state.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return state.hexdigest()


class Keeper(Protocol):
    """Keeps the states of the fits of one unit of work, by a name that stands for all that a fit is
    given.
    """

    @property
    def any(self) -> bool:
        """Whether something is kept."""
        ...

    @property
    def due(self) -> bool:
        """Whether it is time to keep something."""
        ...

    def find(self, name: str) -> State | None:
        """What was kept last of a fit."""
        ...

    def keep(self, name: str, state: State) -> None:
        """Keep a state in the place of the last one."""
        ...


_keeper: ContextVar[Keeper | None] = ContextVar("keeper", default=None)


@contextmanager
def keeping(keeper: Keeper) -> Iterator[None]:
    """States of fits that run in this thread inside are kept."""
    token = _keeper.set(keeper)
    try:
        yield
    finally:
        _keeper.reset(token)


class Course:
    """One fit on its way.

    named  makes the fit's name, which takes a while: it is called where something is kept
    state  what was kept of the fit; None where it starts
    """

    def __init__(self, named: Callable[[], str]) -> None:
        self._named, self._keeper = named, _keeper.get()
        self.state = self._keeper.find(self._name) if self._keeper and self._keeper.any else None
        self._long = self.state is not None

    @cached_property
    def _name(self) -> str:
        return self._named()

    def offer(self, state: Callable[[], State]) -> None:
        """Keep a state where it is time to; without a keeper this costs next to nothing."""
        if self._keeper is not None and self._keeper.due:
            self._keeper.keep(self._name, state())
            self._long = True

    def end(self, state: Callable[[], State]) -> None:
        """Keep the end of a fit of which something was kept: others of its unit may follow."""
        if self._keeper is not None and self._long:
            self._keeper.keep(self._name, state())
