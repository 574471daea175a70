"""What families of tasks share: a question put to what was read from some files, and the factory
that makes a task of it.

A family has its options, a harvest that all its questions are put to, and a table of questions; its
tasks hold the question by name, so that they pickle.
"""

from __future__ import annotations

import gc
import inspect
import threading
import typing
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from sonde.core import DataProblem, Dataset, Sentence
from sonde.corpora.files import Part, digest, uncompressed
from sonde.corpora.tally import Tally
from sonde.datasets import Candidate, Settings, sample
from sonde.datasets.candidates import NOTHING
from sonde.oracles import Facts
from sonde.references import Place

# SentEval reads WordContent without a hidden layer, whatever was asked for (probing.py)
LOGISTIC = "mlp,hidden=0"
HELD = 500_000  # sentences kept for the next task; the latest harvest is kept whatever its size


class Gathered(Protocol):
    """What was found in some files."""

    @property
    def sentences(self) -> Sized: ...


G = TypeVar("G", bound=Gathered)
H = TypeVar("H")
O = TypeVar("O")  # noqa: E741
T = TypeVar("T")

NO_ORACLES: Mapping[str, str] = MappingProxyType({})


class Held(Generic[G]):
    """The latest harvests, so that all tasks of the same files read them once; safe among
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
            while (
                len(self._found) > 1
                and sum(len(held.sentences) for held in self._found.values()) > HELD
            ):
                self._found.popitem(last=False)
            return self._found[key]

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._found.clear()


@dataclass(frozen=True, slots=True)
class Told:
    """What an oracle says of sentences."""

    sentences: Mapping[Sentence, Facts]


_TOLD: Held[Told] = Held()


def told(
    key: object, read: Callable[[], Iterable[tuple[Sentence, Facts]]]
) -> Mapping[Sentence, Facts]:
    """What an oracle says of the sentences of some files, read once; of equal sentences the first
    counts.
    """

    def gathered() -> Told:
        found: dict[Sentence, Facts] = {}
        with uncollected():
            for sentence, facts in read():
                found.setdefault(sentence, facts)
        return Told(found)

    return _TOLD.get(key, gathered).sentences


@contextmanager
def uncollected() -> Iterator[None]:
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What every task takes whose examples are sampled from files; a family adds its own.

    path      a source: a file or a folder
    with_     further sources; sentences that occur in several are taken once
    on_error  raise: malformed data are an error; skip: bad sentences are left out and counted
    splits    sampled: train, dev, test with disjoint target forms; official: those that the files'
              names say
    seed      of everything that is drawn
    size      examples in all, over all folds with `fold`; without, as many as the data allow
    fold      2/5: the second of five folds is test, the rest train and dev; */5: all five of them
    classes   these labels alone, all of them, so that several sources are asked one question;
              without, those that the data allow
    """

    path: Place
    with_: tuple[Place, ...] = field(default=(), kw_only=True)
    on_error: Literal["raise", "skip"] = field(default="raise", kw_only=True)
    splits: Literal["sampled", "official"] = field(default="sampled", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    size: int | None = field(default=None, kw_only=True)
    fold: str | None = field(default=None, kw_only=True)
    classes: tuple[str, ...] = field(default=(), kw_only=True)

    def settings(self, **others: Any) -> Settings:
        """How candidates are sampled."""
        return Settings(
            seed=self.seed, size=self.size, fold=self.fold, splits=self.splits, **others
        )


class Source(NamedTuple):
    """A file, and the name that its sentences are reported by."""

    name: str
    part: Part


def sources(paths: Sequence[str], parts: Callable[[str], Iterable[Part]]) -> list[Source]:
    """The files that some paths name, by the last part of the path, or all of it where several
    paths end alike.
    """
    short = [uncompressed(Path(path)).name for path in paths]
    names = [
        path if short.count(name) > 1 else name for path, name in zip(paths, short, strict=True)
    ]
    found = [
        Source(name, part) for name, path in zip(names, paths, strict=True) for part in parts(path)
    ]
    seen: set[Path] = set()
    for _, part in found:
        if part.path.resolve() in seen:
            raise DataProblem(f"{part.path} is named twice; with= is for further files")
        seen.add(part.path.resolve())
    return found


@lru_cache
def stratum(source: str) -> Mapping[str, str]:
    """The stratum that says which source a sentence comes from, one mapping for all of them;
    nothing without a name.
    """
    return MappingProxyType({"source": source}) if source else NOTHING


def source_notes(files: Iterable[str], tally: Tally, **more: Any) -> dict[str, Any]:
    """Notes that say what was read: the files, how many sentences and words, how many were skipped,
    and the first problems.
    """
    source = {
        "files": list(files),
        "sentences": tally.sentences,
        "words": tally.words,
        "skipped": tally.skipped,
        **more,
    }
    return {"source": source, **remarks(tally), "problems": list(tally.problems)}


def remarks(tally: Tally) -> dict[str, Any]:
    """What tables say about the sources as they are, as a note; {} where there is nothing to
    say.
    """
    return {"remarks": tally.remarks()} if tally.remarks() else {}


def malformed(notes: Mapping[str, Any]) -> tuple[int, str]:
    """How many sentences were left out as malformed, as notes say, and the first of them with the
    reason.
    """
    source, problems = notes.get("source"), notes.get("problems") or [""]
    return (
        (int(source.get("skipped", 0)), str(problems[0])) if isinstance(source, dict) else (0, "")
    )


@dataclass(frozen=True)
class Question(Generic[H, O]):
    """What a task asks: its name, the question in words, how candidates are found in a harvest and
    how they are sampled.

    answers  candidates; what was counted on the way is added to the notes
    needs    the labels without which the question cannot be asked, and the annotation that they
             come from
    oracles  what the labels are derived from, by name, in one sentence each
    classes  how many classes the question has, 0 for as many as the data allow; a data set with
             fewer says so
    probe    what it is read with where nothing else is said
    """

    name: str
    asks: str
    answers: Callable[[H, O, dict[str, Any]], list[Candidate]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    oracles: Mapping[str, str] = field(default_factory=dict)
    classes: int = 0
    probe: str = "mlp"

    def sampled(
        self, options: Asked, candidates: list[Candidate], notes: dict[str, Any], **more: Any
    ) -> Dataset:
        """The data set of some candidates; DataProblem where the annotation cannot answer the
        question.
        """
        self.check(options.path, candidates, notes)
        found = among(candidates, options.classes, notes)
        refused = {"rare": "refuse"} if options.classes else {}
        if self.classes and not options.classes:
            notes["classes of the question"] = self.classes
        return sample(found, options.settings(**{**self.settings, **more, **refused}), notes)

    def check(self, path: str, candidates: list[Candidate], notes: Mapping[str, Any]) -> None:
        """Refuse a question that the annotation cannot answer, and say what is missing."""
        labels = Counter(str(c.label) for c in candidates)
        missing = [label for label in self.needs if not labels[label]]
        if missing or not candidates:
            why = (
                "; ".join(f"no sentence is {label!r}: {self.needs[label]}" for label in missing)
                or "no sentence answers it"
            )
            out = ", ".join(
                f"{reason}: {n}" for reason, n in list(notes.get("left out", {}).items())[:4]
            )
            raise DataProblem(
                f"{self.name} cannot be asked of {path}: {why} (left out: {out or 'nothing'})"
            )


def among(
    candidates: list[Candidate], classes: Sequence[str], notes: dict[str, Any]
) -> list[Candidate]:
    """The candidates of some classes, all without; the others are counted, and a class that none
    has is a DataProblem.
    """
    if not classes:
        return candidates
    found = Counter(str(c.label) for c in candidates)
    if missing := [name for name in classes if not found[name]]:
        there = ", ".join(f"{name} ({n:,})" for name, n in found.most_common(MANY)) or "none"
        raise DataProblem(f"classes={missing[0]}: no sentence has that label; there are {there}")
    kept = [c for c in candidates if c.label in classes]
    notes["left out"] = {
        **notes.get("left out", {}),
        "of a class that classes= does not name": len(candidates) - len(kept),
    }
    return kept


MANY = 24  # labels that a message names


def fingerprint(found: Iterable[Part]) -> str:
    """The files' contents, and the splits that their names say."""
    listed = list(found)
    return (
        f"{','.join(part.split or '-' for part in listed)}:{digest(part.path for part in listed)}"
    )


def factory(
    name: str,
    asks: str,
    options: type[O],
    task: Callable[[str, O], T],
    oracles: Mapping[str, str] = NO_ORACLES,
) -> Callable[..., T]:
    """A factory whose signature is that of the options (`options`, whose docstring explains them),
    and whose docstring is the question.

    oracles  those that its tasks have where their data say what they hold
    """

    def made(*path: str, **given: Any) -> T:
        return task(name, options(*path, **given))

    shown = {
        "__doc__": asks,
        "__signature__": inspect.signature(options),
        "__annotations__": typing.get_type_hints(options, include_extras=True),
        "__name__": name.partition("/")[2].replace("-", "_"),
        "options": options,
        "oracles": oracles,
    }
    for attribute, value in shown.items():
        setattr(made, attribute, value)
    return made
