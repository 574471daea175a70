"""What was read last, kept so that all tasks of the same files read them once."""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from typing import Generic, TypeVar

from lingprobe.data.core import Sentence
from lingprobe.data.oracles import Facts

_KEPT = 500_000  # sentences kept for the next task; the latest corpus is kept whatever its size

G = TypeVar("G", bound=Sized)


class CorpusCache(Generic[G]):
    """The latest corpora, so that all tasks of the same files read them once; safe among
    threads.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[object, G] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], G]) -> G:
        """What is held under a key, or made now."""
        with self._lock:
            if key not in self._found:
                self._found[key] = make()
            self._found.move_to_end(key)
            while len(self._found) > 1 and sum(map(len, self._found.values())) > _KEPT:
                self._found.popitem(last=False)
            return self._found[key]

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._found.clear()


_FACTS: CorpusCache[Mapping[Sentence, Facts]] = CorpusCache()


def oracle_facts(
    key: object,
    read: Callable[[], Iterable[tuple[Sentence, Facts]]],
    sentences: Collection[Sentence] = (),
) -> Mapping[Sentence, Facts]:
    """What an oracle says of the sentences of some files, read once for all tasks; of equal
    sentences the first counts.

    sentences  of files that are too large for that: the sentences that are asked about
    """
    some = frozenset(sentences)

    def read_all() -> Mapping[Sentence, Facts]:
        by_sentence: dict[Sentence, Facts] = {}
        with pause_garbage_collection():
            for sentence, facts in read():
                if not some or sentence in some:
                    by_sentence.setdefault(sentence, facts)
        return by_sentence

    return read_all() if some else _FACTS.get(key, read_all)


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Keep the garbage collector from walking over all the tuples again and again while they are
    made; none is in a cycle.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
