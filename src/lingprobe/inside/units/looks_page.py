"""What attention probes look at, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from lingprobe.analysis.answers import differences, mark_test_sets
from lingprobe.analysis.comparable import group_rows_by_task
from lingprobe.analysis.row import ResultRow
from lingprobe.data.core import DataProblem, Result
from lingprobe.inside.units.notes import Looks
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.views import Asked
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)


def attention(results: Sequence[Result], asked: Asked) -> Table:
    """What attention probes look at."""
    sections, signs = [], list[str]()
    for every in group_rows_by_task(results):
        looks = [(one.row, one.result.provenance.choice.part(Looks)) for one in every]
        looked = [(row, told) for row, told in looks if told]
        if looked:
            rows, name = [row for row, _ in looked], shorten_task(every[0].row.task)
            lines = [
                _line(row, told, sign)
                for (row, told), sign in zip(looked, mark_test_sets(rows), strict=True)
            ]
            sections.append(TableSection(name, tuple(lines)))
            signs += differences(rows, name)
    if not sections:
        raise DataProblem("no task was measured with the attention probe (--probe attention)")
    note = (
        "First, last: the share of attention that these tokens have on dev, in percent; even: its"
        " entropy, as a share of the maximum. Words: attention relative to the share of the words."
    )
    columns = ("encoder", "layer", "score", "first", "last", "even", "words")
    return Table(columns, tuple(sections), frozenset({"encoder", "layer", "words"}), (note, *signs))


def _line(row: ResultRow, told: Looks, sign: str) -> tuple[str, ...]:
    shares = [format_number(100 * share) for share in (told.first, told.last, told.even)]
    words = ", ".join(f"{form} ({times:.1f})" for form, times, _ in told.words)
    return row.encoder, row.layer, format_number(row.score) + sign, *shares, words
