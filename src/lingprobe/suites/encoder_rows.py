"""The rows of papers' tables, and the encoders that make them today. `encoder_rows.tsv` has them, a
line each; docs/published-encoders.md says how it is read.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from lingprobe.data.checks import check_choice
from lingprobe.data.records import read_tab_separated

_FILE = Path(__file__).with_suffix(".tsv")
How = Literal["file", "hub", "trained", "baseline", "people", "none"]
"""Whether an encoder is the paper's own, from its file or the hub; trained by the same recipe; a
baseline; people; or none that lingprobe can make."""


@dataclass(frozen=True, slots=True)
class EncoderRow:
    """A row of a paper's table, and the encoder that reproduces it today.

    paper      the suite of the table
    block      the heading of the row in the table
    row        its name in the table
    how        file, hub, trained, baseline, people or none
    reference  the encoder, with the published names of files; '' for people and none
    read       what is read of its layers, '' for its one layer
    needs      where to get its files, or the command that makes them; '' for nothing
    licence    of its files, as far as we know; '' if the files are made by that command
    note       further remarks
    """

    paper: str
    block: str
    row: str
    how: How
    reference: str
    read: str = ""
    needs: str = ""
    licence: str = ""
    note: str = ""

    @property
    def measurable(self) -> bool:
        """Whether lingprobe can measure the row today, given its files."""
        return self.how not in ("people", "none")


def encoder_rows(paper: str) -> list[EncoderRow]:
    """The rows of a paper's table, in its order, each with the encoder that reproduces it today.

    UsageProblem for a paper whose rows are unknown.

        for row in lingprobe.encoder_rows("tenney2019"):
            print(row.row, row.reference, row.needs)
    """
    every = _all()
    check_choice("rows of a paper", paper, dict.fromkeys(row.paper for row in every))
    return [row for row in every if row.paper == paper]


def count_measurable_rows(paper: str) -> str:
    """How many rows of a paper's table can be measured today; '' where none are known."""
    rows = [row for row in _all() if row.paper == paper]
    counts = {
        "from published files": sum(row.how in ("file", "hub") for row in rows),
        "retrained": sum(row.how == "trained" for row in rows),
        "as baselines": sum(row.how == "baseline" for row in rows),
    }
    parts = ", ".join(f"{many} {what}" for what, many in counts.items() if many)
    whole = f"{sum(counts.values())} of the {len(rows)} published rows can be measured today"
    return f"{whole}: {parts}" if rows else ""


@functools.cache
def _all() -> tuple[EncoderRow, ...]:
    return tuple(_parse_encoder_row(cells) for _, cells in read_tab_separated(_FILE)[1])


def _parse_encoder_row(cells: Sequence[str]) -> EncoderRow:
    """One line as a row."""
    paper, block, row, how, reference, read, needs, licence, note = cells
    named = "" if reference == "-" else reference
    return EncoderRow(paper, block, row, cast(How, how), named, read, needs, licence, note)
