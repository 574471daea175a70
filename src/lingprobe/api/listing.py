"""What there is: tasks, encoders, probes and the like, and whom to cite."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from lingprobe.api import commands
from lingprobe.api.arguments import as_list as arguments
from lingprobe.api.arguments import takes_options
from lingprobe.api.data_options import ListOptions, TaskFilter
from lingprobe.data._listings import recall_listing
from lingprobe.data._members import import_attribute
from lingprobe.data._packages import entry_points
from lingprobe.data.checks import check_choice
from lingprobe.data.errors import UsageProblem
from lingprobe.data.listing import (
    Entry,
    Plugin,
    list_entries,
    list_plugins,
    read_entries,
    write_entries,
)
from lingprobe.data.references import (
    Contents,
    Reference,
    ReferenceProblem,
    allow_code,
)

if TYPE_CHECKING:
    from lingprobe.tasks.about import TaskDescription

CONTENTS_PLACES: Mapping[str, str] = {
    "tasks": "lingprobe.tasks:TASKS",
    "encoders": "lingprobe.encoders:ENCODERS",
    "probes": "lingprobe.probes:PROBES",
    "controls": "lingprobe.datasets.controls:CONTROLS",
    "metrics": "lingprobe.metrics:METRICS",
    "suites": "lingprobe.suites:SUITES",
    "parsers": "lingprobe.annotators:PARSERS",
    "checks": "lingprobe.audit:CHECKS",
    "views": "lingprobe.pages.views:VIEWS",
    "figures": "lingprobe.pages.charts:FIGURES",
    **{point.name: point.value for point in entry_points("lingprobe.kinds")},
}
"""Where the table of contents of each kind is: a list of one imports no other."""

_PACKAGE = sys.modules["lingprobe"]  # its face, which imports this
_ROOM_NAMES = [each.name for each in pkgutil.iter_modules(_PACKAGE.__path__)]
_OTHERS = (
    Contents(
        "command",
        "lingprobe.commands",
        {
            **dict.fromkeys(commands.GROUP_DESCRIPTIONS, ""),
            **{each.name.replace(" ", "."): each.place for each in commands.list_core_commands()},
        },
    ),
    Contents(
        "function",
        "lingprobe.functions",
        dict.fromkeys(
            [*_PACKAGE.__all__, *(m.name for m in pkgutil.iter_modules(_PACKAGE.__path__))], ""
        ),
    ),
)
"""What lingprobe itself is called by, and packages may add to: commands, and `lingprobe.NAME`."""


def get_contents(kind: str) -> Contents:
    """The table of contents of a kind. UsageProblem where there is no such kind."""
    check_choice("kind", kind, CONTENTS_PLACES)
    contents: Contents = import_attribute(CONTENTS_PLACES[kind])
    return contents


@takes_options(TaskFilter, ListOptions)
def available(
    kind: str,
    pattern: str | None = None,
    *,
    language: str = "",
    paper: str = "",
    unit: str = "",
    licence: Literal["open"] | None = None,
) -> list[Entry]:
    """Everything of a kind, plugins included: names, descriptions, and options with their meaning.

    ReferenceProblem if nothing has the name (`ud/tense`, `mine.py@my_task`) or fits the pattern;
    UsageProblem for a filter that the kind does not have.

    for entry in lingprobe.available("tasks", "ud/*"):
        print(entry.name, entry.summary)
    """
    check_choice("kind", kind, CONTENTS_PLACES)
    allow_code(pattern)
    filters = (language, paper, unit, licence or "")
    if any(filters) and kind != "tasks":
        raise UsageProblem(f"{kind} have no language, paper, unit or licence: only tasks do")
    if pattern is None:
        made = recall_listing(kind, f"lingprobe.{kind}", lambda: write_entries(_list(kind)))
        listed = read_entries(made)
    else:
        listed = _list(kind, pattern)
    if not any(filters):
        return listed
    from lingprobe.tasks.about import TaskQuery

    met = set(TaskQuery(*filters).matching_names(entry.name for entry in listed))
    return [entry for entry in listed if entry.name in met]


def _list(kind: str, pattern: str | None = None) -> list[Entry]:
    """What there is of a kind, imported; ReferenceProblem where nothing fits the pattern."""
    try:
        return list_entries(get_contents(kind), pattern)
    except ReferenceProblem as problem:
        raise ReferenceProblem(f"{problem}{_of_language(kind, pattern or '')}") from None


def _of_language(kind: str, name: str) -> str:
    """What to ask where the name of a language stands for tasks in it."""
    from lingprobe.corpora.languages import language_codes

    codes = language_codes(name) if kind == "tasks" else set()
    is_named = codes and name.casefold() not in codes  # codes such as `case` are words as well
    return f"; tasks with data in a language: `lingprobe tasks -l {name}`" if is_named else ""


def about(task: str) -> TaskDescription | None:
    """What is known about a task before any data are read: the unit that it labels, its data, their
    languages and licence, and its paper. None for a task that is not part of lingprobe;
    ReferenceProblem if there is none of that name.

        print(lingprobe.about("ud/tense").papers)
    """
    from lingprobe.tasks import TASKS
    from lingprobe.tasks.about import find_task_description

    name = Reference.parse(task).name
    if "@" not in name:
        TASKS.find(name)  # a family says nothing of a task that there is not
    return find_task_description(name)


def bibtex(tasks: str | Sequence[str]) -> str:
    """The BibTeX entries of the papers of some tasks, each once.

    tasks  names or patterns

        print(lingprobe.bibtex("senteval/*"))
    """
    from lingprobe.suites.bibliography import format_bibtex, papers_of
    from lingprobe.tasks import TASKS

    names = [n for t in arguments(tasks) for n in TASKS.matching(Reference.parse(t).name)]
    return format_bibtex(paper for name in names for paper in papers_of(name))


def plugins() -> list[Plugin]:
    """What installed packages add to lingprobe, with the package and its version; a plugin that
    cannot be imported is listed with the reason.

        for plugin in lingprobe.plugins():
            print(plugin.distribution, plugin.name, plugin.problem)
    """
    return list_plugins((*map(get_contents, CONTENTS_PLACES), *_OTHERS))
