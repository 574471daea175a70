"""Which classes a question can have: words that a sentence may hold (Conneau 2018, section 3;
Krasnowska 2019, section 3.1), and depths of trees that can be told apart with length held equal,
neighbouring ones that share enough lengths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from lingprobe.data.vectors import Ints
from lingprobe.tasks.shards import StringLists

_SPARE = 1.25  # words that are looked at for each that is kept
MIN_WORD_SENTENCES = 12  # usable sentences of a word
# occurrences of a word that is tried, since many of its sentences hold another target as well
_FREQUENT = 2 * MIN_WORD_SENTENCES


class FrequencyRanks(NamedTuple):
    """Which words of a large corpus are classes: how many of the most frequent are discarded, how
    many of the next are kept, and the characters that these have at least.
    """

    discarded: int
    kept: int
    shortest: int = 1


# section 3.1; section 2 and the README
_KRASNOWSKA, CONNEAU_FREQUENCY_RANKS = FrequencyRanks(2000, 750), FrequencyRanks(2000, 1000, 4)


class TargetWordCodes(NamedTuple):
    """The words that are classes, the number of the only one that each sentence holds, [sentences],
    -1 for none or several, and how they were chosen.
    """

    words: list[str]
    codes: Ints
    notes: dict[str, int]


class TargetWords(NamedTuple):
    """Words that may be classes, by rank, with some more to stand in for them; those that are too
    frequent; the ranks that they have.
    """

    words: list[str]
    frequent: list[str]
    notes: dict[str, int]


def choose_target_words(
    forms: Mapping[str, int],
    ranks: FrequencyRanks = _KRASNOWSKA,
    corpus: Mapping[str, int] | None = None,
) -> TargetWords:
    """The mid-frequency words of a corpus, in lower case.

    A corpus ranks them by its frequencies, lower-cased, in place of their own. Where too few words
    occur often enough to be tried, both of the paper's ranks shrink in proportion.
    """
    counts: dict[str, int] = {}
    for form, n in forms.items():
        low = form.lower()
        counts[low] = counts.get(low, 0) + n
    rank = counts if corpus is None else corpus
    frequent = [
        (-rank.get(word, 0), word)
        for word, n in counts.items()
        if n >= _FREQUENT and any(map(str.isalpha, word))
    ]
    ranked = [word for _, word in sorted(frequent)]
    first = ranks.discarded
    fit = [word for word in ranked[first:] if len(word) >= ranks.shortest]
    if len(fit) < ranks.kept:
        first = round(
            min(len(ranked), ranks.discarded + ranks.kept)
            * ranks.discarded
            / (ranks.discarded + ranks.kept)
        )
        fit = [word for word in ranked[first:] if len(word) >= ranks.shortest]
    notes = {
        f"words that occur {_FREQUENT} times": len(ranked),
        "ranks discarded": first,
        "words tried": min(len(fit), ranks.kept),
    }
    return TargetWords(fit[: round(_SPARE * ranks.kept)], ranked[:first], notes)


def assign_target_words(
    words: Iterable[StringLists],
    forms: Mapping[str, int],
    ranks: FrequencyRanks = _KRASNOWSKA,
    corpus: Mapping[str, int] | None = None,
) -> TargetWordCodes:
    """Sentences with exactly one target word, once; words with fewer than twelve give way to the
    next, one round after another.

    words are those of the sentences, forms their counts; a corpus gives the frequencies where they
    do not.
    """
    tried, _, notes = choose_target_words(forms, ranks, corpus)
    sentences, hits, many = _hits(words, {word: i for i, word in enumerate(tried)})
    chosen, spare = np.arange(len(tried)) < ranks.kept, list(range(ranks.kept, len(tried)))
    while True:
        kept = chosen[hits]
        single = kept & (np.bincount(sentences[kept], minlength=many)[sentences] == 1)
        usable = np.bincount(hits[single], minlength=len(tried))
        rare = np.flatnonzero(chosen & (usable < MIN_WORD_SENTENCES))
        if not len(rare):
            break
        chosen[rare] = False
        chosen[spare[: len(rare)]] = True
        spare = spare[len(rare) :]
    classes = sorted(tried[i] for i in np.flatnonzero(chosen))
    place = {word: i for i, word in enumerate(classes)}
    numbers = np.array([place.get(word, -1) for word in tried], np.int64)
    codes = np.full(many, -1)
    codes[sentences[single]] = numbers[hits[single]]
    return TargetWordCodes(classes, codes, {**notes, "classes": len(classes)})


def _hits(words: Iterable[StringLists], tried: Mapping[str, int]) -> tuple[Ints, Ints, int]:
    """Where sentences hold one of some words, ignoring case: the sentence, and the word's number;
    and how many sentences there are.
    """
    found: list[tuple[Ints, Ints]] = []
    many = 0
    for lists in words:
        codes = np.array([tried.get(name.lower(), -1) for name in lists.names], np.int64)
        hits = codes[lists.codes]
        at = np.flatnonzero(hits >= 0)
        of = np.searchsorted(lists.starts, at, "right") - 1 + many
        found.append((of.astype(np.int64), hits[at]))
        many += len(lists.starts) - 1
    sentences, hits = map(np.concatenate, zip(*found, strict=True))
    return sentences, hits, many


_MOST, _FEWEST = 8, 4  # classes: Conneau et al. 2018 have eight (their README)
_ENOUGH = 400  # sentences a class that find one of their length in every other class


def cross_tabulate(depths: Ints, lengths: Ints) -> Counter[tuple[int, int]]:
    """How many sentences there are by (depth, length); without those of depth 0, which have no
    tree.
    """
    wide = int(lengths.max(initial=0)) + 1
    cells, many = np.unique(depths[depths > 0] * wide + lengths[depths > 0], return_counts=True)
    pairs = (divmod(cell, wide) for cell in cells.tolist())
    return Counter(dict(zip(pairs, many.tolist(), strict=True)))


def find_comparable_depths(counts: Counter[tuple[int, int]]) -> range:
    """The range of depths, the widest that leaves enough sentences a class where every depth has
    the same number of sentences of each length; `counts` are by (depth, length).

    Of runs as wide, that which leaves most; four depths where no run leaves enough; none where all
    trees are one word deep.
    """
    deepest = max((depth for depth, _ in counts), default=2)
    best = range(2, deepest + 1)
    for width in range(min(_MOST, deepest - 1), _FEWEST - 1, -1):
        runs = [range(first, first + width) for first in range(2, deepest - width + 2)]
        best = max(runs, key=lambda run: sentences_per_class(counts, run))
        if sentences_per_class(counts, best) >= _ENOUGH:
            break
    return best


def sentences_per_class(counts: Counter[tuple[int, int]], run: range) -> int:
    """How many sentences a class there are, when every length is equally frequent in all classes of
    a run.
    """
    longest = max((length for _, length in counts), default=0)
    return sum(min(counts[depth, length] for depth in run) for length in range(longest + 1))


def explain_excluded_depth(run: range) -> str:
    """Why a sentence is excluded: its depth is outside the range."""
    return f"depth below {run[0]} or above {run[-1]}" if run else "a tree of one word"
