"""What `sonde run --suite` and `sonde report --suite` share: a paper's tasks to measure, and its
table to show.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sonde.cli.options import remark

if TYPE_CHECKING:
    from sonde.core import Result
    from sonde.experiment.plan import Wanted
    from sonde.papers.facts import Entry, Judged
    from sonde.papers.suite import Suite

LISTS = ("csv", "parquet")


def wished(reference: str, given: Sequence[Any], style: str, **asked: Any) -> list[Wanted]:
    """What a run of a suite measures, to be shown in some style; `given` is what the user may not
    choose beside it.
    """
    from sonde.papers import SUITES
    from sonde.papers.suite import Asked, wanted

    if any(given):
        raise typer.BadParameter(
            "a suite brings its own tasks and probes: leave -t and --probe out",
            param_hint="--suite",
        )
    _checked(style)
    suite: Suite = SUITES.make(reference)
    made = wanted(suite, Asked(**asked))
    if lacking := suite.lacking():
        remark(f"not measured, since their data are not there: {', '.join(lacking)}")
    return made


def shown(
    reference: str,
    results: Sequence[Result],
    style: str,
    human: Sequence[Path] = (),
    to_file: bool = False,
) -> str | None:
    """A paper's table with the results in it, as text; None after it was printed (in colour, where
    there is a terminal).
    """
    from sonde.pages import PAGES
    from sonde.pages.records import csv
    from sonde.papers import SUITES
    from sonde.papers.page import cells, inside
    from sonde.papers.suite import selected
    from sonde.tables.terminal import show

    _checked(style)
    suite: Suite = SUITES.make(reference)
    found = selected(suite, results)
    people = judged(suite, human, found.entries)
    if style == "csv":
        return csv(cells(suite.name, suite.paper, found.entries, people))
    table = inside(suite.paper, found.entries, people, found.others)
    if style == "terminal" and not to_file:
        show(table)
        return None
    return PAGES[style](table)


def _checked(style: str) -> None:
    from sonde.pages import PAGES

    if style not in (*PAGES, *LISTS):
        raise typer.BadParameter(
            f"a paper's table is written as {', '.join([*PAGES, *LISTS])}", param_hint="--format"
        )


def listed(reference: str, results: Sequence[Result], to: Path, human: Sequence[Path] = ()) -> None:
    """Every figure of a paper's table and every result in it as a Parquet file."""
    from sonde.pages.records import parquet
    from sonde.papers import SUITES
    from sonde.papers.page import cells
    from sonde.papers.suite import selected

    suite: Suite = SUITES.make(reference)
    entries = selected(suite, results).entries
    parquet(cells(suite.name, suite.paper, entries, judged(suite, human, entries)), to)


def judged(suite: Suite, files: Sequence[Path], entries: Sequence[Entry]) -> list[Judged]:
    """What people score, from files that `sonde annotate --score` wrote; it stands with the results
    over the same data.
    """
    if not files:
        return []
    from sonde.core import DataProblem
    from sonde.judgements.bound import read_bound
    from sonde.papers.facts import PERCENT, Judged
    from sonde.papers.suite import located

    found = []
    for file in files:
        bound = read_bound(file)
        place = located(suite, bound.task)
        if place is None:
            raise DataProblem(f"{file} is about {bound.task}, which has no column in {suite.name}")
        beside = (
            e.place for e in entries if (e.place.column, e.place.data) == (place.column, place.data)
        )
        found.append(
            Judged(
                next(beside, place),
                PERCENT * bound.score,
                PERCENT * bound.low,
                PERCENT * bound.high,
                bound.n,
            )
        )
    return found
