"""Changes of the states of a running model, by name: erased at a site or at every later one, moved
along the direction of two classes, or otherwise for each sentence; and floors of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.abilities import Edit
from lingprobe.data.core import DataProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Ints
from lingprobe.inside.erase.erasers import Doubles, Eraser
from lingprobe.inside.erase.fitting import Floor, Floors, Source, fit_eraser, generator_of

ERASED, SCRUBBED = "erased", "scrubbed"
Way = Literal["", "first", "second", "other", "own"]
"""Towards which class, or to another label than an example's own, or further into its own."""


class Key(NamedTuple):
    """What a change is called: `floor` is a kind of floor, '' for the change itself."""

    what: str
    way: Way = ""
    floor: str = ""


UNCHANGED = Key("")
WITHOUT_LABEL = (UNCHANGED.what, ERASED, SCRUBBED)
"""What is done to a state whatever its label."""


@dataclass(frozen=True)
class Affine:
    """Of a state x [dim]: x - left @ (right @ (x - mean)) + shift; in float64."""

    eraser: Eraser | None = None
    shift: Doubles | None = None

    def __call__(self, x: Any) -> Any:
        new = x.double()
        if (one := self.eraser) is not None:
            reach = (new - _tensor(x, one.mean)) @ _tensor(x, one.right).T
            new = new - reach @ _tensor(x, one.left).T
        if self.shift is not None:
            new = new + _tensor(x, self.shift)
        return new.to(x.dtype)


@dataclass(frozen=True)
class Shift:
    """Of each state of a sentence, or of the words that its example is about: x + shift.

    shifts  [sentences, dim]
    spans   [sentences, 2] which words first:last; -1 for all that is read
    """

    shifts: Doubles
    spans: Ints
    by_sentence: ClassVar[bool] = True

    def __call__(self, x: Any) -> Any:
        import torch

        from lingprobe.encoders.current_batch import current_batch

        batch = current_batch(len(x))
        rows = batch.sentences
        chosen = np.ones(tuple(x.shape[:2]), bool)
        for row, (first, last) in enumerate(self.spans[rows].tolist()):
            if first >= 0:
                if batch.words is None:
                    raise EncoderStop(
                        "states of words are exchanged, and this tokeniser does not say which"
                        " tokens are a word's: take a model with a fast one"
                    )
                words = batch.words[row][first:last]
                mine = words[words[:, 1] > words[:, 0]]
                chosen[row] = False
                if len(mine):  # from its first token to its last, as they are read
                    chosen[row, mine[0, 0] : mine[-1, 1]] = True
        moved = (x.double() + _tensor(x, self.shifts[rows])[:, None]).to(x.dtype)
        return torch.where(_tensor(x, chosen)[..., None], moved, x)


def _tensor(x: Any, values: NDArray[Any]) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(values)).to(x.device)


@dataclass(frozen=True)
class Change:
    """What is done to states at one site, or at several.

    erasers  by site
    shift    [dim] that is added at the first site, the same for all; None for nothing
    shifts   [examples, dim] that is added there to the states of each example of the task
    """

    key: Key
    erasers: Mapping[str, Eraser] = field(default_factory=dict)
    shift: Doubles | None = None
    shifts: Doubles | None = None

    @property
    def is_by_sentence(self) -> bool:
        """Whether it depends on the example."""
        return self.shifts is not None

    def edits(self, site: str, examples: Ints, spans: Ints) -> dict[str, Edit]:
        """The change for sentences of which each has one of the task's examples [sentences], about
        these words [examples, 2].
        """
        if self.shifts is not None:
            return {site: Shift(self.shifts[examples], spans[examples])}
        if self.shift is not None:
            return {site: Affine(shift=self.shift)}
        return {name: Affine(eraser) for name, eraser in self.erasers.items()}

    def apply(self, site: str, vectors: NDArray[Any]) -> Doubles:
        """The vectors of all examples [examples, dim] of a site after it."""
        x = np.asarray(vectors, np.float64)
        if self.shifts is not None:
            return x + self.shifts
        if self.shift is not None:
            return x + self.shift
        return np.asarray(self.erasers[site](x))


