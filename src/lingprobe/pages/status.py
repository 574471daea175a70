"""How far a run is, as tables: encoding first, then units of work by encoder and task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lingprobe.data.references import try_parse_reference
from lingprobe.experiment.status import EncodingStatus, UnitStatus
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.records import format_csv
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table, TableSection

_STATES = ("done", "running", "failed", "waiting")
_WORDS = frozenset({"task", "encoder"})


def status_page(
    units: Sequence[UnitStatus], encodings: Sequence[EncodingStatus]
) -> Page[tuple[UnitStatus, ...]]:
    """How far a run is: how many units of each task and encoder are done, running, failed and
    waiting, and why some failed.
    """

    def make_tables() -> list[Table]:
        sections = tuple(_sections(units))
        notes = (_summary(units), *_problems(units, encodings))
        tables = [Table(("task", *_STATES), sections, _WORDS, notes)]
        running = [unit for unit in units if unit.state == "running"]
        tables += [_running(running)] if running else []
        return [_encoding(encodings), *tables] if encodings else tables

    return Page(tuple(units), make_tables, {"csv": lambda: format_csv(units)})


def _sections(units: Sequence[UnitStatus]) -> Iterator[TableSection]:
    by_encoder: dict[str, dict[str, Counter[str]]] = {}
    for unit in units:
        tasks = by_encoder.setdefault(unit.encoder, {})
        tasks.setdefault(_shorten_unit_task(unit), Counter())[unit.state] += 1
    for encoder, tasks in by_encoder.items():
        rows = tuple((name, *(f"{n[state]:,}" for state in _STATES)) for name, n in tasks.items())
        yield TableSection(encoder, rows)


def _shorten_unit_task(unit: UnitStatus) -> str:
    """A task without its folds and defaults, as a row has it."""
    parsed = try_parse_reference(unit.task)
    return (
        shorten_task(str(parsed.with_name(parsed.name)).partition(",")[0]) if parsed else unit.task
    )


def _encoding(encodings: Sequence[EncodingStatus]) -> Table:
    rows = tuple(
        (each.encoder, *(f"{n:,}" for n in (each.done, each.running, each.failed, each.waiting)))
        for each in encodings
    )
    return Table(("encoder", *_STATES), (TableSection("sentences", rows),), _WORDS)


def _running(units: Sequence[UnitStatus]) -> Table:
    """Which process of which machine is at what, and since when."""
    rows = tuple(
        (_name(unit), unit.machine, str(unit.process), unit.since)
        for unit in sorted(units, key=lambda unit: unit.since)
    )
    words = frozenset({"task", "machine", "process", "since"})
    return Table(("task", "machine", "process", "since"), (TableSection("running", rows),), words)


def _name(unit: UnitStatus) -> str:
    return f"{_shorten_unit_task(unit)}, {unit.encoder}, {unit.probe.partition(',')[0]}"


def _summary(units: Sequence[UnitStatus]) -> str:
    counts = Counter(unit.state for unit in units)
    machines = sorted({unit.machine for unit in units if unit.state == "running"})
    at = f" on {', '.join(machines)}" if machines else ""
    return (
        f"{counts['done']:,} of {len(units):,} jobs are done, {counts['running']:,} running{at},"
        f" {counts['failed']:,} failed, {counts['waiting']:,} waiting. A job is all layer"
        " selections and seeds of one task (or fold), encoder, probe and control."
    )


def _problems(units: Sequence[UnitStatus], encodings: Sequence[EncodingStatus]) -> Iterator[str]:
    """Why something failed, each reason once."""
    for each in encodings:
        if each.why:
            yield f"failed: {each.encoder}: {each.why}"
    told: dict[tuple[str, str], list[str]] = {}
    for unit in units:
        if unit.state == "failed":
            told.setdefault((unit.why, unit.machine), []).append(_name(unit))
    for (why, machine), names in told.items():
        yield f"failed: {'; '.join(dict.fromkeys(names))}: {why} (on {machine})"
