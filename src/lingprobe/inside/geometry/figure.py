"""Heat maps: every layer against every layer, or every language against every language, and beside
them the same of untrained networks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.inside.geometry.answers import (
    ROTATED_RETRIEVAL,
    Names,
    by_encoder,
    chosen_layer,
    is_between,
    select_measures,
)
from lingprobe.inside.geometry.comparisons import GeometryRow
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cells = Mapping[tuple[str, str], float]
_WRITTEN = 16  # layers up to which cells have numbers
_UNTRAINED = "untrained"


def draw_geometry_heat(rows: Sequence[GeometryRow], names: Names) -> Figure:
    """CKA of all layers, or retrieval between all languages in the layer that was chosen."""
    languages = any(map(is_between, rows))
    maps = _languages(rows, names) if languages else _draw_layer_heat(rows, names)
    if not maps:
        raise PlotProblem(
            "one layer of one text makes no map: name several layers, or several texts"
        )
    what = "percent of translations found after rotation" if languages else "linear CKA, debiased"
    return _draw(maps, what, PERCENT_SCALE if languages else 1.0)


def _draw_layer_heat(rows: Sequence[GeometryRow], names: Names) -> dict[str, Cells]:
    """All layers against all, in their order; every pair is measured once, and shown twice."""
    found: dict[tuple[str, str], float] = {}
    drawn: dict[tuple[str, str], float] = {}
    for row in select_measures(rows, "cka"):
        one = _name_layer(row.encoder, row.layer, names)
        other = _name_layer(row.other_encoder, row.other_layer, names)
        for ends in ((one, other), (other, one)):
            found[ends], drawn[ends] = row.value, row.untrained
        found |= {(one, one): 1.0, (other, other): 1.0}
        if not math.isnan(row.untrained):
            drawn |= {(one, one): 1.0, (other, other): 1.0}
    return _both("", found, drawn)


def _languages(rows: Sequence[GeometryRow], names: Names) -> dict[str, Cells]:
    maps: dict[str, Cells] = {}
    for encoder, mine in by_encoder(rows).items():
        layer = chosen_layer(mine)
        here = [row for row in select_measures(mine, ROTATED_RETRIEVAL) if row.layer == layer]
        found = {(row.text, row.other_text): row.value for row in here}
        drawn = {(row.text, row.other_text): row.untrained for row in here}
        maps |= _both(_name_layer(encoder, layer, names), found, drawn)
    return maps


def _both(title: str, found: Cells, drawn: Cells) -> dict[str, Cells]:
    """A map, and if there is one that of untrained networks."""
    maps = {title: found} if found else {}
    if any(not math.isnan(value) for value in drawn.values()):
        maps[", ".join(filter(None, (title, _UNTRAINED)))] = drawn
    return maps


def _name_layer(encoder: str, layer: str, names: Names) -> str:
    name = names.get(encoder, encoder)
    return name if layer == "-" else f"{name} {layer}"


def _draw(maps: Mapping[str, Cells], what: str, most: float) -> Figure:
    labels = list(dict.fromkeys(end for cells in maps.values() for ends in cells for end in ends))
    written = len(labels) <= _WRITTEN
    return draw_heat_maps(
        [
            HeatMap(
                name,
                [
                    _build_heat_cell(one, other, cells, most, written)
                    for one in labels
                    for other in labels
                ],
            )
            for name, cells in maps.items()
        ],
        HeatLook(
            what,
            wide=0.42 if written else 0.24,
            tall=0.27 if written else 0.17,
            ends=("0", f"{most:.0f}"),
            note=what,
        ),
    )


def _build_heat_cell(one: str, other: str, cells: Cells, most: float, written: bool) -> HeatCell:
    value = cells.get((one, other), math.nan)
    return HeatCell(one, other, _format_heat_value(value, most) if written else "", value / most)


def _format_heat_value(value: float, most: float) -> str:
    return f"{value:.0f}" if most == PERCENT_SCALE else f"{value:.2f}".replace("0.", ".", 1)
