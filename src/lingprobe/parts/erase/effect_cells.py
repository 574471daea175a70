"""Effects of changes of states, with their floors and tests; and what may be said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lingprobe.metrics.intervals import Answers
from lingprobe.metrics.multiplicity import holm
from lingprobe.parts.erase.cells import NAN, PERCENT, beyond_floors, verdict_of
from lingprobe.parts.erase.effects import UNCHANGED, Item, Key
from lingprobe.parts.erase.fitting import FLOORS
from lingprobe.parts.erase.interventions import ERASED

LOSS, CHOICE = "loss", "choice"


@dataclass(frozen=True, slots=True)
class EffectCell:
    """What one change of a layer's states does to one thing that is measured behind it. Scores are
    percent, the loss is in nats a token; NaN where something was not measured.

    change     erased, or `moved` and by how many distances of the classes
    measured   layer N: the probe of a later layer; choice: of minimal pairs; loss
    n          examples, pairs or sentences
    before     of the model as it is
    after      under the change; of states that are moved, each to the other label than its own
    own        the same of states that are moved as far into their own label
    size       how long the change is, in lengths of the states
    rank_floor, variance_floor, shuffled_floor  under each kind of floor, a mean over its draws
    beyond, beyond_p  how much lower the score is than under the floor that does most, and the p of
                      not being lower or higher than each (Holm, over all cells of a page)
    verdict    falls, rises or cannot be told: against all floors; '' for the loss
    both_ways  whether `own` is under no floor's score, so that the change works in its direction
    """

    encoder: str
    layer: int
    task: str
    method: str
    change: str
    size: float
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
    verdict: str
    both_ways: bool


Named = tuple[str, int, str, str]
"""Encoder, layer, task and method."""


def effect_cells(
    items: Sequence[Item],
    loss: tuple[Mapping[Key, list[float]], int] | None,
    named: Named,
    sizes: Mapping[str, float],
) -> list[EffectCell]:
    """The cells of one layer, whose p values are corrected together; `sizes` are of the changes."""
    made = [_cell(item, named, what, size) for item in items for what, size in sizes.items()]
    p = holm([cell.beyond_p for cell in made])
    judged = [
        replace(cell, beyond_p=float(each), verdict=verdict_of(cell.beyond, each))
        for cell, each in zip(made, p, strict=True)
    ]
    return [*judged, *(() if loss is None else _losses(loss, named, sizes))]


def _cell(item: Item, named: Named, what: str, size: float) -> EffectCell:
    is_moved = what != ERASED
    after = item.answers(what, towards=int(is_moved))
    own = _score(item, item.answers(what, towards=-1)) if is_moved else NAN
    floors = {kind: item.answers(what, kind) for kind in FLOORS if (what, 0, kind) in item.said}
    beyond, beyond_p = beyond_floors(item.metric, list(floors.values()), after)
    scores = {kind: _score(item, floor) for kind, floor in floors.items()}
    low, high = after.interval(item.metric)
    return EffectCell(
        *named,
        change=what,
        size=size,
        measured=item.name,
        metric=item.metric,
        n=len(item.data),
        before=_score(item, item.answers("")),
        after=_score(item, after),
        low=PERCENT * low,
        high=PERCENT * high,
        own=own,
        rank_floor=scores.get("rank", NAN),
        variance_floor=scores.get("variance", NAN),
        shuffled_floor=scores.get("shuffled", NAN),
        beyond=PERCENT * beyond,
        beyond_p=beyond_p if floors else 1.0,
        verdict="",
        both_ways=bool(scores) and all(own >= each for each in scores.values()),
    )


def _score(item: Item, answers: Answers) -> float:
    return PERCENT * float(np.mean(answers.scores(item.metric)))


def _losses(
    loss: tuple[Mapping[Key, list[float]], int], named: Named, sizes: Mapping[str, float]
) -> Iterator[EffectCell]:
    """How well the model predicts; of states that are moved, the mean of both ways."""
    known, n = loss

    def mean(*keys: Key) -> float:
        every = [value for key in keys for value in known.get(key, [])]
        return float(np.mean(every)) if every else NAN

    for what, size in sizes.items():
        yield EffectCell(
            *named,
            change=what,
            size=size,
            measured=LOSS,
            metric="nats a token",
            n=n,
            before=mean(UNCHANGED),
            after=mean(*((what, sign, "") for sign in (-1, 0, 1))),
            low=NAN,
            high=NAN,
            own=NAN,
            rank_floor=mean((what, 0, "rank")),
            variance_floor=mean((what, 0, "variance")),
            shuffled_floor=mean((what, 0, "shuffled")),
            beyond=NAN,
            beyond_p=NAN,
            verdict="",
            both_ways=False,
        )


def is_used(cells: Sequence[EffectCell]) -> bool:
    """Whether the model uses what was changed: its choice falls below every floor when states are
    moved to the other label, and below none when they are moved into their own.
    """
    choices = [cell for cell in cells if cell.measured == CHOICE and cell.change != ERASED]
    return any(cell.verdict == "falls" and cell.both_ways for cell in choices)
