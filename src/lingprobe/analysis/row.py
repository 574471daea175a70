"""Words and limits that rows of scores share, whatever table they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lingprobe.data.oracles import Kind

ROLE_ORDER: Sequence[Kind] = ("baseline", "trained", "oracle")
"""How rows stand in a table: what is trivial, what is judged, what is possible."""
PERCENT_SCALE = 100.0
_PASSED = 95.0  # of a hundred, from which on an oracle, or a baseline, passes its task
_LEFT = 0.1  # of the errors of the constant answer: what it may leave where one class is rare
NO_CONTROL = "none"
# what stands in place of an encoder where every example gets the same answer
CONSTANT_ENCODER = "(constant)"


def said_of(read: str) -> str:
    """What was read, as it follows the name of an encoder: `, layer 3`, `, mix`; '' where there is
    nothing to choose.
    """
    return "" if read == "-" else f", layer {read}" if read.isdecimal() else f", {read}"


def passes_task(row: Any) -> bool:
    """Whether a score is 95 or more, as the oracle's should be; that of a constant answer does not
    count, however rare all other classes are.
    """
    return bool(row.score >= max(_PASSED, PERCENT_SCALE - _LEFT * (PERCENT_SCALE - row.majority)))


def place_among(row: Any) -> int:
    """Where a row stands among those of its task: baselines first, oracles last."""
    return ROLE_ORDER.index(row.kind)
