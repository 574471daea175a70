"""Examples x vectors -> readings: the input of a probe, including asked words.

Asked words are the words that a question is about (Ettinger et al. 2018, section 5). Nothing is
copied until features are requested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.centring import CENTRED_VIEW_PART, centre_features
from lingprobe.data.errors import DataProblem, ReadingProblem
from lingprobe.data.examples import Dataset, Sentence
from lingprobe.data.labels import Column
from lingprobe.data.narrowing import NarrowName, is_narrow
from lingprobe.data.sites import PAIR_COMBINATIONS
from lingprobe.data.vectors import (
    Floats,
    Ints,
    Spans,
    Vectors,
    expand_ranges,
)

__all__ = [
    "MARGIN_VIEW",
    "PAIR_COMBINATIONS",
    "POOLS",
    "SCALAR_MIX_LAYERS",
    "EncoderWithView",
    "LayerSelection",
    "ReadingProblem",
    "Readings",
    "View",
    "find_single_word_sentences",
    "parse_view",
    "read_of",
    "reads_of",
    "units_read",
]


def find_single_word_sentences(dataset: Dataset) -> Ints:
    """Which sentence of the data set is each word of its vocabulary and nothing else,
    [vocabulary].
    """
    places = {
        sentence.words[0]: i
        for i, sentence in enumerate(dataset.sentences)
        if len(sentence.words) == 1
    }
    missing = next((word for word in dataset.vocabulary if word not in places), None)
    if missing is not None:
        raise DataProblem(
            f"the data set does not have the asked word {missing!r} as a sentence, so it has no"
            " vector; read it one-hot"
        )
    return np.array([places[word] for word in dataset.vocabulary], np.int64)


@dataclass(frozen=True, slots=True)
class Readings:
    """The examples of a data set with the vectors of its sentences, in all layers.

    `vectors` are in the order of `dataset.sentences`; `parse_view` is how sites become one row of
    features.
    """

    dataset: Dataset
    vectors: Vectors
    view: str | View = "mean"

    def __len__(self) -> int:
        return len(self.dataset)

    @property
    def labels(self) -> Column:
        """The label column of these examples."""
        return self.dataset.labels

    def take(self, rows: Ints) -> Readings:
        """The examples rows [k]; vectors are shared."""
        return replace(self, dataset=self.dataset.take(rows))

    def split(self, name: str) -> Readings:
        """The examples of one split."""
        return self.take(self.dataset.rows(name))

    def sentence(self, i: int, site: int = 0) -> Sentence:
        """The sentence of one site of example i, for baselines that read words."""
        return self.dataset.sentences[int(self.dataset.sites[i, site, 0])]

    def units(self, site: int) -> tuple[Ints, Ints]:
        """The units of each example at a site, as starts and stops [examples]. ReadingProblem for a
        span where the encoder has one vector for each sentence.
        """
        sentence, start, _ = self.dataset.sites[:, site].T
        spans = self.vectors.spans
        if spans is None:
            if (start >= 0).any():
                raise ReadingProblem(
                    "the task asks about spans, but the encoder gives one vector a sentence; use"
                    " an encoder of words or subwords: hf:NAME,pool=none"
                )
            return sentence, sentence + 1
        return units_read(spans, self.dataset.sites[:, site])

    def whole(self, sentences: Ints) -> tuple[Ints, Ints]:
        """The units of whole sentences [n] by their numbers, as starts and stops [n]."""
        spans = self.vectors.spans
        return (
            (sentences, sentences + 1)
            if spans is None
            else (spans.sentences[sentences].copy(), spans.sentences[sentences + 1].copy())
        )

    def features(self, read: str) -> Floats:
        """One row per example, [examples, features] float32; `read_of` describes reads. A mix has
        no features of its own.
        """
        features = parse_view(self.view) if isinstance(self.view, str) else self.view
        layers = self._layers(read)
        if not isinstance(self.view, str):  # which may do with an array whatever one can
            layers = [np.asarray(layer) for layer in layers]
        return _join_columns([features(self, units) for units in layers])

    def sites(self, read: str) -> list[Floats]:
        """The vector of each site alone, pooled as in the view, [examples, dim] each."""
        pool = POOLS[self.view.partition("+")[0] if isinstance(self.view, str) else "mean"]
        layers = self._layers(read)
        return [
            _join_columns([pool(units, *self.units(k)) for units in layers])
            for k in range(self.dataset.sites.shape[1])
        ]

    def _layers(self, read: str) -> list[Floats]:
        """The layers of a read that has features."""
        how, layers = read_of(read, self.vectors.names)
        if how == "mix":
            raise ReadingProblem(
                f"{read!r} is learnt with the probe; use a probe that learns it, such as span"
            )
        return [self.vectors.layer(name) for name in layers]


def _join_columns(blocks: Sequence[Floats]) -> Floats:
    """Blocks of columns side by side."""
    return np.concatenate(blocks, 1) if len(blocks) > 1 else blocks[0]


SCALAR_MIX_LAYERS = "mix:lex+1-top"
"""The mix of Tenney et al. (2019, equation 1), whose layer 0 has no positions."""


class LayerSelection(NamedTuple):
    """Which layers the probe gets: one, several side by side (`cat`), or a sum of several whose
    weights are learnt (`mix`).
    """

    how: Literal["layer", "cat", "mix"]
    layers: tuple[str, ...]

    @property
    def whole_layers(self) -> tuple[str, ...]:
        """The layers of the encoder, each of which may be read in part."""
        named = ((NarrowName.parse(name), name) for name in self.layers)
        return tuple(dict.fromkeys(part.layer if part else name for part, name in named))


def read_of(text: str, names: Sequence[str]) -> LayerSelection:
    """What a read means for an encoder with layers of these names; ReadingProblem where it has none
    of that name.

    6, lex      a layer by name; `top` is the last
    first64:6   the first 64 numbers of a layer; `random64:6` as many random directions of it
    cat         all layers side by side; `cat:lex+top` some of them
    mix         the learnt sum of all numbered layers; `mix:0-3` of some of them, `mix:lex+1-6` of
                any, `mix:lex+1-top` up to the last
    """
    head, colon, rest = text.partition(":")
    if head in ("cat", "mix") and text not in names:
        numbered = [name for name in names if name.isdecimal()]
        usual = names if head == "cat" else numbered
        layers = (
            [layer for item in rest.split("+") for layer in _expand_layer_range(item, names)]
            if colon
            else list(usual)
        )
        if not layers:
            raise ReadingProblem(
                f"{text!r} sums up numbered layers, and the encoder {_gives(names)}; take"
                " hf:NAME,layers=all"
            )
        return LayerSelection("cat" if head == "cat" else "mix", tuple(dict.fromkeys(layers)))
    return LayerSelection("layer", (_layer(text, names),))


def reads_of(selections: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Layer selection (`--layers`): each layer alone without one; `layers` stands for that,
    `cumulative` for mix:0-0, mix:0-1 ... mix, `first64` and `random64` for that of each layer.

    ReadingProblem for a read that the encoder has no layers for.
    """
    numbered = sorted((name for name in names if name.isdecimal()), key=int)
    growing = (
        [f"mix:{numbered[0]}-{name}" for name in numbered[:-1]] + ["mix"] if numbered else ["mix"]
    )
    stands = {"layers": list(names), "cumulative": growing}
    stands |= {text: [f"{text}:{name}" for name in names] for text in selections if is_narrow(text)}
    reads = tuple(
        dict.fromkeys(
            read for text in selections or ["layers"] for read in stands.get(text, [text])
        )
    )
    for read in reads:
        read_of(read, names)
    return reads


