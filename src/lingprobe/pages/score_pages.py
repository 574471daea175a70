"""The pages of scores and of strata, with tables and figures in several formats."""

from __future__ import annotations

from dataclasses import replace

from lingprobe.analysis.baselines import constant_rows
from lingprobe.analysis.comparison import find_order_changes
from lingprobe.analysis.frame import NON_EMPTY_VALUE, ResultFrame
from lingprobe.analysis.opponents import select_shown
from lingprobe.analysis.points import tell_best_points
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.pages.breakdown import average_subsets, compute_stratum_rows, strata_table
from lingprobe.pages.charts import draw_chart, figure_of
from lingprobe.pages.grid import make_grid
from lingprobe.pages.mteb import MTEB_EXTRAS, mteb_folder, mteb_lines
from lingprobe.pages.orders import order_notes
from lingprobe.pages.plots import strata_figure
from lingprobe.pages.records import format_csv, write_records_parquet
from lingprobe.pages.scores import tabulate_scores
from lingprobe.pages.verdicts import make_statement
from lingprobe.pages.web.study import EMPTY_STUDY_CONTEXT, StudyContext
from lingprobe.pages.wide import explain_bold, make_wide_table
from lingprobe.tables.page import Page
from lingprobe.tables.table import LATEX_FLOAT_LABEL, Table

_FORMATS = ("terminal", "markdown", "csv", "parquet", "latex", "html", "mteb")
SCORE_PAGE_EXTRAS = ("checkpoint", *MTEB_EXTRAS)
"""What a frame has of which pages of scores are made."""

_FEW_LAYERS = 4  # of an encoder, up to which a table has a row for each


def scores_page(
    frame: ResultFrame, by_task: bool = False, beside: StudyContext = EMPTY_STUDY_CONTEXT
) -> Page[ResultFrame]:
    """The scores of trained probes, of a frame with `SCORE_PAGE_EXTRAS`: several tasks in one wide
    table, or with `by_task` a table for each. Of many layers of an encoder tables have the one that
    is best on dev. In HTML they are a page of chapters, which says what is known `beside`.
    UsageProblem for a figure that there is not.
    """
    figure_of(beside.figure)
    scored = compute_scores(frame)  # all formats share its rows
    return Page(
        frame,
        lambda: [_build_score_section(frame, scored, by_task, beside)],
        texts={
            "csv": lambda: format_csv(scored),
            "mteb": lambda: mteb_lines(frame, scored),
        },
        files={
            "parquet": lambda to: write_records_parquet(scored, to),
            "mteb": lambda to: mteb_folder(frame, scored, to),
        },
        figure=lambda: draw_chart(scored, beside.figure),
        html=lambda: _write_html(frame, scored, beside),
    )


def _build_score_section(
    frame: ResultFrame, scored: ResultFrame, each: bool, beside: StudyContext
) -> Table:
    """Of more than four layers, the table has the one that dev chose: scores under the verdicts; of
    trainings whose epochs stand in it, it says which is the best.
    """
    said, shown = make_statement(scored, beside.folder), select_shown(scored)
    notes: tuple[str, ...] = ()
    if has_chosen := said.verdicts.layers > _FEW_LAYERS and not beside.reads:
        shown = said.verdicts.at_chosen_layers(shown)
        notes = (said.layers,)
    made = make_grid(shown)
    if len({*scored.column("task")}) > 1 and not each:
        table = make_wide_table(made.without_layers() if has_chosen else made, beside.questions)
    else:
        table = tabulate_scores([*constant_rows(scored), *shown], beside.questions, made.strong)
        table = replace(table, caption=table.notes[0] + explain_bold(made), label=LATEX_FLOAT_LABEL)
    orders = order_notes(find_order_changes(scored))
    notes = (
        *notes,
        *orders,
        *table.notes,
        *tell_best_points(frame.where(checkpoint=NON_EMPTY_VALUE)),
    )
    return replace(table, lead=said.lines, notes=notes)


def strata_page(frame: ResultFrame, stratum: str) -> Page[ResultFrame]:
    """Scores by subgroup of the test examples, as a figure too."""
    rows = compute_stratum_rows(frame, stratum)
    every = [*rows, *average_subsets(frame, stratum)]
    return Page(
        frame,
        lambda: [strata_table(every, stratum)],
        texts={"csv": lambda: format_csv(every)},
        figure=lambda: strata_figure(rows, stratum),
    )


def _write_html(frame: ResultFrame, scored: ResultFrame, beside: StudyContext) -> str:
    from lingprobe.pages.web.report import web_page

    return web_page(frame, scored, beside)
