"""Anything that turns sentences into vectors, made into an Encoder: functions, objects with
`encode`, SentEval pairs.

What it returns is checked: one row of numbers a sentence, always as many. NaN is left to whoever
keeps the vectors: there the sentence is left out and counted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sonde.core import DataProblem, Encoder, Sentence
from sonde.encoders.origin import called, source
from sonde.encoders.st import class_of, live
from sonde.vectors import Vectors

BATCH = 128  # SentEval's batch size where params name none


@dataclass(frozen=True)
class Adapted:
    """A function list[str] -> [n, dim] as an encoder; it reads the raw text."""

    name: str
    function: Callable[[list[str]], Any]
    fingerprint: str

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors(
            (_checked(self.name, self.function([s.text for s in sentences]), len(sentences)),)
        )


class Params(dict[str, Any]):
    """SentEval's params: fields are read and written as attributes, and those that nobody set are
    None.
    """

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):  # pickle and copy ask for these
            raise AttributeError(key)
        return self.get(key)

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value


@dataclass(frozen=True)
class Batched:
    """SentEval's `batcher(params, batch)`; a batch is a list of lists of words."""

    name: str
    batcher: Callable[[Any, list[list[str]]], Any]
    fingerprint: str
    params: Params = field(default_factory=Params)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        words = [list(s.words) for s in sentences]
        size = int(self.params.batch_size or BATCH)
        parts = [words[i : i + size] for i in range(0, len(words), size)]
        found = [_checked(self.name, self.batcher(self.params, part), len(part)) for part in parts]
        widths = {part.shape[1] for part in found}
        if len(widths) > 1:
            raise DataProblem(
                f"{self.name}: the batcher returned vectors of"
                f" {' and '.join(map(str, sorted(widths)))} dimensions"
            )
        return Vectors((np.concatenate(found) if found else np.zeros((0, 0), np.float32),))


@dataclass(frozen=True)
class Pair:
    """SentEval's `(batcher, prepare)`: prepare sees all sentences of a data set first, and leaves
    what it learns in params.
    """

    batched: Batched
    prepare: Callable[[Any, list[list[str]]], Any]
    made_of: str = ""

    @property
    def name(self) -> str:
        return self.batched.name

    @property
    def fingerprint(self) -> str:
        """Those of the batcher's source and of prepare's."""
        return f"{self.batched.fingerprint} {self.made_of}"

    def prepared(self, sentences: Sequence[Sentence]) -> Encoder:
        params = Params(self.batched.params)
        self.prepare(params, [list(s.words) for s in sentences])
        return replace(self.batched, params=params)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.prepared(sentences).encode(sentences)


def adapt(thing: Any, name: str | None = None) -> Encoder:
    """An Encoder of anything that turns sentences into vectors.

    That is an Encoder, a SentenceTransformer, an object with `encode(list[str])`, a function
    list[str] -> [n, dim], a SentEval `batcher(params, batch)`, or a pair `(batcher, prepare)`.
    Without a name, what has no source file of its own is told apart in this process only: its
    vectors are not found again by a later one.
    """
    if (
        isinstance(thing, tuple)
        and len(thing) == 2
        and callable(thing[0])
        and (thing[1] is None or callable(thing[1]))
    ):
        batched = Batched(name or called(thing[0]), thing[0], source(thing[0], name))
        return batched if thing[1] is None else Pair(batched, thing[1], source(thing[1], name))
    encode = getattr(thing, "encode", None)
    if callable(encode) and not inspect.isclass(thing):
        if class_of(thing):
            # the road of st:, so that a model and its reference give the same vectors
            return live(thing, name)
        if _takes_sentences(thing):
            return thing  # type: ignore[no-any-return]
        return Adapted(name or called(thing), encode, source(thing, name))
    if inspect.isroutine(thing) or (callable(thing) and not inspect.isclass(thing)):
        if len(required(thing)) == 2:
            return Batched(name or called(thing), thing, source(thing, name))
        return Adapted(name or called(thing), thing, source(thing, name))
    raise DataProblem(
        f"{thing!r} is no encoder: give a reference such as 'st:all-MiniLM-L6-v2', an object with"
        " encode(list[str]), a function list[str] -> array, or a SentEval pair (batcher, prepare)"
    )


def required(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The positional parameters that a call must fill."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some builtins do not tell
        return []
    return [p for p in parameters if p.kind in kinds and p.default is p.empty]


def _takes_sentences(thing: Any) -> bool:
    """Whether it is an Encoder: it has a name, and its `encode` is annotated to return Vectors or
    to take Sentences.

    Without annotations it is taken for one of the many foreign objects whose `encode` takes
    strings.
    """
    if not isinstance(getattr(thing, "name", None), str):
        return False
    hints = [str(hint) for hint in getattr(type(thing).encode, "__annotations__", {}).values()]
    return any("Vectors" in hint or "Sentence" in hint for hint in hints)


def _checked(name: str, returned: Any, n: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """What an encoder returned as [n, dim] float32, or one sentence on what is wrong with it."""
    expected = f"expected one row of numbers for each of {n} sentences, [{n}, dim]"
    if hasattr(returned, "detach"):
        returned = _from_tensor(returned)
    elif isinstance(returned, list | tuple) and len(returned) and hasattr(returned[0], "detach"):
        returned = [_from_tensor(r) for r in returned]
    if isinstance(returned, np.ma.MaskedArray):
        raise DataProblem(
            f"{name} returned a masked array, whose gaps no vector has; fill them, as with"
            " `.filled(0)`"
        )
    try:
        given = np.asarray(returned)
        # complex numbers would lose a part, words would be taken for numbers
        if given.dtype.kind not in "fiubO":
            what = f"an array of {given.dtype}" if hasattr(returned, "dtype") else _kind(returned)
            raise DataProblem(f"{name} returned {what}, {expected}")
        array = given.astype(np.float32)
    except DataProblem:
        raise
    except (TypeError, ValueError):
        raise DataProblem(f"{name} returned {_kind(returned)}, {expected}") from None
    if array.ndim != 2 or len(array) != n or (n and not array.shape[1]):
        raise DataProblem(f"{name} returned an array {list(array.shape)}, {expected}")
    return array


def _from_tensor(tensor: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A torch tensor, perhaps on a device, perhaps bfloat16, as numpy has it."""
    here = tensor.detach().cpu()
    return np.asarray(here if here.is_complex() else here.float())


def _kind(value: Any) -> str:
    if isinstance(value, Vectors):
        return (
            "Vectors, but its encode is not annotated as `encode(self, sentences:"
            " Sequence[Sentence]) -> Vectors`"
        )
    if isinstance(value, list | tuple):
        lengths = sorted({len(v) for v in value if hasattr(v, "__len__")})
        return f"a {type(value).__name__} of {len(value)} rows" + (
            f" of {lengths[0]} to {lengths[-1]} numbers" if lengths else ""
        )
    return f"a {type(value).__name__}"
