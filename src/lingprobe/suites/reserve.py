"""Scores on the public and on the reserve draw of a suite. Vectors that were tuned on the public
draw score higher there than on the reserve, by more than a baseline does that was tuned on neither.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lingprobe.analysis.row import NO_CONTROL, ResultRow
from lingprobe.metrics import correct_p_values
from lingprobe.metrics.multiplicity import ALPHA
from lingprobe.suites.facts import Entry
from lingprobe.suites.page import measured_rows
from lingprobe.suites.significance import REACH
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

COLUMNS = ("encoder", "sets", "public", "reserve", "difference", "±", "above baseline", "±", "p")
Cells = Mapping[int, ResultRow]


@dataclass(frozen=True, slots=True)
class Wear:
    """How much higher vectors score on the public draw than on the reserve, as means over sets, in
    points.

    error         the standard error of the difference
    beyond        the difference less that of the floor, on the same sets
    beyond_error  its standard error, as if the two were independent; since both read the same
                  examples, it is rather less
    p             one-sided, of no more than the baseline's difference, corrected by Holm over the
                  rows; NaN for the baseline
    """

    label: str
    sets: int
    public: float
    reserve: float
    error: float
    beyond: float = math.nan
    beyond_error: float = math.nan
    p: float = math.nan

    @property
    def difference(self) -> float:
        """Public minus reserve."""
        return self.public - self.reserve


def wear(entries: Sequence[Entry], draws: tuple[str, str], floor: str) -> list[Wear]:
    """One value for each row of a suite's table that has sets in both draws, the baseline's first;
    `draws` are what the data of the two are called.
    """
    public, reserve = (_cells(entries, draw) for draw in draws)
    both = {
        label: sorted(public[label].keys() & reserve[label].keys())
        for label in public
        if label in reserve
    }
    made = []
    for label, sets in sorted(((k, v) for k, v in both.items() if v), key=lambda p: p[0] != floor):
        mine = _mean(label, public[label], reserve[label], sets)
        shared = [column for column in sets if column in both.get(floor, ())]
        if label != floor and shared:
            own = _mean(label, public[label], reserve[label], shared)
            other = _mean(floor, public[floor], reserve[floor], shared)
            mine = _less(mine, own, other)
        made.append(mine)
    return _correct(made)


def _cells(entries: Sequence[Entry], draw: str) -> dict[str, Cells]:
    """The measurements over one draw, by row and column."""
    rows = measured_rows([entry for entry in entries if entry.place.data == draw])
    known = {
        row.label: {
            column: cell
            for column, cell in row.cells.items()
            if isinstance(cell, ResultRow) and cell.control == NO_CONTROL
        }
        for row in rows
        if not row.oracle
    }
    return {label: cells for label, cells in known.items() if cells}


def _mean(label: str, public: Cells, reserve: Cells, sets: Sequence[int]) -> Wear:
    """The means over some sets, whose errors are independent."""
    means = [sum(draw[c].score for c in sets) / len(sets) for draw in (public, reserve)]
    spread = sum(_error(draw[c]) ** 2 for draw in (public, reserve) for c in sets)
    return Wear(label, len(sets), means[0], means[1], math.sqrt(spread) / len(sets))


def _error(row: ResultRow) -> float:
    """The standard error that an interval of 95 % stands for."""
    return (row.high - row.low) / (2 * REACH)


def _less(mine: Wear, own: Wear, floor: Wear) -> Wear:
    """With what is beyond the difference of the baseline."""
    beyond, error = own.difference - floor.difference, math.hypot(own.error, floor.error)
    p = 0.5 * math.erfc(beyond / error / math.sqrt(2)) if error else float(beyond <= 0)
    return Wear(mine.label, mine.sets, mine.public, mine.reserve, mine.error, beyond, error, p)


def _correct(made: Sequence[Wear]) -> list[Wear]:
    tested = [each.p for each in made if not math.isnan(each.p)]
    values = iter(correct_p_values(tested).tolist() if tested else [])
    return [each if math.isnan(each.p) else replace(each, p=next(values)) for each in made]


def reserve_table(
    entries: Sequence[Entry], draws: tuple[str, str], floor: str, said: str = ""
) -> Table:
    """Both draws beside each other; `said` is a note below."""
    made = wear(entries, draws, floor)
    body = tuple((each.label, *_numbers(each)) for each in made)
    notes = (
        "Means over the sets in both samples, in percent; ± is half of the 95 % interval. Above"
        f" baseline: the difference minus that of {floor}; p: one-sided, corrected by Holm.",
        *((said,) if said else ()),
    )
    return Table(
        COLUMNS,
        (TableSection("", body),) if body else (),
        frozenset({"encoder"}),
        notes,
        lead=tuple(_verdicts(made)),
        caption="Public and reserve samples",
    )


def _numbers(each: Wear) -> tuple[str, ...]:
    scores = each.public, each.reserve, each.difference, REACH * each.error
    beyond = "–" if math.isnan(each.beyond) else format_number(each.beyond)
    reach = "–" if math.isnan(each.beyond) else format_number(REACH * each.beyond_error)
    p = "–" if math.isnan(each.p) else f"{each.p:.3f}"
    return str(each.sets), *map(format_number, scores), beyond, reach, p


def _verdicts(made: Sequence[Wear]) -> list[str]:
    """What is to be read first."""
    tested = [each for each in made if not math.isnan(each.p)]
    worn = [each for each in tested if each.p < ALPHA]
    lines = [
        f"{each.label} scores {format_number(each.beyond)} points more on the public sample than on"
        " the reserve, after subtracting the baseline's difference: report the reserve, and check"
        " what the encoder was tuned on."
        for each in worn
    ]
    if tested and not worn:
        least = max(REACH * each.beyond_error for each in tested)
        lines.append(
            "No encoder scores significantly higher on the public sample than on the reserve,"
            f" relative to the baseline; {format_number(least)} points would have been detected."
        )
    return lines
