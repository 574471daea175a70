"""What is shown of sites inside blocks: all heads of a task beside each other, against the same
ones before training and random slices; and what a model does without each of them, where that was
measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lingprobe.analysis.frame import (
    ANY_VALUE,
    NON_EMPTY_VALUE,
    RUN_KEYS,
    Columns,
    OwnValue,
    ResultFrame,
)
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import (
    BestRow,
    BetterThanEach,
    JointPermutation,
    MeanScore,
    OtherMean,
    OtherScore,
)
from lingprobe.data.core import DataProblem
from lingprobe.data.references import remove_options
from lingprobe.encoders.sites import ModelSite
from lingprobe.inside.erase.behaviour import make_nats_metric
from lingprobe.inside.heads.effects import (
    ABLATED_HEAD,
    EFFECT_METRIC,
    HEAD_PATCHED_WITH_OWN,
    PATCHED_HEAD,
    UNCHANGED_HEAD,
)
from lingprobe.metrics import ScoreDifference, compute_difference, correct_holm
from lingprobe.metrics.multiplicity import SIGNIFICANCE_LEVEL
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_figures import HeatFigure
from lingprobe.pages.view_page import FrameView, ListTable, MatrixTable, ViewSection
from lingprobe.tables.heat import HeatLook

_TRAINED = ("weights", "seed", "lexical", "layers")
"""Options of an encoder that its untrained network, or other sites of it, have otherwise."""
_SLICE = "slice"
_NAMES = ("head", "map", "mlp", "attn")
_GRID = ("task", "metric", "network", "probe", "site")
_NOBODY = {"role": ""}
_SLICES = {
    "site": OwnValue("slices_of"),
    "layer": ANY_VALUE,
    "encoder": ANY_VALUE,
    "head": ANY_VALUE,
}


def place_sites(frame: ResultFrame) -> ResultFrame:
    """The rows of sites, with their network, block and head as columns, in the order of blocks.
    DataProblem where no site of a trained network was measured.
    """
    sites = frame.where(site=NON_EMPTY_VALUE)
    if not len(sites.where(role="trained", site=_NAMES, control=NO_CONTROL)):
        raise DataProblem(
            "no task was measured on sites inside blocks: `lingprobe run -t TASK -e"
            " 'hf:NAME,layers=head:*.*' -e 'hf:NAME,weights=random,layers=head:*.*'` measures them"
        )
    places = list(map(ModelSite.parse, sites.column("layer")))
    placed = sites.with_columns(
        {
            "network": [remove_options(encoder, *_TRAINED) for encoder in sites.column("encoder")],
            "model": [remove_options(encoder, "layers") for encoder in sites.column("encoder")],
            "block": [site.block for site in places],
            "head": [site.head for site in places],
            "name": [f"{site.head}" if site.head else site.kind for site in places],
            "slices_of": [_SLICE if site.kind == "head" else "" for site in places],
            "is_other": [role != "trained" for role in sites.column("role")],
        }
    )
    return placed.arrange("is_other", _GRID[:2], _GRID[2:], "block", "head")


@dataclass(frozen=True)
class MarginFall:
    """How many nats a margin of pairs falls from one change to another, of rows that are the same
    but for these: `NAME`, its p, corrected for the rows of a family (Holm: `NAME_p`), and the
    smallest fall that would be found four times in five (`NAME_detectable`); NaN where they were
    not measured.
    """

    name: str
    before: str
    after: str
    family: Sequence[str]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        falls: list[ScoreDifference | None] = []
        rows = (self._find(shown, frame, change) for change in (self.before, self.after))
        for before, after in zip(*rows, strict=True):
            there = bool(before and after)
            falls.append(
                compute_difference(
                    make_nats_metric(), frame.answers(before[0]), frame.answers(after[0])
                )
                if there
                else None
            )
        p = [math.nan if fall is None else fall.p for fall in falls]
        level = [SIGNIFICANCE_LEVEL] * len(falls)
        for numbers in shown.groups(self.family).values():
            for number, value in zip(numbers, correct_holm([p[k] for k in numbers]), strict=True):
                p[number], level[number] = float(value), SIGNIFICANCE_LEVEL / len(numbers)
        return {
            self.name: [math.nan if fall is None else fall.value for fall in falls],
            f"{self.name}_p": p,
            f"{self.name}_detectable": [
                math.nan if fall is None else fall.detects(of)
                for fall, of in zip(falls, level, strict=True)
            ],
        }

    def _find(self, shown: ResultFrame, frame: ResultFrame, change: str) -> list[list[int]]:
        return frame.find_others(shown, of_change(change))


def of_change(change: str) -> Mapping[str, Any]:
    """The keys of the row for a head's margins under a change."""
    return {"control": change, "metric": EFFECT_METRIC}


