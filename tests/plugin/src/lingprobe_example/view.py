"""A view of results: what each encoder reaches on its worst task."""

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.tables.table import Table, TableSection, format_number


def worst(results, asked):
    """The lowest score of each encoder, and the task that it is of."""
    lowest = {}
    for row in sorted(compute_scores(ResultFrame.of(results)), key=lambda row: -row.score):
        lowest[row.encoder] = (row.encoder, format_number(row.score), row.task)
    return Table(("encoder", "score", "task"), (TableSection("worst", tuple(lowest.values())),))
