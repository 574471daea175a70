"""States that are exchanged with those of other sentences (interchange interventions; Geiger et al.
2021): of another label, or of the same one; as a whole, or within the eraser's subspace alone.

Sentences of a treebank have no places that match, as those of a template have. So what is exchanged
is the state that probes and erasers read: the mean over the words that an example is about, or over
the sentence; each of its tokens is shifted by the difference. Where that is one token, its state is
replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lingprobe.data.vectors import Ints
from lingprobe.inside.erase.erasers import AffineEraser, Doubles
from lingprobe.inside.erase.fitting import EraserData
from lingprobe.inside.erase.interventions import (
    ChangeName,
    FloorDraws,
    StateChange,
    Way,
    compute_residuals,
    difference_of_means,
    unit_vector,
    without_direction,
)

EXCHANGED_CHANGE, WHOLE_EXCHANGE_CHANGE = "exchanged", "exchanged whole"


@dataclass(frozen=True)
class ExchangePartners:
    """Whose state each example gets, by its number; -1 where there is nobody.

    states  [examples, dim] of the task's examples
    codes   [examples] their classes
    real    which examples give states
    """

    states: Doubles
    codes: Ints
    real: Ints

    def of(self, way: Way, rng: np.random.Generator) -> Ints:
        """Another example of another label, of the same label (`own`), or of any (''),
        [examples].
        """
        found = np.full(len(self.codes), -1)
        for row, code in enumerate(self.codes.tolist()):
            some = self.codes[self.real]
            fits = {"other": some != code, "own": some == code}.get(way, np.ones(len(some), bool))
            pool = self.real[fits & (self.real != row)]
            if len(pool):
                found[row] = rng.choice(pool)
        return found

    def differences(self, partners: Ints) -> Doubles:
        """How far it is from the state of each example to its partner's, [examples, dim]."""
        apart = self.states[partners] - self.states
        return np.asarray(np.where(partners[:, None] >= 0, apart, 0.0))


def project_onto_erased(eraser: AffineEraser, apart: Doubles) -> Doubles:
    """The part of differences [n, dim] that an eraser takes out."""
    return np.asarray((apart @ eraser.right.T) @ eraser.left.T)


def of_length(directions: Doubles, reference: Doubles) -> Doubles:
    """Directions [n, dim], each as long as another row; nothing where either is nothing."""
    sizes, wanted = (
        np.linalg.norm(each, axis=1, keepdims=True) for each in (directions, reference)
    )
    return np.asarray(np.where(sizes > 0, directions * wanted / np.where(sizes > 0, sizes, 1), 0.0))


def make_exchanges(
    partners: ExchangePartners, source: EraserData, eraser: AffineEraser, floors: FloorDraws
) -> Iterator[StateChange]:
    """Exchanged with the state of a real sentence, of the other label and of the same; and
    baselines, each shift as long as that to the other label: towards examples of any label, within
    other subspaces, or whole.
    """
    apart: dict[Way, Doubles] = {
        way: partners.differences(partners.of(way, floors.generator(EXCHANGED_CHANGE, way, 0)))
        for way in ("other", "own")
    }
    for way, each in apart.items():
        yield StateChange(
            ChangeName(EXCHANGED_CHANGE, way), shifts=project_onto_erased(eraser, each)
        )
        yield StateChange(ChangeName(WHOLE_EXCHANGE_CHANGE, way), shifts=each)
    inside = project_onto_erased(eraser, apart["other"])
    towards = np.zeros(inside.shape[1])
    if source.is_binary:
        towards = unit_vector(difference_of_means(source))
    for number, (kind, floor) in enumerate(floors.erasers(source, eraser)):
        anybody = partners.of("", floors.generator(EXCHANGED_CHANGE, kind, number))
        beside = without_direction(
            project_onto_erased(floor, partners.differences(anybody)), towards
        )
        yield StateChange(ChangeName(EXCHANGED_CHANGE, "", kind), shifts=of_length(beside, inside))
    x = np.asarray(source.sites[0], np.float64)
    left = compute_residuals(source) if source.is_binary else x - x.mean(0)
    for draw in range(floors.draws):
        rng = floors.generator(WHOLE_EXCHANGE_CHANGE, "", draw)
        others = {
            "rank": rng.standard_normal((len(partners.codes), len(x))) @ left,
            "shuffled": partners.differences(partners.of("", rng)),
        }
        for sort, other in others.items():
            beside = without_direction(other, towards)
            yield StateChange(
                ChangeName(WHOLE_EXCHANGE_CHANGE, "", sort),
                shifts=of_length(beside, apart["other"]),
            )
