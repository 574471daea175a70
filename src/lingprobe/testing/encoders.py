"""What every encoder promises: one finite float32 vector, or aligned units, a sentence, whatever
else is in the batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lingprobe.data.core import Encoder, LayeredEncoder, PreparedEncoder, Sentence
from lingprobe.data.oracles import OracleEncoder
from lingprobe.data.references import allow_code
from lingprobe.data.vectors import Ints, Vectors
from lingprobe.encoders import ENCODERS
from lingprobe.testing.tiny import pair

_EMPTY = Sentence((), "")
_LONG = 2_000


def check_encoder(
    encoder: Encoder | str, sentences: Sequence[Sentence] = (), *, tolerance: float = 1e-4
) -> None:
    """An encoder, or the reference of one, keeps every promise of an encoder.

    sentences  what it can encode, for an encoder that knows only some; otherwise ours, an empty one
               and a very long one
    tolerance  largest difference, relative to the largest value, that batching may make
    """
    allow_code(encoder)
    made: Encoder = ENCODERS.make(encoder) if isinstance(encoder, str) else encoder
    assert made.name, "an encoder needs a name: tables show it"
    plain = list(sentences) or list(pair((8, 2, 2)).sentences[:8])
    examples = (
        plain if sentences else [*plain[:5], _EMPTY, *plain[5:], plain[0], Sentence.of(("Yes",))]
    )
    ready = _ready(made, examples)
    vectors = ready.encode(examples)
    _check_shapes(vectors, examples)
    _check_order(ready, examples, vectors, tolerance)
    _check_layers(ready, examples, vectors, tolerance)
    if not sentences:
        assert _near(vectors, vectors, 0, len(examples) - 2, tolerance), (
            "a sentence that comes twice has two different vectors: a vector may depend on nothing"
            " but its sentence"
        )
        _check_long(made)


def _ready(made: Encoder, sentences: list[Sentence]) -> Encoder:
    """The encoder, having seen the sentences or, if it is an oracle, having been told which words
    they have.
    """
    if isinstance(made, OracleEncoder):
        return made.with_facts(
            {s: tuple((f"word={word}",) for word in s.words) for s in sentences}, words=True
        )
    return made.prepare(sentences) if isinstance(made, PreparedEncoder) else made


def _check_shapes(vectors: Vectors, sentences: Sequence[Sentence]) -> None:
    assert isinstance(vectors, Vectors), (
        f"encode returns lingprobe.data.vectors.Vectors, found {type(vectors).__name__}"
    )
    assert vectors.sentences == len(sentences), (
        f"{vectors.sentences} sentences came back for {len(sentences)}"
    )
    assert len(set(vectors.names)) == len(vectors.names) > 0, (
        f"layers need names of their own, found {vectors.names}"
    )
    for name, layer in zip(vectors.names, vectors.layers, strict=True):
        assert layer.ndim == 2, f"layer {name!r} has the shape {layer.shape}, not [units, dim]"
        assert len(layer) == len(vectors.layers[0]), (
            f"layer {name!r} has {len(layer)} units, the first layer {len(vectors.layers[0])}"
        )
        assert layer.dtype == np.float32, f"layer {name!r} is {layer.dtype}, not float32"
        bad = np.flatnonzero(~np.isfinite(layer).all(1))
        assert not len(bad), (
            f"layer {name!r} has NaN or infinite values in {len(bad)} units, first in unit"
            f" {bad[:1]}; is a sentence empty?"
        )
    if vectors.cut is not None:
        assert vectors.cut.shape == (len(sentences),), (
            f"`cut` has the shape {vectors.cut.shape}, not one flag a sentence"
        )
        assert vectors.cut.dtype == np.bool_, f"`cut` is {vectors.cut.dtype}, not bool"
    if vectors.spans is not None:
        _check_spans(vectors, sentences)


def _check_spans(vectors: Vectors, sentences: Sequence[Sentence]) -> None:
    spans = vectors.spans
    assert spans is not None
    units, words, first = spans.sentences, spans.words, spans.first_word
    assert len(units) == len(first) == len(sentences) + 1, (
        "offsets of units and of words have one more entry than there are sentences"
    )
    _check_units(units, len(vectors.layers[0]))
    counts = np.array([len(s.words) for s in sentences])
    assert np.array_equal(np.diff(first), counts), (
        "every word of a sentence has a row in `words`, even where nothing could be aligned"
    )
    sentence = np.repeat(np.arange(len(sentences)), counts)
    some = words[:, 1] > words[:, 0]
    inside = (
        (words[:, 0] >= units[sentence])
        & (words[:, 1] <= units[sentence + 1])
        & (words[:, 1] >= words[:, 0])
    )
    assert inside[some].all(), (
        f"the units of word {np.flatnonzero(some & ~inside)[:1]} lie outside its sentence"
    )
    cut = np.zeros(len(sentences), bool) if vectors.cut is None else vectors.cut
    lost = ~some & ~cut[sentence]
    assert not lost.all() or not len(lost), "no word has units: align tokens with words by offsets"


def _check_units(units: Ints, size: int) -> None:
    assert units[0] == 0, "units of the first sentence begin at 0"
    assert units[-1] == size, f"offsets end at {units[-1]}, but there are {size} units"
    assert (np.diff(units) >= 0).all(), "offsets of units go backwards"


def _check_order(
    encoder: Encoder, sentences: list[Sentence], vectors: Vectors, tolerance: float
) -> None:
    again = encoder.encode(tuple(sentences))
    for name, a, b in zip(vectors.names, vectors.layers, again.layers, strict=True):
        assert np.array_equal(a, b), (
            f"layer {name!r}: the same sentences in the same order gave different bits; switch"
            " dropout off"
        )
    turned = encoder.encode(sentences[::-1])
    alone = [encoder.encode([sentence]) for sentence in sentences]
    for i, sentence in enumerate(sentences):
        shown = f"{sentence.text[:40]!r}"
        assert _near(vectors, turned, i, len(sentences) - 1 - i, tolerance), (
            f"the vector of {shown} changes when sentences come in another order"
        )
        assert _near(vectors, alone[i], i, 0, tolerance), (
            f"the vector of {shown} changes with its batch: pool over real tokens only, and"
            " standardise nothing over the batch"
        )


def _check_layers(
    encoder: Encoder, sentences: list[Sentence], vectors: Vectors, tolerance: float
) -> None:
    if not isinstance(encoder, LayeredEncoder):
        return
    assert encoder.base, "`base` keys the cache: the reference without layers and pooling"
    assert len(encoder.slots) == len(vectors.layers), (
        f"{len(encoder.slots)} slots but {len(vectors.layers)} layers came back"
    )
    assert len(set(encoder.slots)) == len(encoder.slots), f"slots repeat: {encoder.slots}"
    last = encoder.asking(encoder.slots[-1:])
    assert not isinstance(last, LayeredEncoder) or last.base == encoder.base, (
        "asking for fewer slots changes `base`, so nothing would be shared"
    )
    one = last.encode(sentences)
    assert len(one.layers) == 1, f"asked for one slot, {len(one.layers)} layers came back"
    size = max(float(np.abs(vectors.layers[-1]).max(initial=0)), 1e-6)
    close = (
        one.layers[0].shape == vectors.layers[-1].shape
        and np.abs(one.layers[0] - vectors.layers[-1]).max(initial=0) <= tolerance * size
    )
    assert close, f"slot {encoder.slots[-1]!r} differs when it is asked for alone"


def _check_long(made: Encoder) -> None:
    """A very long sentence gets a vector, and is flagged where its end was not read."""
    many, more = ("the",) * _LONG, ("the", *("garden",) * (_LONG // 20))
    sentences = [Sentence.of(words) for words in (many, many + more, many[:5], many[:5] + more)]
    ready = _ready(made, sentences)
    vectors = ready.encode(sentences)
    _check_shapes(vectors, sentences)
    reads_end = not _near(vectors, vectors, 2, 3, 1e-7)
    if reads_end and _near(vectors, vectors, 0, 1, 1e-7):
        assert vectors.cut is not None and bool(vectors.cut[1]), (  # noqa: PT018
            f"a sentence of {_LONG} words is read only in part, but `cut` does not flag it: users"
            " must see what was truncated"
        )


def _near(a: Vectors, b: Vectors, i: int, j: int, tolerance: float) -> bool:
    """Whether sentence i of a and sentence j of b have the same units and, within the tolerance,
    the same values.
    """
    here, there = a.take(np.array([i])), b.take(np.array([j]))
    for x, y in zip(here.layers, there.layers, strict=True):
        if x.shape != y.shape or np.abs(x - y).max(initial=0) > tolerance * max(
            float(np.abs(x).max(initial=0)), 1e-6
        ):
            return False
    if here.spans is None or there.spans is None:
        return here.spans is there.spans
    return np.array_equal(here.spans.words, there.spans.words)
