"""Labels that cells of a table say: names, numbers of named classes, and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from sys import intern
from typing import Any

from lingprobe.data.labels import Label
from lingprobe.datasets.formats.row_spans import BadRow


def read_class(cell: Any, names: Sequence[str], column: str) -> str:
    """The class that a cell names, or numbers."""
    if names:
        if cell is not None and not isinstance(cell, int):
            raise BadRow(f"label {str(cell)[:40]!r} is not a number of a class")
        if cell == -1:
            raise BadRow("label -1 says that there is none, as where those of test are kept secret")
        if cell is None or not 0 <= cell < len(names):
            raise BadRow(
                f"label {cell!r} is no number of the {len(names)} classes that the metadata name"
            )
        return names[cell]
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int):
        return str(cell)
    if not isinstance(cell, str):
        raise BadRow(f"label {cell!r} is not a name")
    if not cell.strip():
        raise BadRow(f"there is no label in column {column!r}")
    if "\0" in cell:
        raise BadRow(f"the label in column {column!r} has a NUL in it")
    return intern(cell.strip())


def read_number(cell: Any, column: str) -> float:
    """The number that a cell has."""
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN is how some tools say that there is none
        raise BadRow(f"there is no label in column {column!r}")
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
        raise BadRow(f"label {str(cell)[:40]!r} is neither a name nor a number")
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadRow(f"{str(cell)[:40]} is too large a number")
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
    return number if math.isfinite(number) else None