def _expand_layer_range(item: str, names: Sequence[str]) -> list[str]:
    """The layers of one item of a list: a name, or first-last of numbered layers."""
    if item not in names and re.fullmatch(r"\d+-(\d+|top)", item):
        first, last = (_layer(end, names) for end in item.split("-"))
        if last.isdecimal() and int(first) <= int(last):
            return [_layer(str(number), names) for number in range(int(first), int(last) + 1)]
    return [_layer(item, names)]


def _layer(name: str, names: Sequence[str]) -> str:
    """The layer of a name; `top` is the last numbered one, or the last of all where none has a
    number.
    """
    if name == "top" and name not in names:
        return max((n for n in names if n.isdecimal()), key=int, default=names[-1])
    if name not in names and (narrow := NarrowName.parse(name)):
        return str(narrow._replace(layer=_layer(narrow.layer, names)))
    if name not in names:
        raise ReadingProblem(f"no layer called {name!r}: the encoder {_gives(names)}")
    return name


def _gives(names: Sequence[str]) -> str:
    return "has no layers to choose from" if list(names) == ["-"] else f"gives {', '.join(names)}"


@runtime_checkable
class EncoderWithView(Protocol):
    """An encoder that says itself how its vectors are read, whatever view the task has: by a view's
    name, or by a view.
    """

    @property
    def own_view(self) -> str | View: ...


View = Callable[[Readings, Floats], Floats]
"""Readings and one layer [units, dim] -> [examples, features]."""


def parse_view(name: str) -> View:
    """The view that `pool[+contrast][+asked]` names: how units are pooled, sites combined (side by
    side where nothing is said), and what else is said of them.
    """
    pool, *parts = name.split("+")
    if pool not in POOLS or not set(parts) <= {*PAIR_COMBINATIONS, *_BESIDES, CENTRED_VIEW_PART}:
        more = ", ".join(f"+{part}" for part in (*PAIR_COMBINATIONS, *_BESIDES, CENTRED_VIEW_PART))
        raise ReadingProblem(
            f"no view called {name!r}: write one of {', '.join(POOLS)}, then what is wanted of"
            f" {more}"
        )

    def read(readings: Readings, units: Floats) -> Floats:
        sites = [
            POOLS[pool](units, *readings.units(k)) for k in range(readings.dataset.sites.shape[1])
        ]
        combine = next(
            (PAIR_COMBINATIONS[part] for part in parts if part in PAIR_COMBINATIONS), _join_columns
        )
        told = [_BESIDES[part](readings, units) for part in parts if part in _BESIDES]
        features = _join_columns([combine(sites), *told])
        return centre_features(parts, readings.dataset, features, (units, readings.vectors.spans))

    return read


