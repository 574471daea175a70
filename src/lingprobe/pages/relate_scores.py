"""The scores that are related in two languages, beside each other: around a circle, as Figure 2 of
Krasnowska-Kieraś & Wróblewska (2019), and as dots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lingprobe.analysis.profiles import LanguagePair
from lingprobe.metrics.metric import Doubles
from lingprobe.pages.charts import (
    CIRCLE_NAME_WIDTH_SHARE,
    draw_circle,
    draw_polygon,
    get_circle_size,
)
from lingprobe.tables.dots import DOT_PANEL_INCHES
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.panels import (
    Size,
    draw_legend,
    fold_names,
    label_rows,
    make_legend_mark,
    make_panel_pair,
    mark_point,
    measure_names,
    row_height,
)
from lingprobe.tables.style import LINE_COLOURS, LINE_MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def split_pair_scores(pair: LanguagePair) -> tuple[Doubles, Doubles]:
    """The scores in each of the two languages, [encoders, tasks]."""
    scores = pair.relation.table.scores
    return scores[:, 0::2], scores[:, 1::2]


def _encoders(found: LanguagePair) -> list[int]:
    """Those that have all scores; PlotProblem for none, and for more than can be told apart."""
    complete = ~np.isnan(found.relation.table.scores).any(1)
    chosen = np.flatnonzero(complete).tolist()
    if not 0 < len(chosen) <= len(LINE_COLOURS):
        raise PlotProblem(
            f"this figure shows up to {len(LINE_COLOURS)} encoders that have all scores, and there"
            f" are {len(chosen)}: choose some with -e"
        )
    return list(map(int, chosen))


def draw_language_radar(pair: LanguagePair) -> Figure:
    """A polygon for each encoder over the tasks around a circle, a circle for each language, from 0
    in the middle to 100.
    """
    encoders = _encoders(pair)
    names = fold_names([each.task for each in pair.tasks], 1000, CIRCLE_NAME_WIDTH_SHARE)
    if len(names) < 3:
        raise PlotProblem(f"a radar needs three tasks, and there are {len(names)}: draw scores")
    figure, both = _draw_language_panels(
        pair, (2.8 + 2 * measure_names(names), get_circle_size(names)), len(encoders), "polar"
    )
    for axes, half in zip(both, split_pair_scores(pair), strict=True):
        draw_circle(axes, names)
        for place, i in enumerate(encoders):
            draw_polygon(axes, half[i].tolist(), place, pair.relation.table.rows[i].name, names)
    return figure


def scores_figure(pair: LanguagePair) -> Figure:
    """The same as dots: a line for each task, a panel for each language."""
    encoders, names = _encoders(pair), fold_names([each.task for each in pair.tasks], 1000)
    size = DOT_PANEL_INCHES + 0.5 * measure_names(names), 0.5 + row_height(names) * len(names)
    figure, both = _draw_language_panels(pair, size, len(encoders), None)
    for axes, half in zip(both, split_pair_scores(pair), strict=True):
        axes.sharex(both[0])
        for place, i in enumerate(encoders):
            _draw_encoder_scores(axes, half[i], place, pair.relation.table.rows[i].name, names)
        is_left = axes.get_position().x0 == both[0].get_position().x0
        label_rows(axes, names if is_left else [""] * len(names))
    return figure


def _draw_encoder_scores(
    axes: Axes, scores: Doubles, place: int, encoder: str, names: Sequence[str]
) -> None:
    for task, (name, score) in enumerate(zip(names, scores.tolist(), strict=True)):
        look = make_legend_mark(LINE_MARKERS[place], LINE_COLOURS[place])
        mark_point(axes, (score, task), look, f"{encoder}, {name}: {score:.1f}")


def _draw_language_panels(
    found: LanguagePair, size: Size, many: int, projection: str | None
) -> tuple[Figure, list[Axes]]:
    """A panel for each language, above the names of encoders in their colours."""
    about = f"Scores of {many} encoders in {found.first} and {found.second}."
    looks = {"subplot_kw": {"projection": projection}}
    figure, both = make_panel_pair(
        (2 * size[0], size[1] + 0.2 * many), [size[1]] * 2, about, **looks
    )
    for axes, language in zip(both, (found.first, found.second), strict=True):
        axes.set_title(language)
    names = [found.relation.table.rows[i].name for i in _encoders(found)]
    signs = [
        make_legend_mark(LINE_MARKERS[i], LINE_COLOURS[i], name) for i, name in enumerate(names)
    ]
    draw_legend(figure, signs, 1)
    return figure, both
