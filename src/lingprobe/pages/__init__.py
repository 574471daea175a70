"""Results -> pages with tables and figures, in several formats. Begin at `scores_page`.

A page is a value, and its tables in each format (`tables.page`). `scores` has a section for each
task, `wide` one table for several tasks, `paper` a paper's table with own results in it; `compare`,
`layer_view`, `relate` and the other modules have a page each. `web` joins them in one page for
browsers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lingprobe.analysis.baselines import constant_rows
from lingprobe.analysis.comparison import find_order_changes
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.opponents import select_shown
from lingprobe.analysis.points import tell_best_points
from lingprobe.analysis.row import ResultRow
from lingprobe.analysis.rows import (
    MeasuredResults,
    rows,
    strip_fold,
)
from lingprobe.data.core import Result
from lingprobe.pages.breakdown import (
    compute_stratum_rows,
    strata_table,
)
from lingprobe.pages.charts import FIGURES, chart, figure_of
from lingprobe.pages.grid import grid
from lingprobe.pages.mteb import MTEB_EXTRAS, mteb_folder, mteb_lines
from lingprobe.pages.orders import order_notes
from lingprobe.pages.plots import strata_figure
from lingprobe.pages.records import format_csv, parquet
from lingprobe.pages.scores import scores
from lingprobe.pages.subsets import averages
from lingprobe.pages.verdicts import statement
from lingprobe.pages.web.report import web_page
from lingprobe.pages.web.study import NOTHING, Beside
from lingprobe.pages.wide import wide
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table

FORMATS = ("terminal", "markdown", "csv", "parquet", "latex", "html", "mteb")

__all__ = [
    "FIGURES",
    "FORMATS",
    "ResultRow",
    "Table",
    "compute_stratum_rows",
    "page",
    "render",
    "rows",
    "scores",
    "scores_page",
    "strata_page",
    "strata_table",
    "wide",
    "write",
]

Results = tuple[Result, ...]
FEW_LAYERS = 4  # of an encoder, up to which a table has a row for each


def page(results: Sequence[Result], questions: dict[str, str] | None = None) -> Table:
    """The scores of results as a table, constant answers among the baselines."""
    return scores([*constant_rows(results), *rows(results)], questions)


def scores_page(
    results: Sequence[Result],
    questions: dict[str, str] | None = None,
    each: bool = False,
    figure: str = "dots",
    beside: Beside = NOTHING,
) -> Page[Results]:
    """The scores of results: several tasks in one wide table, or a table for `each`; `questions`
    says what each task asks, by the name in its heading. Of many layers of an encoder tables have
    the one that is best on dev. In HTML they are a page of chapters, which says what is known
    `beside`. UsageProblem for a figure that there is not.
    """
    figure_of(figure)
    results = MeasuredResults.of(results)  # so that all formats share its rows
    return Page(
        results,
        lambda: [_scores(results, questions, each, beside)],
        texts={
            "csv": lambda: format_csv(rows(results)),
            "mteb": lambda: mteb_lines(ResultFrame.of(results, MTEB_EXTRAS)),
        },
        files={
            "parquet": lambda to: parquet(rows(results), to),
            "mteb": lambda to: mteb_folder(ResultFrame.of(results, MTEB_EXTRAS), to),
        },
        figure=lambda: chart(results, figure),
        html=lambda: web_page(results, beside._replace(questions=questions or {}, figure=figure)),
    )


def _scores(
    results: MeasuredResults, questions: dict[str, str] | None, each: bool, beside: Beside
) -> Table:
    """The table of scores under the verdicts; of trainings whose epochs stand in it, it says which
    is the best.
    """
    said, frame = statement(results, beside.folder), select_shown(results)
    notes: tuple[str, ...] = ()
    if has_chosen := said.verdicts.layers > FEW_LAYERS and not beside.reads:
        frame = frame.select(said.verdicts.at_chosen_layers(rows(frame)))
        notes = (said.layers,)
    if len({strip_fold(r.trial.task) for r in results}) > 1 and not each:
        made = grid(frame)
        table = wide(made.without_layers() if has_chosen else made, questions)
    else:
        table = scores([*constant_rows(results), *rows(frame)], questions)
    orders = order_notes(find_order_changes(results))
    notes = (*notes, *orders, *table.notes, *_tell_best_points(results))
    return replace(table, lead=said.lines, notes=notes)


def _tell_best_points(results: Sequence[Result]) -> list[str]:
    """Which point of each training is the best on dev, where results are of some."""
    known = [result for result in results if result.provenance.checkpoint]
    return tell_best_points(ResultFrame.of(known, ("checkpoint",))) if known else []


def strata_page(results: Sequence[Result], stratum: str) -> Page[Results]:
    """Scores by subgroup of the test examples, as a figure too."""
    rows = compute_stratum_rows(results, stratum)
    every = [*rows, *averages(results, stratum)]
    return Page(
        tuple(results),
        lambda: [strata_table(every, stratum)],
        texts={"csv": lambda: format_csv(every)},
        figure=lambda: strata_figure(rows, stratum),
    )


def render(
    results: Sequence[Result], form: str = "terminal", questions: dict[str, str] | None = None
) -> str:
    """The scores of results as text in one of the formats."""
    return scores_page(results, questions, each=True).text(form)


def write(results: Sequence[Result], form: str, to: Path) -> None:
    """The scores of results as a file in one of the formats (for mteb, a folder of files)."""
    scores_page(results).write(to, form)
