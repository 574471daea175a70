"""Scores by class or label: how many test examples have it, how many were recognised, and how sure its F1 is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sonde.core import Result
from sonde.encoders import ENCODERS
from sonde.metrics import interval_of
from sonde.metrics.compare import micro_f1
from sonde.naming import brief
from sonde.probes import PROBES
from sonde.report.rows import PERCENT, joined, repeats, without_fold
from sonde.report.table import NO_CONTROL, Section, Table, number, short
from sonde.targets import Column, LabelSets, Scores, as_sets
from sonde.tasks import TASKS
from sonde.vectors import Ints

COLUMNS = ("class", "examples", "recognised", "%", "mistaken for it", "F1", "95 % interval")


def classes(results: Sequence[Result]) -> Table:
    """Counts by class or label: test examples, how many were recognised, how many others were taken for it (all seeds together), and F1."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        trial = result.trial
        if not isinstance(result.gold, Scores) and trial.control == NO_CONTROL:
            layer = "" if trial.read == "-" else f" layer {trial.read}"
            what = f"{brief(ENCODERS, trial.encoder)}{layer}, {brief(PROBES, trial.probe)}"
            groups.setdefault((brief(TASKS, without_fold(trial.task)), what), []).append(result)
    sections = tuple(Section(f"{short(task)}: {what}", _by_class(group)) for (task, what), group in groups.items())
    return Table(COLUMNS, sections, frozenset({"class"}))


def _by_class(group: Sequence[Result]) -> tuple[tuple[str, ...], ...]:
    whole = repeats(group)
    gold = joined([r.gold for r in whole[0]])
    predicted = [joined([r.predicted for r in each]) for each in whole]
    names = tuple(dict.fromkeys(name for column in (gold, *predicted) for name in column.names))
    counts = sum(_confusion(gold, each, names) for each in predicted)
    found = []
    for name, (there, right, said) in sorted(zip(names, np.asarray(counts).T.tolist(), strict=True)):
        if not there and not said:
            continue
        f1 = micro_f1(only=(_literal(name),))
        low, high = interval_of(f1, gold, predicted)
        score = np.mean([f1(gold, each) for each in predicted])
        share = number(PERCENT * right / there) if there else "–"
        interval = f"{number(PERCENT * low)} – {number(PERCENT * high)}"
        found.append((name, f"{there:,}", f"{right:,}", share, f"{said - right:,}", number(PERCENT * float(score)), interval))
    return tuple(found)


def _confusion(gold: Column, predicted: Column, names: tuple[str, ...]) -> Ints:
    """Examples that have each label, are right about it, and were said to have it, [3, labels]."""
    true, known, said = (np.zeros((len(gold), len(names)), bool) for _ in range(3))
    true_sets, said_sets = as_sets(gold), as_sets(predicted)
    _fill(true, true_sets, names, 0.5)
    _fill(said, said_sets, names, 0.5)
    known[:] = not true_sets.partial
    _fill(known, true_sets, names, 0.0)
    said &= known
    return np.stack([true.sum(0), (true & said).sum(0), said.sum(0)])


def _fill(cells: np.ndarray[tuple[int, int], np.dtype[np.bool_]], sets: LabelSets, names: tuple[str, ...], least: float) -> None:
    """Mark the cells of examples and labels whose weight is at least so much."""
    places = np.array([names.index(name) for name in sets.names], np.int64)
    rows = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    some = sets.weights >= least
    cells[rows[some], places[sets.ids[some]]] = True


def _literal(name: str) -> str:
    """A pattern that matches this name alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
