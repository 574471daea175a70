"""The views that are built in and have pages of their own, each under its name."""

from __future__ import annotations

from dataclasses import replace

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.pages.charts import draw_chart
from lingprobe.pages.layer_view import LAYER_VIEW
from lingprobe.pages.score_pages import SCORE_PAGE_EXTRAS, scores_page, strata_page
from lingprobe.pages.view_page import PageView, compute_rows, show_rows
from lingprobe.pages.views import ViewArguments, read_argument
from lingprobe.tables.page import Page


def _show_scores(frame: ResultFrame, asked: ViewArguments) -> Page[ResultFrame]:
    """Scores: a row for each encoder and a column for each task."""
    return scores_page(frame, beside=asked.beside._replace(figure=asked.figure))


def _show_tasks(frame: ResultFrame, asked: ViewArguments) -> Page[ResultFrame]:
    """One table per task, with full intervals and controls next to the scores."""
    return scores_page(frame, by_task=True, beside=asked.beside._replace(figure=asked.figure))


def _show_subgroups(frame: ResultFrame, asked: ViewArguments) -> Page[ResultFrame]:
    """Scores by subgroup of the test examples, as `by:distance`."""
    return strata_page(frame, read_argument("by:STRATUM", asked))


def _show_layers(frame: ResultFrame, asked: ViewArguments) -> Page[ResultFrame]:
    """Scores by layer for each task: each layer alone, growing mixes, the gain of each layer,
    weights.
    """
    shown = compute_rows(LAYER_VIEW, frame)
    page = show_rows(LAYER_VIEW, shown)
    if any(shown.column("is_mixed")):
        return page
    # encoders above each other, with what they are compared with
    return replace(page, figure=lambda: draw_chart(compute_scores(frame), "layers"))


scores = PageView(_show_scores, SCORE_PAGE_EXTRAS)
each = PageView(_show_tasks, SCORE_PAGE_EXTRAS)
by = PageView(_show_subgroups)
layers = PageView(_show_layers, LAYER_VIEW.extra)
