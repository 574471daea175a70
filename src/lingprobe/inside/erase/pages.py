"""Erasures as sentences, as tables and as a heat map: what is erased below each other, what is
measured beside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lingprobe.inside.erase.cells import ErasureCell
from lingprobe.inside.erase.matrix import NONLINEAR, OF_FLOORS, ORDINARY
from lingprobe.metrics.multiplicity import ALPHA
from lingprobe.pages.captions import label_encoders, shorten_task
from lingprobe.pages.records import format_csv
from lingprobe.tables.heat import REDS, HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ERASED = "erased"
MARKS = {"dependent": "†", "unknown": "?", "independent": "‡"}
Text = Callable[[ErasureCell], str]


def erasure_page(
    found: Sequence[ErasureCell], fits: Mapping[str, int], draws: int
) -> Page[tuple[ErasureCell, ...]]:
    """The matrix of each encoder, layer and rank; `fits` says how many probes were fitted."""
    return Page(
        tuple(found),
        lambda: list(_tables(found, fits, draws)),
        {"csv": lambda: format_csv(found)},
        figure=lambda: heat(found),
    )


def matrices(found: Sequence[ErasureCell]) -> list[list[ErasureCell]]:
    """The cells of each matrix, in their order."""
    made: dict[tuple[str, str, int], list[ErasureCell]] = {}
    for cell in found:
        made.setdefault((cell.encoder, cell.layer, cell.asked), []).append(cell)
    return list(made.values())


def _tables(found: Sequence[ErasureCell], fits: Mapping[str, int], draws: int) -> Iterator[Table]:
    names = label_encoders(dict.fromkeys(cell.encoder for cell in found))
    notes = tuple(_notes(found, fits, draws))
    every = matrices(found)
    for i, mine in enumerate(every):
        first = mine[0]
        measured = list(dict.fromkeys(cell.measured for cell in mine))
        layer = "" if first.layer == "-" else f", layer {first.layer}"
        rank = f", rank {first.asked}" if first.asked else ""
        title = (
            f"{names.get(first.encoder, first.encoder)}{layer}: erased with {first.method}{rank}"
        )
        yield Table(
            (ERASED, *map(shorten_task, measured)),
            tuple(_sections(mine, measured)),
            frozenset({ERASED}),
            notes if i == len(every) - 1 else (),
            title=title,
            lead=tuple(verdicts(mine)),
        )


def _sections(mine: Sequence[ErasureCell], measured: Sequence[str]) -> Iterator[TableSection]:
    def section(heading: str, text: Text, line: str = "") -> TableSection:
        by = {(cell.erased, cell.measured): cell for cell in mine}
        erased = list(dict.fromkeys(cell.erased for cell in mine))
        rows = tuple((shorten_task(a), *(text(by[a, b]) for b in measured)) for a in erased)
        bold = frozenset(
            (r, c)
            for r, a in enumerate(erased)
            for c, b in enumerate(measured, 1)
            if by[a, b].verdict == "falls"
        )
        return TableSection(heading, rows, line, bold)

    yield section(
        "score after erasing (and before)",
        lambda c: f"{format_number(c.after)} ({format_number(c.before)}){_mark(c)}",
    )
    yield section(
        "points below the strongest baseline",
        lambda c: f"{format_number(c.beyond)}{'*' * (c.verdict != 'no significant difference')}",
    )
    yield section(
        "baselines",
        lambda c: " / ".join(
            map(format_number, (c.rank_floor, c.variance_floor, c.shuffled_floor))
        ),
        "after erasing random subspaces of the same rank / of the same rank and variance / with"
        " shuffled labels",
    )
    yield section(
        "completeness, or collateral change",
        lambda c: (
            format_number(c.completeness)
            if c.is_own
            else f"{format_number(c.collateral)} ({format_number(c.collateral_floor)})"
        ),
        "collateral change, in brackets that of a baseline; both by a probe of unmodified vectors",
    )
    yield section("reliability", lambda c: "" if c.is_own else format_number(c.reliability))
    yield section(
        "angle between erased subspaces", lambda c: "" if c.is_own else format_number(c.angle)
    )


def _mark(cell: ErasureCell) -> str:
    return MARKS.get(cell.sample, "")


def verdicts(mine: Sequence[ErasureCell]) -> Iterator[str]:
    """What can be said of each task that is erased, in a few sentences."""
    for own in (cell for cell in mine if cell.is_own):
        others = [cell for cell in mine if cell.erased == own.erased and not cell.is_own]
        yield " ".join((_own(own), *_remainder(own), *_besides(others)))


def _own(own: ErasureCell) -> str:
    floors = ", ".join(
        f"{format_number(score)} after {what}"
        for score, what in (
            (own.rank_floor, "random subspaces of its rank"),
            (own.variance_floor, "random subspaces of its variance"),
            (own.shuffled_floor, "shuffled labels"),
        )
    )
    dims = f"{own.rank} dimension{'s' * (own.rank != 1)}, {own.fitted:,} examples"
    change = f"{format_number(own.before)} to {format_number(own.after)}"
    if own.verdict == "falls":
        erased = f"{shorten_task(own.erased)}, erased ({dims})"
        return f"{erased}: the score of a linear probe falls from {change} ({floors})."
    than = (
        "is above every baseline"
        if own.verdict == "rises"
        else "does not differ significantly from the baselines"
    )
    return (
        f"{shorten_task(own.erased)}, erased ({dims}): the score of a linear probe changes from"
        f" {change}, which {than} ({floors})."
    )


def _remainder(own: ErasureCell) -> Iterator[str]:
    if not math.isnan(own.left_p):
        constant = format_number(own.constant)
        if own.left_p < ALPHA and own.after > own.constant:
            yield f"This is still significantly above the constant answer's {constant}."
        else:
            yield f"This is not significantly above the constant answer's {constant}."
    if not math.isnan(own.nonlinear_after):
        yield (
            f"The score of a nonlinear probe changes from {format_number(own.nonlinear_before)} to"
            f" {format_number(own.nonlinear_after)}."
        )


def _besides(others: Sequence[ErasureCell]) -> Iterator[str]:
    apart = [cell for cell in others if cell.sample in ("all", "independent")]
    fallen = [cell for cell in apart if cell.verdict == "falls"]
    if fallen:
        said = ", ".join(
            f"{shorten_task(c.measured)} ({format_number(c.beyond)} points)" for c in fallen
        )
        yield f"Other tasks that fall significantly more than with any baseline: {said}."
    elif apart:
        yield (
            f"No other task ({len(apart)} measured) falls significantly more than with every"
            " baseline."
        )
    unclear = [cell for cell in others if cell.sample == "dependent"]
    if unclear:
        names = ", ".join(shorten_task(cell.measured) for cell in unclear)
        yield f"The labels depend on those of {names}, so these are not judged."


def _notes(found: Sequence[ErasureCell], fits: Mapping[str, int], draws: int) -> Iterator[str]:
    ordinary = fits.get(ORDINARY, 0)
    each = ordinary / max(len(found), 1)
    yield (
        "Scores are times 100. Eraser, probe and test use disjoint sentences; probes are retrained"
        f" after erasing. * and bold: significantly below each of three baselines ({draws} samples"
        " each; Holm over the cells of a matrix, p < 0.05)."
    )
    if any(cell.sample != "all" for cell in found):
        yield (
            "‡: over examples in which both tasks' labels are independent. †: labels depend on"
            " each other, and too few such examples are left. ?: too few examples have both labels."
        )
    yield (
        "A probe shows that a property is decodable, and erasing shows that the method found it."
        " Neither shows that the model uses it."
    )
    yield (
        f"{ordinary:,} trained probes for {len(found):,} cells ({each:.2f} a cell),"
        f" {fits.get(OF_FLOORS, 0):,} for baselines, {fits.get(NONLINEAR, 0):,} of the nonlinear"
        " probe."
    )


def heat(found: Sequence[ErasureCell]) -> Figure:
    """A heat map for each matrix: points that each task loses beyond the floor that does most."""
    names = label_encoders(dict.fromkeys(each.encoder for each in found))
    most = max((each.beyond for each in found if not math.isnan(each.beyond)), default=0.0)
    maps = []
    for mine in matrices(found):
        first = mine[0]
        layer = "" if first.layer == "-" else f", layer {first.layer}"
        cells = [_heat_cell(one, most) for one in mine]
        maps.append(HeatMap(f"{names.get(first.encoder, first.encoder)}{layer}", cells))
    about = "Erased (rows), measured (columns): points lost below the strongest baseline."
    return draw_heat_maps(maps, HeatLook(about, REDS, wide=0.8, tall=0.35))


def _heat_cell(one: ErasureCell, most: float) -> HeatCell:
    lost = 0.0 if math.isnan(one.beyond) else one.beyond
    clear = one.verdict != "no significant difference"
    text = f"{format_number(one.beyond)}{'*' * clear}{_mark(one)}"
    return HeatCell(
        shorten_task(one.erased), shorten_task(one.measured), text, lost / max(most, 1e-9), clear
    )
