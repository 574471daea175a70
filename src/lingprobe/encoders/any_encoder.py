"""The door for encoders: anything that turns sentences into vectors is made into an Encoder here,
and recognised nowhere else. Functions, objects with `encode`, SentEval pairs, files of these.

What it returns is checked: one row of numbers a sentence, always as many. NaN is left to whoever
keeps the vectors: there the sentence is excluded and counted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lingprobe.data.core import DataProblem, Encoder, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Vectors, as_single
from lingprobe.encoders.live import live_model
from lingprobe.encoders.origin import hash_source, name_of
from lingprobe.encoders.own_vector_files import check_stored
from lingprobe.encoders.own_vectors import SessionVectors
from lingprobe.encoders.signatures import required_parameters

_TAKES = 'takes = "sentences"'
_SHOWN = 80  # letters of what is no encoder
_BATCH = 128  # SentEval's batch size where params name none


@dataclass(frozen=True)
class FunctionEncoder:
    """A plain function from strings to rows, list[str] -> [n, dim], as an encoder; it reads the raw
    text.
    """

    name: str
    function: Callable[[list[str]], Any]
    fingerprint: str

    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        rows = _of_texts(self.name, self.function, sentences)
        return Vectors((_check_vectors(f"{self.name} returned", rows, len(sentences)),))


@dataclass(frozen=True)
class PreparingEncoder:
    """An object whose `prepare` gets the texts of a data set first, and returns what encodes
    them.
    """

    name: str
    preparing: Callable[[list[str]], Any]
    fingerprint: str

    takes = "sentences"

    def prepare(self, sentences: Sequence[Sentence]) -> Encoder:
        ready = _of_texts(self.name, self.preparing, sentences)
        encode = getattr(ready, "encode", None)
        if not callable(encode):
            raise EncoderStop(
                f"{self.name}: prepare returned a {type(ready).__name__}, and should return the"
                " encoder that is ready, as `self`"
            )
        return FunctionEncoder(self.name, encode, self.fingerprint)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.prepare(sentences).encode(sentences)


def _of_texts(
    name: str, function: Callable[[list[str]], Any], sentences: Sequence[Sentence]
) -> Any:
    """What a function returns for the texts of sentences; one written for Sentences is told how to
    say so.
    """
    try:
        return function([s.text for s in sentences])
    except AttributeError as error:
        if isinstance(error.obj, str) and error.name in Sentence.__slots__:
            raise EncoderStop(
                f"{name} reads .{error.name} of a string: an encoder gets strings, unless its class"
                f" says {_TAKES}"
            ) from error
        raise


class SentEvalParams(dict[str, Any]):
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
class BatcherEncoder:
    """SentEval's `batcher(params, batch)`; a batch is a list of lists of words."""

    name: str
    batcher: Callable[[Any, list[list[str]]], Any]
    fingerprint: str
    params: SentEvalParams = field(default_factory=SentEvalParams)

    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        words = [list(s.words) for s in sentences]
        size = int(self.params.batch_size or _BATCH)
        parts = [words[i : i + size] for i in range(0, len(words), size)]
        blocks = [
            _check_vectors(f"{self.name} returned", self.batcher(self.params, part), len(part))
            for part in parts
        ]
        widths = {part.shape[1] for part in blocks}
        if len(widths) > 1:
            raise DataProblem(
                f"{self.name}: the batcher returned vectors of"
                f" {' and '.join(map(str, sorted(widths)))} dimensions"
            )
        return Vectors((np.concatenate(blocks) if blocks else np.zeros((0, 0), np.float32),))


@dataclass(frozen=True)
class SentEvalPair:
    """SentEval's `(batcher, prepare)`: prepare sees all sentences of a data set first, and leaves
    what it learns in params.
    """

    batched: BatcherEncoder
    preparing: Callable[[Any, list[list[str]]], Any]
    made_of: str = ""

    takes = "sentences"

    @property
    def name(self) -> str:
        return self.batched.name

    @property
    def fingerprint(self) -> str:
        """Those of the batcher's source and of prepare's."""
        return f"{self.batched.fingerprint} {self.made_of}"

    def prepare(self, sentences: Sequence[Sentence]) -> Encoder:
        params = SentEvalParams(self.batched.params)
        self.preparing(params, [list(s.words) for s in sentences])
        return replace(self.batched, params=params)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.prepare(sentences).encode(sentences)


def adapt_any(source: Any, name: str | None = None, **options: Any) -> Encoder:
    """An Encoder of anything that turns sentences into vectors.

    That is an Encoder, which says that it takes sentences; `(model, tokenizer)` of transformers or
    PEFT, a pipeline of these, or a model alone that was loaded from where its tokenizer is; a
    SentenceTransformer; `(sentences, vectors)` that you have; an object with `encode(list[str])`,
    and maybe `prepare(list[str])`; a function list[str] -> [n, dim]; a SentEval `batcher(params,
    batch)`, or a pair `(batcher, prepare)`. Without a name, what has no source file of its own is
    told apart in this process only: its vectors are not found again by a later one.

    options  of a model, as hf: and st: have them (layers='all')
    """
    if inspect.isclass(source):
        raise _no_encoder(source)
    if (model := live_model(source, name, options)) is not None:
        return model
    if options:
        raise UsageProblem(
            f"a {type(source).__name__} has no options ({', '.join(options)}): models of"
            " sentence-transformers and (model, tokenizer) of transformers have some"
        )
    if isinstance(source, Encoder) and source.takes == "sentences":
        return source
    if isinstance(source, tuple) and len(source) == 2:
        return _of_pair(*source, name)
    encode = getattr(source, "encode", None)
    if callable(encode):
        return _of_object(source, encode, name)
    if not callable(source):
        raise _no_encoder(source)
    known = name or name_of(source), source, hash_source(source, name)
    return (
        BatcherEncoder(*known) if len(required_parameters(source)) == 2 else FunctionEncoder(*known)
    )


