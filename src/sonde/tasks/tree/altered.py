"""Altered sentences: two neighbouring words swapped (BShift), or two coordinated clauses in
inverted order (CoordInv; Conneau et al. 2018, section 2; SentEval's README), and what all tasks
that alter sentences share.

They are put to the distinct sentences of a corpus, each of which comes either as it was or
altered, never both; a random half of those that could be altered is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sonde.core import Sentence
from sonde.corpora.brackets import Tree
from sonde.corpora.frequencies import Frequencies
from sonde.corpora.rendering import HYPHEN, joined, mark, repaired, sentence_of
from sonde.datasets import Candidate
from sonde.datasets.candidates import NOTHING
from sonde.tasks.sources import stratum
from sonde.tasks.tree.clause import bare

QUOTES = frozenset(['"', "“", "”", "``", "''", "„", "«", "»"])
NAMES = ("NNP", "NNPS")


class Altered(NamedTuple):
    """A candidate, and the place that each of its words had in the sentence as it was written, from
    0; -1 for a word put in.
    """

    candidate: Candidate
    origins: Sequence[int]


def altered(rows: Sequence[int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which rows are altered: a random half, [rows]."""
    return rng.permutation(len(rows)) < len(rows) // 2


def quoted(words: Iterable[str]) -> bool:
    """Whether there are double quotes among the words."""
    return not QUOTES.isdisjoint(words)


def shouted(words: Sequence[str]) -> bool:
    """Whether most words of two letters or more are written in capitals, so that a first word's
    capital says nothing.
    """
    longer = [word for word in words if len(word) > 1 and word.isalpha()]
    return 2 * sum(map(str.isupper, longer)) > len(longer)


def is_name(word: str, tag: str, counts: Frequencies) -> bool:
    """Whether a first word keeps its capital elsewhere: names, `I`, capitals inside, and what a
    corpus mostly writes so.
    """
    return (
        tag in NAMES
        or word == "I"
        or word[1:] != word[1:].lower()
        or bool(counts.is_name(word))
        or mark(word)
    )


def source(sources: Sequence[str], row: int) -> Mapping[str, str]:
    """The stratum that says where a sentence comes from, nothing where that is not known."""
    return stratum(sources[row]) if sources else NOTHING


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
        new = sentence_of([words[k] for k in order], tags[row])
        alterations.append(
            Altered(
                Candidate(new, "I" if changed else "O", "", splits[row], source(sources, row)),
                order,
            )
        )
    return alterations, out


# words between the lengths that stand for which clause is longer, so that matching never mixes them
APART = 100
LONGER = ("first", "second", "neither")


class Coordination(NamedTuple):
    """Two clauses: the words [0, first) and [second, tail); between them a comma or none and the
    conjunction, then the final marks.
    """

    first: int
    second: int
    tail: int

    def order(self, size: int) -> list[int]:
        """The words' old places in a sentence of that many words with its clauses inverted."""
        return [
            *range(self.second, self.tail),
            *range(self.first, self.second),
            *range(self.first),
            *range(self.tail, size),
        ]

    def longer(self, inverted: bool) -> str:
        """Which clause has more words, as the sentence is read."""
        difference = self.first - (self.tail - self.second)
        return LONGER[2] if not difference else LONGER[(difference < 0) != inverted]


Finding = Coordination | str


def coordination(tree: Tree, literal: bool = False) -> Finding:
    """Where the only conjunction of a sentence joins its two top clauses (S CC S, under ROOT or its
    S), or why there are none.

    literal  clauses of one word and without a finite verb will do, of which the paper says nothing
    """
    if tree.tags.count("CC") != 1:
        return "not exactly one conjunction"
    top = _clauses(tree, 0, literal)
    if top is None:
        return "the conjunction does not join two top clauses"
    (start, first), (second, tail) = top
    while tail > second and mark(tree.words[tail - 1]):
        tail -= 1
    while first > start and mark(tree.words[first - 1]):
        first -= 1
    least = 1 if literal else 2
    if start or tail - second < least or first < least:
        return "a clause of one word, or words before the first"
    return _unfit(tree.words, tree.words[first:second], tree.words[tail:]) or _once(
        first, second, tail
    )


def _unfit(words: tuple[str, ...], between: tuple[str, ...], rest: tuple[str, ...]) -> str:
    """Why a sentence cannot be inverted without a trace, '' if it can; `between` the clauses a
    comma and a conjunction may stand.
    """
    if not between[-1].isalpha() or between[:-1] not in ((), (",",), (";",)):
        return "more than a comma and a word between the clauses"
    if not all(map(mark, rest)) or len(rest) > 1:
        return "more than a mark after the clauses"
    if quoted(words):
        return "double quotes"
    return "written in capitals" if shouted(words) else ""


_KNOWN: dict[tuple[int, int, int], Coordination] = {}


def _once(*places: int) -> Coordination:
    """One value a set of places: they recur."""
    return _KNOWN.setdefault((places[0], places[1], places[2]), Coordination(*places))


def _clauses(
    tree: Tree, node: int, literal: bool
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The spans of two clauses, finite unless `literal`, that a conjunction joins right below a
    node or below the only phrase there.
    """
    kids = [kid for kid in tree.children(node) if kid.node >= 0 or not mark(tree.words[kid.start])]
    if len(kids) == 1 and kids[0].label == "S":
        return _clauses(tree, kids[0].node, literal)
    if [kid.label for kid in kids] != ["S", "CC", "S"]:
        return None
    if not literal and (bare(tree, kids[0].node) or bare(tree, kids[2].node)):
        return None
    return (kids[0].start, kids[0].stop), (kids[2].start, kids[2].stop)


def inversions(
    columns: Sequence[tuple[Sentence, tuple[str, ...], str, Finding]],
    counts: Frequencies,
    seed: int,
    sources: Sequence[str] = (),
) -> tuple[list[Altered], Counter[str]]:
    """Candidates from distinct (sentence, tags, split, finding), half of them inverted (I); and why
    sentences were left out.

    `length` stands for which clause is longer as the sentence is read, by which the sampler matches
    O and I.
    """
    out = Counter(finding for *_, finding in columns if isinstance(finding, str))
    rows = [row for row, (*_, finding) in enumerate(columns) if isinstance(finding, Coordination)]
    change = altered(rows, np.random.default_rng([seed, 23]))
    alterations: list[Altered] = []
    for row, changed in zip(rows, change, strict=True):
        sentence, tags, split, clauses = columns[row]
        assert isinstance(clauses, Coordination)
        words = sentence.words
        order = clauses.order(len(words)) if changed else range(len(words))
        longer = clauses.longer(bool(changed))
        new = sentence_of(
            repaired(words, order, is_name(words[0], tags[0], counts)), [tags[i] for i in order]
        )
        label, length = "I" if changed else "O", APART * LONGER.index(longer)
        candidate = Candidate(
            new, label, "", split, {"longer clause": longer, **source(sources, row)}, length
        )
        alterations.append(Altered(candidate, order))
    return alterations, out
