"""Word content: which of some mid-frequency words a sentence holds (Conneau 2018, section 3; Krasnowska 2019, section 3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sonde.core import Sentence

DISCARDED, KEPT = 2000, 750  # the paper's ranks: the top 2000 words are discarded, the next 750 are the classes
LEAST = 12  # usable sentences of a word
FREQUENT = 2 * LEAST  # occurrences of a word that is tried, since many of its sentences hold another target as well


class Contents(NamedTuple):
    """The words that are classes, the sentences that hold exactly one of them, and how they were chosen."""

    words: list[str]
    rows: list[tuple[int, str]]
    notes: dict[str, int]


def targets(forms: Counter[str]) -> tuple[list[str], dict[str, int]]:
    """The mid-frequency words of a corpus, in lower case, and the ranks that they have.

    Where fewer than 2,750 words occur often enough to be tried, both of the paper's ranks shrink in proportion.
    """
    counts: dict[str, int] = {}
    for form, n in forms.items():
        low = form.lower()
        counts[low] = counts.get(low, 0) + n
    frequent = [(-n, word) for word, n in counts.items() if n >= FREQUENT and any(map(str.isalpha, word))]
    ranked = [word for _, word in sorted(frequent)]
    last = min(len(ranked), DISCARDED + KEPT)
    first = round(last * DISCARDED / (DISCARDED + KEPT))
    return ranked[first:last], {f"words that occur {FREQUENT} times": len(ranked), "ranks discarded": first, "words tried": last - first}


def contents(sentences: Sequence[Sentence], forms: Counter[str]) -> Contents:
    """Sentences with exactly one target word, once; words with fewer than twelve are given up, one round after another."""
    words, notes = targets(forms)
    chosen = set(words)
    known = {form: low for form in forms if (low := form.lower()) in chosen}
    without = known.keys().isdisjoint
    found = [(i, [known[w] for w in s.words if w in known]) for i, s in enumerate(sentences) if not without(s.words)]
    while True:
        rows = [(i, hits[0]) for i, hits in found if len(hits) == 1]
        usable = Counter(word for _, word in rows)
        rare = {word for word in chosen if usable[word] < LEAST}
        if not rare:
            return Contents(sorted(chosen), rows, {**notes, "classes": len(chosen)})
        chosen -= rare
        found = [(i, left) for i, hits in found if (left := [w for w in hits if w in chosen])]
