"""A figure of scores: a bar for each encoder, as long as the mean of its scores."""

from statistics import fmean

from matplotlib.figure import Figure


def bars(grid):
    """A bar for each encoder."""
    figure = Figure((5, 1 + 0.3 * len(grid.lines)), layout="constrained", label="Means of scores.")
    means = [fmean(row.score for row in line.cells.values()) for line in grid.lines]
    axes = figure.subplots()
    axes.barh([line.encoder for line in grid.lines], means)
    axes.bar_label(axes.containers[0], fmt="%.1f")
    return figure