def units_read(spans: Spans, sites: Ints) -> tuple[Ints, Ints]:
    """The units that are read at sites [examples, 3], as starts and stops [examples]."""
    sentence, start, stop = sites.T
    starts, stops = spans.sentences[sentence].copy(), spans.sentences[sentence + 1].copy()
    parts = np.flatnonzero(start >= 0)
    first = spans.first_word[sentence[parts]]
    starts[parts], stops[parts] = _units_of_words(
        spans.words, first + start[parts], first + stop[parts]
    )
    return starts, stops


def _units_of_words(words: Ints, first: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """From the first to the last unit that words first:stop have; words that have none are passed
    over.
    """
    aligned = np.flatnonzero(words[:, 1] > words[:, 0])
    left, right = np.searchsorted(aligned, first), np.searchsorted(aligned, stop) - 1
    starts, stops = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    some = left <= right
    starts[some], stops[some] = words[aligned[left[some]], 0], words[aligned[right[some]], 1]
    return starts, stops


def _average_ranges(units: Floats, starts: Ints, stops: Ints) -> Floats:
    """Mean over each range of units; zeros where the range is empty."""
    lengths = stops - starts
    if (lengths == 1).all():
        return np.asarray(units[starts], np.float32)
    sums = _reduce_ranges(np.add, units, starts, stops)
    return np.asarray(sums / np.maximum(lengths, 1)[:, None], np.float32)


def _max(units: Floats, starts: Ints, stops: Ints) -> Floats:
    return _reduce_ranges(np.maximum, units, starts, stops)


def _take_first_units(units: Floats, starts: Ints, stops: Ints) -> Floats:
    return _at(units, starts, stops > starts)


def _last(units: Floats, starts: Ints, stops: Ints) -> Floats:
    return _at(units, stops - 1, stops > starts)


def _endpoints(units: Floats, starts: Ints, stops: Ints) -> Floats:
    """The first and last unit of a span, side by side: pool=endpoints."""
    return np.concatenate([_take_first_units(units, starts, stops), _last(units, starts, stops)], 1)


def _at(units: Floats, where: Ints, some: NDArray[np.bool_]) -> Floats:
    """The units at some places, zeros where `some` is false."""
    rows = np.zeros((len(where), units.shape[1]), np.float32)
    rows[some] = units[where[some]]
    return rows


def _reduce_ranges(operation: np.ufunc, units: Floats, starts: Ints, stops: Ints) -> Floats:
    """A ufunc over each range of units, [ranges, dim]; zeros where the range is empty."""
    result = np.zeros((len(starts), units.shape[1]), np.float32)
    some = np.flatnonzero(stops > starts)
    if len(some):
        rows, offsets = expand_ranges(starts[some], stops[some])
        result[some] = operation.reduceat(np.asarray(units[rows], np.float32), offsets[:-1], axis=0)
    return result


POOLS: dict[str, Callable[[Floats, Ints, Ints], Floats]] = {
    "mean": _average_ranges,
    "max": _max,
    "first": _take_first_units,
    "last": _last,
    "endpoints": _endpoints,
}
"""How units are pooled, by name: vectors [units, dim] with where each group begins and ends ->
[groups, dim].
"""


MARGIN_VIEW = "mean+margin"
"""The view of an encoder whose numbers add up to one score a sentence, as a log-probability: higher
is better, whatever a probe would learn.
"""


def _one_hot_words(readings: Readings, units: Floats) -> Floats:
    """The words of the question, one-hot."""
    return readings.dataset.one_hot_asked()


def _asked_vectors(readings: Readings, units: Floats) -> Floats:
    """The encoder's own vectors of the words of the question (asked=vectors)."""
    words = _average_ranges(units, *readings.whole(find_single_word_sentences(readings.dataset)))
    return np.asarray(words[readings.dataset.asked].reshape(len(readings.dataset), -1), np.float32)


def _overlap(readings: Readings, units: Floats) -> Floats:
    """How many words, case ignored, two sites share: of the first's, of the second's, of all,
    [examples, 3].
    """
    sites, sentences = readings.dataset.sites, readings.dataset.sentences
    if sites.shape[1] != 2:
        raise ReadingProblem(f"overlap reads two sites, the task has {sites.shape[1]}")
    forms = [tuple(map(str.casefold, sentence.words)) for sentence in sentences]
    shares = np.zeros((len(sites), 3), np.float32)
    for row, pair in zip(shares, sites.tolist(), strict=True):
        one, other = (
            set(forms[s] if start < 0 else forms[s][start:stop]) for s, start, stop in pair
        )
        row[:] = len(one & other) / np.maximum([len(one), len(other), len(one | other)], 1)
    return shares


_BESIDES: dict[str, View] = {
    "asked": _one_hot_words,
    "asked-vectors": _asked_vectors,
    "overlap": _overlap,
}
"""What a probe is told besides: the asked words, or how many words two sites share."""
