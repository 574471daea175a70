"""Which depths of trees can be told apart with length held equal: neighbouring ones that share
enough lengths.
"""

from __future__ import annotations

from collections import Counter

MOST, FEWEST = 8, 4  # classes: Conneau et al. 2018 have eight (their README)
ENOUGH = 400  # sentences a class that find one of their length in every other class


def comparable(counts: Counter[tuple[int, int]]) -> range:
    """The widest run of depths that leaves enough sentences a class; `counts` are by (depth,
    length).

    Of runs as wide, that which leaves most; four depths where no run leaves enough; none where all
    trees are one word deep.
    """
    deepest = max((depth for depth, _ in counts), default=2)
    best = range(2, deepest + 1)
    for width in range(min(MOST, deepest - 1), FEWEST - 1, -1):
        runs = [range(first, first + width) for first in range(2, deepest - width + 2)]
        best = max(runs, key=lambda run: shared(counts, run))
        if shared(counts, best) >= ENOUGH:
            break
    return best


def shared(counts: Counter[tuple[int, int]], run: range) -> int:
    """How many sentences a class there are, when every length is equally frequent in all classes of
    a run.
    """
    longest = max((length for _, length in counts), default=0)
    return sum(min(counts[depth, length] for depth in run) for length in range(longest + 1))


def outside(run: range) -> str:
    """Why a sentence is left out whose depth is outside a run."""
    return f"depth below {run[0]} or above {run[-1]}" if run else "a tree of one word"
