"""The tasks of minimal pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lingprobe.data.core import Dataset
from lingprobe.parts.minimal.data import Drawing, dataset
from lingprobe.parts.minimal.pairs import Columns, files, read
from lingprobe.tasks.task import Definition


@dataclass(frozen=True, slots=True)
class PairOptions:
    """What pairs of a file take.

    path   a file, or a folder of them: JSON lines as BLiMP's, tables as RuBLiMP's, lines with True
           and False as CLAMS'
    good, bad  the columns of the better and of the worse sentence; without, those with usual names
    group  the column of the paradigm; without, that with a usual name, or else the name of the file
    seed   of everything that is drawn
    size   pairs in all, of each paradigm its share; without, all
    fold   2/5: the second of five folds is test; paradigms are never split
    """

    path: Path
    good: str = field(default="", kw_only=True)
    bad: str = field(default="", kw_only=True)
    group: str = field(default="", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    size: int | None = field(default=None, kw_only=True)
    fold: str | None = field(default=None, kw_only=True)


def _load_pairs(options: PairOptions) -> Dataset:
    columns = Columns(options.good, options.bad, options.group)
    parts = files(options.path)
    pairs = [pair for part in parts for pair in read(part.path, columns)]
    how = Drawing("paradigm", options.seed, options.size, options.fold)
    return dataset(pairs, how, {"source": {"files": [str(part.path) for part in parts]}})


O = TypeVar("O", bound=PairOptions)  # noqa: E741


pairs = Definition(
    "minimal/pairs",
    "Which of the two sentences is the better one?",
    PairOptions,
    load=_load_pairs,
    parts=lambda options: files(options.path),
    metric="preference",
    probe="preference",
    view="mean+difference",
    baselines=("length", "bow:random"),
    usual_baselines=False,
)
