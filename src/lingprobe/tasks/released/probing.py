"""Probing tasks as their publishers released them: `probing.tsv` has a row for each, and
`PUBLISHED_PROBING_TASKS` an attribute, as `senteval_tree_depth`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

from lingprobe.corpora.columns import (
    INDIC_COLUMNS,
    SENTEVAL_COLUMNS,
    SINGLE_WORD_COLUMNS,
    WORD_IN_CONTEXT_COLUMNS,
    WORD_PAIR_COLUMNS,
    XPROBE_COLUMNS,
)
from lingprobe.data.records import read_tab_separated
from lingprobe.tasks import TASKS
from lingprobe.tasks.released.family import ReleaseOptions, TaskRelease
from lingprobe.tasks.task import TaskDefinition

_LAYOUTS = {
    "senteval": SENTEVAL_COLUMNS,
    "xprobe": XPROBE_COLUMNS,
    "indic": INDIC_COLUMNS,
    "word": SINGLE_WORD_COLUMNS,
    "pair": WORD_PAIR_COLUMNS,
    "contextual": WORD_IN_CONTEXT_COLUMNS,
}


def _define_task(cells: Sequence[str]) -> TaskDefinition[ReleaseOptions]:
    """The task of a row."""
    name, layout, names, fetched, probe, view, altered, line, asks = (
        "" if c == "-" else c for c in cells
    )
    release = TaskRelease(
        asks,
        tuple(names.split("|")),
        _LAYOUTS[layout],
        fetched,
        probe,
        view,
        reference_lines=(line,) if line else (),
        altered=altered,
    )
    return release.define_task(name)


_, _rows = read_tab_separated(Path(__file__).with_suffix(".tsv"))
PUBLISHED_PROBING_TASKS = SimpleNamespace(
    **{TASKS.table[cells[0]].rpartition(".")[2]: _define_task(cells) for _, cells in _rows}
)
