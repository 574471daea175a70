"""Whose data a task is made of, in which language, and under which licence: as the catalogues, what
lies beside the files, and their names say it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lingprobe.corpora.embedded import EMBEDDED_TREEBANK
from lingprobe.corpora.languages import get_language_code
from lingprobe.corpora.universal import Treebank, find_treebank
from lingprobe.data.core import Task
from lingprobe.datasets.formats.folders import table_parts
from lingprobe.tasks.about import (
    NO_DATA_NEEDED,
    OPEN_LICENCE_PATTERN,
    OWN_FILES_LICENCE,
    find_task_description,
)
from lingprobe.tasks.languages import data_codes, treebank_code
from lingprobe.tasks.limits import LimitedTask
from lingprobe.tasks.released.universal import read_facts
from lingprobe.tasks.table import TableTask
from lingprobe.tasks.task import DefinedTask


@dataclass(frozen=True, slots=True)
class DataSource:
    """Data that a task reads.

    name       a treebank, a published set, or the name of a file
    licences   what is said of their licence, by whoever says something
    languages  codes, as pl
    """

    name: str
    licences: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def licence(self) -> str:
        """The licence in words; '' where nobody says."""
        return ", ".join(self.licences)

    @property
    def is_open(self) -> bool:
        """Whether everybody may use, change and share the data, by a licence as CC BY: all that is
        said of them is such a one.
        """
        return bool(self.licences) and all(
            each == NO_DATA_NEEDED or OPEN_LICENCE_PATTERN.match(each) for each in self.licences
        )


def data_files(task: Task) -> list[Path]:
    """The files that a task of ours reads; none of what is in memory or generated."""
    whole = task.task if isinstance(task, LimitedTask) else task
    if isinstance(whole, DefinedTask):
        return [part.path for part in whole.parts()]
    return [part.path for part in table_parts(whole.path)] if isinstance(whole, TableTask) else []


def list_data_sources(task: Task, files: Sequence[Path]) -> list[DataSource]:
    """The data that a task reads, each once; one that nothing is known of where it has no files and
    is not generated.
    """
    whole = task.task if isinstance(task, LimitedTask) else task
    known = find_task_description(whole.name) if isinstance(whole, DefinedTask) else None
    if known is not None and known.licence not in (OWN_FILES_LICENCE, NO_DATA_NEEDED):
        said = () if "licence unknown" in known.licence else (known.licence,)
        return [DataSource(known.reads, said, _languages(whole, files))]
    if known is not None and known.licence == NO_DATA_NEEDED and not files:
        return [
            DataSource(
                "sentences that lingprobe generates", (NO_DATA_NEEDED,), _languages(whole, ())
            )
        ]
    return list(dict.fromkeys(map(_source, files))) or [DataSource(task.name)]


def _languages(task: Task, files: Sequence[Path]) -> tuple[str, ...]:
    """The languages of a task's data."""
    options = asdict(task.options) if isinstance(task, DefinedTask) else {}
    place, asked = (str(options.get(name) or "") for name in ("path", "language"))
    return tuple(dict.fromkeys(map(get_language_code, data_codes(task.name, place, asked, files))))


def _source(file: Path) -> DataSource:
    """What a file belongs to: a treebank, as its folder or its name say, or itself."""
    if re.fullmatch(rf"{EMBEDDED_TREEBANK}-\w+\.conllu", file.name):
        return DataSource(
            "the treebank in lingprobe, written by a grammar", (NO_DATA_NEEDED,), ("en",)
        )
    code = treebank_code(file)
    spoken = (get_language_code(code),) if code else ()
    bank = _known_treebank(file.parent.name) or _known_treebank(code)
    if bank is None:
        return DataSource(file.name, (), spoken)
    beside = read_facts(file.parent).get("License", "")
    said = tuple(dict.fromkeys(text for text in (bank.licence, beside) if text))
    return DataSource(file.parent.name if f"{code}-ud-" in file.name else bank.name, said, spoken)


def _known_treebank(text: str) -> Treebank | None:
    """The treebank of that name or code whose licence is known."""
    bank = find_treebank(text)
    return bank if bank is not None and bank.licence else None
