"""What encoders know as they learn."""

from __future__ import annotations

from typing import Unpack

from lingprobe.analysis.frame import ResultFrame
from lingprobe.api.arguments import takes_options
from lingprobe.api.result_options import CurveOptions
from lingprobe.api.results import (
    ResultsSource,
    Selection,
    read_stored_results,
)
from lingprobe.pages.curve_view import make_curve_view
from lingprobe.pages.view_page import show_frame
from lingprobe.tables.page import Page


@takes_options(CurveOptions)
def curve(
    results: ResultsSource = None, *, by: str = "", seed: int = 0, **selection: Unpack[Selection]
) -> Page[ResultFrame]:
    """Learning curves: the scores of encoders at several points of their training, next to the
    figures that the training recorded (Conneau et al. 2018, section 5, Figure 1).

    `.content` has a row for each task and point of a training, with the columns of CSV; those of
    one curve have its trend: Spearman's correlation of score and progress, its interval and p.
    DataProblem if no training was measured at two points.

        lingprobe.run("ud/*:UD_English-EWT", "trained:models/en-de,epoch=0+*", results="results/")
        lingprobe.curve("results/").write("curve.svg")
        lingprobe.curve("widths/", by="hidden").write("widths.svg")
    """
    stored = read_stored_results(results, selection)
    view = make_curve_view(by, seed)
    frame = ResultFrame.of(stored.results, view.extra)
    return show_frame(view, frame).with_remarks(stored.remarks)
