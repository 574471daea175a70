"""Which of several scores are told apart, in letters: a compact letter display (Piepho 2004,
Journal of Computational and Graphical Statistics 13:456).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from string import ascii_lowercase


def assign_letters(
    names: Sequence[str], distinct_pairs: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """The letters of each name: scores that share one do not differ significantly, and no others
    do; `a` begins with the first name.
    """
    groups = [frozenset(names)]
    for pair in distinct_pairs:
        split = [group - {name} for group in groups if group.issuperset(pair) for name in pair]
        whole = [group for group in groups if not group.issuperset(pair)]
        groups = _maximal_groups([*whole, *split])
    place = {name: i for i, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    signs = dict(zip(groups, _list_letters(len(groups)), strict=True))
    return {name: "".join(s for g, s in signs.items() if name in g) for name in names}


def _maximal_groups(groups: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """The groups that are not part of another."""
    distinct = list(dict.fromkeys(groups))
    return [one for one in distinct if not any(one < other for other in distinct)]


def _list_letters(many: int) -> list[str]:
    """So many letters: a to z, then a1 to z1, and so on."""
    every = (letter + (str(k) if k else "") for k in count() for letter in ascii_lowercase)
    return [next(every) for _ in range(many)]
