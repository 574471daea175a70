"""The package's own tables: tab-separated, with a header; lines that begin with # are comments."""

from __future__ import annotations

from pathlib import Path

from lingprobe.data.errors import DataProblem


def read_tab_separated(file: Path) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """The header of a tab-separated file, and its lines, each after its place (`file:line`); what
    begins with # is excluded. DataProblem for an empty file, and for a line of another width.
    """
    lines = [
        (f"{file}:{number}", line.split("\t"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if line and line[0] != "#"
    ]
    if not lines:
        raise DataProblem(f"{file}: it has no lines but comments")
    (_, header), *body = lines
    for where, cells in body:
        if len(cells) != len(header):
            raise DataProblem(f"{where}: {len(cells)} cells, not {len(header)}")
    return header, body
