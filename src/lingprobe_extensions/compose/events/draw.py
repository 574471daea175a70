"""Sentences drawn without replacement: in an order that a seed picks, in constant memory, with
shares where priors ask for them.

With priors the space is cut into strata, one for each combination of values; each gets its share of
n exactly (by largest remainder), and one permutation of range(n) mixes them. Within a stratum every
sentence is as likely as any other.

The permutation is keyed: a Feistel network, and a walk along its cycles back into range (Black &
Rogaway 2002, Ciphers with arbitrary finite domains, section 3). A walk ends because it stays on a
cycle that its own start is on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import hash_bytes
from lingprobe_extensions.compose.events.batch import ShapeBatch, build_shape_batches
from lingprobe_extensions.compose.events.cells import MAX_INT64_SENTENCES
from lingprobe_extensions.compose.events.patterns import PartialPattern, parse_pattern
from lingprobe_extensions.compose.events.space import SentenceSpace

_ROUNDS = 6
_WIDEST = 1 << 120  # up to here half a number fits into 64 bits
# Steele et al. 2014, SplitMix
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_WORD = (1 << 64) - 1
_FEW = 16  # up to so many numbers take less time one by one


@lru_cache(maxsize=64)
def _round_keys(key: tuple[int, ...]) -> NDArray[np.uint64]:
    return np.random.default_rng([*key]).integers(0, 1 << 63, _ROUNDS, dtype=np.uint64)


@dataclass(frozen=True)
class KeyedPermutation:
    """An order that never repeats a sentence: a permutation of range(size) that a key picks."""

    size: int
    key: tuple[int, ...]

    @property
    def _keys(self) -> NDArray[np.uint64]:
        return _round_keys(self.key)

    @cached_property
    def _half(self) -> int:
        return max(1, ((self.size - 1).bit_length() + 1) // 2)

    def __call__(self, positions: NDArray[Any]) -> NDArray[Any]:
        """Where some positions [n], below `size`, go; int64, or Python's numbers where the range
        needs them.
        """
        if self.size > _WIDEST or len(positions) <= _FEW:
            images = np.array([self._image(int(p)) for p in positions], object)
            return images.astype(np.int64) if self.size < MAX_INT64_SENTENCES else images
        kind = np.uint64 if self.size < MAX_INT64_SENTENCES else object
        images = self._images(positions.astype(kind))
        while len(out := np.flatnonzero(images >= self.size)):
            images[out] = self._images(images[out])
        return images.astype(np.int64) if self.size < MAX_INT64_SENTENCES else images

    def _images(self, values: NDArray[Any]) -> NDArray[Any]:
        """Where the network sends numbers whose halves fit into 64 bits, maybe out of the range."""
        kind = values.dtype.type if values.dtype != object else int
        half, mask = kind(self._half), kind((1 << self._half) - 1)
        halves = (values >> half).astype(np.uint64), (values & mask).astype(np.uint64)
        word, low = np.uint64(_WORD), np.uint64((1 << self._half) - 1)
        left, right = _network(*halves, self._keys, functools.partial(_split_mix, _MIX, word), low)
        joined: NDArray[Any] = (left.astype(values.dtype) << half) | right.astype(values.dtype)
        return joined

    def _image(self, value: int) -> int:
        """Where the network and the walk send one number of any size."""
        half, low, keys = self._half, (1 << self._half) - 1, self._keys.tolist()
        mix: Callable[[Any, Any], Any] = functools.partial(_split_mix, tuple(map(int, _MIX)), _WORD)
        if self.size > _WIDEST:
            mix = functools.partial(_hash, (half + 7) // 8)
        while True:
            left, right = _network(value >> half, value & low, keys, mix, low)
            value = left << half | right
            if value < self.size:
                return value


def _network(
    left: Any, right: Any, keys: Iterable[Any], mix: Callable[[Any, Any], Any], low: Any
) -> tuple[Any, Any]:
    """What becomes of halves, one number each or an array of them."""
    for key in keys:
        left, right = right, (left ^ mix(right, key)) & low
    return left, right


def _split_mix(constants: Sequence[Any], word: Any, value: Any, key: Any) -> Any:
    """A half that fits into 64 bits, mixed with a key."""
    first, second, third = constants
    mixed = (value + key) * first & word
    mixed = (mixed ^ mixed >> 30) * second & word
    mixed = (mixed ^ mixed >> 27) * third & word
    return mixed ^ mixed >> 31


def _hash(width: int, value: int, key: int) -> int:
    """The same for a half of any width."""
    content = value.to_bytes(width, "little")
    mixed = hash_bytes(content, 64, key.to_bytes(8, "little"))
    return int.from_bytes(mixed, "little")


_CHUNK = 1 << 15
Priors = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class SpaceStratum:
    """A part of the space and how many sentences of it are drawn."""

    space: SentenceSpace
    n: int


@dataclass(frozen=True)
class SentenceSample:
    """So many sentences of some strata, in an order that the seed picks."""

    strata: tuple[SpaceStratum, ...]
    seed: int

    @property
    def n(self) -> int:
        """How many sentences are drawn."""
        return sum(stratum.n for stratum in self.strata)

    @cached_property
    def _orders(self) -> tuple[KeyedPermutation, tuple[KeyedPermutation, ...]]:
        inner = tuple(
            KeyedPermutation(s.space.size, (self.seed, 1, k)) for k, s in enumerate(self.strata)
        )
        return KeyedPermutation(self.n, (self.seed, 0)), inner

    def chunks(self, size: int = _CHUNK) -> Iterator[tuple[int, list[ShapeBatch]]]:
        """Runs of the draw in order: how many sentences, and their batches, whose places are those
        in the run.
        """
        for start in range(0, self.n, size):
            positions = np.arange(start, min(start + size, self.n))
            yield len(positions), self._batches(positions)

    def _batches(self, positions: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[ShapeBatch]:
        mixing, inner = self._orders
        if len(self.strata) == 1:
            return list(build_shape_batches(self.strata[0].space, inner[0](positions)))
        mixed = mixing(positions)
        firsts = np.array([0, *accumulate(s.n for s in self.strata)])
        which = np.searchsorted(firsts, mixed, side="right") - 1
        parts = []
        for k in np.unique(which):
            places = np.flatnonzero(which == k)
            for part in build_shape_batches(
                self.strata[k].space, inner[k](mixed[places] - firsts[k])
            ):
                parts.append(part._replace(places=places[part.places]))
        return parts


def draw_from_space(
    space: SentenceSpace,
    n: int | None = None,
    seed: int = 0,
    priors: Priors | None = None,
    *,
    even: bool = False,
) -> SentenceSample:
    """So many sentences of a space (all without n); more than there are, or shares that cannot be
    had, are an error.
    """
    count = space.size if n is None else n
    if count < 1:
        raise DataProblem(f"{count:,} sentences are asked for; ask for at least 1")
    if count > space.size:
        raise DataProblem(
            f"{count:,} sentences are asked for, the request has {space.size:,}; ask for fewer or"
            " widen it"
        )
    strata = list(_combine_priors(space, count, priors)) if priors else [SpaceStratum(space, count)]
    return SentenceSample(
        tuple(
            part
            for k, stratum in enumerate(strata)
            for part in (_evenly(stratum, (seed, 2, k)) if even else [stratum])
        ),
        seed,
    )


def _evenly(stratum: SpaceStratum, key: tuple[int, ...]) -> Iterator[SpaceStratum]:
    """`even_structures`: every structure has equally many sentences, give or take one; what a small
    one cannot give is shared by the others.

    Which ones have one more is drawn, so that fewer sentences than structures are of structures of
    any size.
    """
    cells = stratum.space.cells
    sizes = [min(cell.size, stratum.n) for cell in cells]
    level = _level(sizes, stratum.n)
    shares = [min(size, level) for size in sizes]
    larger = [k for k, size in enumerate(sizes) if size > level]
    for k in np.random.default_rng(key).permutation(larger)[: stratum.n - sum(shares)].tolist():
        shares[k] += 1
    yield from (
        SpaceStratum(SentenceSpace(stratum.space.language, (cell,)), share)
        for cell, share in zip(cells, shares, strict=True)
        if share
    )


def _level(sizes: Sequence[int], n: int) -> int:
    """The most that each of some sizes can be cut down to so that they add up to n at most."""
    left = n
    for k, size in enumerate(sorted(sizes)):
        if size * (len(sizes) - k) > left:
            return left // (len(sizes) - k)
        left -= size
    return max(sizes)


def _combine_priors(space: SentenceSpace, n: int, priors: Priors) -> Iterator[SpaceStratum]:
    """Exact proportions of features of the main clause (`priors`): every combination of their
    values, with its share of n.
    """
    parts = {
        path: _read_feature_values(space, path, list(weights)) for path, weights in priors.items()
    }
    combinations = list(
        product(*([(path, name) for name in weights] for path, weights in priors.items()))
    )
    weights = np.array([prod(priors[path][name] for path, name in names) for names in combinations])
    exact = n * weights / weights.sum()
    whole = np.floor(exact).astype(np.int64)
    whole[np.argsort(whole - exact, kind="stable")[: n - int(whole.sum())]] += 1
    for names, share in zip(combinations, whole.tolist(), strict=True):
        if not share:
            continue
        part = space
        for path, name in names:
            part = part.having(parts[path][name])
        if part.size < share:
            conditions = ", ".join(f"{path}={name}" for path, name in names)
            raise DataProblem(
                f"the priors ask for {share:,} sentences with {conditions}, and there are"
                f" {part.size:,}; ask for fewer in all"
            )
        yield SpaceStratum(part, share)


def _read_feature_values(
    space: SentenceSpace, path: str, names: list[str]
) -> dict[str, PartialPattern]:
    """The pattern of each value of a feature; the values must cover the space, or the rest would be
    excluded unseen.
    """
    patterns = {name: _pattern(path, name) for name in names}
    covered = sum(space.having(pattern).size for pattern in patterns.values())
    if covered != space.size:
        left = space.size - covered
        raise DataProblem(
            f"request.priors.{path}: {left:,} of {space.size:,} sentences are none of"
            f" {', '.join(names)}; name every value"
        )
    return patterns


def _pattern(path: str, name: str) -> PartialPattern:
    value: object = None if name == "none" else name
    for key in reversed(path.split(".")):
        value = {key: value}
    return parse_pattern(value, f"request.priors.{path}")
