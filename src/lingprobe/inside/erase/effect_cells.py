"""Effects of changes of states, with their baselines and tests; and what may be said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.analysis.statistics import compare_with_each, describe_difference
from lingprobe.inside.erase.behaviour import PAIR_MARGIN_MEASURE, WordPredictions
from lingprobe.inside.erase.distances import ChangeSize
from lingprobe.inside.erase.effects import EffectMeasurement
from lingprobe.inside.erase.exchanges import EXCHANGED_CHANGE, WHOLE_EXCHANGE_CHANGE
from lingprobe.inside.erase.fitting import ERASER_BASELINES
from lingprobe.inside.erase.interventions import ERASED_CHANGE, SCRUBBED_CHANGE
from lingprobe.metrics.constant import (
    CONSTANT_CLASS_KIND,
    constant_column,
    constant_labels,
    find_metric,
)
from lingprobe.metrics.intervals import FitAnswers, compute_difference, contrast
from lingprobe.metrics.multiplicity import SIGNIFICANCE_LEVEL, correct_holm

LOSS_MEASURE, CHOICE_MEASURE, WORD_MEASURE = "loss", "choice", "words"


@dataclass(frozen=True, slots=True)
class EffectCell:
    """What one change of a layer's states does to one thing that is measured behind it. Scores are
    percent, the loss is in nats a token; NaN where something was not measured.

    layer      whose states are changed, or what part of a block
    change     erased; scrubbed: there and later; `moved` and by how many distances of the classes;
               exchanged, within the eraser's subspace or whole
    measured   layer N: the probe of a later layer; choice: of minimal pairs, and its
               margin; words: that the model predicts; loss; similarity; TEXT to TEXT:
               sentences that find their translation
    n          examples, pairs, words or sentences
    before     of the model as it is
    after      under the change; of states that are moved or exchanged, to the other label
    own        the same of states that are moved as far into their own label, or exchanged with one
               of the same
    size       how long the change is, in lengths of the states
    distance   how far changed states are from the nearest real one; 1 is as far as real ones are
    rank_floor, variance_floor, shuffled_floor  under each kind of floor, a mean over its draws
    beyond, beyond_p  how much lower the score is than under the baseline that does most, and the p
                      of not being lower or higher than each (Holm, over all cells of a page)
    own_beyond, own_p  the same of `own`
    label, label_p  how much lower `after` is than `own`, and the p of no difference
    detectable  the smallest such difference that would be found four times in five
    constant_p  of `before`, the p of no more than the best constant answer
    verdict    falls, rises or no significant difference: against the baselines of rank and of
               shuffled labels; '' for the loss. That of equal variance stands beside them: a
               subspace with as much variance as a property that dominates the states nearly holds
               it
    """

    encoder: str
    layer: str
    task: str
    method: str
    change: str
    size: float
    distance: float
    measured: str
    metric: str
    n: int
    before: float
    after: float
    low: float
    high: float
    own: float
    rank_floor: float
    variance_floor: float
    shuffled_floor: float
    beyond: float
    beyond_p: float
    own_beyond: float
    own_p: float
    label: float
    label_p: float
    detectable: float
    constant_p: float
    verdict: str

    @property
    def is_of_label(self) -> bool:
        """Whether the other label lowers it more than its own does."""
        return self.label > 0 and self.label_p < SIGNIFICANCE_LEVEL


Named = tuple[str, str, str, str]
"""Encoder, layer, task and method."""


def effect_cells(
    items: Sequence[EffectMeasurement],
    spoken: WordPredictions | None,
    named: Named,
    sizes: Mapping[str, ChangeSize],
) -> list[EffectCell]:
    """The cells of one layer, whose p values are corrected together; `sizes` are of the changes."""
    asked = [
        (item, what)
        for item in items
        for what in sizes
        if any(key.what == what for key in item.said)
    ]
    made = [
        _build_effect_cell(item, named, (what, sizes[what]), SIGNIFICANCE_LEVEL / len(asked))
        for item, what in asked
    ]
    corrected = zip(
        made,
        correct_holm([cell.beyond_p for cell in made]),
        correct_holm([cell.own_p for cell in made]),
        correct_holm([cell.label_p for cell in made]),
        strict=True,
    )
    judged = [
        replace(
            cell,
            beyond_p=float(beyond),
            own_p=float(own),
            label_p=float(label),
            verdict=describe_difference(cell.beyond, float(beyond)),
        )
        for cell, beyond, own, label in corrected
    ]
    return [*judged, *(() if spoken is None else _losses(spoken, named, sizes))]


def _build_effect_cell(
    item: EffectMeasurement, named: Named, change: tuple[str, ChangeSize], level: float
) -> EffectCell:
    """A cell whose p values are not corrected yet; differences are detectable at a p of `level`."""
    what, size = change
    has_ways = what not in (ERASED_CHANGE, SCRUBBED_CHANGE)
    after = item.answers(what, way="other" if has_ways else "")
    own = item.answers(what, way="own") if has_ways else None
    drawn = {key.floor for key in item.said if key.what == what}
    floors = {kind: item.answers(what, kind) for kind in ERASER_BASELINES if kind in drawn}
    opponents = [floor for kind, floor in floors.items() if kind != "variance"]
    beyond, beyond_p = compare_with_each(item.metric, opponents, after)
    own_beyond, own_p = (
        (math.nan, math.nan) if own is None else compare_with_each(item.metric, opponents, own)
    )
    label = None if own is None else compute_difference(item.metric, own, after)
    scores = {kind: _compute_effect_score(item, floor) for kind, floor in floors.items()}
    unit = _get_score_unit(item)
    interval = contrast(item.metric, ((1.0, after),))
    low, high = (interval.low, interval.high) if unit == 1 else after.interval(item.metric)
    return EffectCell(
        *named,
        change=what,
        size=size.length,
        distance=size.distance,
        measured=item.name,
        metric=find_metric(item.metric).name,
        n=len(item.data),
        before=_compute_effect_score(item, item.answers("")),
        after=_compute_effect_score(item, after),
        low=unit * low,
        high=unit * high,
        own=math.nan if own is None else _compute_effect_score(item, own),
        rank_floor=scores.get("rank", math.nan),
        variance_floor=scores.get("variance", math.nan),
        shuffled_floor=scores.get("shuffled", math.nan),
        beyond=unit * beyond,
        beyond_p=_or_one(beyond_p),
        own_beyond=unit * own_beyond,
        own_p=_or_one(own_p),
        label=math.nan if label is None else unit * label.value,
        label_p=1.0 if label is None else label.p,
        detectable=math.nan if label is None else unit * label.detects(level),
        constant_p=_p_of_constant(item),
        verdict="",
    )


def _p_of_constant(item: EffectMeasurement) -> float:
    """The p (one side) of no more than the constant answer that is best for the examples; NaN where
    answers are numbers or outcomes.
    """
    before, gold = item.answers(""), item.data.labels
    if gold.classes is None or not item.name.startswith("layer"):
        return math.nan
    answer = constant_labels(gold, find_metric(item.metric), CONSTANT_CLASS_KIND)
    plain = constant_column(answer, gold.names, len(gold), CONSTANT_CLASS_KIND)
    found = compute_difference(item.metric, before, FitAnswers(gold, [plain], before.clusters))
    return found.p / 2 if found.value > 0 else 1 - found.p / 2


def _or_one(p: float) -> float:
    """A p, or 1 where nothing was tested."""
    return 1.0 if math.isnan(p) else p


def _compute_effect_score(item: EffectMeasurement, answers: FitAnswers) -> float:
    return _get_score_unit(item) * float(np.mean(answers.scores(item.metric)))


def _get_score_unit(item: EffectMeasurement) -> float:
    """What scores are multiplied by: margins are in nats, others in percent."""
    return 1.0 if item.name == PAIR_MARGIN_MEASURE else PERCENT_SCALE


def _losses(
    spoken: WordPredictions, named: Named, sizes: Mapping[str, ChangeSize]
) -> Iterator[EffectCell]:
    """How well the model predicts."""
    for what, size in sizes.items():
        has_ways = what not in (ERASED_CHANGE, SCRUBBED_CHANGE)
        yield EffectCell(
            *named,
            change=what,
            size=size.length,
            distance=size.distance,
            measured=LOSS_MEASURE,
            metric="nats a token",
            n=len(spoken.sentences),
            before=spoken.loss(""),
            after=spoken.loss(what, way="other" if has_ways else ""),
            low=math.nan,
            high=math.nan,
            own=spoken.loss(what, way="own") if has_ways else math.nan,
            rank_floor=spoken.loss(what, "rank"),
            variance_floor=spoken.loss(what, "variance"),
            shuffled_floor=spoken.loss(what, "shuffled"),
            beyond=math.nan,
            beyond_p=math.nan,
            own_beyond=math.nan,
            own_p=math.nan,
            label=math.nan,
            label_p=math.nan,
            detectable=math.nan,
            constant_p=math.nan,
            verdict="",
        )


Use = Literal["used", "not detected", "absent", "not asked"]


def decide_use(cells: Sequence[EffectCell]) -> tuple[Use, EffectCell | None]:
    """Whether the model uses it: by the margin when states are moved to the other label, and by
    states of real sentences of the other label; with the change that says so.

    used          the margin of its choice falls below every baseline when states are moved to the
                  other label, and is lower then than when they are moved as far into their own; and
                  real states of the other label lower it more than those of their own do. The last
                  is asked since a direction may work through states that the model never has
                  (Makelov et al. 2024)
    absent        no later layer gives more of it than a constant answer
    not detected  neither; the cell is the one in which the smallest effect would have been seen
    not asked     there are no pairs with a label

    It is decided on the margin, in nats: a choice that is always right does not move until the
    margin has gone.
    """
    margins = [
        cell
        for cell in cells
        if cell.measured == PAIR_MARGIN_MEASURE and not math.isnan(cell.label)
    ]
    moved = [cell for cell in margins if cell.change.startswith("moved")]
    if not moved:
        return "not asked", None
    telling = [cell for cell in moved if cell.verdict == "falls" and cell.is_of_label]
    real = [cell for cell in margins if cell.change in (EXCHANGED_CHANGE, WHOLE_EXCHANGE_CHANGE)]
    if telling and all(cell.is_of_label for cell in real):
        return "used", max(telling, key=lambda cell: cell.beyond)
    layers = [c for c in cells if c.measured.startswith("layer") and not math.isnan(c.constant_p)]
    smallest = min(moved, key=lambda cell: cell.detectable)
    if layers and min(cell.constant_p for cell in layers) >= SIGNIFICANCE_LEVEL:
        return "absent", smallest
    return "not detected", smallest
