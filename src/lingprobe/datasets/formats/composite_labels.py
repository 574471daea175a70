"""Labels that are several in one cell: lists written as text, zeros and ones, names with a mark
between; and numbers with decimal commas, which look like them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lingprobe.data.labels import Column, Label, build_column
from lingprobe.datasets.formats.row_labels import FALSE_CELLS, TRUE_CELLS, as_number

_ITEM = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d*)?|True|False))\s*(?:,\s*|(?=\s)|$)"""
)
_WITH_COMMA = re.compile(r"\s*-?\d+(?:\s*,\s*\d+)+\s*")
_TWO_NUMBERS = re.compile(r"-?\d+,\d+")
_MARKS = ",;|"
_OF_A_THOUSAND = 3  # digits behind its comma
_ENDS = {"[": "]", "(": ")", "{": "}"}
FLAGS_REMARK = "its labels, lists of zeros and ones, were read as the numbers of the ones, from 0"


class CompositeReading(NamedTuple):
    """How composite labels are read: the column, what is said of it, and what is asked."""

    labels: Column | None = None
    remark: str = ""
    question: str = ""


def parse_list(text: str) -> list[str] | None:
    """The items of a list of strings or numbers that is written as text, as Python, NumPy or JSON
    writes it; None where it is none.
    """
    text = text.strip()
    if len(text) < 2 or _ENDS.get(text[0]) != text[-1]:
        return None
    body, items, place = text[1:-1].strip(), [], 0
    while place < len(body):
        found = _ITEM.match(body, place)
        if found is None:
            return None
        single, double, bare = found.groups()
        item = bare if bare is not None else double if single is None else single
        items.append(re.sub(r"\\(.)", r"\1", item))
        place = found.end()
    return items


def are_named_flags(cells: Sequence[Any]) -> bool:
    """Whether objects have a zero or a one for each of the same classes."""
    objects = [cell for cell in cells if isinstance(cell, dict)]
    if not objects or len(objects) < len(cells) or len(objects[0]) < 2:
        return False
    flags = {str(flag) for each in objects for flag in each.values()}
    return flags <= TRUE_CELLS | FALSE_CELLS and len({tuple(sorted(each)) for each in objects}) == 1


def are_flags(lists: Sequence[Sequence[Any]]) -> bool:
    """Whether lists have a zero or a one for each class: they are equally long, and one has the
    same twice, which no list of names has.
    """
    if len({len(each) for each in lists}) != 1 or len(lists[0]) < 2:
        return False
    texts = [[str(item) for item in each] for each in lists]
    return all(
        item in TRUE_CELLS or item in FALSE_CELLS for each in texts for item in each
    ) and any(len(set(each)) < len(each) for each in texts)


def name_flags(flags: Sequence[Any], names: Sequence[str] = ()) -> frozenset[str]:
    """The classes that hold, by name or by number from 0."""
    called = names if len(names) == len(flags) else [str(i) for i in range(len(flags))]
    return frozenset(
        name for name, flag in zip(called, flags, strict=True) if str(flag) in TRUE_CELLS
    )


def read_composite(labels: Column, mark: str) -> CompositeReading:
    """The labels of classes that are written as several in one, or as numbers with commas.

    mark  what parts the cells of the file
    """
    names = labels.names
    lists = [parse_list(name) for name in names]
    if names and all(each is not None for each in lists):
        items = [each or [] for each in lists]
        if are_flags(items):
            return CompositeReading(_recode(labels, list(map(name_flags, items))), FLAGS_REMARK)
        remark = "its labels, lists written as text, were read as sets of classes"
        return CompositeReading(_recode(labels, list(map(frozenset, items))), remark)
    others = [name for name in names if as_number(name) is None]
    if others and all(map(_WITH_COMMA.fullmatch, others)):
        return _read_commas(labels, others, mark)
    return CompositeReading()


def read_sets(labels: Column) -> Column:
    """`labels=sets` divides cells at their commas, semicolons or bars: classes as the sets that
    their names list, as text in brackets, or with the mark between that most of them have.
    """
    mark = max(_MARKS, key=lambda each: sum(each in name for name in labels.names))
    return _recode(labels, [_split_at_mark(name, mark) for name in labels.names])


def read_decimals(labels: Column) -> Column:
    """Classes whose names are numbers, perhaps with decimal commas, as scores."""
    return _recode(labels, [float(name.replace(",", ".")) for name in labels.names])


def have_decimal_commas(names: Sequence[str]) -> bool:
    """Whether names are numbers, some of which have a decimal comma."""
    others = [name for name in names if as_number(name) is None]
    return bool(others) and all(map(_TWO_NUMBERS.fullmatch, others))


def find_lists(names: Sequence[str]) -> str:
    """A name that seems a list of others: one of its parts, at a mark, is a name as well; ''."""
    known = set(names)
    for name in names:
        for mark in _MARKS:
            parts = [part.strip() for part in name.split(mark)]
            if len(parts) > 1 and all(parts) and not known.isdisjoint(parts):
                return name
    return ""


def single_out(labels: Column) -> Column | None:
    """Sets of one label each as classes; None where some have none, or several."""
    if labels.classes is not None or labels.numbers is not None or not len(labels):
        return None
    sets = labels.sets()
    if sets.partial or (np.diff(sets.offsets) != 1).any() or (sets.weights != 1).any():
        return None
    return build_column([sets.names[i] for i in sets.ids])


def _split_at_mark(name: str, mark: str) -> frozenset[str]:
    listed = parse_list(name)
    parts = name.split(mark) if listed is None else listed
    return frozenset(part.strip() for part in parts if part.strip())


def _read_commas(labels: Column, others: Sequence[str], mark: str) -> CompositeReading:
    """Numbers with commas between, which are sets of classes, or decimals."""
    sets = CompositeReading(
        _recode(labels, [_split_at_mark(name, ",") for name in labels.names]),
        "its labels, numbers with commas between, were read as sets of classes;"
        " labels=scores reads decimals",
    )
    if not have_decimal_commas(labels.names):
        return sets
    decimals = CompositeReading(
        read_decimals(labels),
        "its labels have decimal commas and were read as scores; labels=sets reads sets of classes",
    )
    parts = [name.strip().split(",") for name in others]
    if mark != ";" and all(len(last) == _OF_A_THOUSAND for _, last in parts):
        return CompositeReading(
            question=f"labels with commas, as {others[0]!r}, may be decimals, thousands or several"
            " classes: write thousands without commas, or add labels=scores (decimals) or"
            " labels=sets to the task"
        )
    if mark == ";" or not all(map(_ascend, parts)):
        return decimals
    elsewhere = {name.strip() for name in labels.names} | {first for first, _ in parts}
    last = {part for _, part in parts}
    known = len(last & elsewhere)
    if not known:
        return decimals
    if len(last) > 1 and 2 * known >= len(last):
        return sets
    return CompositeReading(
        question=f"labels with commas, as {others[0]!r}, may be decimals or several classes: add"
        " labels=scores or labels=sets to the task"
    )


def _ascend(parts: Sequence[str]) -> bool:
    """Whether two numbers stand in order, as those of classes do, without zeros before them."""
    first, last = parts
    return int(first) < int(last) and str(int(last)) == last


def _recode(labels: Column, values: Sequence[Label]) -> Column:
    """The labels by what each of their names means."""
    assert labels.classes is not None
    return build_column([values[i] for i in labels.classes])
