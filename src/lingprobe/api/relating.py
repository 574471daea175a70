"""What scores have to do with each other: correlations between tasks over encoders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.profiles import compare_languages
from lingprobe.analysis.relation import RelationRequest, relate_columns, select_asked
from lingprobe.analysis.score_cells import SCORE_CELL_EXTRAS, scores_of
from lingprobe.analysis.score_files import families_from, read_score_file
from lingprobe.analysis.score_table import (
    ScoreCell,
    ScoreTable,
    by_pattern,
    drop_constant_columns,
    join_scores,
    select_columns,
    with_families,
)
from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.result_options import RelateOptions
from lingprobe.api.results import (
    ResultsSource,
    Selection,
    read_stored_results,
)
from lingprobe.corpora.languages import get_three_letter_code, language_codes
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.pages.relate import relation_page
from lingprobe.pages.relate_languages import languages_page
from lingprobe.suites.published_scores import published_scores
from lingprobe.tables.page import Page

_MOST = 100  # columns that are related at a time


@takes_options(RelateOptions)
def relate(
    results: ResultsSource = None,
    *,
    with_: str | Path | Sequence[str | Path] = (),
    method: Literal["spearman", "pearson", "kendall"] = "spearman",
    correction: Literal["holm", "bh"] = "holm",
    rows: str | Sequence[str] = (),
    columns: str | Sequence[str] = (),
    family: str | None = None,
    families: str | Path | None = None,
    within: str | None = None,
    constant: bool = False,
    languages: str | Sequence[str] = (),
    published: Literal["conneau2018", "ud2019"] | None = None,
    figure: Literal["heat", "within", "dots", "radar", "scores"] = "heat",
    seed: int = 0,
    **selection: Unpack[Selection],
) -> Page[Any]:
    """Correlations between tasks over encoders, as `lingprobe relate` shows them; `.content.found`
    has a `Correlation` for each pair of columns.

    DataProblem if fewer than two columns or three encoders are left, UsageProblem for
    conflicting options.

        lingprobe.relate("results/", with_="scores.csv").write("correlations.svg")
    """
    if family is not None and families is not None:
        raise UsageProblem("family and families both define families: give only one of them")
    foreign = list(map(str, as_list(with_)))
    both = _two(languages)
    if published is not None:
        table, default = _published_table(published, results, foreign, selection)
        both = both or default
    else:
        table = _gather_scores(results, foreign, constant, selection)
    if family is not None:
        table = with_families(table, by_pattern(family))
    if families is not None:
        table = with_families(table, families_from(Path(families)).get)
    asked = RelationRequest(method, correction, tuple(as_list(rows)), tuple(as_list(columns)), seed)
    if both:
        return languages_page(compare_languages(table, *both, asked), figure)
    table = select_asked(drop_constant_columns(table), asked)
    _countable(table)
    groups = None
    if within is not None:
        part = by_pattern(within)
        groups = [part(row.name) or row.family for row in table.rows]
    related = relate_columns(table, asked, groups)
    if all(max(one.n, one.encoders) < 3 for one in related.found):
        raise DataProblem(
            "nothing to correlate: of no pair of columns three encoders have both scores."
            f" {' '.join(table.remarks[-1:])}"
        )
    return relation_page(related, figure)


def _two(languages: str | Sequence[str]) -> tuple[str, str] | None:
    """The codes of two languages; None where none are asked for."""
    named = [part for each in as_list(languages) for part in str(each).split(",") if part]
    codes = [
        code
        for name in named
        for code in sorted(map(get_three_letter_code, language_codes(name)))[:1]
    ]
    if named and (len(named) != 2 or len(set(codes)) != 2):
        raise UsageProblem(
            f"languages={','.join(named)}: name two languages by code or name, such as en,pl"
        )
    return (codes[0], codes[1]) if named else None


def _published_table(
    name: str, results: ResultsSource, foreign: Sequence[str], selection: Selection
) -> tuple[ScoreTable, tuple[str, str] | None]:
    """A paper's table, and the languages that it is in."""
    if results is not None or foreign:
        raise UsageProblem(
            "--published shows a paper's table alone: leave out the results and --with, or"
            " --published"
        )
    paper = published_scores(name)
    table = _apply_selection(join_scores([paper.scores], paper.remarks), selection)
    both = paper.languages
    return table, (both[0], both[1]) if len(both) == 2 else None


def _gather_scores(
    results: ResultsSource, foreign: Sequence[str], constant: bool, selection: Selection
) -> ScoreTable:
    """The scores of all sources, of the tasks and encoders that are asked for."""
    sources: list[Iterable[ScoreCell]] = []
    remarks: list[str] = []
    if results is not None or not foreign:
        mine = Selection(
            layers=selection.get("layers"),
            metric=selection.get("metric"),
            experiment=selection.get("experiment"),
            trust=selection.get("trust"),
        )
        known = read_stored_results(results, mine)
        scores, left_out = scores_of(ResultFrame.of(known.results, SCORE_CELL_EXTRAS))
        sources.append(scores)
        remarks += [*known.remarks, *left_out]
    for source in foreign:
        scores, left_out = read_score_file(source, constant)
        sources.append(scores)
        remarks += left_out
    return _apply_selection(join_scores(sources, remarks), selection)


def _countable(table: ScoreTable) -> None:
    """Refuse a table with too little or too much in it."""
    many = len(table.columns)
    if many < 2 or len(table.rows) < 3:
        raise DataProblem(
            f"nothing to correlate: {many} column{'s' * (many != 1)} of scores over"
            f" {len(table.rows)} encoders; correlations need two columns and three encoders"
        )
    if many > _MOST:
        raise UsageProblem(
            f"{many:,} columns are too many: choose up to {_MOST} with -t, or with --rows and"
            f" --columns (there are {', '.join(c.name for c in table.columns[:5])}, ...)"
        )


def _apply_selection(table: ScoreTable, selection: Selection) -> ScoreTable:
    """The columns and rows that are asked for, by the names that the table gives them."""
    if tasks := as_list(selection.get("tasks")):
        table = table.with_columns(select_columns(table.columns, tasks, "-t"))
    if encoders := as_list(selection.get("encoders")):
        table = table.chosen_rows(encoders)
    return table
