"""The scores of all heads of a task, beside those of the same heads before training and of slices
of their width drawn at random; and which are significant among so many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lingprobe.analysis.comparable import (
    constant,
    explain_mismatch,
    group_rows_by_task,
)
from lingprobe.analysis.comparison import (
    ComparisonQuestion,
    Decision,
    decide_comparisons,
)
from lingprobe.analysis.row import PERCENT
from lingprobe.analysis.rows import MeasuredRow, on_dev
from lingprobe.data.core import Result
from lingprobe.data.references import try_parse_reference
from lingprobe.encoders.sites import Site, is_site
from lingprobe.metrics.clusters import number_clusters
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.multiplicity import ALPHA
from lingprobe.metrics.resampling import joint_permutation

TRAINED = ("weights", "seed", "lexical", "layers")
"""Options of an encoder that its untrained network, or other sites of it, have otherwise."""
HEAD, SLICE = "head", "slice"


@dataclass(frozen=True)
class HeadRow:
    """One site on one task, for programs; scores are percent, NaN where something was not measured.

    majority   the best constant answer; of maps of attention the best fixed offset
    untrained  what the same site of the untrained network scores, the best of several
    slices     what random slices of its block score, their mean
    p          of no difference from the untrained site, corrected for all sites of the table
    """

    task: str
    encoder: str
    probe: str
    site: str
    block: int
    head: int
    score: float
    low: float
    high: float
    on_dev: float
    majority: float
    untrained: float
    slices: float
    p: float
    n: int

    @property
    def is_better(self) -> bool:
        """Whether it is significantly better than before training."""
        return self.p < ALPHA and self.score > self.untrained


class Grid(NamedTuple):
    """All sites of one kind on one task: their rows by block and head, the best one on dev (on test
    where dev is not known), and whether the best site is better than the constant answer, and than
    all slices of its block.
    """

    rows: list[HeadRow]
    best: HeadRow
    is_chosen_on_dev: bool
    above_constant: Decision
    above_slices: Decision | None

    @property
    def kind(self) -> str:
        """The kind of site, as head."""
        return Site.parse(self.best.site).kind

    @property
    def is_compared(self) -> bool:
        """Whether all sites were measured in an untrained network, too."""
        return not any(math.isnan(row.untrained) for row in self.rows)

    @property
    def findings(self) -> list[HeadRow]:
        """The sites that are significantly better than before training."""
        return [row for row in self.rows if row.is_better]


def grids(results: Sequence[Result]) -> list[Grid]:
    """The grids of each task, encoder, probe and kind of site, in the order of results."""
    made: list[Grid] = []
    for measured in group_rows_by_task(results):
        groups: dict[tuple[str, str, str], list[MeasuredRow]] = {}
        for one in measured:
            trained = one.row.kind == "trained"
            if trained and is_site(one.row.layer) and _kind(one) != SLICE:
                groups.setdefault((_network(one), one.row.probe, _kind(one)), []).append(one)
        made += [_grid(mine, measured) for mine in groups.values()]
    return made


def _kind(one: MeasuredRow) -> str:
    return Site.parse(one.row.layer).kind


def _network(one: MeasuredRow) -> str:
    """The network of a row, whatever its weights and the sites that were read."""
    known = try_parse_reference(one.result.trial.encoder)
    return one.row.encoder if known is None else str(known.without(*TRAINED))


def _grid(mine: Sequence[MeasuredRow], measured: Sequence[MeasuredRow]) -> Grid:
    """The grid of some sites, with what else was measured of the task."""
    mine = sorted(mine, key=lambda one: Site.parse(one.row.layer))
    alike = [
        m for m in measured if (_network(m), m.row.probe) == (_network(mine[0]), mine[0].row.probe)
    ]
    before = {m.row.layer: m for m in sorted(alike, key=_score) if m.row.kind == "baseline"}
    floors = [before.get(one.row.layer) for one in mine]
    floors = [
        None if m is None or explain_mismatch(one, m) else m
        for one, m in zip(mine, floors, strict=True)
    ]
    slices: dict[int, list[MeasuredRow]] = {}
    for m in alike if _kind(mine[0]) == HEAD else ():
        if m.row.kind == "trained" and is_site(m.row.layer) and _kind(m) == SLICE:
            slices.setdefault(Site.parse(m.row.layer).block, []).append(m)
    p = _p_values(mine, floors)
    rows = [
        _row(one, floor, slices.get(Site.parse(one.row.layer).block, []), value)
        for one, floor, value in zip(mine, floors, p.tolist(), strict=True)
    ]
    known = not any(math.isnan(row.on_dev) for row in rows)
    best = max(range(len(rows)), key=lambda k: rows[k].on_dev if known else rows[k].score)
    others = tuple(
        m for m in slices.get(rows[best].block, ()) if not explain_mismatch(mine[best], m)
    )
    tried = 1 if known else len(rows)  # the best on test is one of as many comparisons
    above = decide_comparisons(
        [ComparisonQuestion(mine[best], (constant(mine[best]),))], comparisons=tried
    )[0]
    beside = (
        decide_comparisons([ComparisonQuestion(mine[best], others)], comparisons=tried)[0]
        if others
        else None
    )
    return Grid(rows, rows[best], known, above, beside)


def _score(one: MeasuredRow) -> float:
    return one.row.score


def _row(
    one: MeasuredRow, floor: MeasuredRow | None, slices: Sequence[MeasuredRow], p: float
) -> HeadRow:
    site, row, known = Site.parse(one.row.layer), one.row, try_parse_reference(one.row.encoder)
    return HeadRow(
        row.task,
        row.encoder if known is None else str(known.without("layers")),
        row.probe,
        site.name,
        site.block,
        site.head,
        row.score,
        row.low,
        row.high,
        PERCENT * on_dev(result for fit in one.fits for result in fit),
        row.majority,
        math.nan if floor is None else floor.row.score,
        float(np.mean([m.row.score for m in slices])) if slices else math.nan,
        p,
        row.n,
    )


def _p_values(mine: Sequence[MeasuredRow], floors: Sequence[MeasuredRow | None]) -> Doubles:
    """The p of no difference between each site and its floor, corrected by the largest difference
    of all; NaN where there is no floor.
    """
    p = np.full(len(mine), np.nan)
    pairs = [
        (k, one, floor) for k, (one, floor) in enumerate(zip(mine, floors, strict=True)) if floor
    ]
    if not pairs:
        return p
    table = np.stack([_contributions(one, floor) for _, one, floor in pairs])
    clusters = mine[0].answers.clusters
    ways = [number_clusters(codes) for codes in clusters.values()]
    summed: list[Doubles] = [
        np.stack([np.bincount(codes, row).astype(np.float64) for row in table])
        for codes in ways
        if codes.max() > 0
    ]
    # examples that share in several ways are swapped in that which moves the differences most
    widest = max(summed, key=lambda each: float((each**2).sum()), default=table)
    p[[k for k, _, _ in pairs]] = joint_permutation(widest)
    return p


def _contributions(one: MeasuredRow, floor: MeasuredRow) -> Doubles:
    """What each example adds to the difference between two rows, [n]; of a score that is no mean to
    the first order.
    """
    metric, gold = find_metric(one.row.metric), one.answers.gold
    sides = [
        np.mean([metric.influences(gold, predicted) for predicted in each.answers.predicted], 0)
        for each in (one, floor)
    ]
    difference = (one.row.score - floor.row.score) / PERCENT
    return np.asarray(sides[0] - sides[1] + difference / len(gold))