def changes_of(
    site: str, source: Source, eraser: Eraser, doses: tuple[float, ...], floors: FloorDraws
) -> Iterator[Change]:
    """The changes at a site that are the same for all examples: erased; moved by each dose either
    way, where there are two classes; and the floors of both.
    """
    yield Change(Key(ERASED), {site: eraser})
    for kind, floor in floors.erasers(source, eraser):
        yield Change(Key(ERASED, "", kind), {site: floor})
    if len(source.labels.names) != 2 or source.labels.classes is None:
        return
    apart = difference_of_means(source)
    for dose in doses:
        what = f"moved {dose:g}"
        yield from _either_way(what, "", dose * apart)
        for draw in range(floors.draws):
            for sort in ("rank", "shuffled"):
                rng = floors.generator(what, sort, draw)
                other = _direction(source, sort, rng)
                # as far as the classes are apart, in another direction
                length = dose * float(np.linalg.norm(apart) / np.linalg.norm(other))
                yield from _either_way(what, sort, length * other)


def _either_way(what: str, floor: str, shift: Doubles) -> Iterator[Change]:
    """All states moved towards the second class, and towards the first."""
    yield Change(Key(what, "second", floor), shift=shift)
    yield Change(Key(what, "first", floor), shift=-shift)


@dataclass(frozen=True)
class FloorDraws:
    """How floors are drawn: how many of each kind, by what stands for the task."""

    method: str
    draws: int
    seed: str

    def fit(self, source: Source) -> Eraser:
        """The eraser that they are floors of."""
        return fit_eraser(source, self.method)

    def of(self, source: Source, eraser: Eraser) -> Floors:
        """Those of an eraser of a source."""
        return Floors.of(source, self.method, eraser, self.seed)

    def erasers(self, source: Source, eraser: Eraser) -> Iterator[tuple[Floor, Eraser]]:
        """So many draws of each kind."""
        return self.of(source, eraser).every(self.draws)

    def generator(self, what: str, kind: str, draw: int) -> np.random.Generator:
        """What draws other floors."""
        return generator_of(self.seed, what, kind, str(draw))


def scrub(
    plain: Mapping[str, Source],
    floors: FloorDraws,
    read: Callable[[str, Mapping[str, Eraser]], Source],
) -> Iterator[Change]:
    """Erased at a site and at every later one, each eraser fitted to what the earlier ones leave
    (concept scrubbing; Belrose et al. 2023). Floors have its rank and the variance that it takes,
    and are fitted to states as they are: on what is left, shuffled labels find directions that
    hardly vary there, and are large in states that have the property.

    plain  by site, what erasers are fitted on of the model as it is
    read   gives that of a site behind erasers
    """
    found, beside = dict[str, Eraser](), dict[tuple[Floor, int], dict[str, Eraser]]()
    for number, (site, source) in enumerate(plain.items()):
        left = read(site, found) if number else source
        found[site] = floors.fit(left)
        own = replace(floors, seed=f"{floors.seed} {site}") if number else floors
        variance = found[site].removed_variance(left.moments.covariance)
        every = own.of(source, found[site])._replace(variance=variance).every(floors.draws)
        for place, (kind, eraser) in enumerate(every):
            beside.setdefault((kind, place % floors.draws), {})[site] = eraser
    yield Change(Key(SCRUBBED), found)
    for (kind, _), erasers in beside.items():
        yield Change(Key(SCRUBBED, "", kind), erasers)


def difference_of_means(source: Source) -> Doubles:
    """The mean state of the second class less that of the first, [dim]."""
    classes = source.labels.classes
    if classes is None or len(np.unique(classes)) != 2:
        raise DataProblem("states are moved from one class to another: take a task of two classes")
    x = np.mean(np.asarray(source.sites, np.float64), 0)
    return np.asarray(x[classes == 1].mean(0) - x[classes == 0].mean(0))


def _direction(source: Source, kind: str, rng: np.random.Generator) -> Doubles:
    """A direction at random, as states vary, or between classes of shuffled labels."""
    if kind == "shuffled":
        return difference_of_means(source.shuffle(rng))
    x = np.asarray(source.sites[0], np.float64)
    return np.asarray(rng.standard_normal(len(x)) @ (x - x.mean(0)))
