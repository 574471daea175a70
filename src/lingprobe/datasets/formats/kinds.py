"""Whether the labels of a table are classes or scores, where its file leaves that open: a hub's
files have numbers for classes, a study's for grades.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem, Dataset
from lingprobe.data.examples import add_remarks
from lingprobe.data.labels import Column, NumberLists, column
from lingprobe.datasets.formats.row_labels import as_number

Asked = Literal["classes", "scores"]
CLASSES = 50  # different whole numbers at most that are taken for classes
YES_NO = 2  # different whole numbers, which are classes of two texts as well
EXAMPLES = 10  # of each of them at least
GAPS = ("nan", "na", "n/a", "<na>", "none", "null", "inf", "-inf", "-", "?")
"""What stands, in small letters, where tools have no number."""
_COMMA = re.compile(r"-?\d+,\d+")
_LIST = re.compile(r"\[\s*(['\"\d-].*)?\]")
MANY = 1000  # classes, above which that holds of names as well


def as_asked(dataset: Dataset, asked: Asked | None, where: str) -> Dataset:
    """The same examples with labels of the kind asked for. DataProblem where they cannot be."""
    if asked == "classes" and dataset.labels.numbers is not None:
        return replace(dataset, labels=_classes(dataset.labels, where))
    if asked == "scores" and dataset.labels.numbers is None:
        return replace(dataset, labels=_scores(dataset.labels, where))
    return dataset


def check_writable(labels: Column, where: str) -> None:
    """Refuse labels that no table holds."""
    if isinstance(labels, NumberLists):
        raise DataProblem(
            f"{where}: a label is a list of numbers, one for each word or pair of words, which no"
            " table holds; name the task itself where it is needed"
        )


def decide_kind(dataset: Dataset, where: str) -> Dataset:
    """The same examples; whole numbers are classes where each is frequent and labels one text, or
    they are two. A remark says so. DataProblem where several label two texts, and may be either;
    where classes are so many that their names tell single examples.
    """
    numbers = dataset.labels.numbers
    if numbers is None:
        check_names(dataset.labels.names, where)
        dataset = _add_remark_on_capitals(dataset)
    _check_several(dataset.labels, where)
    if numbers is None or not _are_whole(numbers):
        return dataset
    values, counts = np.unique(numbers, return_counts=True)
    if len(values) > CLASSES:
        return _add_remark(dataset, "scores", "classes", f"of which there are {len(values):,}")
    is_pair = (dataset.sites[:, 1:, 0] != dataset.sites[:, :1, 0]).any()
    if is_pair and len(values) > YES_NO:
        raise DataProblem(
            f"{where}: whole numbers about two texts may be classes or graded scores: add"
            " labels=classes or labels=scores to the task"
        )
    if counts.min() < EXAMPLES:
        why = f"as {values[counts.argmin()]:.0f} is the label of {counts.min()} only"
        return _add_remark(dataset, "scores", "classes", why)
    named = replace(dataset, labels=_classes(dataset.labels, where))
    return _add_remark(named, "classes", "scores", f"{values[0]:.0f} to {values[-1]:.0f}")


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse names of classes that are something else as it seems: gaps between numbers, decimals
    with commas, lists written as text.
    """
    others = [name for name in names if as_number(name) is None]
    if not others:
        return
    found = ""
    if all(name.casefold() in GAPS for name in others) and len(others) < len(names):
        found = f"a label is {others[0]!r}, and the others are numbers: remove such rows"
    elif all(map(_COMMA.fullmatch, others)):
        found = f"labels have decimal commas, as {others[0]!r}: write points"
    elif all(map(_LIST.fullmatch, names)):
        found = (
            f"labels are lists written as text, as {others[0]!r}: write lists, in JSON lines"
            " or Parquet"
        )
    if found:
        raise DataProblem(f"{where}: {found}; if each is a class, add labels=classes to the task")


def _add_remark_on_capitals(dataset: Dataset) -> Dataset:
    """The data set, with a remark where two of its classes differ in capitals alone."""
    first: dict[str, str] = {}
    for name in dataset.labels.names:
        if (other := first.setdefault(name.casefold(), name)) != name:
            remark = f"its labels {other!r} and {name!r} differ in capitals alone"
            return add_remarks(dataset, remark)
    return dataset


def _check_several(labels: Column, where: str) -> None:
    """Refuse classes that are hardly ever shared, or so many with few examples each."""
    classes, examples = len(labels.names), len(labels)
    each = EXAMPLES if classes > MANY else 2
    if labels.classes is not None and classes > CLASSES and examples < each * classes:
        raise DataProblem(
            f"{where}: {classes:,} labels of {examples:,} examples: is this an id? If each is a"
            " class, add labels=classes to the task"
        )


def _add_remark(dataset: Dataset, read_as: Asked, other: Asked, why: str) -> Dataset:
    remark = f"its labels, whole numbers {why}, were read as {read_as}; labels={other} overrules"
    return add_remarks(dataset, remark)


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    return bool((numbers == np.round(numbers)).all())


def _classes(labels: Column, where: str) -> Column:
    numbers = labels.numbers
    if numbers is None or not _are_whole(numbers):
        raise DataProblem(
            f"{where}: labels=classes needs names or whole numbers, and a label is a decimal: leave"
            " it out, or name the classes"
        )
    return column([str(int(number)) for number in numbers])


def _scores(labels: Column, where: str) -> Column:
    try:
        if labels.classes is None:
            raise ValueError("a set of labels")
        return column([float(name) for name in labels.class_names()])
    except ValueError as error:
        raise DataProblem(
            f"{where}: labels=scores needs numbers, and a label is none ({error}): leave it out"
        ) from None
