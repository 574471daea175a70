"""The views that are built in, each under its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lingprobe.analysis.frame import ResultFrame
from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem
from lingprobe.pages import scores_page, strata_page
from lingprobe.pages.charts import chart
from lingprobe.pages.layer_view import LAYER_VIEW
from lingprobe.pages.paper import paper_page
from lingprobe.pages.view_page import compute_rows, show_rows
from lingprobe.pages.views import Asked
from lingprobe.tables.page import Page


def scores(results: Sequence[Result], asked: Asked) -> Page[Any]:
    """Scores: a row for each encoder and a column for each task."""
    return scores_page(results, figure=asked.figure, beside=asked.beside)


def each(results: Sequence[Result], asked: Asked) -> Page[Any]:
    """One table per task, with full intervals and controls next to the scores."""
    return scores_page(results, each=True, figure=asked.figure, beside=asked.beside)


def by(results: Sequence[Result], asked: Asked) -> Page[Any]:
    """Scores by subgroup of the test examples, as `by:distance`."""
    return strata_page(results, _argument("by:STRATUM", asked))


def suite(results: Sequence[Result], asked: Asked) -> Page[Any]:
    """A paper's table with the results in it, as `suite:conneau2018`."""
    return paper_page(_argument("suite:NAME", asked), results, asked.human)


def layers(results: Sequence[Result], asked: Asked) -> Page[Any]:
    """Scores by layer for each task: each layer alone, growing mixes, the gain of each layer,
    weights.
    """
    shown = compute_rows(LAYER_VIEW, ResultFrame.of(results, LAYER_VIEW.extra))
    page = show_rows(LAYER_VIEW, shown)
    if any(shown.column("is_mixed")):
        return page
    # encoders above each other, with what they are compared with
    return replace(page, figure=lambda: chart(results, "layers"))


def _argument(written: str, asked: Asked) -> str:
    if not asked.argument:
        raise UsageProblem(f"the view {written.partition(':')[0]!r} is of something: {written}")
    return asked.argument
