"""What is shown of sites inside blocks: all heads of a task beside each other, against the same
ones before training and random slices.
"""

from __future__ import annotations

from pathlib import Path

from lingprobe.analysis.frame import ANY, RUN_KEYS, USED, OwnValue, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import (
    BestRow,
    BetterThanEach,
    JointPermutation,
    MeanScore,
    OtherMean,
)
from lingprobe.data.core import DataProblem
from lingprobe.data.references import try_parse_reference
from lingprobe.encoders.sites import Site
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_figures import HeatFigure
from lingprobe.pages.view_page import ListTable, MatrixTable, View, ViewSection
from lingprobe.tables.heat import HeatLook

TRAINED = ("weights", "seed", "lexical", "layers")
"""Options of an encoder that its untrained network, or other sites of it, have otherwise."""
_SLICE = "slice"
_NAMES = ("head", "map", "mlp", "attn")
_GRID = ("task", "metric", "network", "probe", "site")
_NOBODY = {"role": ""}
_SLICES = {"site": OwnValue("slices_of"), "layer": ANY, "encoder": ANY, "head": ANY}


def place_sites(frame: ResultFrame) -> ResultFrame:
    """The rows of sites, with their network, block and head as columns, in the order of blocks.
    DataProblem where no site of a trained network was measured.
    """
    sites = frame.where(site=USED)
    if not len(sites.where(role="trained", site=_NAMES, control=NO_CONTROL)):
        raise DataProblem(
            "no task was measured on sites inside blocks: `lingprobe run -t TASK -e"
            " 'hf:NAME,layers=head:*.*' -e 'hf:NAME,weights=random,layers=head:*.*'` measures them"
        )
    places = list(map(Site.parse, sites.column("layer")))
    placed = sites.with_columns(
        {
            "network": [_without(encoder, *TRAINED) for encoder in sites.column("encoder")],
            "model": [_without(encoder, "layers") for encoder in sites.column("encoder")],
            "block": [site.block for site in places],
            "head": [site.head for site in places],
            "name": [f"{site.head}" if site.head else site.kind for site in places],
            "slices_of": [_SLICE if site.kind == "head" else "" for site in places],
            "is_other": [role != "trained" for role in sites.column("role")],
        }
    )
    return placed.arrange("is_other", _GRID[:2], _GRID[2:], "block", "head")


def _without(encoder: str, *options: str) -> str:
    """An encoder without some of its options."""
    known = try_parse_reference(encoder)
    return encoder if known is None else str(known.without(*options))


_LIST = ListTable(
    columns=(
        *(("encoder", "model"), ("probe", "probe"), ("site", "layer"), ("score", "score")),
        *(("95 % interval", "interval"), ("untrained", "untrained"), ("slices", "slices")),
        *(("constant", "constant"), ("better", "better"), ("n", "n")),
    ),
    rows="best",
    sections="task",
    words=("encoder", "probe", "site"),
)
_TABLE = MatrixTable(
    rows="block",
    columns="name",
    tables=_GRID,
    corner="block",
    strong="best",
    missing="",
    title="",
    lead="",
    notes="",
    sections=(ViewSection("{{ task|task }}, {{ model }}, {{ probe }}", "cell"),),
)
_FIGURE = HeatFigure(
    rows="block",
    columns="name",
    maps=_GRID,
    is_upward=True,
    look=HeatLook(
        "Sites inside blocks on {{ join_tasks(rows) }}.",
        wide=0.46,
        ends=("constant answer", "100"),
        note="*: better than before training; bold: best on dev",
    ),
    title="map_title",
    text="map_text",
    share="(score - constant_score) / ([100 - constant_score, 1e-9]|max)",
    strong="best",
)
HEADS_VIEW = View(
    name="heads",
    about="All heads (or MLPs, or maps of attention) of a task beside each other, against the same"
    " ones before training, and random slices.",
    keys=(*RUN_KEYS, "network", "block", "head"),
    prepare=place_sites,
    where={"control": NO_CONTROL, "role": "trained", "site": _NAMES},
    statistics=(
        MeanScore(),
        JointPermutation("untrained", {"role": "baseline", "encoder": ANY}, family=_GRID),
        OtherMean("slices", _SLICES),
        BestRow("best", within=_GRID),
        BetterThanEach("constant", _NOBODY, has_constant=True, only="best"),
        BetterThanEach("slice", _SLICES, only="best"),
    ),
    tables=(
        _LIST,
        _TABLE,
    ),
    fields=(
        *("task", "encoder=model", "probe", "site=layer", "block", "head", "score", "low", "high"),
        *("on_dev=dev_score", "majority=constant_score", "untrained", "slices", "p=untrained_p"),
        "n=n_test",
    ),
    sentences=Path(__file__).with_name("heads.j2"),
    names=label_encoders,
    figure=_FIGURE,
)
