"""BShift: are two neighbouring words of the sentence swapped (Conneau et al. 2018, section 2;
SentEval's README)?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from sonde.core import Sentence
from sonde.corpora.rendering import HYPHEN, joined, mark, told
from sonde.datasets import Candidate
from sonde.tasks.tree.altered import Altered, altered, quoted, source

T = TypeVar("T")


def places(words: Sequence[str], tags: Sequence[str] = (), literal: bool = False) -> list[int]:
    """Where a word can change places with the next: neither is the first word or a mark, and if
    `literal` that is all.

    Otherwise they are not the same, nor is either part of one word with a neighbour (did n't, the
    dog 's, wild - type): written onto another, as in *the's dog*, its spelling would tell.
    """
    marks = list(map(mark, words))
    if literal:
        return [i for i in range(1, len(words) - 1) if not (marks[i] or marks[i + 1])]
    tied = [
        joined(first, second) or HYPHEN in tags[i : i + 2]
        for i, (first, second) in enumerate(pairwise(words))
    ]
    return [
        i
        for i in range(1, len(words) - 1)
        if not (marks[i] or marks[i + 1] or any(tied[i - 1 : i + 2]))
        and words[i].lower() != words[i + 1].lower()
    ]


def swapped(words: Sequence[T], i: int) -> tuple[T, ...]:
    """The words, the i-th and the next one having changed places."""
    return (*words[:i], words[i + 1], words[i], *words[i + 2 :])


def shifts(
    columns: tuple[Sequence[Sentence], Sequence[tuple[str, ...]], Sequence[str]],
    seed: int,
    sources: Sequence[str] = (),
    literal: bool = False,
) -> tuple[list[Altered], Counter[str]]:
    """Candidates from distinct sentences, tags (empty for text without) and splits, and why others
    were left out.

    Half of them have two words swapped (I), half are as they were (O). `literal` is as of `places`,
    and takes the words of another sentence in another order as well.
    """
    sentences, tags, splits = columns
    rng = np.random.default_rng([seed, 21])
    out: Counter[str] = Counter()
    rows, where = [], []
    orders: set[int] = set()
    for row, sentence in enumerate(sentences):
        words = sentence.words
        bag = hash(" ".join(sorted(map(str.lower, words))))
        if bag in orders and not literal:
            # swapping could make one of the other
            out["the words of another sentence in another order"] += 1
            continue
        orders.add(bag)
        if quoted(words):
            out["double quotes"] += 1
        elif pairs := places(words, tags[row], literal):
            rows.append(row)
            where.append(pairs[rng.integers(len(pairs))])
        else:
            out["no two words to swap"] += 1
    change = altered(rows, rng)
    alterations: list[Altered] = []
    for row, i, changed in zip(rows, where, change, strict=True):
        words = sentences[row].words
        order = swapped(range(len(words)), i) if changed else range(len(words))
        new = told([words[k] for k in order], tags[row])
        alterations.append(
            Altered(
                Candidate(new, "I" if changed else "O", "", splits[row], source(sources, row)),
                order,
            )
        )
    return alterations, out
