"""Altered sentences: two neighbouring words swapped (BShift), or two coordinated clauses in
inverted order (CoordInv; Conneau et al. 2018, section 2; SentEval's README), and what all tasks
that alter sentences share.

They are put to the distinct sentences of a corpus, each of which comes either as it was or
altered, never both; a random half of those that could be altered is.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.brackets import BracketTree
from lingprobe.corpora.frequencies import WordFrequencies
from lingprobe.corpora.rendering import (
    HYPHEN_TAG,
    are_joined,
    is_punctuation,
    reorder_words,
    sentence_of,
)
from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Ints
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.findings import FoundCandidates
from lingprobe.tasks.parsed_corpora import ParsedCorpus
from lingprobe.tasks.shards import TAGS_COLUMN
from lingprobe.tasks.tree.clause import is_nonfinite_clause

_QUOTES = frozenset(['"', "“", "”", "``", "''", "„", "«", "»"])
_NAMES = ("NNP", "NNPS")


class AlteredSentence(NamedTuple):
    """A sentence, and the place that each of its words had as it was written, from 0; -1 for a word
    put in.
    """

    sentence: Sentence
    origins: Sequence[int]


@dataclass(frozen=True, slots=True)
class SentenceAlteration:
    """What sentences of a corpus are asked about as.

    made  what becomes of one, by its row, the sentence and the tags of its words
    """

    made: Callable[[int, Sentence, Sequence[str]], AlteredSentence]

    def alter_rows(self, corpus: ParsedCorpus, rows: Ints) -> list[AlteredSentence]:
        """What becomes of some rows."""
        sentences, (tags,) = corpus.read_rows(rows, TAGS_COLUMN)
        return list(map(self.made, rows.tolist(), sentences, tags))

    def __call__(self, corpus: ParsedCorpus, rows: Ints) -> list[Sentence]:
        return [one.sentence for one in self.alter_rows(corpus, rows)]


def tagged_words(corpus: ParsedCorpus) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words of a corpus's sentences, and their tags."""
    for sentences, (tags,) in corpus.read(TAGS_COLUMN):
        yield from zip((sentence.words for sentence in sentences), tags, strict=True)


