"""A survey of treebanks as tables, as a heat map (treebanks below each other, tasks beside), and as
a map of their languages.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lingprobe.experiment.plan import group_refusals
from lingprobe.inside.languages.survey import SurveyRow
from lingprobe.pages.records import format_csv
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.maps import MapMark, draw_map
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table, TableSection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOOK, _REFUSED = "*", "–"
_MANY = 10_000  # examples, at which the heat map is darkest


def survey_page(rows: Sequence[SurveyRow], figure: str) -> Page[tuple[SurveyRow, ...]]:
    """The tables of a survey, with a heat map or a map of the languages."""
    draw = draw_survey_map if figure == "map" else draw_survey_heat
    return Page(
        tuple(rows),
        lambda: list(_tables(rows)),
        {"csv": lambda: format_csv(rows)},
        figure=lambda: draw(rows),
    )


def _tables(found: Sequence[SurveyRow]) -> Iterator[Table]:
    tasks = _tasks(found)
    by = {(row.treebank, row.task): row for row in found}
    banks = {row.treebank: row for row in found}
    sections = tuple(
        TableSection(family, tuple(_list_treebank_lines(of, tasks, by)))
        for family, of in _by_family(banks.values()).items()
    )
    offered = [row for row in found if row.is_offered]
    looks = [row for row in offered if row.look]
    lead = (
        f"{len(offered):,} of {len(found):,} tasks are offered, on {len(banks):,} treebanks;"
        f" {len(looks):,} have warnings."
    )
    notes = (
        f"Numbers: examples in all splits. {_REFUSED}: refused. {_LOOK}: has a warning, listed"
        " below, which need not be an error.",
        "The CSV lists Glottocode, ISO 639-3, family, script, macro-area, genre and link, the"
        " composition of each class, every auxiliary, and the best rule based on one word.",
    )
    head = (*_ABOUT, *(task.partition("/")[2] for task in tasks))
    words = frozenset(_ABOUT) - {"tokens"}
    yield Table(head, sections, words, notes, "What treebanks support", (lead,))
    if looks:
        lines = tuple((row.treebank, row.task, row.look) for row in looks)
        head = ("treebank", "task", "warning")
        yield Table(head, (TableSection("", lines),), frozenset(head), title="Warnings")
    if len(offered) < len(found):
        yield _refusals([row for row in found if not row.is_offered])


_ABOUT = ("treebank", "licence", "branch", "tokens")


def _list_treebank_lines(
    banks: Iterable[SurveyRow], tasks: Sequence[str], by: Mapping[tuple[str, str], SurveyRow]
) -> Iterator[tuple[str, ...]]:
    """A line for each treebank."""
    for row in banks:
        cells = (_format_survey_cell(by.get((row.treebank, task))) for task in tasks)
        yield row.treebank, row.licence, row.branch, f"{row.tokens:,}" if row.tokens else "", *cells


def _by_family(banks: Iterable[SurveyRow]) -> dict[str, list[SurveyRow]]:
    """Treebanks by the family of their language; without names where all are of one."""
    families: dict[str, list[SurveyRow]] = {}
    for row in banks:
        families.setdefault(row.family or _NO_FAMILY, []).append(row)
    if len(families) == 1:
        return {"": next(iter(families.values()))}
    return dict(sorted(families.items(), key=lambda item: (item[0] == _NO_FAMILY, item[0])))


_NO_FAMILY = "family not known"


def _refusals(found: Sequence[SurveyRow]) -> Table:
    """Why tasks are refused, once for all treebanks of the same reason."""
    why = {f"{row.treebank} {row.task}": f"{row.task}: {_strip_counts(row.why)}" for row in found}
    lines = []
    for names, reason in group_refusals(why):
        banks = [name.rpartition(" ")[0] for name in names.split("; ")]
        task, _, text = reason.partition(": ")
        lines.append((task, text, ", ".join(banks)))
    head = ("task", "reason", "treebanks")
    return Table(head, (TableSection("", tuple(sorted(lines))),), frozenset(head), title="Refused")


def _strip_counts(why: str) -> str:
    """A reason without counts and paths, which are those of one treebank."""
    _, cannot, rest = why.partition(" cannot be built from ")
    text = rest.partition(": ")[2] if cannot else why
    return text.partition(" (excluded: ")[0].partition(" among ")[0]


def _tasks(found: Sequence[SurveyRow]) -> list[str]:
    return list(dict.fromkeys(row.task for row in found))


def _format_survey_cell(row: SurveyRow | None) -> str:
    if row is None or not row.is_offered:
        return _REFUSED
    return f"{row.n:,}{_LOOK if row.look else ''}"


def draw_survey_heat(rows: Sequence[SurveyRow]) -> Figure:
    """Examples by treebank and task, on a logarithmic scale; pale where a task is refused."""
    cells = [
        HeatCell(
            row.treebank,
            row.task.partition("/")[2],
            _format_survey_cell(row),
            math.log(max(row.n, 1)) / math.log(_MANY),
        )
        for row in rows
    ]
    return draw_heat_maps([HeatMap("", cells)], HeatLook("Examples by treebank and task."))


def draw_survey_map(rows: Sequence[SurveyRow]) -> Figure:
    """Each language where it is spoken, darker the more tasks one of its treebanks offers;
    PlotProblem where no place is known.
    """
    languages: dict[str, list[SurveyRow]] = {}
    for row in rows:
        if not math.isnan(row.latitude):
            languages.setdefault(row.language, []).append(row)
    if not languages:
        raise PlotProblem("the places of these languages are not known: leave out `figure=map`")
    many = len(_tasks(rows))
    places = [
        MapMark(rows[0].longitude, rows[0].latitude, name, most / many, f"{name}: {told}")
        for name, rows in languages.items()
        for most, told in (_count_offered(rows),)
    ]
    about = "Languages of the treebanks, and how many tasks these support."
    return draw_map(places, about, ("no task", f"all {many} tasks" if many > 1 else "the task"))


def _count_offered(rows: Iterable[SurveyRow]) -> tuple[int, str]:
    """How many tasks the best treebank of a language offers, and how many each does."""
    offered = Counter[str]()
    for row in rows:
        offered[row.treebank] += row.is_offered
    return max(offered.values()), "; ".join(f"{bank} {n} tasks" for bank, n in offered.items())
