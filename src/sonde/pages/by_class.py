"""Scores by class or label: how many test examples have it, how many were recognised, and how sure
its F1 is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sonde.analysis.row import NO_CONTROL, PERCENT, said_of
from sonde.analysis.rows import repeats, rows, without_fold
from sonde.analysis.together import together
from sonde.core import Result
from sonde.encoders import ENCODERS
from sonde.labels import HOLDS, Column, coded
from sonde.metrics import interval_of
from sonde.metrics.compare import micro_f1
from sonde.pages.headings import heading
from sonde.pages.scores import test_notes
from sonde.probes import PROBES
from sonde.references import brief
from sonde.tables.table import Section, Table, number
from sonde.tasks import TASKS
from sonde.vectors import Ints

Flags = NDArray[np.bool_]
YES = micro_f1(only=("yes",))
COLUMNS = ("class", "examples", "recognised", "%", "mistaken for it", "F1", "95 % interval")


def classes(results: Sequence[Result]) -> Table:
    """Counts by class or label: test examples, how many were recognised, how many others were taken
    for it (all seeds together), and F1.
    """
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        trial = result.trial
        if result.gold.numbers is None and trial.control == NO_CONTROL:
            layer = said_of(trial.read)
            what = f"{brief(ENCODERS, trial.encoder)}{layer}, {brief(PROBES, trial.probe)}"
            groups.setdefault((brief(TASKS, without_fold(trial.task)), what), []).append(result)
    shown = {key: rows(group) for key, group in groups.items()}
    sections = tuple(
        Section(f"{heading(shown[task, what])}: {what}", _by_class(group))
        for (task, what), group in groups.items()
    )
    return Table(
        COLUMNS,
        sections,
        frozenset({"class"}),
        tuple(test_notes([row for mine in shown.values() for row in mine])),
    )


def _by_class(group: Sequence[Result]) -> tuple[tuple[str, ...], ...]:
    gold, predicted, clusters = together(repeats(group))
    names = tuple(dict.fromkeys(name for column in (gold, *predicted) for name in column.names))
    true, said = _cells(gold, names, HOLDS), [_cells(each, names, HOLDS) for each in predicted]
    known = _cells(gold, names, 0.0) if gold.partial else np.ones_like(true)
    order = sorted(range(len(names)), key=names.__getitem__)
    lines = [
        (names[i], _label(true[:, i], [each[:, i] for each in said], known[:, i], clusters))
        for i in order
    ]
    return tuple((name, *cells) for name, cells in lines if cells is not None)


def _label(
    true: Flags, said: Sequence[Flags], known: Flags, clusters: Mapping[str, Ints]
) -> tuple[str, ...] | None:
    """Counts of one label over all seeds where it was annotated, and its F1; None where nobody has
    it or is said to.
    """
    true, said = true & known, [each & known for each in said]
    there, right, taken = (
        len(said) * int(true.sum()),
        sum(int((true & s).sum()) for s in said),
        sum(int(s.sum()) for s in said),
    )
    if not there and not taken:
        return None
    # F1 is about no others, which would only make its interval look sure
    counts = true | np.any(said, 0)
    gold, answers = _yes(true[counts]), [_yes(s[counts]) for s in said]
    low, high = interval_of(
        YES, gold, answers, {name: codes[counts] for name, codes in clusters.items()}
    )
    f1 = number(PERCENT * float(np.mean([YES(gold, each) for each in answers])))
    share = number(PERCENT * right / there) if there else "–"
    return (
        f"{there:,}",
        f"{right:,}",
        share,
        f"{taken - right:,}",
        f1,
        f"{number(PERCENT * low)} – {number(PERCENT * high)}",
    )


def _yes(flags: Flags) -> Column:
    return coded(flags.astype(np.int64), ("no", "yes"))


def _cells(column: Column, names: tuple[str, ...], least: float) -> Flags:
    """Where an example has a label with at least so much weight, [n, labels]."""
    sets = column.sets()
    cells = np.zeros((len(sets), len(names)), np.bool_)
    places = np.array([names.index(name) for name in sets.names], np.int64)
    rows = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    some = sets.weights >= least
    cells[rows[some], places[sets.ids[some]]] = True
    return cells
