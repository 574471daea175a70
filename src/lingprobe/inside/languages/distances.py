"""Whether transfer loses more between languages that are further apart: a Mantel test of a matrix
of losses against a matrix of distances.

Cells of a matrix are no independent observations, since each language is in many of them; so
languages are permuted, not cells (Mantel 1967, *The detection of disease clustering and a
generalized regression approach*).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.separators import open_table
from lingprobe.data.core import DataProblem
from lingprobe.inside.languages.cells import TransferCell
from lingprobe.metrics.metric import Doubles

LEAST = 20
"""Languages below which nothing is tested: few have few ways to be permuted that are not alike,
and one family decides.
"""
DRAWS = 9_999
Distances = dict[tuple[str, str], float]


class Mantel(NamedTuple):
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
    found: Distances = {}
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(names) + 1:
            raise DataProblem(
                f"{place}:{line}: {len(row)} cells where the header has {len(names) + 1}"
            )
        values = [_distance(cell, f"{place}:{line}") for cell in row[1:]]
        found |= {(row[0].strip(), name): value for name, value in zip(names, values, strict=True)}
    _check(place, names, found)
    return found


def _distance(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise DataProblem(f"{where}: {cell!r} is not a distance: write a number of 0 or more")
    return value


def _check(place: Path, names: Sequence[str], found: Distances) -> None:
    if odd := {*names} ^ {row for row, _ in found}:
        raise DataProblem(f"{place}: {min(odd)!r} is not both a row and a column")
    for one in names:
        for other in names:
            if one == other and found[one, one]:
                raise DataProblem(f"{place}: {one} is at {found[one, one]:g} from itself, not at 0")
            if found[one, other] != found[other, one]:
                raise DataProblem(f"{place}: {one} to {other} is not what {other} to {one} is")


def check_distances(distances: Distances, sources: Iterable[str], targets: Iterable[str]) -> None:
    """DataProblem where fewer than 20 languages are source and target, or the table lacks one."""
    read, tested = {*sources}, {*targets}
    both = read & tested
    if len(both) < LEAST:
        raise DataProblem(
            f"distances need at least {LEAST} languages that are both in --train and in --test,"
            f" found {len(both)}: with fewer, one language family dominates the correlation"
        )
    known = {name for name, _ in distances}
    if missing := (read | tested) - known:
        has = ", ".join(sorted(known))
        raise DataProblem(f"no distance of {min(missing)}: the table has {has}")


def with_distances(cells: Sequence[TransferCell], distances: Distances) -> Sequence[TransferCell]:
    """The cells with the distance between their source and target, where it is known."""
    return [replace(c, distance=distances.get((c.source, c.target), math.nan)) for c in cells]


def mantel(cells: Sequence[TransferCell], seed: int = 0) -> Mantel | None:
    """Whether what transfer loses (the upper bound less the score) rises with the distance, for the
    cells of one task, encoder and probe; None where distances are not known.
    """
    if any(math.isnan(cell.distance) for cell in cells):
        return None
    names = sorted({c.source for c in cells} & {c.target for c in cells})
    by = {(c.source, c.target): c for c in cells}
    losses = np.full((len(names), len(names)), math.nan)
    apart = np.zeros_like(losses)
    for row, source in enumerate(names):
        for column, target in enumerate(names):
            if cell := by.get((source, target)):
                losses[row, column] = cell.upper - cell.score
                apart[row, column] = cell.distance
    return of_matrices(losses, apart, seed)


def of_matrices(losses: Doubles, apart: Doubles, seed: int = 0, draws: int = DRAWS) -> Mantel:
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
    return Mantel(seen, (further + 1) / (draws + 1), size, int(kept.sum()))


def _standard(ranks: Doubles) -> Doubles:
    """Ranks around their mean, of length 1; zeros where all are the same."""
    centred = ranks - ranks.mean()
    norm = float(np.linalg.norm(centred))
    return np.asarray(centred / norm if norm else centred)
