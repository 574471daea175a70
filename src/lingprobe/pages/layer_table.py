"""Where in an encoder each task is solved, as tables: one line a task first, then each task layer
by layer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lingprobe.analysis.answers import differences, mark_test_sets
from lingprobe.analysis.layers import EVEN, Depth, Mean
from lingprobe.analysis.row import ResultRow
from lingprobe.data.core import Result
from lingprobe.pages.captions import heading, shorten_task
from lingprobe.pages.charts import chart
from lingprobe.pages.plots import layers_figure
from lingprobe.pages.records import format_csv
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

BARS = "▏▎▍▌▋▊▉█"
WIDE = 16  # characters of the longest bar
WORDS = frozenset({"task", "encoder", "probe", "layer", ""})


@dataclass(frozen=True, slots=True)
class LayerRow:
    """One layer on one task, for programs; scores are percent, NaN where something was not
    measured.
    """

    task: str
    encoder: str
    probe: str
    layer: int
    score: float
    low: float
    high: float
    mixed: float
    mixed_low: float
    mixed_high: float
    weight: float
    n: int
    seeds: int


OVERVIEW = (
    *("task", "lexical", "layer 0", "best alone", "mix"),
    *("centre of gravity", "bits", "expected layer", "bits ", "n"),
)
ALONE = (*OVERVIEW[:4], OVERVIEW[-1])
SCORES = "Scores are times 100."
UNMIXED = (
    "Mixes of layers, which show what each layer adds to those below it, were not measured "
    "(--layers cumulative)."
)
MEASURES = (
    f"{SCORES} Centre of gravity: the mean layer, weighted by the mix, with its"
    " interval over seeds (if at least three).",
    "Expected layer: the mean layer, weighted by what each adds to the mix of those below it,"
    " with its interval over test examples and seeds (if at least three).",
    "Bits: how unevenly the weights, or the gains, are spread over the layers (0: evenly).",
)


BY_TEST = (
    "best alone: the layer with the highest score on test, which is a little too high: folds, and"
    " results of earlier versions, have no score on dev to choose by."
)


def layers_page(depths: Sequence[Depth], results: Sequence[Result] = ()) -> Page[tuple[Depth, ...]]:
    """Where each task is solved: an overview, then each task layer by layer; as a figure too, of
    the results where no mixes of layers were read, with all encoders above each other.
    """
    mixed = not results or any(depth.is_mixed for depth in depths)
    return Page(
        tuple(depths),
        lambda: [overview(depths), *map(by_layer, depths)],
        texts={"csv": lambda: format_csv(layer_rows(depths))},
        figure=lambda: layers_figure(depths) if mixed else chart(results, "layers"),
    )


def overview(depths: Sequence[Depth]) -> Table:
    """One line a task, those solved lowest first, a section for each encoder and probe: what layers
    add, and where.
    """
    groups: dict[str, list[Depth]] = {}
    for depth in depths:
        groups.setdefault(f"{depth.encoder}, {depth.probe}", []).append(depth)
    mixed = any(depth.is_mixed for depth in depths)
    sections = tuple(
        TableSection(heading, tuple(_line(depth, mixed) for depth in mine))
        for heading, mine in groups.items()
    )
    by_test = [d for d in depths if d.best is not None and not d.is_chosen_on_dev]
    still = [d for d in depths if d.uneven < EVEN]
    first, *measures = MEASURES if mixed else (SCORES, UNMIXED)
    notes = (
        first,
        *(
            f"{_name_depth(d, groups)}: no centre of gravity, because the weights are still nearly"
            " uniform, as at the start of training."
            for d in still
        ),
        *(text for d in depths for text in differences(d.rows, _name_depth(d, groups))),
        *(
            f"{_name_depth(d, groups)}: no expected layer, {d.expected.why}{_gain(d)}."
            for d in depths
            if d.expected.why and mixed
        ),
        *measures,
        "best alone: the layer with the highest score on dev."
        if len(by_test) < len(depths)
        else BY_TEST,
        *(f"{_name_depth(d, groups)}: {BY_TEST}" for d in by_test if len(by_test) < len(depths)),
    )
    return Table(OVERVIEW if mixed else ALONE, sections, WORDS, notes, "Scores by layer")


def _line(depth: Depth, mixed: bool) -> tuple[str, ...]:
    signs = dict(zip(map(id, depth.rows), mark_test_sets(depth.rows), strict=True))
    mixes = (
        _score(depth.cumulative.get(depth.layers[-1]), signs),
        _centre(depth.gravity),
        _two(depth.uneven),
        _centre(Mean(*depth.expected[:3])),
        _two(depth.gained),
    )
    return (
        shorten_task(depth.task),
        _score(depth.lexical, signs),
        _score(depth.cumulative.get(0), signs),
        (
            "–"
            if depth.best is None
            else f"{_score(depth.single[depth.best], signs)} (layer {depth.best})"
        ),
        *(mixes if mixed else ()),
        f"{max(row.n for row in depth.rows):,}",
    )


def _name_depth(depth: Depth, groups: Mapping[str, Sequence[Depth]]) -> str:
    """A task, with its encoder and probe where there are several."""
    return shorten_task(depth.task) + (
        f", {depth.encoder}, {depth.probe}" if len(groups) > 1 else ""
    )


def by_layer(depth: Depth) -> Table:
    """One task layer by layer: alone, and, where mixes were read, mixed with those below, what the
    layer adds to these, and its weight in the mix of all.

    Where the probe made a code of the labels, also by what factor the layer alone makes it shorter.
    """
    coded = any(not math.isnan(row.compression) for row in depth.single.values())
    code = ("compression", "over prior") if coded else ()
    mixes = ("mixed", "95 % interval ", "adds", "weight", "") if depth.is_mixed else ()
    columns = ("layer", "alone", "95 % interval", *code, *mixes)
    body = []
    signs = dict(zip(map(id, depth.rows), mark_test_sets(depth.rows), strict=True))
    if depth.lexical is not None:
        body.append(("lex", *_alone(depth.lexical, signs, coded), *[""] * len(mixes)))
    for layer in depth.layers:
        mixed, below = depth.cumulative.get(layer), depth.cumulative.get(layer - 1)
        adds = f"{mixed.score - below.score:+.1f}" if mixed and below else ""
        cells = (_score(mixed, signs), _interval(mixed), adds, *_weight_cells(depth, layer))
        alone = _alone(depth.single.get(layer), signs, coded)
        body.append((str(layer), *alone, *(cells if mixes else ())))
    first = depth.rows[0]
    line = (
        f"{depth.encoder}, {depth.probe}. {first.metric}, n = {first.n:,}, {first.seeds}"
        f" seed{'s' * (first.seeds > 1)}."
    )
    notes = differences(depth.rows, shorten_task(depth.task))
    return Table(
        columns, (TableSection(heading(depth.rows), tuple(body), line),), WORDS, tuple(notes)
    )


def _alone(row: ResultRow | None, signs: Mapping[int, str], coded: bool) -> tuple[str, ...]:
    """What there is to say of a layer read alone."""
    code = [_two(x) for x in ((row.compression, row.over_prior) if row else (math.nan, math.nan))]
    return (_score(row, signs), _interval(row), *(code if coded else []))


def _weight_cells(depth: Depth, layer: int) -> tuple[str, str]:
    """The weight of a layer in the mix of all, and its bar."""
    if layer >= len(depth.weights):
        return "", ""
    return f"{depth.weights[layer]:.3f}", bar(depth.weights[layer] / max(depth.weights))


def layer_rows(depths: Sequence[Depth]) -> list[LayerRow]:
    """Every layer of every task, for programs."""
    listed = []
    for d in depths:
        for layer in d.layers:
            alone, mixed = d.single.get(layer), d.cumulative.get(layer)
            weight = d.weights[layer] if layer < len(d.weights) else math.nan
            one = alone or mixed or d.rows[0]
            listed.append(
                LayerRow(
                    d.task,
                    d.encoder,
                    d.probe,
                    layer,
                    *_three(alone),
                    *_three(mixed),
                    weight,
                    one.n,
                    one.seeds,
                )
            )
    return listed


def bar(share: float) -> str:
    """A bar of so much of the longest, in eighths of a character."""
    if math.isnan(share) or share <= 0:
        return ""
    eighths = max(1, round(share * WIDE * len(BARS)))
    return BARS[-1] * (eighths // len(BARS)) + (
        BARS[eighths % len(BARS) - 1] if eighths % len(BARS) else ""
    )


def _three(row: ResultRow | None) -> tuple[float, float, float]:
    return (math.nan,) * 3 if row is None else (row.score, row.low, row.high)


def _score(row: ResultRow | None, signs: Mapping[int, str]) -> str:
    return "–" if row is None else format_number(row.score) + signs.get(id(row), "")


def _interval(row: ResultRow | None) -> str:
    return "" if row is None else f"{format_number(row.low)} – {format_number(row.high)}"


def _two(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _centre(mean: Mean) -> str:
    """A mean layer and its interval, where there is one."""
    return _two(mean.value) + (
        "" if math.isnan(mean.low) else f" ({mean.low:.2f} – {mean.high:.2f})"
    )


def _gain(depth: Depth) -> str:
    expected = depth.expected
    return (
        ""
        if math.isnan(expected.gain)
        else f": {expected.gain:+.1f} ± {1.96 * expected.error:.1f} in all"
    )
