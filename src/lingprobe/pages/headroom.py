"""What an encoder adds to its own word embeddings, and how much of that less is enough for: local
context, random weights, a bag of words (Tenney et al. 2019, Table 2 and Figure 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from lingprobe.analysis.comparable import explain_mismatch, group_rows_by_task
from lingprobe.analysis.row import PERCENT, ResultRow
from lingprobe.analysis.rows import MeasuredRow
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.reading import MIX
from lingprobe.data.references import try_parse_reference
from lingprobe.metrics import difference, share
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.charts import ACROSS, NARROW, beside, fit
from lingprobe.pages.groups import arrange_columns
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.panels import (
    abreast,
    below,
    blank,
    dot,
    few_numbers,
    fold_names,
    label_rows,
    panels,
    room,
    row_height,
    sign,
)
from lingprobe.tables.style import BLUE, GREY
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEXICAL, BAG, ORTHONORMAL = "lex", "lex with a bag of words", "orthonormal"
FULL = (MIX, "mix", "cat:lex+top")
"""Reads of the whole encoder; headroom is up to the first that was measured."""
ORDER = (LEXICAL, BAG, "CNN1", "CNN2", ORTHONORMAL, *FULL[::-1])
KNOWN = {*ORDER, *(f"{ORTHONORMAL} {read}" for read in FULL)}
MEAN = "mean of the tasks"


@dataclass(frozen=True, slots=True)
class Gain:
    """How much a score of one encoder on one task is above that of its word embeddings.

    reads            what was read: lex, with a bag of words or as a CNN; orthonormal; mix, cat
    gain             points above lex; error_reduction is that in percent of what lex lacks to 100
    share            (x - lex) / (full - lex) in percent, NaN where full is not clearly above lex
    low, high        of each the 95 % interval; those of gain and share are paired
    """

    task: str
    encoder: str
    probe: str
    reads: str
    score: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float
    error_reduction: float
    share: float
    share_low: float
    share_high: float
    n: int


def gains(results: Sequence[Result]) -> list[Gain]:
    """The gains of each encoder on each task; DataProblem where none was measured with its word
    embeddings beside.
    """
    found = [gain for mine in _encoders(results) for gain in _gains(mine)]
    if not found:
        raise DataProblem(
            "no encoder was measured together with its word embeddings: `lingprobe run -e"
            " hf:NAME,layers=lex+all,pool=none --probe span --layers lex mix` measures both,"
            " and `--layers lex --probe span,context=1` a CNN"
        )
    return found


def left_out(results: Sequence[Result]) -> list[str]:
    """What was measured over other test examples than word embeddings, a sentence each."""
    return [
        f"not compared: {shorten_task(one.row.task)}, {name}, and {LEXICAL}: {why}."
        for mine in _encoders(results)
        if LEXICAL in mine
        for name, one in mine.items()
        if (why := explain_mismatch(one, mine[LEXICAL]))
    ]


def _encoders(results: Sequence[Result]) -> Iterator[dict[str, MeasuredRow]]:
    """What was read of each encoder for each task."""
    for task in group_rows_by_task(results):
        yield from _by_encoder(task).values()


def _by_encoder(task: Sequence[MeasuredRow]) -> dict[tuple[str, str], dict[str, MeasuredRow]]:
    """What was read of each encoder by each probe, by its name in `ORDER`."""
    groups: dict[tuple[str, str], dict[str, MeasuredRow]] = {}
    for one in task:
        encoder, probe, name = _row_names(one.row)
        if name in KNOWN:
            groups.setdefault((encoder, probe), {})[name] = one
    return groups


def _row_names(row: ResultRow) -> tuple[str, str, str]:
    """The encoder with its own weights, the probe that reads units alone, and what was read."""
    encoder, probe = try_parse_reference(row.encoder), try_parse_reference(row.probe)
    if encoder is None or probe is None:
        return row.encoder, row.probe, ""
    is_orthonormal = ("weights", "orthonormal") in encoder.options
    beside = [option for option in probe.options if option[0] in ("context", "bag")]
    names = {
        (): row.layer,
        (("context", "1"),): "CNN1",
        (("context", "2"),): "CNN2",
        (("bag", "true"),): BAG,
    }
    name = names.get(tuple(beside), "")
    if beside and row.layer != LEXICAL:
        name = ""
    if is_orthonormal:
        encoder = encoder.without("weights")
        name = f"{ORTHONORMAL} {name}"
    return str(encoder), str(probe.without("context", "bag")), name


def _gains(mine: dict[str, MeasuredRow]) -> Iterator[Gain]:
    read = next((name for name in FULL if name in mine), "")
    if LEXICAL not in mine or not read or explain_mismatch(mine[LEXICAL], mine[read]):
        return
    lexical, full = mine[LEXICAL], mine[read]
    is_clear = difference(full.row.metric, full.answers, lexical.answers).low > 0
    for name in ORDER:
        one = mine.get(f"{ORTHONORMAL} {read}" if name == ORTHONORMAL else name)
        if one is not None and not explain_mismatch(one, lexical):
            yield _gain(name, one, lexical, full if is_clear else None)


def _gain(name: str, one: MeasuredRow, lexical: MeasuredRow, full: MeasuredRow | None) -> Gain:
    row, least = one.row, lexical.row.score
    encoder, probe, _ = _row_names(row)
    added = (0.0, 0.0, 0.0)
    if one is not lexical:
        test = difference(row.metric, one.answers, lexical.answers)
        added = (PERCENT * test.value, PERCENT * test.low, PERCENT * test.high)
    reduction = PERCENT * added[0] / (PERCENT - least) if least < PERCENT else math.nan
    parts = _part(one, lexical, full)
    scores = row.score, row.low, row.high
    return Gain(row.task, encoder, probe, name, *scores, *added, reduction, *parts, row.n)


def _part(
    one: MeasuredRow, lexical: MeasuredRow, full: MeasuredRow | None
) -> tuple[float, float, float]:
    """The share of headroom with its interval; 0 and 100 by definition of its two ends."""
    if full is None:
        return math.nan, math.nan, math.nan
    if one in (lexical, full):
        whole = PERCENT * (one is full)
        return whole, whole, whole
    part = share(one.row.metric, one.answers, lexical.answers, full.answers)
    return PERCENT * part.value, PERCENT * part.low, PERCENT * part.high


def headroom(found: Sequence[Gain], others: Sequence[str] = ()) -> Table:
    """The gains as a table, a section for each task and encoder, and their means; `others` says
    what was excluded.
    """
    head = ("read", "score", "gain", "error reduction", "share of gain", "n")
    sections = [
        TableSection(_headline(mine), tuple(map(_cells, mine)), f"Probe: {mine[0].probe}.")
        for mine in _groups(found)
    ]
    means = tuple(_means(found))
    if means:
        sections.append(TableSection(MEAN, means, "Tasks have equal weight.", apart=True))
    return Table(head, tuple(sections), frozenset({"read"}), (*NOTES, *others))


NOTES = (
    "Scores are percent. lex: word embeddings without context. CNN1, CNN2: the same with one or"
    " two neighbours on each side. orthonormal: random orthonormal weights on top of the same"
    " word embeddings.",
    "gain: points above lex. error reduction: the gain divided by (100 - lex). share of gain: the"
    " gain divided by that of the whole encoder (mix, or else cat:lex+top); a dash if that is not"
    " clearly above 0.",
    "±: the wider side of the 95 % interval; those of gains and shares are paired. Means are over"
    " the tasks for which all rows of an encoder have a share; they have no interval.",
)


def _groups(found: Sequence[Gain]) -> list[list[Gain]]:
    groups: dict[tuple[str, str, str], list[Gain]] = {}
    for gain in found:
        groups.setdefault((gain.task, gain.encoder, gain.probe), []).append(gain)
    return list(groups.values())


def _headline(mine: Sequence[Gain]) -> str:
    return f"{shorten_task(mine[0].task)}, {shorten_task(mine[0].encoder)}"


def _cells(gain: Gain) -> tuple[str, ...]:
    is_end, is_least = gain.share in (0, PERCENT), gain.reads == LEXICAL
    added = "+" * (gain.gain >= 0) + _sure(gain.gain, gain.gain_low, gain.gain_high)
    return (
        gain.reads,
        _sure(gain.score, gain.low, gain.high),
        "" if is_least else added,
        "" if is_least else format_number(gain.error_reduction),
        format_number(gain.share) if is_end else _sure(gain.share, gain.share_low, gain.share_high),
        f"{gain.n:,}",
    )


def _sure(value: float, low: float, high: float) -> str:
    """A value with the wider side of its interval."""
    if math.isnan(value):
        return "–"
    return f"{format_number(value)} ±{format_number(max(high - value, value - low))}"


def _means(found: Sequence[Gain]) -> Iterator[tuple[str, ...]]:
    """A line for what was read of each encoder on the same tasks, where these are several."""
    encoders: dict[tuple[str, str], list[Gain]] = {}
    for gain in found:
        encoders.setdefault((gain.encoder, gain.probe), []).append(gain)
    for (encoder, _), mine in encoders.items():
        reads = [read for read in ORDER if any(gain.reads == read for gain in mine)]
        tasks = [
            task
            for task in dict.fromkeys(gain.task for gain in mine)
            if len([g for g in mine if g.task == task and g.share == g.share]) == len(reads)
        ]
        for read in reads if len(tasks) > 1 else ():
            there = [gain for gain in mine if gain.reads == read and gain.task in tasks]
            name = read if len(encoders) == 1 else f"{shorten_task(encoder)}: {read}"
            every = zip(
                *((g.score, g.gain, g.error_reduction, g.share) for g in there), strict=True
            )
            values = [fmean(column) for column in every]
            yield (name, *map(format_number, values), f"{len(tasks)} tasks")


def headroom_figure(found: Sequence[Gain]) -> Figure:
    """A panel for each task and encoder: shares of headroom as dots on their intervals; PlotProblem
    where none has one.
    """
    groups = [mine for mine in _groups(found) if any(g.share == g.share for g in mine)]
    if not groups:
        raise PlotProblem("nothing to draw: no encoder is clearly above its word embeddings")
    reads = [read for read in ORDER if any(g.reads == read for mine in groups for g in mine)]
    names = fold_names(reads, 1000)
    across = abreast(len(groups), ACROSS, NARROW, room(names))
    tall = 0.3 + math.ceil(len(groups) / across) * (0.55 + row_height(names) * len(reads))
    about = "Share of the gain, (x - lex) / (full - lex), in percent, with its 95 % interval."
    figure = blank((room(names) + beside(across), tall), about)
    panel = (figure.get_figwidth() - room(names)) / across
    every = panels(figure, len(groups), across, sharex=True, sharey=True)
    for axes, mine, title in zip(every, groups, _titles(found, groups), strict=True):
        axes.set_title(fit(title, across, room(names)))
        few_numbers(axes, panel)
        axes.yaxis.grid(visible=False)
        for gain in mine:
            _mark(axes, reads.index(gain.reads), gain)
    for axes in every[::across]:
        label_rows(axes, names)
    below(figure, [f"s{about[1:-1]}"])
    return figure


def _titles(found: Sequence[Gain], groups: Sequence[Sequence[Gain]]) -> list[str]:
    """What panels are called: their tasks, with the encoder where there are several."""
    names = {c.task: c.name for c in arrange_columns(list(dict.fromkeys(g.task for g in found)))}
    several = len({g.encoder for g in found}) > 1
    return [
        names[mine[0].task] + (f", {shorten_task(mine[0].encoder)}" if several else "")
        for mine in groups
    ]


def _mark(axes: Axes, place: int, gain: Gain) -> None:
    is_end = gain.share in (0, PERCENT)
    told = f"{gain.reads}: {gain.share:.1f} ({gain.share_low:.1f} – {gain.share_high:.1f})"
    values = gain.share, gain.share_low, gain.share_high
    dot(axes, place, values, sign("o", GREY if is_end else BLUE, hollow=is_end), told)
