"""Effects of changes of states, with their floors and tests; and what may be said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lingprobe.inside.erase.behaviour import MARGIN, Predictions
from lingprobe.inside.erase.cells import NAN, PERCENT, beyond_floors, verdict_of
from lingprobe.inside.erase.distances import Size
from lingprobe.inside.erase.effects import Item
from lingprobe.inside.erase.exchanges import EXCHANGED, WHOLE
from lingprobe.inside.erase.fitting import FLOORS
from lingprobe.inside.erase.interventions import ERASED, SCRUBBED
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.intervals import Answers, contrast, difference
from lingprobe.metrics.multiplicity import ALPHA, holm

LOSS, CHOICE, WORD = "loss", "choice", "words"


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
    beyond, beyond_p  how much lower the score is than under the floor that does most, and the p of
                      not being lower or higher than each (Holm, over all cells of a page)
    own_beyond, own_p  the same of `own`
    label, label_p  how much lower `after` is than `own`, and the p of no difference
    verdict    falls, rises or no significant difference: against all floors; '' for the loss
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
    verdict: str

    @property
    def is_both_ways(self) -> bool:
        """Whether it falls below every floor one way, and rises above every floor the other way."""
        return self.verdict == "falls" and self.own_beyond < 0 and self.own_p < ALPHA

    @property
    def is_of_label(self) -> bool:
        """Whether the other label lowers it more than its own does."""
        return self.label > 0 and self.label_p < ALPHA


Named = tuple[str, str, str, str]
"""Encoder, layer, task and method."""


def effect_cells(
    items: Sequence[Item],
    spoken: Predictions | None,
    named: Named,
    sizes: Mapping[str, Size],
) -> list[EffectCell]:
    """The cells of one layer, whose p values are corrected together; `sizes` are of the changes."""
    made = [
        _cell(item, named, what, size)
        for item in items
        for what, size in sizes.items()
        if any(key.what == what for key in item.said)
    ]
    corrected = zip(
        made,
        holm([cell.beyond_p for cell in made]),
        holm([cell.own_p for cell in made]),
        holm([cell.label_p for cell in made]),
        strict=True,
    )
    judged = [
        replace(
            cell,
            beyond_p=float(beyond),
            own_p=float(own),
            label_p=float(label),
            verdict=verdict_of(cell.beyond, float(beyond)),
        )
        for cell, beyond, own, label in corrected
    ]
    return [*judged, *(() if spoken is None else _losses(spoken, named, sizes))]


def _cell(item: Item, named: Named, what: str, size: Size) -> EffectCell:
    has_ways = what not in (ERASED, SCRUBBED)
    after = item.answers(what, way="other" if has_ways else "")
    own = item.answers(what, way="own") if has_ways else None
    drawn = {key.floor for key in item.said if key.what == what}
    floors = {kind: item.answers(what, kind) for kind in FLOORS if kind in drawn}
    beyond, beyond_p = beyond_floors(item.metric, list(floors.values()), after)
    own_beyond, own_p = (
        (NAN, NAN) if own is None else beyond_floors(item.metric, list(floors.values()), own)
    )
    label = None if own is None else difference(item.metric, own, after)
    scores = {kind: _score(item, floor) for kind, floor in floors.items()}
    unit = _unit(item)
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
        before=_score(item, item.answers("")),
        after=_score(item, after),
        low=unit * low,
        high=unit * high,
        own=NAN if own is None else _score(item, own),
        rank_floor=scores.get("rank", NAN),
        variance_floor=scores.get("variance", NAN),
        shuffled_floor=scores.get("shuffled", NAN),
        beyond=unit * beyond,
        beyond_p=_or_one(beyond_p),
        own_beyond=unit * own_beyond,
        own_p=_or_one(own_p),
        label=NAN if label is None else unit * label.value,
        label_p=1.0 if label is None else label.p,
        verdict="",
    )


def _or_one(p: float) -> float:
    """A p, or 1 where nothing was tested."""
    return 1.0 if math.isnan(p) else p


def _score(item: Item, answers: Answers) -> float:
    return _unit(item) * float(np.mean(answers.scores(item.metric)))


def _unit(item: Item) -> float:
    """What scores are multiplied by: margins are in nats, others in percent."""
    return 1.0 if item.name == MARGIN else PERCENT


def _losses(spoken: Predictions, named: Named, sizes: Mapping[str, Size]) -> Iterator[EffectCell]:
    """How well the model predicts."""
    for what, size in sizes.items():
        has_ways = what not in (ERASED, SCRUBBED)
        yield EffectCell(
            *named,
            change=what,
            size=size.length,
            distance=size.distance,
            measured=LOSS,
            metric="nats a token",
            n=len(spoken.sentences),
            before=spoken.loss(""),
            after=spoken.loss(what, way="other" if has_ways else ""),
            low=NAN,
            high=NAN,
            own=spoken.loss(what, way="own") if has_ways else NAN,
            rank_floor=spoken.loss(what, "rank"),
            variance_floor=spoken.loss(what, "variance"),
            shuffled_floor=spoken.loss(what, "shuffled"),
            beyond=NAN,
            beyond_p=NAN,
            own_beyond=NAN,
            own_p=NAN,
            label=NAN,
            label_p=NAN,
            verdict="",
        )


def is_used(cells: Sequence[EffectCell]) -> bool:
    """Whether the model uses what was changed. Its choice, and the margin of it, fall below every
    floor when states are moved to the other label, and the margin rises above every floor when
    they are moved into their own; and real states of the other label lower the margin more than
    those of its own. The last is asked since a direction may work through states that the model
    never has (Makelov et al. 2024).
    """
    margins = [cell for cell in cells if cell.measured == MARGIN]
    choices = {cell.change: cell.verdict for cell in cells if cell.measured == CHOICE}
    is_moved = any(
        cell.is_both_ways and choices[cell.change] == "falls"
        for cell in margins
        if cell.change.startswith("moved")
    )
    real = [cell for cell in margins if cell.change in (EXCHANGED, WHOLE)]
    return is_moved and all(cell.is_of_label for cell in real)