def find_carriers(shown: ResultFrame) -> list[bool]:
    """Which heads are named, and have their star: whose ablation and whose patching both lower the
    margin significantly.
    """
    falls = [
        zip(*map(shown.column, (n, f"{n}_p")), strict=True) for n in (ABLATED_HEAD, PATCHED_HEAD)
    ]
    both = zip(
        *([value > 0 and p < SIGNIFICANCE_LEVEL for value, p in fall] for fall in falls),
        strict=True,
    )
    return [all(pair) for pair in both]


@dataclass(frozen=True)
class SiteFindings:
    """Which rows stand out (`NAME`), which the star, the table and the sentence say alike; how many
    of a family do (`NAME_count`), and whether the model's behaviour decides it (`NAME_by_effect`).

    By behaviour, a head is found whose ablation lowers the margin of the model's choice, and which
    lowers it with the state of another label, or of the other sentence: the second is asked since
    the model may need a head for something else. Else what is above its untrained copy is found.
    """

    name: str
    family: Sequence[str]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        by_effect = [not math.isnan(margin) for margin in shown.column("margin")]
        found = [
            carries if measured else bool(above)
            for carries, measured, above in zip(
                find_carriers(shown), by_effect, shown.column("untrained_below"), strict=True
            )
        ]
        counts = [0] * len(shown)
        for numbers in shown.groups(self.family).values():
            for number in numbers:
                counts[number] = sum(found[k] for k in numbers)
        return {self.name: found, f"{self.name}_count": counts, f"{self.name}_by_effect": by_effect}


_LIST = ListTable(
    columns=(
        *(("encoder", "model"), ("probe", "probe"), ("site", "layer"), ("score", "score")),
        *(("95 % interval", "interval"), ("untrained", "untrained"), ("slices", "slices")),
        *(("constant", "constant"), ("better", "better"), ("n", "n")),
    ),
    rows="best or (found and found_by_effect)",
    sections=("task",),
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
    sections=(
        ViewSection("{{ task|task }}, {{ model }}, {{ probe }}", "cell"),
        ViewSection(
            "margin lost without the head",
            "ablated_cell",
            "nats of {{ '%.2f'|format(margin) }}, when the head gives its mean output",
            when="found_by_effect",
        ),
        ViewSection(
            "margin lost when the head is patched",
            "patched_cell",
            "nats; {{ describe_patch() }}",
            when="found_by_effect and patched == patched",
        ),
    ),
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
        note="*: found; bold: best on dev",
    ),
    title="map_title",
    text="map_text",
    strong="best",
)
HEADS_VIEW = FrameView(
    name="heads",
    about="All heads (or MLPs, or maps of attention) of a task beside each other, against the same"
    " ones before training, and random slices.",
    keys=(*RUN_KEYS, "network", "block", "head"),
    prepare=place_sites,
    where={"control": NO_CONTROL, "role": "trained", "site": _NAMES},
    statistics=(
        MeanScore(),
        JointPermutation("untrained", {"role": "baseline", "encoder": ANY_VALUE}, family=_GRID),
        OtherMean("slices", _SLICES),
        BestRow("best", within=_GRID),
        BetterThanEach("constant", _NOBODY, has_constant=True, only="best"),
        BetterThanEach("slice", _SLICES, only="best"),
        OtherScore("margin", of_change(UNCHANGED_HEAD)),
        MarginFall(ABLATED_HEAD, UNCHANGED_HEAD, ABLATED_HEAD, family=_GRID),
        MarginFall(PATCHED_HEAD, HEAD_PATCHED_WITH_OWN, PATCHED_HEAD, family=_GRID),
        SiteFindings("found", family=_GRID),
    ),
    tables=(
        _LIST,
        _TABLE,
    ),
    fields=(
        *("task", "encoder=model", "probe", "site=layer", "block", "head", "score", "low", "high"),
        *("on_dev=dev_score", "majority=constant_score", "untrained", "slices", "p=untrained_p"),
        *("n=n_test", "margin", "ablated", "ablated_p", "ablated_detectable", "patched"),
        *("patched_p", "patched_detectable", "found"),
    ),
    sentences=Path(__file__).with_name("heads.j2"),
    names=label_encoders,
    figure=_FIGURE,
)
