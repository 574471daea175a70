"""What is shown of erasures: what is erased below each other, what is measured beside."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lingprobe.analysis.frame import (
    ANOTHER_VALUE,
    ANY_VALUE,
    NON_EMPTY_VALUE,
    RUN_KEYS,
    Columns,
    OwnValue,
    ResultFrame,
)
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.analysis.statistics import (
    ConstantTest,
    DifferenceVerdict,
    HolmCorrection,
    LowerThanEach,
    MeanScore,
    OtherMaximum,
    OtherScore,
    PairedDifference,
    ShareOfLargest,
)
from lingprobe.inside.erase.change import compute_reliability
from lingprobe.inside.erase.matrix import ERASER_CONTROL_NAMES
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_figures import HeatFigure
from lingprobe.pages.view_page import FrameView, MatrixTable, ViewSection
from lingprobe.tables.heat import RED_SHADES, HeatLook

_MATRIX = ("encoder", "layer", "asked")
_FLOORS = {"control": tuple(ERASER_CONTROL_NAMES.values())}
_TESTED = {"control": (ERASER_CONTROL_NAMES["rank"], ERASER_CONTROL_NAMES["shuffled"])}
"""A star is for scores significantly below the baselines of rank and of shuffled labels; not those
of equal variance: where a property has much of it, such a subspace nearly holds it.
"""


@dataclass(frozen=True)
class ErasureReliability:
    """The harmonic mean of completeness of the task that is erased, and of what is left unchanged
    of another; NaN where the task is its own.
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        own = {"task": OwnValue("erased"), "metric": ANY_VALUE, "subgroup": ANY_VALUE}
        complete = frame.column("completeness")
        others = frame.find_others(shown, own)
        return {
            self.name: [
                PERCENT_SCALE
                * compute_reliability(complete[k[0]] / PERCENT_SCALE, change / PERCENT_SCALE)
                for k, change in zip(others, shown.column("collateral"), strict=True)
            ]
        }


_TABLE = MatrixTable(
    rows="erased",
    columns="task",
    tables=_MATRIX,
    corner="erased",
    strong="verdict == 'falls'",
    sections=(
        ViewSection("score after erasing (and before)", "after_and_before"),
        ViewSection("points below the baselines", "beyond_floors"),
        ViewSection(
            "baselines",
            "after_floors",
            "after erasing random subspaces of the same rank / of the same rank and variance / with"
            " shuffled labels",
        ),
        ViewSection(
            "completeness, or collateral change",
            "change",
            "collateral change, in brackets that of a baseline; both by a probe of unmodified"
            " vectors",
        ),
        ViewSection("reliability", "reliability"),
        ViewSection("angle between erased subspaces", "angle"),
    ),
)
_FIGURE = HeatFigure(
    rows="erased",
    columns="task",
    maps=_MATRIX,
    look=HeatLook(
        "Erased (rows), measured (columns): points lost below the baselines.",
        RED_SHADES,
        wide=0.8,
        tall=0.35,
    ),
    title="map_title",
    text="map_text",
    share="share",
    strong="verdict != 'no significant difference'",
)
ERASURE_VIEW = FrameView(
    name="erase",
    about="What is left of tasks that were erased, and of others.",
    keys=(*RUN_KEYS, "asked"),
    where={"control": NO_CONTROL, "erased": NON_EMPTY_VALUE, "selection": NON_EMPTY_VALUE},
    statistics=(
        MeanScore(),
        OtherScore("before", {"erased": ""}),
        PairedDifference("fall", {"erased": ""}),
        *(
            OtherScore(f"{kind}_floor", {"control": name})
            for kind, name in ERASER_CONTROL_NAMES.items()
        ),
        LowerThanEach("beyond", _TESTED),
        ConstantTest("left_p"),
        OtherScore(
            "nonlinear_before", {"probe": ANOTHER_VALUE, "erased": ""}, same=("task", "erased")
        ),
        OtherScore("nonlinear_after", {"probe": ANOTHER_VALUE}),
        OtherMaximum("collateral_floor", "collateral", _FLOORS),
        ErasureReliability("reliability"),
        HolmCorrection(("fall_p", "beyond_p", "left_p"), family=_MATRIX),
        DifferenceVerdict("verdict", "beyond", "beyond_p"),
        ShareOfLargest("share", "beyond"),
    ),
    tables=(_TABLE,),
    fields=(
        *("encoder", "layer", "method", "asked", "rank", "erased", "measured=task", "probe"),
        *("fitted", "train=n_train", "n=n_test", "constant=constant_score", "before"),
        *("after=score", "low", "high", "fall", "fall_low", "fall_high", "fall_p"),
        *("rank_floor", "variance_floor", "shuffled_floor", "beyond", "beyond_p", "verdict"),
        *("left_p", "nonlinear_before", "nonlinear_after", "completeness", "collateral"),
        *("collateral_floor", "reliability", "dependence", "sample=selection", "angle"),
    ),
    sentences=Path(__file__).with_name("erase.j2"),
    names=label_encoders,
    figure=_FIGURE,
)
