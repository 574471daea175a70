"""What scores were computed on and in. Rows of unlike kinds are marked: they differ by more than
what they measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from lingprobe.analysis.answers import RunPredictions


class ComputedScore(Protocol):
    """A score that says what it was computed on and in, as `computation_facts` writes it."""

    @property
    def computed(self) -> str: ...


def describe_computation(runs: Iterable[RunPredictions]) -> str:
    """The processor, the precisions of encoder and probe, and the threads that the fits of one row
    agree on or differ in.
    """
    ways: dict[str, set[str]] = {}
    for run in runs:
        for what, how in run.about.computed.items():
            ways.setdefault(what, set()).add(str(how))
    return _join_ways(ways)


def all_of(rows: Iterable[ComputedScore]) -> str:
    """The same of several rows together."""
    ways: dict[str, set[str]] = {}
    for row in rows:
        for what, how in _list_computation_parts(row).items():
            ways.setdefault(what, set()).update(how.split(" and "))
    return _join_ways(ways)


def _join_ways(ways: Mapping[str, set[str]]) -> str:
    return "; ".join(f"{what}: {' and '.join(sorted(how))}" for what, how in ways.items())


def find_computing_differences(rows: Sequence[ComputedScore]) -> tuple[str, ...]:
    """In what the rows of a table differ: the processor, the precision of encoder and probe, or
    threads that they were computed with, for which it gets a column.
    """
    ways: dict[str, set[str]] = {}
    for row in rows:
        for what, how in _list_computation_parts(row).items():
            ways.setdefault(what, set()).add(how)
    return tuple(
        what for what, how in ways.items() if len(how) > 1 or any(" and " in each for each in how)
    )


def format_computation(row: ComputedScore, facts: Sequence[str]) -> str:
    """How a row was computed, as far as rows differ in it."""
    parts = _list_computation_parts(row)
    return ", ".join(parts[each] for each in facts if each in parts) or "–"


def describe_computing_differences(facts: Sequence[str]) -> list[str]:
    """What there is to say of rows that were computed differently."""
    if not facts:
        return []
    return [
        f"computed: the {' and the '.join(facts)} of these rows differ, which may explain"
        " differences of a few tenths of a point."
    ]


def _list_computation_parts(row: ComputedScore) -> dict[str, str]:
    return {
        what: how
        for what, _, how in (part.partition(": ") for part in row.computed.split("; "))
        if how
    }
