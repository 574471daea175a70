"""CoordInv: are the two coordinated clauses of the sentence in inverted order (Conneau et al. 2018,
section 2)?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonde.core import Sentence
from sonde.corpora.brackets import Tree
from sonde.corpora.frequencies import Frequencies
from sonde.corpora.rendering import mark, repaired, told
from sonde.datasets import Candidate
from sonde.tasks.tree.altered import Altered, altered, is_name, quoted, shouted, source
from sonde.tasks.tree.clause import bare

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
        new = told(
            repaired(words, order, is_name(words[0], tags[0], counts)), [tags[i] for i in order]
        )
        label, length = "I" if changed else "O", APART * LONGER.index(longer)
        candidate = Candidate(
            new, label, "", split, {"longer clause": longer, **source(sources, row)}, length
        )
        alterations.append(Altered(candidate, order))
    return alterations, out
