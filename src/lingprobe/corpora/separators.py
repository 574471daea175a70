"""Tables of text whose columns are separated by tabs, commas or semicolons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.files import open_file


@contextmanager
def open_table(path: Path) -> Iterator[tuple[TextIO, str]]:
    """A table to read, and what separates its columns: what its first line has most of. DataProblem
    that names the file for whatever is raised over its content.
    """
    with (
        report_damage(path, "a table in UTF-8"),
        TextIOWrapper(open_file(path), "utf-8-sig", newline="") as file,
    ):
        first = file.readline()
        file.seek(0)
        yield file, max("\t,;", key=first.count)
