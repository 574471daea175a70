"""One unit of work: a group of trials is measured and its results are kept, or the reason is told."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sonde.core import DataProblem, Result
from sonde.experiment.data import loaded
from sonde.experiment.measure import Group, results_of
from sonde.experiment.places import Places
from sonde.nets.precision import threads
from sonde.reading import ReadingProblem


@dataclass(frozen=True)
class Measured:
    """What became of a group: its results, or why there are none."""

    name: str
    results: tuple[Result, ...] = ()
    failure: str = ""


def measure(group: Group, places: Places) -> Measured:
    """Fit and score a group's trials and keep the results; a failure is told, never raised, so others go on."""
    try:
        with threads():
            results = results_of(group, loaded(group.task, group.made.task), places.vector_store())
        places.result_store().write(list(zip(group.ids, results, strict=True)))
        return Measured(group.name, tuple(results))
    except (ValueError, RuntimeError, MemoryError, ArithmeticError, LookupError, TypeError) as error:
        known = isinstance(error, DataProblem | ReadingProblem)  # these say all in their words
        return Measured(group.name, failure=_first_line(error) if known else f"{type(error).__name__}: {_first_line(error)}")


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no message"])[0]


def measured_in(places: Places) -> functools.partial[Measured]:
    """`measure` with its places filled in: the function that a mapper maps."""
    return functools.partial(measure, places=places)
