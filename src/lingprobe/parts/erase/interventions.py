"""Changes of the states of a layer, by name: erased, moved along the direction of two classes, and
the floors of both. Each is an affine map of every token's state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem
from lingprobe.parts.erase.erasers import Doubles, Eraser
from lingprobe.parts.erase.fitting import Source, draw_floors, fit_eraser, generator_of

ERASED = "erased"


@dataclass(frozen=True)
class Change:
    """What is done to a state x [dim]: x - left @ (right @ (x - mean)) + shift.

    what   erased, or `moved` and how many distances of the classes
    sign   1 and -1: towards the second class and towards the first; 0 where there is no direction
    floor  the kind of floor, '' for the change itself
    """

    what: str
    sign: int = 0
    floor: str = ""
    eraser: Eraser | None = None
    shift: Doubles | None = None

    @property
    def edit(self) -> Callable[[Any], Any]:
        """The same for tensors [..., dim], computed in float64."""
        import torch

        def tensor(x: Any, values: Doubles) -> Any:
            return torch.from_numpy(np.ascontiguousarray(values)).to(x.device)

        def apply(x: Any) -> Any:
            new = x.double()
            if (one := self.eraser) is not None:
                reach = (new - tensor(x, one.mean)) @ tensor(x, one.right).T
                new = new - reach @ tensor(x, one.left).T
            if self.shift is not None:
                new = new + tensor(x, self.shift)
            return new.to(x.dtype)

        return apply

    def size(self, vectors: NDArray[Any]) -> float:
        """The mean length of the change of vectors [n, dim], in mean lengths of theirs."""
        import torch

        given = torch.from_numpy(np.asarray(vectors, np.float64))
        moved = (self.edit(given) - given).norm(dim=1).mean()
        return float(moved / given.norm(dim=1).mean())


def changes_of(
    source: Source, method: str, doses: tuple[float, ...], draws: int, seed: str
) -> Iterator[Change]:
    """The changes of a layer: erased; moved by each dose either way, where there are two classes;
    and so many draws of each kind of floor. DataProblem where nothing can be fitted.
    """
    eraser = fit_eraser(source, method)
    yield Change(ERASED, eraser=eraser)
    for kind, floor in draw_floors(source, method, eraser, draws, seed):
        yield Change(ERASED, 0, kind, floor)
    if len(source.labels.names) != 2 or source.labels.classes is None:
        return
    apart = difference_of_means(source)
    for dose in doses:
        what = f"moved {dose:g}"
        for sign in (1, -1):
            yield Change(what, sign, shift=sign * dose * apart)
        for draw in range(draws):
            for kind in ("rank", "shuffled"):
                rng = generator_of(seed, what, kind, str(draw))
                other = _direction(source, kind, rng)
                # as far as the classes are apart, in another direction
                length = dose * float(np.linalg.norm(apart) / np.linalg.norm(other))
                yield Change(what, 0, kind, shift=length * other)


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
