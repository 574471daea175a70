"""What families of tasks share: a question put to what was read from some files, and the factory that makes a task of it.

A family has its options, a harvest that all its questions are put to, and a table of questions; its tasks hold the question by
name, so that they pickle.
"""

from __future__ import annotations

import gc
import inspect
import threading
import typing
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from sonde.core import DataProblem
from sonde.sampling import Candidate
from sonde.sources.files import Part, digest

HELD = 500_000  # sentences kept for the next task; the latest harvest is kept whatever its size


class Gathered(Protocol):
    """What was found in some files."""

    @property
    def sentences(self) -> Sized: ...


G = TypeVar("G", bound=Gathered)
H = TypeVar("H")
O = TypeVar("O")  # noqa: E741 -- options, beside H for a harvest
T = TypeVar("T")


class Held(Generic[G]):
    """The latest harvests, so that all tasks of the same files read them once; safe among threads."""

    def __init__(self) -> None:
        self._found: OrderedDict[object, G] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], G]) -> G:
        """What is held under a key, or made now."""
        with self._lock:
            if key not in self._found:
                self._found[key] = make()
            self._found.move_to_end(key)
            while len(self._found) > 1 and sum(len(held.sentences) for held in self._found.values()) > HELD:
                self._found.popitem(last=False)
            return self._found[key]

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._found.clear()


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector from walking over all the tuples again and again while they are made; none is in a cycle."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@dataclass(frozen=True)
class Question(Generic[H, O]):
    """What a task asks: its name, the question in words, how candidates are found in a harvest and how they are sampled.

    answers  candidates; what was counted on the way is added to the notes
    needs    the labels without which the question cannot be asked, and the annotation that they come from
    """

    name: str
    asks: str
    answers: Callable[[H, O, dict[str, Any]], list[Candidate]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)

    def check(self, path: str, candidates: list[Candidate], notes: Mapping[str, Any]) -> None:
        """Refuse a question that the annotation cannot answer, and say what is missing."""
        labels = Counter(str(c.label) for c in candidates)
        missing = [label for label in self.needs if not labels[label]]
        if missing or not candidates:
            why = "; ".join(f"no sentence is {label!r}: {self.needs[label]}" for label in missing) or "no sentence answers it"
            out = ", ".join(f"{reason}: {n}" for reason, n in list(notes.get("left out", {}).items())[:4])
            raise DataProblem(f"{self.name} cannot be asked of {path}: {why} (left out: {out or 'nothing'})")


def fingerprint(found: Iterable[Part], *patterns: str) -> str:
    """The files' contents, the splits that their names say, and the code that reads, judges and samples them."""
    listed = list(found)
    room = Path(__file__).parent
    tasks = [path for pattern in (*patterns, "questions.py") for path in room.glob(pattern)]
    code = sorted({*tasks, *(room.parent / "sources").glob("*.py"), *(room.parent / "sampling").glob("*.py")})
    return f"{','.join(part.split or '-' for part in listed)}:{digest(part.path for part in listed)}:{digest(code)}"


def factory(name: str, asks: str, options: type[O], task: Callable[[str, O], T]) -> Callable[..., T]:
    """A factory whose signature is that of the options, and whose docstring is the question."""

    def made(path: str, **given: Any) -> T:
        return task(name, options(path, **given))  # type: ignore[call-arg]

    shown = {
        "__doc__": asks,
        "__signature__": inspect.signature(options),
        "__annotations__": typing.get_type_hints(options),
        "__name__": name.partition("/")[2].replace("-", "_"),
    }
    for attribute, value in shown.items():
        setattr(made, attribute, value)
    return made
