"""Panels of dots on their intervals, a row for each of some names, which stand at the left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from lingprobe.tables.panels import (
    count_panels_abreast,
    few_numbers,
    label_rows,
    make_figure,
    make_panels,
    measure_names,
    row_height,
    shorten_title,
)
from lingprobe.tables.printing import printed_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ACROSS = 4  # panels beside each other
DOT_PANEL_INCHES = 1.9  # of one
_LEAST_INCHES = 3.9  # of all beside each other
_PRINTED_INCHES = 0.85  # of one on paper, at least


class DotPanels(NamedTuple):
    """The panels of a figure, each under its title, that dots are drawn in."""

    figure: Figure
    axes: Sequence[Axes]
    names: Sequence[str]
    across: int

    @classmethod
    def of(cls, titles: Sequence[str], names: Sequence[str], about: str, head: float) -> DotPanels:
        """Empty ones, with so many inches beside them."""
        across = count_panels_abreast(len(titles), _ACROSS, _PRINTED_INCHES, measure_names(names))
        beside = max(DOT_PANEL_INCHES * across, _LEAST_INCHES)
        down = math.ceil(len(titles) / across)
        size = measure_names(names) + beside, head + down * (0.55 + row_height(names) * len(names))
        figure = make_figure(size, about)
        printed, wide = printed_width(), figure.get_figwidth() - measure_names(names)
        inches = (beside if printed is None else printed - measure_names(names)) / across
        axes = make_panels(figure, len(titles), across, sharex=True, sharey=True)
        for each, text in zip(axes, titles, strict=True):
            each.set_title(shorten_title(text, inches))
            few_numbers(each, wide / across)
        return cls(figure, axes, names, across)

    def label_rows(self, grey: Sequence[bool] = ()) -> None:
        """Write the names at the left, some in grey."""
        for axes in self.axes[:: self.across]:
            label_rows(axes, self.names, grey)
