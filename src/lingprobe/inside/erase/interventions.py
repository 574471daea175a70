"""Changes of the states of a running model, by name: erased at a site or at every later one, moved
along the direction of two classes, or otherwise for each sentence; and baselines of them.
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
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Ints, expand_ranges
from lingprobe.inside.erase.erasers import AffineEraser, Doubles
from lingprobe.inside.erase.fitting import (
    EraserBaselines,
    EraserData,
    Floor,
    fit_eraser,
    generator_of,
)

ERASED_CHANGE, SCRUBBED_CHANGE = "erased", "scrubbed"
Way = Literal["", "first", "second", "other", "own"]
"""Towards which class, or to another label than an example's own, or further into its own."""


class ChangeName(NamedTuple):
    """What a change is called: `floor` is a kind of floor, '' for the change itself."""

    what: str
    way: Way = ""
    floor: str = ""


NO_CHANGE = ChangeName("")
LABEL_FREE_CHANGES = (NO_CHANGE.what, ERASED_CHANGE, SCRUBBED_CHANGE)
"""What is done to a state whatever its label."""


@dataclass(frozen=True)
class AffineIntervention:
    """Of a state x [dim]: x - left @ (right @ (x - mean)) + shift; in float64."""

    eraser: AffineEraser | None = None
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
class StateShift:
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
class StateChange:
    """What is done to states at one site, or at several.

    erasers  by site
    shift    [dim] that is added at the first site, the same for all; None for nothing
    shifts   [examples, dim] that is added there to the states of each example of the task
    """

    key: ChangeName
    erasers: Mapping[str, AffineEraser] = field(default_factory=dict)
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
            return {site: StateShift(self.shifts[examples], spans[examples])}
        if self.shift is not None:
            return {site: AffineIntervention(shift=self.shift)}
        return {name: AffineIntervention(eraser) for name, eraser in self.erasers.items()}

    def apply(self, site: str, vectors: NDArray[Any]) -> Doubles:
        """The vectors of all examples [examples, dim] of a site after it."""
        x = np.asarray(vectors, np.float64)
        if self.shifts is not None:
            return x + self.shifts
        if self.shift is not None:
            return x + self.shift
        return np.asarray(self.erasers[site](x))


def changes_of(
    site: str,
    source: EraserData,
    eraser: AffineEraser,
    doses: Mapping[float, float],
    floors: FloorDraws,
) -> Iterator[StateChange]:
    """Erased, and moved to the other label and further into their own by each dose, where there are
    two classes: the changes at a site that are the same for all examples, and the baselines of
    both. `doses` are lengths of `measure_dose`.
    """
    yield StateChange(ChangeName(ERASED_CHANGE), {site: eraser})
    for kind, floor in floors.erasers(source, eraser):
        yield StateChange(ChangeName(ERASED_CHANGE, "", kind), {site: floor})
    if not source.is_binary:
        return
    towards, left = unit_vector(difference_of_means(source)), compute_residuals(source)
    for dose, length in doses.items():
        what = f"moved {dose:g}"
        yield from _either_way(what, "", length * towards)
        for draw in range(floors.draws):
            for sort in ("rank", "shuffled"):
                rng = floors.generator(what, sort, draw)
                yield from _either_way(what, sort, length * _direction(left, source, sort, rng))


def _either_way(what: str, floor: str, shift: Doubles) -> Iterator[StateChange]:
    """All states moved towards the second class, and towards the first."""
    yield StateChange(ChangeName(what, "second", floor), shift=shift)
    yield StateChange(ChangeName(what, "first", floor), shift=-shift)


@dataclass(frozen=True)
class FloorDraws:
    """How baselines are drawn: how many of each kind, by what stands for the task."""

    method: str
    draws: int
    seed: str

    def fit(self, source: EraserData) -> AffineEraser:
        """The eraser that they are baselines of."""
        return fit_eraser(source, self.method)

    def of(self, source: EraserData, eraser: AffineEraser) -> EraserBaselines:
        """Those of an eraser of a source."""
        return EraserBaselines.of(source, self.method, eraser, self.seed)

    def erasers(
        self, source: EraserData, eraser: AffineEraser
    ) -> Iterator[tuple[Floor, AffineEraser]]:
        """So many draws of each kind."""
        return self.of(source, eraser).draw_all(self.draws)

    def generator(self, change: str, kind: str, draw: int) -> np.random.Generator:
        """What draws other baselines."""
        return generator_of(self.seed, change, kind, str(draw))


