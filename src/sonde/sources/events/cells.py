"""All sentences of one shape, numbered: boxes in a row, and within a box a number in mixed radix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from sonde.sources.events.boxes import Box, members, radices, size
from sonde.sources.events.language import Numbers
from sonde.sources.events.shapes import Placed

EXACT = 1 << 62  # up to here numbers of sentences are int64, above they are Python's
NEVER = np.iinfo(np.int64).max

Values = Mapping[str, Numbers]
"""The values of some sentences of one shape: [n] for each variable."""


@dataclass(frozen=True)
class Cell:
    """The sentences of a shape that a request admits, as disjoint boxes.

    rivals   variables that may not have the same value, by kind: no sentence has a noun, verb or adjective twice
    """

    placed: Placed
    boxes: tuple[Box, ...]
    rivals: tuple[tuple[str, ...], ...]

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The variables in the order of the digits."""
        return tuple(v.path for v in self.placed.variables)

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first sentence of each box, and how many there are in all."""
        return [0, *accumulate(size(box, self.order, self.rivals) for box in self.boxes)]

    @property
    def size(self) -> int:
        """How many sentences there are, exactly."""
        return self.starts[-1]

    @cached_property
    def _tables(self) -> tuple[Numbers, Numbers, Numbers]:
        """The radices and the places of the sets [boxes, variables], and the members of all sets in a row."""
        masks = list(dict.fromkeys(box[path] for box in self.boxes for path in self.order))
        rows = [members(mask) for mask in masks]
        place = dict(zip(masks, accumulate((len(row) for row in rows), initial=0), strict=False))
        wide = np.array([radices(box, self.order, self.rivals) for box in self.boxes], np.int64)
        where = np.array([[place[box[path]] for path in self.order] for box in self.boxes], np.int64)
        return wide, where, np.array([m for row in rows for m in row], np.int64)

    def values(self, numbers: Sequence[int] | Numbers) -> dict[str, Numbers]:
        """The values of the sentences with some numbers, below `size`; constant time each."""
        kind = np.int64 if self.size < EXACT else object
        rest = np.array(numbers, kind)
        starts = np.array(self.starts[:-1], kind)
        boxes = np.searchsorted(starts, rest, side="right") - 1
        rest -= starts[boxes]
        wide, where, flat = self._tables
        digits = []
        for k in range(len(self.order)):
            radix = wide[boxes, k]
            digits.append((rest % radix).astype(np.int64))
            rest //= radix
        self._settle(digits, where, boxes)
        return {path: flat[where[boxes, k] + digits[k]] for k, path in enumerate(self.order)}

    def _settle(self, digits: list[Numbers], where: Numbers, boxes: Numbers) -> None:
        """Turn digits of rivals, which count what is left, into places in their sets."""
        at = {path: k for k, path in enumerate(self.order)}
        for group in self.rivals:
            for i, path in enumerate(group):
                if not i:
                    continue
                k = at[path]
                shares = [where[boxes, at[p]] == where[boxes, k] for p in group[:i]]
                taken = np.sort(np.stack([np.where(s, digits[at[p]], NEVER) for s, p in zip(shares, group, strict=False)]), axis=0)
                for earlier in taken:
                    digits[k] += digits[k] >= earlier


def rivals(placed: Placed) -> tuple[tuple[str, ...], ...]:
    """Variables that may not have the same value: all nouns, all verbs, all adjectives of a sentence."""
    groups = (tuple(v.path for v in placed.variables if v.kind == kind) for kind in ("noun", "verb", "adjective"))
    return tuple(group for group in groups if len(group) > 1)
