"""How scores in two languages go together, as tables and figures: tasks over encoders, encoders
over tasks, and the scores themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lingprobe.analysis.profiles import CrossLanguageProfile, LanguagePair
from lingprobe.data.checks import check_choice
from lingprobe.metrics.dependent import MIN_DEPENDENT_OBSERVATIONS
from lingprobe.metrics.multiplicity import CORRECTION_NAMES
from lingprobe.pages.records import format_csv
from lingprobe.pages.relate import CORRELATION_NAMES
from lingprobe.pages.relate_figures import describe_correlation, draw_correlation_scale
from lingprobe.pages.relate_scores import draw_language_radar, scores_figure
from lingprobe.pages.wide import BOLD_MARK
from lingprobe.tables.page import Page
from lingprobe.tables.panels import (
    draw_dot,
    draw_note_below,
    fold_names,
    make_legend_mark,
    make_panel_pair,
    measure_names,
    row_height,
)
from lingprobe.tables.style import BEST_COLOUR, CHART_BLUE, DARK_GREY
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_coefficient,
    format_p_value,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 2.9  # inches of dots
_WORDS = frozenset({"task", "encoder", "95 % interval"})


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """A task over encoders, or an encoder over tasks, for programs; NaN where something is not of
    its kind.
    """

    kind: str
    name: str
    method: str
    correlation: float
    low: float
    high: float
    p: float
    corrected: float
    n: int
    others: float
    rank: int
    centred: float
    centred_others: float


def languages_page(pair: LanguagePair, figure: str = "dots") -> Page[LanguagePair]:
    """The tables and a figure of two languages; UsageProblem for a figure that there is not."""
    kind = "dots" if figure == "heat" else figure
    check_choice("figure", kind, _CHARTS)
    return Page(
        pair,
        lambda: [tabulate_tasks(pair), tabulate_encoders(pair)],
        {"csv": lambda: format_csv(list_language_rows(pair))},
        figure=lambda: _CHARTS[kind](pair),
        remarks=pair.relation.table.remarks,
    )


def list_language_rows(pair: LanguagePair) -> list[LanguageRow]:
    """Every task and every encoder, a line each."""
    method, nan = pair.relation.asked.method, math.nan
    listed = []
    for task, one, *_ in pair.tasks:
        sure = one.low, one.high, one.p, one.corrected
        what = "task", task, method, one.correlation
        listed.append(LanguageRow(*what, *sure, one.n, nan, 0, nan, nan))
    for each in pair.profiles:
        what = "encoder", each.encoder, method, each.correlation
        beside = each.others, each.rank, each.centred, each.centred_others
        listed.append(LanguageRow(*what, nan, nan, nan, nan, each.n, *beside))
    return listed


def tabulate_tasks(pair: LanguagePair) -> Table:
    """A line for each task: its two languages over encoders."""
    relation = pair.relation
    unit = "families" if relation.families else "encoders"
    head = (
        "task",
        "correlation",
        "95 % interval",
        f"p ({CORRECTION_NAMES[relation.asked.correction]})",
    )
    body = tuple(
        (
            each.task,
            format_coefficient(one.correlation),
            _interval(one.low, one.high),
            format_p_value(one.corrected),
            f"{each.apart} of {each.others}" if each.others else "–",
            f"{one.n:,}",
        )
        for each in pair.tasks
        for one in (each.found,)
    )
    strong = frozenset((r, 1) for r, e in enumerate(pair.tasks) if e.found.is_significant)
    heading = (
        f"{CORRELATION_NAMES[relation.asked.method]} of {pair.first} and {pair.second} over {unit}"
    )
    notes = (*relation.notes, *_separable(pair), f"Bold ({BOLD_MARK} in a terminal): p ≤ 0.05.")
    return Table(
        (*head, "differs from", "n"),
        (TableSection(heading, body, strong=strong),),
        _WORDS,
        notes,
        mark=BOLD_MARK,
    )


def _separable(found: LanguagePair) -> Iterator[str]:
    yield (
        "differs from: the number of other tasks whose correlation differs significantly from"
        " this one, over the same encoders (Raghunathan, Rosenthal & Rubin 1996), after"
        f" correction for all pairs of tasks; – with fewer than {MIN_DEPENDENT_OBSERVATIONS}"
        " encoders or families."
    )
    known = [each for each in found.tasks if each.others]
    if known and not any(each.apart for each in known):
        lowest = min(known, key=lambda each: each.found.correlation)
        yield (
            f"No two tasks differ significantly: that {lowest.task} is the lowest"
            f" ({format_coefficient(lowest.found.correlation)},"
            f" {_interval(lowest.found.low, lowest.found.high)}) may be chance."
        )


def tabulate_encoders(pair: LanguagePair) -> Table:
    """A line for each encoder: its scores in the two languages over tasks."""
    head = ("encoder", "correlation", "others", "rank", "centred", "others ", "n")
    body = tuple(
        (
            each.encoder,
            format_coefficient(each.correlation),
            format_coefficient(each.others),
            str(each.rank),
            format_coefficient(each.centred),
            format_coefficient(each.centred_others),
            f"{each.n:,}",
        )
        for each in pair.profiles
    )
    method = CORRELATION_NAMES[pair.relation.asked.method]
    heading = f"{method} of {pair.first} and {pair.second} over tasks"
    return Table(head, (TableSection(heading, body),), _WORDS, tuple(_about_profiles(pair)))


def _about_profiles(found: LanguagePair) -> Iterator[str]:
    profiles = found.profiles
    yield (
        f"correlation: between an encoder's scores in {found.first} and in {found.second}. others:"
        f" its mean with other encoders' scores in {found.second}, which is high if some tasks are"
        " easy for all. rank: of its own correlation among all. centred: after subtracting each"
        " task's mean over encoders, which leaves what is specific to the encoder."
    )
    known = [p for p in profiles if not math.isnan(p.others)]
    if known:
        own, strange = (
            sum(values) / len(known)
            for values in zip(*((p.correlation, p.others) for p in known), strict=True)
        )
        yield (
            f"The mean correlation is {format_coefficient(own)} with the encoder's own"
            f" {found.second} scores and {format_coefficient(strange)} with another encoder's; the"
            " difference is what matters."
        )
    if not math.isnan(found.p):
        yield (
            "Centred scores are closer to those of the same encoder than to those of another: p ="
            f" {found.p:.2g} (permutation of encoders)."
        )


def _interval(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{format_coefficient(low)} – {format_coefficient(high)}"


def agreement_dots(pair: LanguagePair) -> Figure:
    """Encoders over tasks at the left, tasks over encoders on their intervals at the right."""
    encoders = fold_names([each.encoder for each in pair.profiles], 1000)
    tasks = fold_names([each.task for each in pair.tasks], 1000)
    rows = [row_height(names) * len(names) for names in (encoders, tasks)]
    about = f"Correlations of scores in {pair.first} and {pair.second}."
    size = 2 * _PANEL + measure_names(encoders) + measure_names(tasks), 1.0 + max(rows)
    figure, (left, right) = make_panel_pair(size, [0.5 + high for high in rows], about)
    left.set_title("encoders, over tasks")
    right.set_title("tasks, over encoders")
    draw_correlation_scale(left, encoders)
    draw_correlation_scale(right, tasks)
    for place, profile in enumerate(pair.profiles):
        _profile(left, place, profile)
    for place, each in enumerate(pair.tasks):
        one = each.found
        look = make_legend_mark(
            "o", BEST_COLOUR if one.is_significant else DARK_GREY, hollow=not one.is_significant
        )
        draw_dot(
            right, place, (one.correlation, one.low, one.high), look, describe_correlation(one)
        )
    draw_note_below(figure, left, "circles: own; squares: others'; diamonds: centred")
    draw_note_below(figure, right, "filled: significant; lines: 95 % intervals")
    return figure


def _profile(axes: Axes, place: int, profile: CrossLanguageProfile) -> None:
    """How an encoder's scores go with its own of the other language, and with those of others."""
    shown = (
        (profile.others, "s", DARK_GREY, f"{profile.encoder}: other encoders {profile.others:.2f}"),
        (profile.centred, "D", BEST_COLOUR, f"centred {profile.centred:.2f}"),
        (profile.correlation, "o", CHART_BLUE, f"{profile.correlation:.2f}"),
    )
    for value, marker, colour, told in shown:
        draw_dot(axes, place, (value, math.nan, math.nan), make_legend_mark(marker, colour), told)


_CHARTS: Mapping[str, Callable[[LanguagePair], Figure]] = {
    "dots": agreement_dots,
    "radar": draw_language_radar,
    "scores": scores_figure,
}
