"""Effects of changes of states as sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lingprobe.inside.erase.behaviour import PAIR_MARGIN_MEASURE
from lingprobe.inside.erase.effect_cells import LOSS_MEASURE, EffectCell, decide_use
from lingprobe.inside.erase.interventions import ERASED_CHANGE
from lingprobe.inside.erase.target import InterventionEffects
from lingprobe.pages.captions import label_encoders, shorten_task
from lingprobe.pages.records import format_csv
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

_CHANGE = "change"
_HEADINGS = (_CHANGE, "before", "after", "own", "rank", "variance", "shuffled", "beyond", "n")


def effect_page(effects: InterventionEffects, draws: int) -> Page[tuple[EffectCell, ...]]:
    """The effects at one layer; how many draws a baseline has."""
    found = effects.cells
    notes = tuple(_explain_effects(effects, draws))
    return Page(
        tuple(found), lambda: [_tabulate_effects(found, notes)], {"csv": lambda: format_csv(found)}
    )


def _tabulate_effects(found: Sequence[EffectCell], notes: tuple[str, ...]) -> Table:
    first = found[0]
    name = label_encoders([first.encoder]).get(first.encoder, first.encoder)
    title = f"{name}, states of layer {first.layer}: {shorten_task(first.task)} ({first.method})"
    measured = list(dict.fromkeys(cell.measured for cell in found))
    sections = tuple(_section([c for c in found if c.measured == each]) for each in measured)
    return Table(
        _HEADINGS,
        sections,
        frozenset({_CHANGE}),
        notes,
        title=title,
        lead=tuple(describe_effects(found)),
    )


def _section(cells: Sequence[EffectCell]) -> TableSection:
    first = cells[0]
    places = 2 if first.measured in (LOSS_MEASURE, PAIR_MARGIN_MEASURE) else 1

    def text(value: float) -> str:
        return "" if math.isnan(value) else f"{value:.{places}f}"

    rows = tuple(
        (
            f"{cell.change} ({cell.size:.2f}, {cell.distance:.2f})",
            *map(text, (cell.before, cell.after, cell.own)),
            *map(text, (cell.rank_floor, cell.variance_floor, cell.shuffled_floor)),
            text(cell.beyond) + "*" * (cell.verdict in ("falls", "rises")),
            f"{cell.n:,}",
        )
        for cell in cells
    )
    bold = frozenset((r, 2) for r, cell in enumerate(cells) if cell.verdict == "falls")
    return TableSection(f"{first.measured} ({first.metric})", rows, "", bold)


def describe_effects(cells: Sequence[EffectCell]) -> Iterator[str]:
    """What the page concludes: whether the model uses it, or which effect would have been detected,
    or that it is decodable from no later layer.
    """
    task = shorten_task(cells[0].task)
    layers = [c for c in cells if c.measured.startswith("layer") and c.change == ERASED_CHANGE]
    fallen = [cell for cell in layers if cell.verdict == "falls"]
    if layers:
        last = layers[-1]
        yield (
            f"Erased at layer {last.layer}, {task} falls below every baseline in {len(fallen)} of"
            f" {len(layers)} later layers; in the last layer the score of a probe changes from"
            f" {format_number(last.before)} to {format_number(last.after)}."
        )
    use, told = decide_use(cells)
    if told is None:
        return
    if use == "used":
        yield (
            f"The model uses {task}: moved to the other label ({told.change}), states lower the"
            f" margin of its choice from {told.before:.2f} to {told.after:.2f} nats,"
            f" {told.beyond:.2f} below the baselines; moved as far towards their own label they"
            f" leave {told.own:.2f}."
        )
    elif use == "absent":
        yield (
            f"In no later layer is {task} decodable above the constant answer, so use by the model"
            " cannot be tested."
        )
    else:
        yield (
            f"No use of {task} is detected: a label that moves the margin of the model's choice by"
            f" {told.detectable:.2f} nats (of {told.before:.2f}) would have been found"
            f" ({told.change})."
        )


def _explain_effects(effects: InterventionEffects, draws: int) -> Iterator[str]:
    pairs = effects.pairs
    if pairs is not None:
        yield (
            f"{len(pairs.data):,} pairs; {pairs.known:,} were excluded because the eraser saw their"
            " sentence or a word in which they differ. margin: the difference of the"
            " log-probabilities of a pair."
        )
        if (pairs.codes < 0).all():
            yield (
                "The task has no label for these sentences, so no pair is moved or exchanged by"
                " its label, and use is not tested."
            )
        else:
            yield (
                "We conclude that the model uses it only if moving states to the other label lowers"
                " the margin below the baselines and more than moving them towards their own label"
                " does, and if states of real sentences of the other label lower it more than those"
                " of their own."
            )
    yield (
        f"The eraser was fitted on {effects.fitted:,} examples of other sentences; probes of later"
        " layers were trained on unmodified states. rank, variance, shuffled: scores of the"
        f" baselines ({draws} samples each). beyond: points below the lower of rank and shuffled,"
        " as a subspace of equal variance may contain the property. * and bold: significantly"
        " below both (Holm, p < 0.05)."
    )
    yield (
        "scrubbed: erased at this and every later layer. moved N: by N times the distance between"
        " the classes, measured at the tokens that lie furthest apart, towards the other label"
        " (after) or as far towards the example's own label (own). exchanged: within the eraser's"
        " subspace, or whole, with the state of a real sentence of the other label (after) or of"
        " the same label (own). In brackets: the length of the change relative to the states, and"
        " the distance of changed states to the nearest real one, where 1 is the distance between"
        " real ones."
    )
