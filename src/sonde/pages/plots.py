"""Figures: where in an encoder tasks are solved, and scores by distance. Drawn by matplotlib, which
comes with `sonde[plots]`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sonde.analysis.answers import differences
from sonde.analysis.layers import Depth
from sonde.analysis.row import PERCENT, Row
from sonde.cache import draft
from sonde.metrics.layers import Expected
from sonde.pages.captions import short
from sonde.pages.scores import test_notes
from sonde.tables.drawing import SUFFIXES, PlotProblem
from sonde.tables.table import printable

ACROSS = 3  # curves beside each other
COLOURS = ("#1b6ca8", "#d1603d", "#3a7d44", "#7b4b94", "#b8860b", "#52616b", "#a23b72", "#2a9d8f")
PALE = "#c9d3db"


def layers_figure(depths: Sequence[Depth], to: Path) -> None:
    """The pipeline (expected layer and centre of gravity of each task) above each task's curves
    over layers, as a file.
    """
    _save(_layers(depths), to)


def layers_svg(depths: Sequence[Depth]) -> str:
    """The same as an SVG element for a page; '' without matplotlib."""
    from io import StringIO

    try:
        figure = _plain(_layers(depths))
    except PlotProblem:
        return ""
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()[out.getvalue().index("<svg") :]


def _layers(depths: Sequence[Depth]) -> Any:
    if not depths:
        raise PlotProblem("nothing to draw: no task was measured on several layers")
    down = math.ceil(len(depths) / ACROSS)
    across = min(ACROSS, len(depths))
    figure = _figure(4.2 * across + 0.6, 0.42 * len(depths) + 1.4 + 3.0 * down)
    top, below = figure.subfigures(2, 1, height_ratios=[0.42 * len(depths) + 1.4, 3.0 * down])
    _pipeline(top.subplots(), depths)
    for axes, depth in zip(
        _flat(below.subplots(down, across, squeeze=False)),
        [*depths, *[None] * (down * across - len(depths))],
        strict=True,
    ):
        if depth is None:
            axes.set_visible(False)
        else:
            _curves(axes, depth)
            if depth is depths[0]:
                _legend(axes)  # once for all panels
    notes = [differences(d.rows, f"{short(d.task)}, {d.encoder}") for d in depths]
    _footnote(below, [text for texts in notes for text in texts])
    return figure


def strata_figure(rows: Sequence[Row], stratum: str, to: Path) -> None:
    """Scores by a stratum with bands of their 95 % intervals, and bars of how many examples there
    are, a panel for each task.
    """
    tasks = list(dict.fromkeys(row.task for row in rows if row.control == "none"))
    if not tasks:
        raise PlotProblem("nothing to draw: no row without a control")
    figure = _figure(7.0, 4.2 * len(tasks))
    for axes, task in zip(_flat(figure.subplots(len(tasks), 1, squeeze=False)), tasks, strict=True):
        _by_stratum(
            axes, [row for row in rows if row.task == task and row.control == "none"], stratum
        )
    _footnote(figure, test_notes([row for row in rows if row.control == "none"]))
    _save(figure, to)


def _footnote(figure: Any, notes: Sequence[str]) -> None:
    """What must not be overlooked, below the panels."""
    if notes:
        figure.supxlabel("\n".join(notes), fontsize="x-small")


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotProblem(
            "figures are drawn by matplotlib: pip install 'sonde[plots]'; the tables need nothing"
            " more"
        ) from None
    return Figure(figsize=(width, height), layout="constrained")


def _flat(axes: Any) -> list[Any]:
    return list(axes.ravel())


def _plain(figure: Any) -> Any:
    """The figure with every name in it shown as it is, dollars and all."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_parse_math(False)
        text.set_text("\n".join(map(printable, text.get_text().split("\n"))))
    return figure


def _save(figure: Any, to: Path) -> None:
    """Write a figure as the kind of file that its name says."""
    if to.suffix.lower() not in SUFFIXES:
        raise PlotProblem(f"{to}: a figure is written as {', '.join(SUFFIXES)}")
    # the same results give the same file
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with draft(to) as part:
        _plain(figure).savefig(
            part,
            dpi=150,
            metadata=dated.get(to.suffix.lower()),
            format=to.suffix.lower().removeprefix("."),
        )


DIAMOND = {
    "marker": "D",
    "markersize": 6,
    "color": COLOURS[1],
    "linestyle": "none",
    "label": "centre of gravity",
}


def _pipeline(axes: Any, depths: Sequence[Depth]) -> None:
    """A line for each task: a bar to the expected layer with its interval, a diamond at the centre
    of gravity.
    """
    last = max(d.layers[-1] for d in depths)
    for place, depth in enumerate(depths):
        _expected(axes, place, depth.expected)
        centre = depth.gravity.value
        if not math.isnan(centre):
            axes.plot(centre, place, **DIAMOND)
        ends = depth.cumulative.get(0), depth.cumulative.get(depth.layers[-1])
        gain = " → ".join(f"{row.score:.1f}" for row in ends if row)
        axes.text(last * 1.02, place, gain, va="center", fontsize=8)
    axes.set_yticks(range(len(depths)), [_label(d) for d in depths], fontsize=8)
    axes.set_ylim(len(depths) - 0.4, -0.6)  # the first on top
    axes.set_xlim(0, last)
    axes.set_xlabel("layer")
    axes.set_title("Where tasks are solved (right: score of layer 0 → of the mix)", fontsize=9)
    _legend(axes)


