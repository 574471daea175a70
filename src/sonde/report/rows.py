"""Results -> rows: one a task, encoder, layer, probe and control, over all seeds and folds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sonde.controls import CONTROLS
from sonde.core import Result, Trial
from sonde.encoders import ENCODERS
from sonde.metrics import METRICS, interval_of
from sonde.naming import brief, parsed_or_none
from sonde.probes import PROBES
from sonde.targets import Classes, Column, Scores
from sonde.tasks import TASKS

FLOORS = {"length", "words", "random", "bow", "static", "untrained"}
"""Encoders that a trained sentence encoder has to beat before its score says anything; they stand first in a table."""
PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. Scores, interval and majority are percent: the metric's value times a hundred.

    seeds, folds   how many the score is averaged over
    train, n       examples fitted on (in one fold), and examples the score is over (in all folds)
    unusable, cut  examples without a vector, and sentences that were read only in part
    unseen         examples of n whose class train lacks: wrong whatever the probe says
    """

    task: str
    encoder: str
    layer: str
    probe: str
    control: str
    metric: str
    score: float
    low: float
    high: float
    majority: float
    n: int
    seeds: int
    folds: int
    train: int
    unusable: int
    cut: int
    unseen: int

    @property
    def floor(self) -> bool:
        """Whether the row is there for others to be compared with."""
        return self.encoder.partition(":")[0].partition(",")[0] in FLOORS


def newest(results: Iterable[Result]) -> list[Result]:
    """Results that belong together, ordered by trial: where data or code changed between runs, only those of the last state."""
    found: dict[Trial, Result] = {}
    state: dict[tuple[str, ...], str] = {}
    for result in sorted(results, key=lambda r: str(r.provenance.get("date", ""))):
        found[result.trial] = result
        state[_shared(result)] = _state(result)
    return [found[trial] for trial in sorted(found) if _state(found[trial]) == state[_shared(found[trial])]]


def _state(result: Result) -> str:
    """What a result's data, encoder, probe and control were made of, whatever they are called; folds of a data set agree on it."""
    known, trial = result.provenance.get("identities", {}), result.trial
    return str([_made_of(str(known.get(r, ""))) for r in (trial.task, trial.encoder, trial.probe, trial.control)])


def _made_of(identity: str) -> list[Any]:
    """Source and fingerprint in an identity; of a task that has no fingerprint, whose examples stand for it, the source alone."""
    try:
        first, *rest = json.loads(identity)
        return list(json.loads(first)[1:]) if str(first).startswith("[") else rest
    except ValueError:
        return [identity]


def rows(results: Iterable[Result]) -> list[Row]:
    """One row for all seeds and folds of the same thing, in the order in which things first come."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(_shared(result), []).append(result)
    return [_row(key, group) for key, group in groups.items()]


def _shared(result: Result) -> tuple[str, ...]:
    trial = result.trial
    return without_fold(trial.task), trial.encoder, trial.read, trial.probe, trial.control, result.metric


def _row(key: tuple[str, ...], group: Sequence[Result]) -> Row:
    task, encoder, layer, probe, control, metric = key
    by_seed: dict[int, list[Result]] = {}
    for result in sorted(group, key=lambda r: r.trial.task):
        by_seed.setdefault(result.trial.seed, []).append(result)
    whole = [seeds for seeds in by_seed.values() if len(seeds) == max(map(len, by_seed.values()))]  # a stopped run has gaps
    folds = whole[0]
    gold = joined([r.gold for r in folds])
    predicted = [joined([r.predicted for r in seed]) for seed in whole]
    scored = [METRICS.make(metric)(gold, p) for p in predicted] if len(folds) > 1 else [seed[0].score for seed in whole]
    low, high = (folds[0].low, folds[0].high) if len(predicted) == len(folds) == 1 else interval_of(metric, gold, predicted)
    majority = float(np.average([r.majority for r in folds], weights=[r.n for r in folds]))
    return Row(
        task=brief(TASKS, task),
        encoder=brief(ENCODERS, encoder),
        layer=layer,
        probe=brief(PROBES, probe),
        control=brief(CONTROLS, control),
        metric=metric,
        score=PERCENT * float(np.mean(scored)),
        low=PERCENT * low,
        high=PERCENT * high,
        majority=PERCENT * majority,
        n=len(gold),
        seeds=len(whole),
        folds=len(folds),
        train=int(_counts(folds[0]).get("train", 0)),
        unusable=sum(int(_counts(r).get("unusable", 0)) for r in folds),
        cut=max(int(_counts(r).get("cut", 0)) for r in folds),
        unseen=sum(int(_counts(r).get("unseen", 0)) for r in folds),
    )


def _counts(result: Result) -> dict[str, Any]:
    return dict(result.provenance.get("counts") or {})


def joined(columns: Sequence[Column]) -> Column:
    """Label columns one after the other, as the folds of a data set come together."""
    first = columns[0]
    if len(columns) == 1:
        return first
    if isinstance(first, Scores):
        return Scores(np.concatenate([c.values for c in columns if isinstance(c, Scores)]))
    if not isinstance(first, Classes):
        raise ValueError("folds of label sets cannot be put together")
    names = tuple(dict.fromkeys(name for c in columns for name in c.names))
    ids = [np.array([names.index(n) for n in c.names], np.int64)[c.ids] for c in columns if isinstance(c, Classes)]
    return Classes(np.concatenate(ids), names)


def without_fold(task: str) -> str:
    """A task's reference without its fold, which is averaged over."""
    parsed = parsed_or_none(task)
    return task if parsed is None else str(parsed.without("fold"))