def _of_pair(batcher: Any, prepare: Any, name: str | None) -> Encoder:
    if not callable(batcher) and hasattr(batcher, "__len__") and not isinstance(batcher, str):
        return _of_rows(batcher, prepare, name or "vectors")
    if not (callable(batcher) and (prepare is None or callable(prepare))):
        raise _no_encoder((batcher, prepare))
    batched = BatcherEncoder(name or name_of(batcher), batcher, hash_source(batcher, name))
    if prepare is None:
        return batched
    return SentEvalPair(batched, prepare, hash_source(prepare, name))


def _of_rows(sentences: Any, vectors: Any, name: str) -> Encoder:
    """Sentences with the vectors that they have already."""
    texts = [each.text if isinstance(each, Sentence) else each for each in sentences]
    if not all(isinstance(each, str) for each in texts):
        raise _no_encoder((sentences, vectors))
    array = _check_vectors("(sentences, vectors) has", vectors, len(texts))
    return SessionVectors(check_stored(name, list(map(str, texts)), {"-": array}), name)


def _of_object(thing: Any, encode: Callable[..., Any], name: str | None) -> Encoder:
    """An object that another library gives, or that does not say that it takes Sentences."""
    prepare, known = getattr(thing, "prepare", None), name or name_of(thing)
    if callable(prepare):
        return PreparingEncoder(known, prepare, hash_source(thing, name))
    return FunctionEncoder(known, encode, hash_source(thing, name))


def _no_encoder(thing: Any) -> DataProblem:
    shown = f"a tuple of {_kinds(thing)}" if isinstance(thing, tuple) else repr(thing)
    if len(shown) > _SHOWN or not shown.isprintable():
        shown = f"a {type(thing).__name__}"
    if isinstance(thing, type):
        return DataProblem(f"{shown} is a class and no encoder: make one, as {thing.__name__}()")
    if isinstance(thing, np.ndarray):
        return DataProblem("an array is not an encoder: give its texts beside it, (texts, vectors)")
    return DataProblem(
        f"{shown} is not an encoder: give a reference such as 'st:all-MiniLM-L6-v2', a model"
        " of sentence-transformers, (model, tokenizer) of transformers, (sentences, vectors), an"
        " object with encode(list[str]), a function list[str] -> array, or a SentEval pair"
        " (batcher, prepare)"
    )


def _kinds(things: tuple[Any, ...]) -> str:
    return ", ".join(type(each).__name__ for each in things)


def _check_vectors(said: str, returned: Any, n: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """What an encoder returned as [n, dim] float32, or one sentence on what is wrong with it, which
    begins with what was `said` of it.
    """
    expected = f"expected one row of numbers for each of {n} sentences, [{n}, dim]"
    if hasattr(returned, "detach"):
        returned = _from_tensor(returned)
    elif isinstance(returned, list | tuple) and len(returned) and hasattr(returned[0], "detach"):
        returned = [_from_tensor(r) for r in returned]
    if type(returned).__module__.startswith("scipy.sparse"):
        returned = returned.toarray()
    if isinstance(returned, np.ma.MaskedArray):
        raise DataProblem(
            f"{said} a masked array, whose gaps no vector has; fill them, as with `.filled(0)`"
        )
    try:
        rows = np.asarray(returned)
        # complex numbers would lose a part, words would be taken for numbers
        if rows.dtype.kind not in "fiubO":
            what = f"an array of {rows.dtype}" if hasattr(returned, "dtype") else _kind(returned)
            raise DataProblem(f"{said} {what}, {expected}")
        array = as_single(rows)
    except DataProblem:
        raise
    except (TypeError, ValueError):
        raise DataProblem(f"{said} {_kind(returned)}, {expected}") from None
    if array.ndim != 2 or len(array) != n or (n and not array.shape[1]):
        raise DataProblem(f"{said} an array {list(array.shape)}, {expected}")
    return array


def _from_tensor(tensor: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A torch tensor, perhaps on a device, perhaps bfloat16, as numpy has it."""
    here = tensor.detach().cpu()
    return np.asarray(here if here.is_complex() else here.float())


def _kind(value: Any) -> str:
    if isinstance(value, Vectors):
        return f"Vectors, which is for encoders whose class says {_TAKES}"
    if isinstance(value, list | tuple):
        lengths = sorted({len(v) for v in value if hasattr(v, "__len__")})
        return f"a {type(value).__name__} of {len(value)} rows" + (
            f" of {lengths[0]} to {lengths[-1]} numbers" if lengths else ""
        )
    return f"a {type(value).__name__}"
