"""What is shown of a search: sites by layer, and what changes of the best layer's sites do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lingprobe.analysis.frame import ANY_VALUE, RUN_KEYS, Columns, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import BestRow, BetterThanEach, MeanScore, OtherScore
from lingprobe.inside.heads.effects import (
    ABLATED_HEAD,
    HEAD_PATCHED_WITH_OWN,
    PATCHED_HEAD,
    UNCHANGED_HEAD,
)
from lingprobe.inside.heads.views import MarginFall, find_carriers, of_change
from lingprobe.inside.locate.search import describe_site
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_figures import HeatFigure
from lingprobe.pages.view_page import FrameView, ListTable, MatrixTable, ViewSection
from lingprobe.tables.heat import HeatLook

_BASELINES = {
    "role": "baseline",
    "encoder": ANY_VALUE,
    "layer": ANY_VALUE,
    "site": ANY_VALUE,
    "probe": ANY_VALUE,
}
_FAMILY = ("task",)


def place_rows(frame: ResultFrame) -> ResultFrame:
    """The rows with their block, what they are called within it, and the grid that has them."""
    places = list(map(describe_site, frame.column("layer")))
    heads = ["heads" if site == "head" else "layers" for site in frame.column("site")]
    columns: dict[str, list[Any]] = {
        "block": [block for block, _ in places],
        "name": [name for _, name in places],
        "grid": heads,
    }
    return frame.with_columns(columns).arrange("block")


@dataclass(frozen=True)
class LayerTests:
    """Which rows are asked whether they are above baselines (`NAME`), those that are no heads; and
    how many tests that makes (`NAME_of`).
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        asked = [site != "head" for site in shown.column("site")]
        return {self.name: asked, f"{self.name}_of": [sum(asked)] * len(asked)}


@dataclass(frozen=True)
class SiteVerdicts:
    """Whether a site matters (`NAME`): it is used, or is a part that the model's choice rests on;
    and whether it was changed (`NAME_tried`).
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        uses, carries = shown.column("use"), find_carriers(shown)
        is_swept = [not math.isnan(margin) for margin in shown.column("margin")]
        return {
            self.name: [use == "used" or part for use, part in zip(uses, carries, strict=True)],
            f"{self.name}_tried": [bool(u) or s for u, s in zip(uses, is_swept, strict=True)],
        }


_SITES = ListTable(
    columns=(
        *(("site", "layer"), ("score", "score"), ("95 % interval", "interval")),
        *(("last layer, erased", "erased"), ("used", "used"), ("margin lost", "lost")),
        ("detectable", "detectable"),
    ),
    rows="use != '' or matters",
    sections=("task",),
    words=("site", "used"),
)
_GRID = MatrixTable(
    rows="block",
    columns="name",
    tables=("grid",),
    corner="layer",
    strong="best",
    missing="",
    title="",
    lead="",
    notes="",
    sections=(
        ViewSection("{{ 'heads' if grid == 'heads' else 'states and parts' }}", "cell"),
        ViewSection(
            "margin lost without it",
            "lost_cell",
            "nats; *: and when it is patched",
            when="rows|rejectattr('margin', 'unknown')|list|length > 0",
        ),
    ),
)
_FIGURE = HeatFigure(
    rows="block",
    columns="name",
    maps=("grid",),
    is_upward=True,
    look=HeatLook(
        "Sites of {{ join_encoders(rows) }} on {{ join_tasks(rows) }}.",
        wide=0.7,
        ends=("constant answer", "100"),
        note="*: beyond the surface; bold: best on dev",
    ),
    title="map_title",
    text="map_text",
    strong="best",
)
LOCATE_VIEW = FrameView(
    name="locate",
    about="Where in a model a property is, and whether the model uses it.",
    keys=RUN_KEYS,
    prepare=place_rows,
    where={"control": NO_CONTROL, "role": "trained"},
    statistics=(
        MeanScore(),
        BestRow("best", within=("task", "site")),
        LayerTests("is_layer"),
        BetterThanEach("surface", _BASELINES, has_constant=True, only="is_layer"),
        OtherScore("margin", of_change(UNCHANGED_HEAD)),
        MarginFall(ABLATED_HEAD, UNCHANGED_HEAD, ABLATED_HEAD, family=_FAMILY),
        MarginFall(PATCHED_HEAD, HEAD_PATCHED_WITH_OWN, PATCHED_HEAD, family=_FAMILY),
        SiteVerdicts("matters"),
    ),
    tables=(_SITES, _GRID),
    fields=(
        *("task", "encoder", "probe", "site=layer", "score", "low", "high", "on_dev=dev_score"),
        *("n=n_test", "surface", "surface_low", "surface_high", "surface_p", "surface_verdict"),
        *("baseline=surface_best", "use", "use_margin", "use_after", "use_detectable"),
        *("erased_before", "erased_after", "erased_verdict", "margin", "ablated", "ablated_p"),
        *("patched", "patched_p", "matters", "matters_tried"),
    ),
    sentences=Path(__file__).with_name("locate.j2"),
    names=label_encoders,
    figure=_FIGURE,
)
