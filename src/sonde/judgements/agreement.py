"""What several people say together: the majority, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence


def majority(votes: Sequence[str]) -> tuple[str, ...]:
    """The answers with the most votes: one, or several where they tie."""
    counts = Counter(votes)
    most = max(counts.values())
    return tuple(answer for answer, n in counts.items() if n == most)


def alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Krippendorff's alpha for nominal data (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability", part C).

    `units` holds the votes on each sentence; those with one vote alone count for nothing. None
    where nothing was judged twice, 1 where all votes are the same.
    """
    paired = [Counter(votes) for votes in units if len(votes) > 1]
    if not paired:
        return None
    totals: Counter[str] = sum(paired, Counter())
    n = totals.total()
    observed = sum(
        (c.total() ** 2 - sum(k * k for k in c.values())) / (c.total() - 1) for c in paired
    )
    expected = (n * n - sum(k * k for k in totals.values())) / (n - 1)
    return 1.0 if expected == 0 else 1 - observed / expected
