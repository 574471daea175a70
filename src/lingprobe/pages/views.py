"""The views of results, which `report` shows, and the figures that are drawn of scores, by name.

A view is a function of results and of what else was asked for (`ViewArguments`), which returns a
table, several, or a whole `Page`; a declaration of what is shown and computed (`view_page.View`) is
such a function, too. A figure is a function of a `Grid` of scores, and returns a `Figure` of
matplotlib. Names are looked up in these tables, in installed plugins, and in files: `mine.py@mine`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Contents, Reference
from lingprobe.pages.web.study import EMPTY_STUDY_CONTEXT, StudyContext
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table

VIEWS = Contents(
    "view",
    "lingprobe.views",
    {name: f"lingprobe.pages.built_in_views:{name}" for name in ("scores", "each", "by", "layers")}
    | {
        "suite": "lingprobe.pages.paper:suite",
        "bits": "lingprobe.pages.bits_view:BITS_VIEW",
        "classes": "lingprobe.pages.class_view:CLASS_VIEW",
        "attention": "lingprobe.inside.units.views:ATTENTION_VIEW",
        "exchange": "lingprobe.pages.exchange_view:EXCHANGE_VIEW",
        "headroom": "lingprobe.pages.headroom_view:HEADROOM_VIEW",
        "heads": "lingprobe.inside.heads.views:HEADS_VIEW",
        "morphology": "lingprobe.inside.languages.morphology_page:morphology",
        "transfer": "lingprobe.inside.languages.views:TRANSFER_VIEW",
        "units": "lingprobe.inside.units.views:UNIT_VIEW",
    },
    made=False,
)


class ViewArguments(NamedTuple):
    """What was asked for beside a view.

    argument  what stands after its name, as in `by:distance`
    figure    how scores are drawn, a name of FIGURES
    human     files with scores of people, for a paper's table
    beside    what is known of the results that does not lie in them
    scored    gives the results with probabilities, where these were kept
    """

    argument: str = ""
    figure: str = "dots"
    human: tuple[str | Path, ...] = ()
    beside: StudyContext = EMPTY_STUDY_CONTEXT
    scored: Callable[[], Sequence[Result]] | None = None


ViewFunction = Callable[[Sequence[Result], ViewArguments], Page[Any] | Table | Sequence[Table]]


def read_argument(written: str, arguments: ViewArguments) -> str:
    """What a view is of; UsageProblem where that is not said."""
    if not arguments.argument:
        raise UsageProblem(f"the view {written.partition(':')[0]!r} is of something: {written}")
    return arguments.argument


def view_page(view: str, results: Sequence[Result], arguments: ViewArguments) -> Page[Any]:
    """The page of a view, by its name and perhaps what it is about (`by:distance`)."""
    name = Reference.parse(view).name if "@" in view else view.partition(":")[0]
    made: ViewFunction = VIEWS.find(name)
    shown = made(results, arguments._replace(argument=view[len(name) + 1 :]))
    if isinstance(shown, Page):
        return shown
    tables = list(shown) if isinstance(shown, Iterable) else [shown]
    if not all(isinstance(table, Table) for table in tables):
        raise UsageProblem(f"the view {name!r} returns {shown!r:.60}: give a Table, or several")
    return Page(tuple(results), lambda: tables)
