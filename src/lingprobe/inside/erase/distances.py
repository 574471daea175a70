"""How far states are changed, and how far from real ones they are then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Ints
from lingprobe.inside.erase.erasers import Doubles
from lingprobe.inside.erase.interventions import StateChange

_ROWS = 256  # whose distances are held at a time


class ChangeSize(NamedTuple):
    """The mean length of a change, in mean lengths of states; and how far changed states are from
    the nearest real one, where 1 is as far as real ones are.
    """

    length: float
    distance: float


@dataclass(frozen=True)
class SiteStates:
    """The states of a site.

    states  [examples, dim] as they are
    rows    whose change is judged
    real    of which states are those that others are near to
    """

    site: str
    states: NDArray[np.float32]
    rows: Ints
    real: Ints

    def of_changes(self, changes: Sequence[StateChange]) -> dict[str, ChangeSize]:
        """By what is done; of a change with several ways their mean."""
        found: dict[str, list[ChangeSize]] = {}
        for change in changes:
            if not change.key.floor:
                found.setdefault(change.key.what, []).append(self.of(change))
        return {what: ChangeSize(*map(float, np.mean(sizes, 0))) for what, sizes in found.items()}

    def of(self, change: StateChange) -> ChangeSize:
        """Of one change."""
        x = np.asarray(self.states, np.float64)
        new, old = change.apply(self.site, x)[self.rows], x[self.rows]
        length = np.linalg.norm(new - old, axis=1).mean() / np.linalg.norm(old, axis=1).mean()
        usual = compute_nearest_distances(old, x[self.real]).mean()
        return ChangeSize(
            float(length), float(compute_nearest_distances(new, x[self.real]).mean() / usual)
        )


def compute_nearest_distances(points: Doubles, others: Doubles) -> Doubles:
    """The distance of each point [n, dim] to the nearest of others [m, dim], [n]."""
    from scipy.spatial.distance import cdist

    parts = range(0, len(points), _ROWS)
    return np.concatenate([cdist(points[k : k + _ROWS], others).min(1) for k in parts])
