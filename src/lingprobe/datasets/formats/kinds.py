"""Whether the labels of a table are classes or scores, where its file leaves that open: a hub's
files have numbers for classes, a study's for grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem, Dataset
from lingprobe.data.examples import add_remarks
from lingprobe.data.labels import Column, NumberLists, build_column
from lingprobe.datasets.formats.composite_labels import (
    find_lists,
    have_decimal_commas,
    read_composite,
    read_decimals,
    read_sets,
)
from lingprobe.datasets.formats.row_labels import as_number

Asked = Literal["classes", "scores", "sets"]
_CLASSES = 50  # different whole numbers at most that are taken for classes
_YES_NO = 2  # different whole numbers, which are classes of two texts as well
_EXAMPLES = 10  # of each of them at least
_GAPS = ("nan", "na", "n/a", "<na>", "none", "null", "inf", "-inf", "-", "?")
"""What stands, in small letters, where tools have no number."""
_MANY = 1000  # classes, above which that holds of names as well


def as_asked(dataset: Dataset, label_kind: Asked | None, location: str) -> Dataset:
    """The same examples with labels of the kind asked for. DataProblem where they cannot be."""
    if label_kind == "classes" and dataset.labels.numbers is not None:
        return replace(dataset, labels=_classes(dataset.labels, location))
    if label_kind == "scores" and dataset.labels.numbers is None:
        return replace(dataset, labels=_convert_to_scores(dataset.labels, location))
    if label_kind == "sets":
        return replace(dataset, labels=_sets(dataset.labels, location))
    return dataset


def check_writable(labels: Column, location: str) -> None:
    """Refuse labels that no table holds."""
    if isinstance(labels, NumberLists):
        raise DataProblem(
            f"{location}: a label is a list of numbers, one for each word or pair of words, which"
            " no table holds; name the task itself where it is needed"
        )


def decide_kind(
    dataset: Dataset, location: str, mark: str = "", beside: str = "", is_gapped: bool = False
) -> Dataset:
    """Whole numbers as labels are classes if at most 50 different ones with ten examples each (of
    two texts: two), or if a column names them; a remark says so. DataProblem where more of them may
    be either, and where classes are so many that their names tell single examples.

    mark    what parts the cells of the file
    beside  the column that has a name for each number
    is_gapped  whether -1 or -100 stood where a number is not known, as among numbers of classes
    """
    if dataset.labels.classes is not None:
        composite = read_composite(dataset.labels, mark)
        if composite.question:
            raise DataProblem(f"{location}: {composite.question}")
        if composite.labels is not None:
            return add_remarks(replace(dataset, labels=composite.labels), composite.remark)
    numbers = dataset.labels.numbers
    if numbers is None:
        check_names(dataset.labels.names, location)
        dataset = _add_remarks_on_names(dataset)
    _check_several(dataset.labels, location)
    if numbers is None or not _are_whole(numbers):
        return dataset
    values, counts = np.unique(numbers, return_counts=True)
    named = replace(dataset, labels=_classes(dataset.labels, location))
    if beside:
        why = f"with a name each in its column {beside},"
        remark = f"its labels, whole numbers {why} were read as classes; label={beside} names them"
        return add_remarks(named, remark)
    is_pair = (dataset.sites[:, 1:, 0] != dataset.sites[:, :1, 0]).any()
    if len(values) > _CLASSES or (is_pair and len(values) > _YES_NO and not is_gapped):
        about = "two texts" if is_pair else f"one text, {len(values):,} different ones,"
        raise DataProblem(
            f"{location}: whole numbers about {about} may be classes or graded scores: add"
            " labels=classes or labels=scores to the task"
        )
    if counts.min() < _EXAMPLES:
        why = f"as {values[counts.argmin()]:.0f} is the label of {counts.min()} only"
        return _add_remark(dataset, "scores", "classes", why)
    return _add_remark(named, "classes", "scores", f"{values[0]:.0f} to {values[-1]:.0f}")


def check_names(names: Sequence[str], location: str) -> None:
    """Refuse names of classes that are gaps between numbers, or lists of objects, as it seems."""
    if names and all(name[:1] in "[{" and name[-1:] in "]}" and "'" in name for name in names):
        raise DataProblem(
            f"{location}: labels are lists written as text, as {names[0]!r}: write lists, in JSON"
            " lines or Parquet; if each is a class, add labels=classes to the task"
        )
    others = [name for name in names if as_number(name) is None]
    if others and len(others) < len(names) and all(name.casefold() in _GAPS for name in others):
        raise DataProblem(
            f"{location}: a label is {others[0]!r}, and the others are numbers: remove such rows;"
            " if each is a class, add labels=classes to the task"
        )


def _add_remarks_on_names(dataset: Dataset) -> Dataset:
    """The data set, with a remark where two of its classes differ in capitals alone, and where one
    seems a list of others.
    """
    if dataset.labels.classes is None:
        return dataset
    first: dict[str, str] = {}
    for name in dataset.labels.names:
        if (other := first.setdefault(name.casefold(), name)) != name:
            remark = f"its labels {other!r} and {name!r} differ in capitals alone"
            dataset = add_remarks(dataset, remark)
            break
    if several := find_lists(dataset.labels.names):
        remark = f"its label {several!r} seems a list of others; labels=sets reads it as one"
        dataset = add_remarks(dataset, remark)
    return dataset


def _check_several(labels: Column, where: str) -> None:
    """Refuse what looks like an id: over 50 labels, hardly any repeated, or over 1,000 with fewer
    than ten examples each.
    """
    classes, examples = len(labels.names), len(labels)
    each = _EXAMPLES if classes > _MANY else 2
    if labels.classes is not None and classes > _CLASSES and examples < each * classes:
        raise DataProblem(
            f"{where}: {classes:,} labels of {examples:,} examples: is this an identifier? If each"
            " is a class, add labels=classes to the task"
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
    return build_column([str(int(number)) for number in numbers])


def _sets(labels: Column, where: str) -> Column:
    if labels.numbers is not None:
        labels = _classes(labels, where)
    return labels if labels.classes is None else read_sets(labels)


def _convert_to_scores(labels: Column, where: str) -> Column:
    if labels.classes is not None and have_decimal_commas(labels.names):
        return read_decimals(labels)
    try:
        if labels.classes is None:
            raise ValueError("a set of labels")
        return build_column([float(name) for name in labels.class_names()])
    except ValueError as error:
        raise DataProblem(
            f"{where}: labels=scores needs numbers, and a label is none ({error}): leave it out"
        ) from None
