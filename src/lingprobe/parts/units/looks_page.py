"""What attention probes look at, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from lingprobe.analysis.comparable import rows_by_task
from lingprobe.data.core import DataProblem, Result
from lingprobe.pages.captions import short
from lingprobe.pages.views import Asked
from lingprobe.parts.units.notes import Looks
from lingprobe.tables.table import Section, Table, number


def attention(results: Sequence[Result], asked: Asked) -> Table:
    """What attention probes look at."""
    sections = []
    for measured in rows_by_task(results, None):
        lines = []
        for one in measured:
            told = one.result.provenance.choice.part(Looks)
            if told:
                words = ", ".join(f"{form} ({times:.1f})" for form, times, _ in told.words)
                shares = [number(100 * share) for share in (told.first, told.last, told.even)]
                row = one.row
                lines.append((row.encoder, row.layer, number(row.score), *shares, words))
        if lines:
            sections.append(Section(short(measured[0].row.task), tuple(lines)))
    if not sections:
        raise DataProblem("no task was measured with the attention probe (--probe attention)")
    note = (
        "First, last: the share of attention that these tokens have on dev, percent; even: its"
        " entropy, of the largest there can be. Words: how many times its share each has."
    )
    columns = ("encoder", "layer", "score", "first", "last", "even", "words")
    return Table(columns, tuple(sections), frozenset({"encoder", "layer", "words"}), (note,))
