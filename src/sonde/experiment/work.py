"""One unit of work: a group of trials is measured and its results are kept, or the reason is
told.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sonde._hosted import hosted, one_line
from sonde.core import DataProblem, Result
from sonde.experiment.data import loaded
from sonde.experiment.measure import Group, results_of
from sonde.experiment.paths import Paths
from sonde.nets.precision import threads
from sonde.reading import ReadingProblem
from sonde.store.blocks import StoreProblem
from sonde.store.claims import claimed


@dataclass(frozen=True)
class Measured:
    """What became of a group: its results, or why there are none.

    fresh  how many of the results were measured now, and not by another run meanwhile
    held   whether another run is at it just now
    """

    name: str
    results: tuple[Result, ...] = ()
    failure: str = ""
    fresh: int = 0
    held: bool = False


def measure(group: Group, paths: Paths) -> Measured:
    """Fit and score a group's trials and keep the results; a failure is told, never raised, so
    others go on.
    """
    store = paths.result_store()
    try:
        with claimed(store.place(group.ids)) as mine, hosted(group.name):
            if not mine:
                return Measured(group.name, held=True)
            results = paths.known(group.ids)
            fresh = _missing(group.without(results), paths)
            if fresh:
                paths.keep(fresh)
    except Exception as error:
        # these say all in their words
        known = isinstance(error, DataProblem | ReadingProblem | StoreProblem)
        return Measured(
            group.name, failure=str(error).strip().partition("\n")[0] if known else one_line(error)
        )
    results |= dict(fresh)
    return Measured(group.name, tuple(results[i] for i in group.ids), fresh=len(fresh))


def _missing(group: Group, paths: Paths) -> list[tuple[str, Result]]:
    """The results of the trials that have none yet, measured now; a group without trials reads
    nothing.
    """
    if not group.trials:
        return []
    with threads():
        results = results_of(
            group, loaded(group.task, group.made.task), paths.vector_store(), paths.scores
        )
    return list(zip(group.ids, results, strict=True))


def measured_in(paths: Paths) -> functools.partial[Measured]:
    """`measure` with its paths filled in: the function that a mapper maps."""
    return functools.partial(measure, paths=paths)
