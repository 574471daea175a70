"""What was made lately, so that it is not made again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class LruCache(Generic[T]):
    """The things that were kept or found last, as many as there is room for; safe among threads."""

    def __init__(self, room: int) -> None:
        self._room, self._size = room, 0
        self._found: OrderedDict[object, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: object) -> T | None:
        """What is kept under a key; None where nothing is, or no longer."""
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key][0]

    def keep(self, key: object, thing: T, size: int = 1) -> None:
        """Keep a thing of this size, unless it alone has no room."""
        if size > self._room:
            return
        with self._lock:
            self._size += size - self._found.pop(key, (thing, 0))[1]
            self._found[key] = thing, size
            while self._size > self._room:
                self._size -= self._found.popitem(last=False)[1][1]
