"""Which of the tokens that count are pooled, by their places among them. Needs no torch."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem
from lingprobe.data.options import Help
from lingprobe.data.vectors import Ints

CountedPlaces = Annotated[
    str,
    Help(
        "which of the tokens that count are pooled, by place: 1-50 (the first 50), 51- (those"
        " behind), -10 (the last 10)"
    ),
]
_WRITTEN = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})?|-([1-9]\d{0,8})")


class PlaceRange(NamedTuple):
    """`places=1-50`, the first 50 tokens: from 0, the end behind the last; `-10`, the last 10:
    below 0; None is open.
    """

    start: int | None
    stop: int | None

    @classmethod
    def parse(cls, written: str) -> PlaceRange:
        """The range that is written; all places where nothing is. DataProblem for anything else."""
        if not written:
            return ALL_PLACES
        found = _WRITTEN.fullmatch(written)
        first, last, from_end = found.groups("0") if found else ("0", "0", "0")
        if not found or 0 < int(last) < int(first):
            raise DataProblem(
                f"places={written}: write which tokens, as 1-50 (the first 50), 51- (those behind)"
                " or -10 (the last 10)"
            )
        if int(from_end):
            return cls(-int(from_end), None)
        return cls(int(first) - 1, int(last) or None)

    def cut(self, tokens: Ints) -> Ints:
        """Those of some tokens that are in the range."""
        return tokens[self.start : self.stop]

    def restrict(self, counts: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The tokens [tokens] that count and are in the range."""
        if self == ALL_PLACES:
            return counts
        kept = np.zeros_like(counts)
        kept[self.cut(np.flatnonzero(counts))] = True
        return kept


ALL_PLACES = PlaceRange(None, None)
