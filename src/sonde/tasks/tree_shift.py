"""BShift: are two neighbouring words of the sentence swapped (Conneau et al. 2018, section 2; SentEval's README)?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from sonde.core import Sentence
from sonde.sampling import Candidate
from sonde.sources.rendering import clitic, mark, told
from sonde.tasks.tree_altered import altered, quoted


def places(words: Sequence[str]) -> list[int]:
    """Where a word can change places with the next: neither is the first word, a mark or a clitic, nor are they the same.

    A clitic after them would be written onto another word (the dog's -> dog the's), so that spelling would tell; those are out as well.
    """
    free = [not (mark(word) or clitic(word)) for word in words]
    after = [*map(clitic, words[1:]), False]
    return [
        i for i in range(1, len(words) - 1) if free[i] and free[i + 1] and not after[i + 1] and words[i].lower() != words[i + 1].lower()
    ]


def swapped(words: Sequence[str], i: int) -> tuple[str, ...]:
    """The words, the i-th and the next one having changed places."""
    return (*words[:i], words[i + 1], words[i], *words[i + 2 :])


def shifts(sentences: Sequence[Sentence], splits: Sequence[str], seed: int) -> tuple[list[Candidate], Counter[str]]:
    """Candidates from distinct sentences, half with two words swapped (I), half as they were (O); and why others were left out."""
    rng = np.random.default_rng([seed, 21])
    out: Counter[str] = Counter()
    rows, where = [], []
    for row, sentence in enumerate(sentences):
        words = sentence.words
        if quoted(words):
            out["double quotes"] += 1
        elif found := places(words):
            rows.append(row)
            where.append(found[rng.integers(len(found))])
        else:
            out["no two words to swap"] += 1
    change = altered(rows, rng)
    candidates = []
    for row, i, changed in zip(rows, where, change, strict=True):
        words = sentences[row].words
        candidates.append(Candidate(told(swapped(words, i) if changed else words), "I" if changed else "O", "", splits[row]))
    return candidates, out
