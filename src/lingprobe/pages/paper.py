"""A paper's table with results in it, and with what people score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.data.core import DataProblem, Result
from lingprobe.pages.human import read_bound
from lingprobe.pages.records import format_csv, write_records_parquet
from lingprobe.pages.verdicts import make_statement
from lingprobe.pages.views import ViewArguments, read_argument
from lingprobe.suites import SUITES
from lingprobe.suites.encoder_rows import count_measurable_rows
from lingprobe.suites.facts import CellResults, HumanScore
from lingprobe.suites.page import PaperTableCell, list_paper_cells, tabulate_paper
from lingprobe.suites.suite import Suite, select_suite_results
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table


def suite(results: Sequence[Result], arguments: ViewArguments) -> Page[Any]:
    """A paper's table with the results in it, as `suite:conneau2018`."""
    return paper_page(read_argument("suite:NAME", arguments), results, arguments.human)


def paper_page(
    reference: str, results: Sequence[Result], human: Sequence[str | Path] = ()
) -> Page[tuple[Result, ...]]:
    """A suite's table with the results that belong in it; `human` are files that `lingprobe
    annotate --score` wrote.
    """
    suite: Suite = SUITES.make(reference)
    chosen = select_suite_results(suite, results)
    people = _human_scores(suite, human, chosen.entries)

    def table() -> Table:
        made = tabulate_paper(suite.paper, chosen.entries, people, chosen.others)
        made = replace(made, lead=make_statement(compute_scores(ResultFrame.of(results))).lines)
        if not (told := count_measurable_rows(suite.name)):
            return made
        note = f"{told}; `lingprobe encoders --paper {suite.name}` lists them."
        return replace(made, notes=(note, *made.notes))

    def lines() -> list[PaperTableCell]:
        return list_paper_cells(suite.name, suite.paper, chosen.entries, people)

    return Page(
        tuple(results),
        lambda: [table()],
        texts={"csv": lambda: format_csv(lines())},
        files={"parquet": lambda to: write_records_parquet(lines(), to)},
    )


def _human_scores(
    suite: Suite, files: Sequence[str | Path], entries: Sequence[CellResults]
) -> list[HumanScore]:
    """What people score; it stands with the results over the same data."""
    judged = []
    for file in map(Path, files):
        bound = read_bound(file)
        place = suite.locate_task(bound.task)
        if place is None:
            raise DataProblem(f"{file} is about {bound.task}, which has no column in {suite.name}")
        beside = (
            e.place for e in entries if (e.place.column, e.place.data) == (place.column, place.data)
        )
        score, low, high = (PERCENT_SCALE * value for value in (bound.score, bound.low, bound.high))
        judged.append(HumanScore(next(beside, place), score, low, high, bound.n))
    return judged
