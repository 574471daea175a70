"""Labels that are not there: what tools and annotators write where a row has none. Few such rows
are excluded and counted; where they are many, or hardly a class is left, the user is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem, Dataset
from lingprobe.data.examples import add_remarks
from lingprobe.data.labels import Label

ABSENT_LABEL_TEXTS = frozenset(
    ("-", "nan", "NaN", "NAN", "None", "N/A", "n/a", "NA", "<NA>", "null", "NULL", "NaT", "#N/A")
)
"""What stands where tools have no value; other spellings of them may be classes."""
_UNSURE = "?"
"""A label that is none where all others have letters."""
ABSENT_CLASS_NUMBERS = (-1, -100)
"""Numbers that stand where the numbers of classes begin with 0: of hidden test sets, and of what
losses ignore.
"""
_BELOW_CLASSES = frozenset(
    str(kind(number)) for number in ABSENT_CLASS_NUMBERS for kind in (int, float)
)
_MOST = 0.2  # of the rows that may lack a label and be left out unasked
_FEWEST_CLASSES = 2  # that have to be left
_FEWEST_OF_NUMBERS = 3  # beside such a number, from which on it is asked for as well


class AbsentLabels(NamedTuple):
    """Which rows say that they have no label [n], and by which names."""

    rows: NDArray[np.bool_]
    names: tuple[str, ...]

    @property
    def is_below_classes(self) -> bool:
        """Whether a number below those of classes is among the names."""
        return not _BELOW_CLASSES.isdisjoint(self.names)


def find_absent(labels: Sequence[Label], location: str, splits: Sequence[int] = ()) -> AbsentLabels:
    """Rows without a label (empty, `-`, `nan`, `None`, -1), up to a fifth; DataProblem where they
    are so many that it may be a class. A split in which all rows say so is a test set without
    labels.

    splits  the number of each row's split
    """
    if not labels or not all(isinstance(label, str | float) for label in labels):
        return AbsentLabels(np.zeros(len(labels), bool), ())
    different, codes = np.unique([str(label) for label in labels], return_inverse=True)
    names = [str(name) for name in different]
    absent = [name for name in names if name in ABSENT_LABEL_TEXTS or not name]
    others = [name for name in names if name not in absent]
    if _UNSURE in others and all(any(map(str.isalpha, x)) for x in others if x != _UNSURE):
        absent.append(_UNSURE)
        others.remove(_UNSURE)
    if below := _find_below_classes(others):
        absent.append(below)
        others.remove(below)
    rows = np.isin(different, absent)[codes]
    if not absent or len(others) < _FEWEST_CLASSES:
        return AbsentLabels(np.zeros(len(labels), bool), ())
    codes = np.array(splits) if len(splits) == len(rows) else np.zeros(len(rows), int)
    is_open = np.isin(codes, codes[~rows])
    if is_open.any() and rows[is_open].mean() >= _MOST:
        if absent == [below] and len(others) < _FEWEST_OF_NUMBERS:  # as of -1, 0 and 1
            return AbsentLabels(np.zeros(len(labels), bool), ())
        share = f"{100 * float(rows[is_open].mean()):.0f} %"
        raise DataProblem(
            f"{location}: {share} of its labels are {_list_names(absent)}, which may say that there"
            " is none: remove such rows, or add labels=classes to the task if it is a class"
        )
    return AbsentLabels(rows, tuple(absent))


def leave_out_absent(dataset: Dataset, location: str) -> Dataset:
    """Rows without a label are excluded and counted: the examples that have one, with a remark."""
    labels = dataset.labels
    if labels.classes is None and labels.numbers is None:
        return dataset
    absent = find_absent([*labels.plain()], location, dataset.splits.tolist())
    if not absent.names:
        return dataset
    kept = dataset.take(np.flatnonzero(~absent.rows))
    kept = replace(kept, labels=kept.labels.without_unused())
    return add_remarks(kept, describe_absent(absent))


def _find_below_classes(names: Sequence[str]) -> str:
    """The name of -1, or of -100, where all other names are whole numbers from 0 on; ''."""
    below = [name for name in names if name in _BELOW_CLASSES]
    rest = [name.removesuffix(".0") for name in names if name not in below]
    is_alone = len(below) == 1 and all(name.isdecimal() for name in rest)
    return below[0] if is_alone and len(rest) >= _FEWEST_CLASSES else ""


def describe_absent(absent: AbsentLabels) -> str:
    """How many rows were excluded, and how they are kept."""
    said = f"whose label is {_list_names(absent.names)}"
    return f"{_count_rows(int(absent.rows.sum()), said)} skipped; labels=classes keeps such rows"


def describe_unlabelled(row_count: int, example: str) -> str:
    """How many rows without a label were excluded, and the first."""
    return f"{_count_rows(row_count, 'without a label')} skipped; the first: {example}"


def _count_rows(many: int, said: str) -> str:
    return f"{many:,} {'row' if many == 1 else 'rows'} {said} {'was' if many == 1 else 'were'}"


def check_unlabelled(unlabelled: int, labelled: int, example: str) -> None:
    """Refuse a table in which more than a fifth of the rows lack a label; `example` says what is
    wrong with one.
    """
    share = unlabelled / max(unlabelled + labelled, 1)
    if share >= _MOST:
        raise DataProblem(
            f"{example}; so {100 * share:.0f} % of its rows have no label (on_error=skip leaves"
            " them out and counts them)"
        )


def _list_names(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)
