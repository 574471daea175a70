"""Which results belong together: the newest of each trial, and the repeats of each thing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from lingprobe.data.core import Result, Trial
from lingprobe.data.identity import shared_fact
from lingprobe.data.references import MAX_CACHED_REFERENCES
from lingprobe.datasets.controls import without_draw
from lingprobe.tasks.repeats import strip_fold


def keep_newest(results: Iterable[Result]) -> list[Result]:
    """Results that belong together, ordered by trial: where data or code changed between runs, only
    those of the last state.
    """
    latest: dict[Trial, Result] = {}
    state: dict[tuple[str, ...], str] = {}
    for result in sorted(results, key=lambda r: r.provenance.date):
        latest[result.trial] = result
        state[_row_key(result)] = _get_result_origin(result)
    return [
        latest[trial]
        for trial in sorted(latest)
        if _get_result_origin(latest[trial]) == state[_row_key(latest[trial])]
    ]


def _get_result_origin(result: Result) -> str:
    """What a result's data, encoder, probe and control were made of, whatever they are called;
    folds of a data set agree on it.
    """
    trial = result.trial
    named = {
        "task": trial.task,
        "encoder": trial.encoder,
        "probe": trial.probe,
        "control": trial.control,
    }
    return str(
        [_made_of(result.provenance.identity(kind, reference)) for kind, reference in named.items()]
    )


@lru_cache(maxsize=MAX_CACHED_REFERENCES)
def _made_of(identity: str) -> list[Any]:
    """Code and facts in an identity; of a task of version 0.1 whose examples stand for it, the code
    alone, and of a fold whose examples do, how many folds there are.
    """
    try:
        first, *rest = json.loads(identity)
        facts = list(json.loads(first)[1:]) if str(first).startswith("[") else rest
        return [shared_fact(str(fact)) for fact in facts]
    except ValueError:
        return [identity]


def group_repeats(results: Iterable[Result]) -> dict[tuple[str, ...], list[Result]]:
    """All seeds, folds and samples of each thing, in the order in which things first come."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(_row_key(result), []).append(result)
    return groups


def _row_key(result: Result) -> tuple[str, ...]:
    trial = result.trial
    return (
        strip_fold(trial.task),
        trial.encoder,
        trial.read,
        trial.probe,
        without_draw(trial.control),
        result.metric,
    )
