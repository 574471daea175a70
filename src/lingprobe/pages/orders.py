"""What pages say where the order of two encoders depends on the probe."""

from __future__ import annotations

from lingprobe.analysis.comparison import (
    SIGNIFICANT_VERDICTS,
    ComparisonDecision,
    OrderChange,
    OrderChanges,
)
from lingprobe.analysis.row import said_of
from lingprobe.pages.captions import name_encoders, shorten_task
from lingprobe.tables.table import format_number

_LISTED = 8  # pairs that a note names


def order_notes(changes: OrderChanges) -> tuple[str, ...]:
    """Notes on the pairs of encoders whose order depends on the probe, and one on those without a
    significant difference; none where all pairs keep their order.
    """
    if not changes.changes and not changes.uncertain:
        return ()
    shown = sorted(changes.changes, key=lambda change: -_size(change))[:_LISTED]
    notes = [_describe_change(change) for change in shown]
    more = len(changes.changes) - len(shown)
    if more:
        notes.append(
            f"{_format_pair_count(more, 'more ')} change order with a significant difference."
        )
    if changes.uncertain:
        notes.append(
            f"Order depends on the probe: {_format_pair_count(changes.uncertain)} of"
            f" {changes.compared:,} {'changes' if changes.uncertain == 1 else 'change'} order"
            " between probes without a significant difference under either."
        )
    if shown:
        notes.append(
            "Differences of encoders under each probe are paired, and their intervals corrected"
            f" for {changes.family}."
        )
    return tuple(notes)


def _describe_change(change: OrderChange) -> str:
    first, second = change.one.question.one.row, change.one.question.best.row
    names = name_encoders((first.encoder, second.encoder))
    pair = " − ".join(names.get(r.encoder, r.encoder) + said_of(r.layer) for r in (first, second))
    sides = f"{_describe_side(change.one)} and {_describe_side(change.other)}"
    return f"Order depends on the probe: {shorten_task(first.task)}, {pair} is {sides}."


def _describe_side(decision: ComparisonDecision) -> str:
    sure = "" if decision.verdict in SIGNIFICANT_VERDICTS else ", not significant"
    interval = f"{format_number(decision.low)}, {format_number(decision.high)}"
    probe = decision.question.one.row.probe
    return f"{decision.difference:+.1f} [{interval}] under {probe}{sure}"


def _size(change: OrderChange) -> float:
    return abs(change.one.difference - change.other.difference)


def _format_pair_count(count: int, more: str = "") -> str:
    return f"{count:,} {more}pair{'s' * (count != 1)} of encoders"
