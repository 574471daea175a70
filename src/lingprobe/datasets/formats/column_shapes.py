"""What the cells of a column look like, where its heading says nothing: texts, labels that recur,
zeros and ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

from lingprobe.datasets.formats.conversations import is_conversation
from lingprobe.datasets.formats.row_labels import FALSE_CELLS, TRUE_CELLS, as_number
from lingprobe.datasets.formats.usual_columns import Columns, is_usual

MIN_HEADING_ROWS = 10  # below which nobody can tell a heading from a label
_TEXT_WORDS = 3.0  # at least, in the mean of a column of texts
_LABEL_WORDS = 6.0  # at most, in the mean of a column of labels
_DIGITS = 0.25  # of the characters, at most, in a column of texts
_ALIKE = 2.5  # times as long, beyond which two texts are no pair
_DECIMAL = re.compile(r"-?\d+\.\d+")


@dataclass(frozen=True)
class ColumnShape:
    """The cells of a column."""

    cells: Sequence[Any]

    @cached_property
    def _plain(self) -> list[str]:
        """The cells as text, '' where there are none."""
        return ["" if cell is None else str(cell).strip() for cell in self.cells]

    @cached_property
    def words(self) -> float:
        """How many words a cell has in the mean."""
        return sum(len(cell.split()) for cell in self._plain) / max(len(self._plain), 1)

    @cached_property
    def distinct(self) -> int:
        """How many different cells there are."""
        return len(set(self._plain))

    @cached_property
    def is_text(self) -> bool:
        """Whether its cells are sentences: several words each, hardly ever the same."""
        some = [cell for cell in self.cells if cell]
        if some and all(map(is_conversation, some)):
            return True
        if not all(isinstance(cell, str) for cell in some):
            return False
        letters = "".join(some)
        if sum(map(str.isdigit, letters)) > _DIGITS * len(letters):
            return False
        return self.words >= _TEXT_WORDS and 2 * self.distinct > len(self.cells)

    @property
    def recurs(self) -> bool:
        """Whether its cells are short and come again and again, and none is empty."""
        is_full = len(self.cells) >= MIN_HEADING_ROWS and all(self._plain)
        return is_full and 1 < self.distinct <= len(self.cells) / 2 and self.words <= _LABEL_WORDS

    @property
    def is_filler(self) -> bool:
        """Whether its cells are all the same, mostly empty, or a name each."""
        empty = self._plain.count("")
        is_name = self.words <= 1 and 2 * self.distinct > len(self.cells)
        return self.distinct == 1 or 2 * empty > len(self.cells) or is_name

    @property
    def is_flag(self) -> bool:
        """Whether its cells are 0 and 1, or false and true, and both are there."""
        there = set(self._plain)
        return (
            bool(there & TRUE_CELLS)
            and bool(there & FALSE_CELLS)
            and there <= TRUE_CELLS | FALSE_CELLS
        )

    @property
    def is_never(self) -> bool:
        """Whether all its cells are 0, or false, as those of a rare class may be."""
        return bool(self.cells) and set(self._plain) <= FALSE_CELLS

    @property
    def is_truth(self) -> bool:
        """Whether its first cell is a truth value, not a number."""
        return self._plain[:1] in (["True"], ["False"], ["true"], ["false"])

    @property
    def is_nested(self) -> bool:
        """Whether its cells are lists or objects that are no texts."""
        has_inner = any(isinstance(cell, list | dict) for cell in self.cells)
        return has_inner and not self.may_be_text

    @property
    def may_be_text(self) -> bool:
        """Whether its cells are texts, words or conversations, and not numbers or other lists."""
        return all(
            isinstance(cell, str | None)
            or is_conversation(cell)
            or (isinstance(cell, list) and all(isinstance(word, str) for word in cell))
            for cell in self.cells
        )

    @property
    def is_decimal(self) -> bool:
        """Whether its cells are numbers with a point."""
        return all(map(_DECIMAL.fullmatch, self._plain))


@dataclass(frozen=True)
class TableHead:
    """The first rows of a table."""

    rows: Sequence[Mapping[str, Any]] = ()
    _known: dict[str, ColumnShape] = field(default_factory=dict)

    def shape(self, name: str) -> ColumnShape:
        """The cells of a column."""
        if name not in self._known:
            self._known[name] = ColumnShape([row.get(name) for row in self.rows])
        return self._known[name]

    def find_texts(self, names: Sequence[str]) -> list[str]:
        """The columns that seem texts; of several the two longest that are alike in length, or
        the longest.
        """
        texts = [name for name in names if self.shape(name).is_text]
        if len(texts) < 2:
            return texts
        longest = sorted(texts, key=lambda name: -self.shape(name).words)[:2]
        first, second = (self.shape(name).words for name in longest)
        kept = longest if first <= _ALIKE * second else longest[:1]
        return [name for name in texts if name in kept]

    def find_labels(self, names: Sequence[str]) -> list[str]:
        """The columns that seem labels, decimals first, then those with the fewest classes."""
        labels = [name for name in names if self.shape(name).recurs]
        return sorted(
            labels, key=lambda name: (not self.shape(name).is_decimal, self.shape(name).distinct)
        )

    def find_flags(self, names: Sequence[str]) -> list[str]:
        """The columns of zeros and ones; where others hold truth values, those that are more.
        Among several, and beside them, columns of zeros are classes that the first rows have not.
        """
        flags = [name for name in names if self.rows and self.shape(name).is_flag]
        truths = [name for name in flags if self.shape(name).is_truth]
        numbers = [name for name in flags if name not in truths]
        kept = truths if len(truths) > len(numbers) else numbers
        if len(kept) < 2:
            return kept
        are_truths = kept is truths
        runs = groupby(names, lambda name: name in kept or self._is_rare(name, are_truths))
        found = [[*run] for is_one, run in runs if is_one]
        return [name for run in found if not set(kept).isdisjoint(run) for name in run]

    def _is_rare(self, name: str, are_truths: bool) -> bool:
        """Whether a column may be that of a class which none of the rows has."""
        shape = self.shape(name)
        return shape.is_never and shape.is_truth == are_truths

    def propose(self, names: Sequence[str], columns: Mapping[str, str]) -> str:
        """The options that name the columns of text and label, of which some are known; ''."""
        texts = [columns[option] for option in ("text", "text2") if option in columns]
        texts = texts or self.find_texts(names)
        rest = [name for name in names if name not in texts]
        label = columns.get("label") or next(iter(self.find_labels(rest)), "")
        if not texts or not label:
            return ""
        named = {**dict(zip(("text", "text2"), texts, strict=False)), "label": label}
        return ",".join(f"{k}={name}" for k, name in named.items() if columns.get(k) != name)


def guess_columns(rows: Sequence[Sequence[Any]], names: Sequence[str], columns: Columns) -> Columns:
    """Without headings, the label is the column whose values recur: which columns are the text and
    the label, where no name says it; of several one has to be the only text, one the only label.
    """
    whole = [row for row in rows if len(row) == len(names)]
    if any(map(is_usual, names)) or columns.as_asked() or len(whole) < MIN_HEADING_ROWS:
        return Columns()
    cells = list(zip(*whole, strict=True))
    numbers = [str(place) for place in range(1, len(names) + 1)]
    if len(names) == 2:
        one, other = (len(set(map(str, column))) for column in cells)
        if one == other or 2 * min(one, other) > len(whole):
            return Columns()
        text, label = numbers if other < one else reversed(numbers)
    else:
        shapes = dict(zip(numbers, map(ColumnShape, cells), strict=True))
        texts = [n for n in numbers if shapes[n].is_text]
        labels = [n for n in numbers if shapes[n].recurs]
        rest = [shapes[n] for n in numbers if n not in (*texts, *labels)]
        if len(texts) != 1 or len(labels) != 1 or not all(each.is_filler for each in rest):
            return Columns()
        (text,), (label,) = texts, labels
    by_name = dict(zip(numbers, names, strict=True))
    chosen = [by_name[n] if names.count(by_name[n]) == 1 else n for n in (text, label)]
    return Columns(text=chosen[0], label=chosen[1])


def find_names_of_numbers(head: TableHead, label: str, others: Sequence[str]) -> str:
    """The column that has one name for each number of the label's, and no other the same; ''."""
    numbers = [str(cell) for cell in head.shape(label).cells]
    different = len(set(numbers))
    for name in others:
        shape = head.shape(name)
        is_named = all(isinstance(c, str) and c and as_number(c) is None for c in shape.cells)
        pairs = set(zip(numbers, shape.cells, strict=True)) if is_named else set()
        if len(pairs) == different == shape.distinct and 2 * different <= len(numbers):
            return name
    return ""
