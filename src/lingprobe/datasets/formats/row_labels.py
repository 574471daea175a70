"""What cells of a table say: names of classes, their numbers, other numbers, weights and splits."""

from __future__ import annotations

import math
import string
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from sys import intern
from typing import Any

from lingprobe.data.labels import Label
from lingprobe.datasets.formats.absent_labels import ABSENT_CLASS_NUMBERS
from lingprobe.datasets.formats.folders import SPLIT_NAMES
from lingprobe.datasets.formats.row_spans import BadRow

BLANK_CHARACTERS = (
    string.whitespace
    + "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    + "".join(map(chr, (*range(0x2000, 0x2010), 0x2060, 0xFEFF)))
)
"""White space, and marks without width."""
TRUE_CELLS = frozenset(("1", "1.0", "True", "true"))
FALSE_CELLS = frozenset(("0", "0.0", "False", "false"))
"""What says of a class in a column of its own that it holds, and that it does not."""


class NoLabel(BadRow):
    """A row that has no label.

    secret  whether the metadata say so, as of test sets whose labels are not published
    """

    secret = False


def _withhold(message: str) -> NoLabel:
    withheld = NoLabel(message)
    withheld.secret = True
    return withheld


def _read_number_of_class(cell: Any, names: Sequence[str], column: str) -> str:
    """The class of that number, of those that the metadata name."""
    if cell is None:
        raise NoLabel(f"there is no label in column {column!r}")
    if not isinstance(cell, int):
        raise BadRow(f"label {str(cell)[:40]!r} is not a number of a class")
    if cell in ABSENT_CLASS_NUMBERS:
        raise _withhold(f"label {cell} means no label, as in a hidden test set")
    if not 0 <= cell < len(names):
        raise BadRow(
            f"label {cell!r} is not a number of the {len(names)} classes that the metadata name"
        )
    return names[cell]


def read_class(cell: Any, names: Sequence[str], column: str) -> str:
    """The class that a cell names, or numbers."""
    if names:
        return _read_number_of_class(cell, names, column)
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int):
        return str(cell)
    if not isinstance(cell, str):
        raise BadRow(f"label {cell!r} is not a name")
    name = normalize_text(cell)
    if not name:
        raise NoLabel(f"there is no label in column {column!r}")
    if "\0" in cell:
        raise BadRow(f"the label in column {column!r} has a NUL in it")
    return intern(name)


def normalize_text(text: str) -> str:
    """Text without white space and what has no width at its ends, and with accents in one way, so
    that what looks the same is the same.
    """
    if text.isascii():
        return text.strip()
    return unicodedata.normalize("NFC", text).strip(BLANK_CHARACTERS)


def read_set(cells: Sequence[Any], names: Sequence[str], column: str) -> frozenset[str]:
    """The classes that a list names, each once: a list of zeros and ones, one for each class, is no
    list of names.
    """
    classes = [read_class(cell, names, column) for cell in cells]
    if twice := next((name for name in classes if classes.count(name) > 1), ""):
        raise BadRow(f"label {twice!r} occurs twice in a list of the classes that apply")
    return frozenset(classes)


def read_flags(cells: Mapping[str, Any], names: Sequence[str]) -> frozenset[str]:
    """The headings of those columns of zeros and ones that have a one."""
    flags = {name: str(cells.get(name)).strip() for name in names}
    if any(cells.get(name) is None or flag in ("", "-1") for name, flag in flags.items()):
        raise NoLabel(f"there is no label in column {names[0]!r}")
    if odd := next((name for name in names if flags[name] not in TRUE_CELLS | FALSE_CELLS), ""):
        raise BadRow(f"column {odd!r} has {flags[odd][:40]!r}, which is neither 0 nor 1")
    return frozenset(name for name in names if flags[name] in TRUE_CELLS)


def read_weight(cell: Any, column: str) -> float:
    """The weight of a label, from 0 to 1."""
    weight = read_number(cell, column)
    if not 0 <= weight <= 1:
        raise BadRow(f"the weight {cell!r} of a label is not between 0 and 1")
    return weight


def read_number(cell: Any, column: str) -> float:
    """The number that a cell has."""
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN is how some tools say that there is none
        raise NoLabel(f"there is no label in column {column!r}")
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
        raise BadRow(f"label {str(cell)[:40]!r} is neither a name nor a number")
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadRow(f"{str(cell)[:40]} is too large a number")
    if isinstance(cell, int) and int(number) != cell:
        raise BadRow(f"{cell} is too large a number to be exact; write it as text")
    return number


def as_numbers(labels: list[Label]) -> list[Label]:
    """The same labels as numbers, where the text of each is one."""
    numbers: list[Label] = []
    for label in labels:
        number = as_number(label) if isinstance(label, str) else None
        if number is None:
            return labels
        numbers.append(number)
    return numbers


def as_number(text: str) -> float | None:
    """The number that a text is; None if it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    rounded = text.strip("+- ").isdecimal() and int(number) != int(text)
    return None if rounded else number


def split_of_cell(cell: Any) -> str:
    """The split that a cell names, by any of its usual names; BadRow where it names none."""
    name = str(cell).strip().casefold()
    if name not in SPLIT_NAMES:
        raise BadRow(f"split {cell!r} is not one of train, validation, test")
    return SPLIT_NAMES[name]
