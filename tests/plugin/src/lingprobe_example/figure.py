"""A figure of scores: a bar for each encoder, as long as the mean of its scores."""

from statistics import fmean

from lingprobe.tables.drawing import Drawing, Label, Shape, box


def bars(grid):
    """A bar for each encoder."""
    marks = []
    for i, line in enumerate(grid.lines):
        mean = fmean(row.score for row in line.cells.values())
        marks.append(Shape(box(10, 20 * i + 4, 3 * mean, 12), "#1b6ca8"))
        marks.append(Label(14, 20 * i + 14, f"{line.encoder}, {mean:.1f}", colour="#ffffff"))
    return Drawing(320, 20 * len(grid.lines) + 8, tuple(marks), "Means of scores.")