def _expected(axes: Any, place: int, expected: Expected) -> None:
    """A bar to the expected layer with its interval, or that there is none."""
    if math.isnan(expected.layer):
        axes.text(0.1, place, "no expected layer", va="center", fontsize=8, color="0.4")
        return
    axes.barh(
        place, expected.layer, height=0.55, color=COLOURS[0], alpha=0.85, label="expected layer"
    )
    if not math.isnan(expected.low):
        axes.plot([expected.low, expected.high], [place, place], color="black", linewidth=1.2)


def _label(depth: Depth) -> str:
    return f"{short(depth.task)}\n{depth.encoder}"


def _curves(axes: Any, depth: Depth) -> None:
    """Scores of single layers and of growing mixes with bands, word embeddings as a line, weights
    as bars at the bottom.
    """
    _curve(axes, depth.single, COLOURS[0], "alone")
    _curve(axes, depth.cumulative, COLOURS[1], "mix of 0 to here")
    if depth.lexical is not None:
        axes.axhline(
            depth.lexical.score, color="0.35", linestyle="--", linewidth=1, label="lexical"
        )
    if depth.weights:
        _weights(axes, depth.weights)
    if not math.isnan(depth.expected.layer):
        axes.axvline(depth.expected.layer, color=COLOURS[1], linestyle=":", linewidth=1)
    axes.set_title(_label(depth), fontsize=8)
    axes.set_xlabel("layer", fontsize=8)
    axes.set_ylabel(depth.rows[0].metric.partition(",")[0], fontsize=8)
    axes.tick_params(labelsize=7)


def _curve(axes: Any, rows: Mapping[int, Row], colour: str, name: str) -> None:
    if len(rows) > 1:
        _band(axes, {float(layer): row for layer, row in rows.items()}, colour, name)


def _weights(axes: Any, weights: Sequence[float]) -> None:
    """Bars at the bottom, in room that is made for them."""
    low, high = axes.get_ylim()
    room = (high - low) / 0.78 - (high - low)
    axes.bar(
        range(len(weights)),
        [room * w / max(weights) for w in weights],
        bottom=low - room,
        color=PALE,
        label="weight in the mix",
    )
    # none beside the weights
    ticks = [tick for tick in axes.get_yticks() if max(low, 0) <= tick <= min(high, PERCENT)]
    axes.set_yticks(ticks)
    axes.set_ylim(low - room, high)


def _by_stratum(axes: Any, rows: Sequence[Row], stratum: str) -> None:
    values = dict.fromkeys(row.stratum for row in rows)
    places = {value: float(i) for i, value in enumerate(values)}
    lines = defaultdict[str, dict[float, Row]](dict)
    for row in rows:
        lines[_measured(row)][places[row.stratum]] = row
    for i, (name, mine) in enumerate(lines.items()):
        _band(axes, mine, COLOURS[i % len(COLOURS)], name)
    _counts(axes, {places[row.stratum]: row.n for row in rows})
    axes.set_xticks(list(places.values()), list(places), fontsize=7)
    axes.set_xlabel(stratum)
    axes.set_ylabel(rows[0].metric.partition(",")[0])
    axes.set_title(short(rows[0].task), fontsize=9)
    _legend(axes)


def _measured(row: Row) -> str:
    layer = "" if row.layer == "-" else f", {row.layer}"
    return f"{row.encoder}{layer}, {row.probe}"


def _counts(axes: Any, counts: Mapping[float, int]) -> None:
    """How many examples there are at each place, as bars behind the lines."""
    behind = axes.twinx()
    behind.bar(list(counts), list(counts.values()), color=PALE, zorder=0)
    behind.set_ylim(0, 4 * max(counts.values()))
    behind.set_ylabel("test examples", fontsize=8)
    behind.tick_params(labelsize=7)
    axes.set_zorder(behind.get_zorder() + 1)
    axes.patch.set_visible(False)


def _band(axes: Any, rows: Mapping[float, Row], colour: str, name: str) -> None:
    """A line of scores over a band of their intervals."""
    x = sorted(rows)
    axes.fill_between(
        x,
        [rows[i].low for i in x],
        [rows[i].high for i in x],
        color=colour,
        alpha=0.18,
        linewidth=0,
    )
    axes.plot(x, [rows[i].score for i in x], color=colour, marker=".", linewidth=1.5, label=name)


def _legend(axes: Any) -> None:
    """Each name once."""
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    if once:
        axes.legend(list(once.values()), list(once), fontsize=7, framealpha=0.8)
