"""All heads of a task beside each other, as a page: verdicts first, then a line for each network,
then its heads block by block; as a heat map, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lingprobe.analysis.row import PERCENT
from lingprobe.data.core import DataProblem, Result
from lingprobe.inside.heads.grid import Grid, HeadRow, grids
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.records import format_csv
from lingprobe.pages.views import Asked
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORDS = {"head": "heads", "map": "maps", "mlp": "MLPs", "attn": "attention outputs"}
HEAD = ("site", "score", "95 % interval", "untrained", "slices", "constant", "better", "n")
NOTES = (
    "Scores are times 100. Site: the one with the best score on dev. Untrained: the same site of"
    " the untrained network. Slices: the mean of random slices of the block of the same width.",
    "Better: how many sites are significantly better than before training, by the largest of all"
    " differences under swapped answers (Westfall & Young 1993, p < 0.05). *: one of these.",
)
BY_TEST = "Site: chosen on test, as there is no score on dev, so scores are slightly optimistic."


def heads(results: Sequence[Result], asked: Asked) -> Page[tuple[HeadRow, ...]]:
    """All heads (or MLPs, or maps of attention) of a task beside each other, against the same ones
    before training, and random slices.
    """
    made = grids(results)
    if not made:
        raise DataProblem(
            "no task was measured on sites inside blocks: `lingprobe run -t TASK -e"
            " 'hf:NAME,layers=head:*.*' -e 'hf:NAME,weights=random,layers=head:*.*'` measures them"
        )
    rows = tuple(row for each in made for row in each.rows)
    return Page(
        rows,
        lambda: [_overview(made), *map(_by_block, made)],
        texts={"csv": lambda: format_csv(rows)},
        figure=lambda: heads_figure(made),
    )


def verdict(grid: Grid) -> str:
    """What can be said of the sites of a task, in a sentence or two."""
    best, what = grid.best, WORDS[grid.kind]
    chosen = "on dev" if grid.is_chosen_on_dev else "on test"
    said = (
        f"{shorten_task(best.task)}, {best.encoder}: best {chosen} is {best.site}, {best.score:.1f}"
    )
    above = grid.above_constant
    said += f", {'better' if above.verdict == 'better' else 'not significantly better'} than the"
    said += f" constant answer's {grid.best.majority:.1f}"
    if not grid.is_compared:
        return (
            f"{said}. This is not yet a finding: the same sites of the untrained network were not"
            f" all measured; add -e '{_before_training(grid)}'."
        )
    said += f"; untrained {best.untrained:.1f}."
    said += f" {len(grid.findings)} of {len(grid.rows)} {what} are better than before training."
    if grid.above_slices is not None:
        own = grid.above_slices.verdict == "better"
        ends = "higher than any" if own else "not significantly higher than the best"
        said += f" {best.site} scores {ends} random slice of its block, so the property is"
        said += " specific to it." if own else " not shown to be specific to it."
    return said


def _before_training(grid: Grid) -> str:
    """The encoder that is missing, as it is written."""
    star = f"{grid.kind}:*" + (".*" if grid.best.head else "")
    return f"{grid.best.encoder},weights=random,layers={star}"


def _overview(made: Sequence[Grid]) -> Table:
    """One line for each network and kind of site, a section for each task."""
    tasks = dict.fromkeys(grid.best.task for grid in made)
    sections = tuple(
        TableSection(
            shorten_task(task), tuple(_line(grid) for grid in made if grid.best.task == task)
        )
        for task in tasks
    )
    notes = NOTES if all(grid.is_chosen_on_dev for grid in made) else (*NOTES, BY_TEST)
    words = frozenset({"encoder", "probe", "site"})
    lead = tuple(map(verdict, made))
    return Table(("encoder", "probe", *HEAD), sections, words, notes, "Sites inside blocks", lead)


def _line(grid: Grid) -> tuple[str, ...]:
    best = grid.best
    many = f"{len(grid.findings)} of {len(grid.rows)}" if grid.is_compared else "–"
    scores = map(format_number, (best.untrained, best.slices, grid.best.majority))
    interval = f"{best.low:.1f} – {best.high:.1f}"
    site = best.encoder, best.probe, best.site, format_number(best.score), interval
    return *site, *scores, many, f"{best.n:,}"


def _by_block(grid: Grid) -> Table:
    """The scores of a grid, a row for each block and a column for each head."""
    places = {(row.block, row.head): row for row in grid.rows}
    columns, blocks = _columns(grid), sorted({row.block for row in grid.rows})
    rows = tuple(
        (str(block), *(_cell(places.get((block, head))) for head in columns)) for block in blocks
    )
    best = blocks.index(grid.best.block), 1 + columns.index(grid.best.head)
    heading = f"{shorten_task(grid.best.task)}, {grid.best.encoder}, {grid.best.probe}"
    names = [str(head) if head else grid.kind for head in columns]
    section = TableSection(heading, rows, strong=frozenset({best}))
    return Table(("block", *names), (section,), frozenset({"block"}))


def _columns(grid: Grid) -> list[int]:
    return sorted({row.head for row in grid.rows})


def _cell(row: HeadRow | None) -> str:
    return "" if row is None else f"{row.score:.1f}{'*' * row.is_better}"


def heads_figure(made: Sequence[Grid]) -> Figure:
    """A heat map for each grid: blocks from the lowest below, heads beside each other, on a colour
    from the constant answer to a hundred.
    """
    names = ", ".join(shorten_task(grid.best.task) for grid in made)
    note = "*: better than before training; bold: best on dev"
    look = HeatLook(
        f"Sites inside blocks on {names}.", wide=0.46, ends=("constant answer", "100"), note=note
    )
    return draw_heat_maps(list(map(_heat_map, made)), look)


def _heat_map(grid: Grid) -> HeatMap:
    """The scores of one grid."""
    constant = grid.best.majority
    cells = [
        HeatCell(
            str(row.block),
            str(row.head) if row.head else grid.kind,
            f"{row.score:.0f}{'*' * row.is_better}",
            (row.score - constant) / max(PERCENT - constant, 1e-9),
            row == grid.best,
        )
        for row in sorted(grid.rows, key=lambda row: (-row.block, row.head))
    ]
    return HeatMap(f"{shorten_task(grid.best.task)}, {grid.best.encoder}", cells)
