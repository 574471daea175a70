"""What is known of each task before any data are read: what it is about, in which languages, who
asked it, under which licence its data are. `about.tsv` has it, and other packages add their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, reduce
from operator import or_
from pathlib import Path

from lingprobe.corpora.languages import get_three_letter_code, language_codes
from lingprobe.data._members import import_attribute
from lingprobe.data._packages import entry_points
from lingprobe.data.errors import UsageProblem
from lingprobe.data.records import read_tab_separated
from lingprobe.tasks.released.catalogue import read_collections

_ASKED = "a sentence and asked words"
_UNITS = ("a sentence", _ASKED, "two sentences", "a word", "a span", "two spans")
OWN_FILES_LICENCE = "that of the files that you name"
NO_DATA_NEEDED = "none needed: lingprobe writes the sentences"
OPEN_LICENCE_PATTERN = re.compile(r"CC0|CC BY(-SA)? \d|Apache|MIT|BSD|public domain", re.I)


@dataclass(frozen=True, slots=True)
class TaskDescription:
    """What is known of a task.

    unit       what a label is about, one of `_UNITS`
    labels     what an example has: one of several classes, a set of labels, or a score
    reads      the data
    languages  codes; () where the data may be in any
    papers     keys of the bibliography: who asked it, then whose annotation it is
    licence    of the data; "[NAME]": that of the set which `fetch` calls so
    size       examples in train, dev and test, where that is known
    """

    unit: str
    reads: str
    papers: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    licence: str = OWN_FILES_LICENCE
    labels: str = "classes"
    size: str = "as many as the data have"

    def __post_init__(self) -> None:
        if named := re.fullmatch(r"\[(\w+)\]", self.licence):
            object.__setattr__(self, "licence", _licence_terms(named[1]))

    @property
    def open(self) -> bool:
        """Whether the data may be used and shared by anybody, or are the user's own."""
        return self.licence in (OWN_FILES_LICENCE, NO_DATA_NEEDED) or bool(
            OPEN_LICENCE_PATTERN.match(self.licence)
        )

    @property
    def years(self) -> tuple[str, ...]:
        """Its papers in short: first author and year, as `conneau2018`."""
        return tuple(map(format_citation_key, self.papers))


def format_citation_key(key: str) -> str:
    """The first author and the year of a key in the bibliography."""
    parts = re.match(r"((?:de-)?[a-z]+).*?(\d{4})", key)
    return "".join(parts.groups()).replace("-", "") if parts else key


def _licence_terms(name: str) -> str:
    """The licence of a set that can be fetched, in words."""
    return next(c.terms for c in read_collections().values() if c.name.partition("/")[0] == name)


@cache
def _read_descriptions() -> Mapping[str, TaskDescription]:
    """What `about.tsv` says, by name or pattern; the first that fits counts."""
    _, lines = read_tab_separated(Path(__file__).with_suffix(".tsv"))
    return {cells[0]: _parse_description(cells) for _, cells in lines}


def _parse_description(cells: Sequence[str]) -> TaskDescription:
    """What a line says."""
    _, unit, labels, reads, papers, languages, licence, size = cells
    return TaskDescription(
        unit, reads, tuple(papers.split()), tuple(languages.split()), licence, labels, size
    )


_INSIDE = {
    "arcs/*": "lingprobe.inside.heads.arcs:ARC_TASKS",
    "forms/*": "lingprobe.inside.languages.about:LANGUAGE_TASKS",
    "minimal/*": "lingprobe.inside.minimal.about:MINIMAL_PAIR_TASKS",
    "structure/*": "lingprobe.inside.structure.about:STRUCTURE_TASKS",
    "transfer": "lingprobe.inside.languages.about:LANGUAGE_TASKS",
}


def _about_places() -> dict[str, str]:
    """Where more is known of tasks, by pattern of their names."""
    return {**_INSIDE, **{p.name: p.value for p in entry_points("lingprobe.about")}}


@cache
def known_tasks() -> Mapping[str, TaskDescription]:
    """What is known, with what extensions and plugins know of their tasks."""
    return reduce(or_, map(import_attribute, _about_places().values()), dict(_read_descriptions()))


def find_task_description(name: str) -> TaskDescription | None:
    """What is known of a task of that name; None for one of somebody else's."""
    there = any(fnmatchcase(name, pattern) for pattern in _about_places())
    every = (
        known_tasks() if there else _read_descriptions()
    )  # modules are imported for their own tasks alone
    return next((about for p, about in every.items() if fnmatchcase(name, p)), None)


@dataclass(frozen=True, slots=True)
class TaskQuery:
    """What tasks are looked for; '' wants nothing.

    language  a code ('pl', 'pol') or a name ('Polish')
    paper     a paper in short ('conneau2018'), or the beginning of that
    unit      what a label is about ('span': one or two of them)
    licence   'open': data that anybody may use and share, or one's own
    """

    language: str = ""
    paper: str = ""
    unit: str = ""
    licence: str = ""

    def check(self) -> None:
        """Refuse a wish that no task can ever meet. UsageProblem."""
        if self.language and not any(map(get_three_letter_code, language_codes(self.language))):
            raise UsageProblem(
                f"no language {self.language!r}: give a code ('pl', 'pol') or a name ('Polish')"
            )
        papers = sorted({paper for about in known_tasks().values() for paper in about.years})
        if self.paper and not any(p.startswith(self._paper) for p in papers):
            raise UsageProblem(f"no paper {self.paper!r}: choose one of {', '.join(papers)}")
        if self.unit and not any(map(self._of_unit, _UNITS)):
            raise UsageProblem(f"no unit {self.unit!r}: choose one of {', '.join(_UNITS)}")
        if self.licence not in ("", "open"):
            raise UsageProblem(f"no licence {self.licence!r}: only 'open' can be asked for")

    def matching_names(self, names: Iterable[str]) -> list[str]:
        """The tasks that are left by a filter of language, unit, paper and licence; one of which
        nothing is known meets none.
        """
        self.check()
        return [
            name
            for name in names
            if self == TaskQuery() or self._matches(find_task_description(name))
        ]

    def _matches(self, known: TaskDescription | None) -> bool:
        if known is None:
            return False
        codes = language_codes(self.language) if self.language else set()
        return (
            (not self.language or not known.languages or not codes.isdisjoint(known.languages))
            and (not self.paper or any(p.startswith(self._paper) for p in known.years))
            and (not self.unit or self._of_unit(known.unit))
            and (not self.licence or known.open)
        )

    @property
    def _paper(self) -> str:
        return re.sub(r"[\W_]", "", self.paper).lower()

    def _of_unit(self, unit: str) -> bool:
        """Whether a wish for units takes one: 'span' is one span or two, 'words' are asked."""
        return self.unit.lower().removesuffix("s") in unit