def fit_scrubbing(
    plain: Mapping[str, EraserData],
    floors: FloorDraws,
    read: Callable[[str, Mapping[str, AffineEraser]], EraserData],
) -> Iterator[StateChange]:
    """Scrubbed: erased there and at every later layer, each eraser fitted to what the earlier ones
    leave (concept scrubbing; Belrose et al. 2023). Baselines have its rank and the variance that it
    takes, and are fitted to states as they are: on what is left, shuffled labels find directions
    that hardly vary there, and are large in states that have the property.

    plain  by site, what erasers are fitted on of the model as it is
    read   gives that of a site behind erasers
    """
    found, beside = dict[str, AffineEraser](), dict[tuple[Floor, int], dict[str, AffineEraser]]()
    for number, (site, source) in enumerate(plain.items()):
        left = read(site, found) if number else source
        found[site] = floors.fit(left)
        own = replace(floors, seed=f"{floors.seed} {site}") if number else floors
        variance = found[site].removed_variance(left.moments.covariance)
        every = own.of(source, found[site])._replace(variance=variance).draw_all(floors.draws)
        for place, (kind, eraser) in enumerate(every):
            beside.setdefault((kind, place % floors.draws), {})[site] = eraser
    yield StateChange(ChangeName(SCRUBBED_CHANGE), found)
    for (kind, _), erasers in beside.items():
        yield StateChange(ChangeName(SCRUBBED_CHANGE, "", kind), erasers)


def difference_of_means(source: EraserData) -> Doubles:
    """The mean state of the second class less that of the first, [dim]."""
    classes = source.labels.classes
    if classes is None or len(np.unique(classes)) != 2:
        raise DataProblem("states are moved from one class to another: take a task of two classes")
    x = np.mean(np.asarray(source.sites, np.float64), 0)
    return np.asarray(x[classes == 1].mean(0) - x[classes == 0].mean(0))


def measure_dose(readings: Readings, site: str, source: EraserData) -> float:
    """How far a dose of 1 moves each token along the direction between two classes: the distance of
    the classes in the middle between the tokens of an example that lie furthest along it. `source`
    has the readings of that site.

    Where all tokens of an example lie as far apart as the classes, or there is one, it is the
    distance of their means. Where one of ten tokens has a property, the means lie a tenth as far
    apart as its states do, and this half as far.
    """
    apart, classes = difference_of_means(source), source.labels.classes
    assert classes is not None
    towards, middles = unit_vector(apart), []
    for k in range(readings.dataset.sites.shape[1]):
        units, offsets = expand_ranges(*readings.units(k))
        along = np.asarray(readings.vectors.layer(site)[units], np.float64) @ towards
        ends = (reach.reduceat(along, offsets[:-1]) for reach in (np.minimum, np.maximum))
        middles.append(np.mean([*ends], 0))
    middle = np.mean(middles, 0)
    reach = float(middle[classes == 1].mean() - middle[classes == 0].mean())
    return max(reach, float(np.linalg.norm(apart)))


def unit_vector(direction: Doubles) -> Doubles:
    """The same direction with the length 1; what has no length stays as it is."""
    length = float(np.linalg.norm(direction))
    return direction / length if length else direction


def without_direction(x: Doubles, direction: Doubles) -> Doubles:
    """Vectors [..., dim] without their part along a direction of length 1 [dim]."""
    return np.asarray(x - (x @ direction)[..., None] * direction)


def compute_residuals(source: EraserData) -> Doubles:
    """States [n, dim] less the mean of their class, and without the direction from one class to the
    other: how states vary that are alike in the label.
    """
    x, classes = np.mean(np.asarray(source.sites, np.float64), 0), source.labels.classes
    towards = unit_vector(difference_of_means(source))
    assert classes is not None
    means = np.stack([x[classes == k].mean(0) for k in (0, 1)])
    return without_direction(x - means[classes], towards)


def _direction(left: Doubles, source: EraserData, kind: str, rng: np.random.Generator) -> Doubles:
    """A direction of length 1 at random, as states of one label vary, or between classes of
    shuffled labels, by the residuals of a source. It is orthogonal to that between the classes:
    where a property has most of the variance, a direction drawn as all states vary would be nearly
    the one that it stands beside.
    """
    weights = rng.standard_normal(len(left))
    if kind == "shuffled":
        assert source.labels.classes is not None
        classes = rng.permutation(source.labels.classes)
        weights = np.where(classes == 1, 1 / (classes == 1).sum(), -1 / (classes == 0).sum())
    return unit_vector(weights @ left)
