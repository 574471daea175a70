"""Whether transfer loses more between languages that are further apart: a Mantel test of a matrix
of losses against a matrix of distances.

Cells of a matrix are no independent observations, since each language is in many of them; so
languages are permuted, not cells (Mantel 1967, *The detection of disease clustering and a
generalized regression approach*).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.frame import Columns, ResultFrame
from lingprobe.corpora.separators import open_table
from lingprobe.data.core import DataProblem
from lingprobe.metrics.metric import Doubles

_LEAST = 20
"""Languages below which nothing is tested: few have few ways to be permuted that are not alike,
and one family decides.
"""
_DRAWS = 9_999
Distances = Mapping[tuple[str, str], float]


class MantelResult(NamedTuple):
    """How losses of transfer go with distances.

    rho             Spearman's correlation over pairs of a source and another target
    p               two sides, of languages permuted
    languages, pairs  how many were compared
    """

    rho: float
    p: float
    languages: int
    pairs: int


def read_distances(path: str | Path) -> Distances:
    """The distances of a square table (CSV or TSV), names in its first row and first column: 0 on
    the diagonal, the same on both sides of it.

    DataProblem with the line where it is otherwise.
    """
    place = Path(path)
    with open_table(place) as (file, mark):
        rows = list(csv.reader(file, delimiter=mark))
    names = [name.strip() for name in rows[0][1:]] if rows else []
    if not names:
        raise DataProblem(f"{place} has no distances: write names in the first row and column")
    found: dict[tuple[str, str], float] = {}
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(names) + 1:
            raise DataProblem(
                f"{place}:{line}: {len(row)} cells where the header has {len(names) + 1}"
            )
        values = [_distance(cell, f"{place}:{line}") for cell in row[1:]]
        found |= {(row[0].strip(), name): value for name, value in zip(names, values, strict=True)}
    _check_distances(place, names, found)
    return found


def _distance(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise DataProblem(f"{where}: {cell!r} is not a distance: write a number of 0 or more")
    return value


def _check_distances(place: Path, names: Sequence[str], found: Distances) -> None:
    if odd := {*names} ^ {row for row, _ in found}:
        raise DataProblem(f"{place}: {min(odd)!r} is not both a row and a column")
    for one in names:
        for other in names:
            if one == other and found[one, one]:
                raise DataProblem(f"{place}: {one} is at {found[one, one]:g} from itself, not at 0")
            if found[one, other] != found[other, one]:
                raise DataProblem(f"{place}: {one} to {other} is not what {other} to {one} is")


def check_distances(distances: Distances, sources: Iterable[str], targets: Iterable[str]) -> None:
    """Refuse fewer than 20 languages that are source and target, or a table that lacks one.
    DataProblem.
    """
    read, tested = {*sources}, {*targets}
    both = read & tested
    if len(both) < _LEAST:
        raise DataProblem(
            f"distances need at least {_LEAST} languages that are both in --train and in --test,"
            f" found {len(both)}: with fewer, one language family dominates the correlation"
        )
    known = {name for name, _ in distances}
    if missing := (read | tested) - known:
        has = ", ".join(sorted(known))
        raise DataProblem(f"no distance of {min(missing)}: the table has {has}")


def add_distances(frame: ResultFrame, distances: Distances) -> ResultFrame:
    """The frame with the distance between the two languages of each row, where it is known."""
    pairs = zip(frame.column("train_on"), frame.column("language"), strict=True)
    return frame.with_columns({"distance": [distances.get(pair, math.nan) for pair in pairs]})


@dataclass(frozen=True)
class MantelTest:
    """Whether what transfer loses (the upper bound less the score) rises with the distance, for the
    rows with the same values of some columns: `mantel_rho`, `mantel_p`, and how many
    `mantel_languages` and `mantel_pairs` were compared; NaN and 0 where distances are not known.
    """

    within: Sequence[str]
    seed: int = 0

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows: list[MantelResult] = [MantelResult(math.nan, math.nan, 0, 0)] * len(shown)
        for numbers in shown.groups(self.within).values():
            if found := self._test(shown.take(numbers)):
                for number in numbers:
                    rows[number] = found
        names = [f"mantel_{name}" for name in MantelResult._fields]
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def _test(self, part: ResultFrame) -> MantelResult | None:
        if any(map(math.isnan, part.column("distance"))):
            return None
        pairs = list(zip(part.column("train_on"), part.column("language"), strict=True))
        both = {source for source, _ in pairs} & {target for _, target in pairs}
        names = sorted(both)
        losses = np.full((len(names), len(names)), math.nan)
        apart = np.zeros_like(losses)
        numbers = zip(*map(part.column, ("upper", "score", "distance")), strict=True)
        for pair, (upper, score, distance) in zip(pairs, numbers, strict=True):
            if both.issuperset(pair):
                place = names.index(pair[0]), names.index(pair[1])
                losses[place], apart[place] = upper - score, distance
        return of_matrices(losses, apart, self.seed)


def of_matrices(
    losses: Doubles, apart: Doubles, seed: int = 0, draws: int = _DRAWS
) -> MantelResult:
    """Spearman's correlation of two square matrices [languages, languages] off their diagonals, and
    its p: the share of permutations of the languages (the one that was seen among them) with one as
    far from 0. The first may differ between its sides, and pairs that are NaN in it are excluded.
    """
    from scipy.stats import rankdata

    size = len(losses)
    kept = ~np.eye(size, dtype=bool) & ~np.isnan(losses)
    ranks = _standard(rankdata(losses[kept]))
    generator = np.random.default_rng(seed)

    def rho(order: NDArray[np.int_]) -> float:
        return float(ranks @ _standard(rankdata(apart[np.ix_(order, order)][kept])))

    seen = rho(np.arange(size))
    least = abs(seen) - 1e-12  # the same sum in another order
    further = sum(abs(rho(generator.permutation(size))) >= least for _ in range(draws))
    return MantelResult(seen, (further + 1) / (draws + 1), size, int(kept.sum()))


def _standard(ranks: Doubles) -> Doubles:
    """Ranks around their mean, of length 1; zeros where all are the same."""
    centred = ranks - ranks.mean()
    norm = float(np.linalg.norm(centred))
    return np.asarray(centred / norm if norm else centred)