def draw_half(rows: Ints, sentence_count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A random half of the sentences that could be altered: which of `sentence_count` are."""
    change = np.zeros(sentence_count, bool)
    change[rows] = rng.permutation(len(rows)) < len(rows) // 2
    return change


def has_quotes(words: Iterable[str]) -> bool:
    """Whether there are double quotes among the words."""
    return not _QUOTES.isdisjoint(words)


def is_in_capitals(words: Sequence[str]) -> bool:
    """Whether most words of two letters or more are written in capitals, so that a first word's
    capital says nothing.
    """
    longer = [word for word in words if len(word) > 1 and word.isalpha()]
    return 2 * sum(map(str.isupper, longer)) > len(longer)


def is_name(word: str, tag: str, counts: WordFrequencies) -> bool:
    """Whether a first word keeps its capital elsewhere: names, `I`, capitals inside, and what a
    corpus mostly writes so.
    """
    return (
        tag in _NAMES
        or word == "I"
        or word[1:] != word[1:].lower()
        or bool(counts.is_name(word))
        or is_punctuation(word)
    )


T = TypeVar("T")


def find_swap_places(
    words: Sequence[str], tags: Sequence[str] = (), literal: bool = False
) -> list[int]:
    """BShift never swaps the first word or punctuation: where a word can change places with the
    next; if `literal` that is all.

    Otherwise they are not the same, nor is either part of one word with a neighbour (did n't, the
    dog 's, wild - type): written onto another, as in *the's dog*, its spelling would tell.
    """
    marks = list(map(is_punctuation, words))
    if literal:
        return [i for i in range(1, len(words) - 1) if not (marks[i] or marks[i + 1])]
    tied = [
        are_joined(first, second) or HYPHEN_TAG in tags[i : i + 2]
        for i, (first, second) in enumerate(pairwise(words))
    ]
    return [
        i
        for i in range(1, len(words) - 1)
        if not (marks[i] or marks[i + 1] or any(tied[i - 1 : i + 2]))
        and words[i].lower() != words[i + 1].lower()
    ]


def swap_words(words: Sequence[T], i: int) -> tuple[T, ...]:
    """The words, the i-th and the next one having changed places."""
    return (*words[:i], words[i + 1], words[i], *words[i + 2 :])


def find_shifts(
    corpus: ParsedCorpus, seed: int, literal: bool = False
) -> tuple[FoundCandidates, dict[str, int]]:
    """Candidates of BShift, and how many sentences were excluded for which reason, as double
    quotes.

    Half of them have two words swapped (I), half are as they were (O). `literal` is as of
    `find_swap_places`, and takes the words of another sentence in another order as well.
    """
    bags, marked, found = np.empty(len(corpus), np.int64), np.zeros(len(corpus), bool), array("B")
    ends = np.empty(len(corpus), np.int64)
    for row, (words, tags) in enumerate(tagged_words(corpus)):
        bags[row], marked[row] = hash(" ".join(sorted(map(str.lower, words)))), has_quotes(words)
        if not marked[row]:
            found.extend(find_swap_places(words, tags, literal))
        ends[row] = len(found)
    alone, pairs = np.full(len(corpus), literal), np.diff(ends, prepend=0)
    alone[np.unique(bags, return_index=True)[1]] = True
    out = {
        # swapping could make one of the other
        "the words of another sentence in another order": int((~alone).sum()),
        "double quotes": int((alone & marked).sum()),
        "no two words to swap": int((alone & ~marked & (pairs == 0)).sum()),
    }
    rows, rng = np.flatnonzero(alone & (pairs > 0)), np.random.default_rng([seed, 21])
    drawn = np.array([rng.integers(n) for n in pairs[rows].tolist()], np.int64)
    first = np.zeros(len(corpus), np.uint8)
    first[rows] = np.array(found, np.uint8)[(ends - pairs)[rows] + drawn]
    change = draw_half(rows, len(corpus), rng)

    def alter_sentence(row: int, sentence: Sentence, tags: Sequence[str]) -> AlteredSentence:
        words, order = sentence.words, tuple(range(len(sentence.words)))
        if change[row]:
            order = swap_words(order, int(first[row]))
        return AlteredSentence(sentence_of([words[k] for k in order], tags), order)

    answers = (Answer("O"), Answer("I"))
    return FoundCandidates(
        corpus, rows, change[rows].astype(np.int64), answers, SentenceAlteration(alter_sentence)
    ), out


# words between the lengths that stand for which clause is longer, so that matching never mixes them
_APART = 100
_LONGER = ("first", "second", "neither")
_LONGEST = "longer clause"


class ClauseCoordination(NamedTuple):
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
        return _LONGER[2] if not difference else _LONGER[(difference < 0) != inverted]


Finding = ClauseCoordination | str


def find_coordination(tree: BracketTree, literal: bool = False) -> Finding:
    """CoordInv takes sentences of the form S CC S: where the only conjunction joins the two top
    clauses (under ROOT or its S), or why there are none.

    literal  clauses of one word and without a finite verb will do, of which the paper says nothing
    """
    if tree.tags.count("CC") != 1:
        return "not exactly one conjunction"
    top = _find_joined_clauses(tree, 0, literal)
    if top is None:
        return "the conjunction does not join two top clauses"
    (start, first), (second, tail) = top
    while tail > second and is_punctuation(tree.words[tail - 1]):
        tail -= 1
    while first > start and is_punctuation(tree.words[first - 1]):
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
    if not all(map(is_punctuation, rest)) or len(rest) > 1:
        return "more than a mark after the clauses"
    if has_quotes(words):
        return "double quotes"
    return "written in capitals" if is_in_capitals(words) else ""


_KNOWN: dict[tuple[int, int, int], ClauseCoordination] = {}


def _once(*places: int) -> ClauseCoordination:
    """One value a set of places: they recur."""
    return _KNOWN.setdefault((places[0], places[1], places[2]), ClauseCoordination(*places))


def _find_joined_clauses(
    tree: BracketTree, node: int, literal: bool
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The spans of two clauses, finite unless `literal`, that a conjunction joins right below a
    node or below the only phrase there.
    """
    kids = [
        kid
        for kid in tree.children(node)
        if kid.node >= 0 or not is_punctuation(tree.words[kid.start])
    ]
    if len(kids) == 1 and kids[0].label == "S":
        return _find_joined_clauses(tree, kids[0].node, literal)
    if [kid.label for kid in kids] != ["S", "CC", "S"]:
        return None
    if not literal and (
        is_nonfinite_clause(tree, kids[0].node) or is_nonfinite_clause(tree, kids[2].node)
    ):
        return None
    return (kids[0].start, kids[0].stop), (kids[2].start, kids[2].stop)


def find_inversions(
    corpus: ParsedCorpus, counts: WordFrequencies, seed: int
) -> tuple[FoundCandidates, dict[str, int]]:
    """Candidates of CoordInv, half of them with two clauses swapped (I), and how many sentences
    were excluded for which reason.

    The length stands for which clause is longer as the sentence is read, by which the sampler
    matches O and I.
    """
    findings = corpus.findings("coord-inv")
    clauses = list(map(_clauses_of, findings.values))
    fit = np.array([isinstance(each, ClauseCoordination) for each in clauses], bool)
    rows = np.flatnonzero(fit[findings.codes])
    change = draw_half(rows, len(corpus), np.random.default_rng([seed, 23]))

    def alter_sentence(row: int, sentence: Sentence, tags: Sequence[str]) -> AlteredSentence:
        words, where = sentence.words, clauses[findings.codes[row]]
        assert isinstance(where, ClauseCoordination)
        order = where.order(len(words)) if change[row] else range(len(words))
        name = is_name(words[0], tags[0], counts)
        return AlteredSentence(
            sentence_of(reorder_words(words, order, name), [tags[i] for i in order]), order
        )

    longer = np.array(
        [
            [
                _LONGER.index(c.longer(i)) if isinstance(c, ClauseCoordination) else 0
                for i in (False, True)
            ]
            for c in clauses
        ]
    )
    changed = change[rows].astype(np.int64)
    codes = 2 * longer[findings.codes[rows], changed] + changed
    answers = [Answer(label, "", {_LONGEST: name}) for name in _LONGER for label in ("O", "I")]
    found = FoundCandidates(
        corpus, rows, codes, answers, SentenceAlteration(alter_sentence), _length
    )
    return found, {finding: n for finding, n in findings.recurring() if isinstance(finding, str)}


def _length(answer: Answer) -> int:
    return _APART * _LONGER.index(answer.strata[_LONGEST])


def _clauses_of(finding: Answer | str) -> Finding:
    """The places of two clauses as a finding says them, or why there are none."""
    if isinstance(finding, str):
        return finding
    return ClauseCoordination(*map(int, str(finding.label).split()))
