"""What a reader sees who knows words by their form and where they stand, and no structure, and the
rules that can be learnt from that.

Nouns and verbs are told by their form alone (singular, plural; -s, -ed, -ing), adverbs, adjectives
and prepositions by their kind; every other word is itself. Of the asked words there is what stands
around them and nearest to them, how many of each kind come before and after them, and which of two
comes first. What stands between two asked words is nearly a parse, so it is kept apart.

Rules are a tree of three questions, the best two questions, and a linear rule. All see features of
examples and how much of each has the answer no and yes [n, 2]. A tree is grown as trees usually
are, one question at a time, by the purity of what it leaves (Breiman et al. 1984, Gini). Where
single questions are balanced, as in sets of ours, that hardly finds a start, so the best two are
found by trying all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.generation.events.lexicon import Lexicon
from lingprobe.generation.events.polish_columns import KTORY
from lingprobe.vectors import Floats, Ints

Flags = NDArray[np.bool_]
Tags = Sequence[str]
ENGLISH_NOUNS, ENGLISH_VERBS = ("noun", "nouns"), ("verb", "verb-s", "verb-ed", "verb-ing")
CASES = ("nominative", "genitive", "accusative", "instrumental")
POLISH_NOUNS = tuple(f"{noun} {case}" for noun in ("noun", "nouns") for case in CASES)
POLISH_VERBS = (
    *("infinitive", "verb-i", "verb-ą", "verb-ł", "verb-ła", "verb-ło", "verb-li", "verb-ły"),
    *("verb-ny", "verb-na", "verb-ne", "verb-ni"),
)
FORMS = {
    ("noun", 2): ENGLISH_NOUNS,
    ("verb", 5): ("verb", "verb-s", "verb-ed", "verb-ed", "verb-ing"),
    ("noun", 8): POLISH_NOUNS,
    ("verb", 8): POLISH_VERBS[:8],
    ("verb", 12): POLISH_VERBS,
}
"""Kind of word and number of its forms, which tells the languages apart -> their tags; of a form
that is several the first.
"""
# below English and Polish side by side: no word of one is a word of the other
NOUNS, VERBS = ENGLISH_NOUNS + POLISH_NOUNS, ENGLISH_VERBS + POLISH_VERBS
PLURAL = (ENGLISH_NOUNS[1], *POLISH_NOUNS[len(CASES) :])
NOT, BY = ("not", "nie"), ("by", "przez")
NEGATIONS = ("not", "no", "nie")
RELATIVES = tuple(KTORY)
LINKS = ("that", "who", "że", *RELATIVES)
FINITE = (
    *("is", "are", "was", "were", "has", "have", "had", "does", "do", "did"),
    *("jest", "są", "był", "byli", "będzie", "będą", "został", "zostali", "zostanie", "zostaną"),
)
NEAREST: Mapping[str, Tags] = {
    "noun": NOUNS,
    "auxiliary": FINITE,
    "verb or negation": (*VERBS, *NEGATIONS),
    "relative pronoun": RELATIVES,
}
COUNTED: Mapping[str, Tags] = {
    "nouns": NOUNS,
    "verbs": VERBS,
    "that": LINKS,
    "by": BY,
    "and": ("and", "i"),
    "not or no": NEGATIONS,
}
AROUND = (-2, -1, 1, 2)  # places of words around an asked one
MOST = 3  # of a kind before, after or between are told apart
FAR = 8  # words before an asked one are counted up to here
BETWEEN = "between"  # begins the names of features that say what stands between two asked words
END = "the end"


class Seen(NamedTuple):
    """Examples as a shallow reader has them: the tags of their words, and the places of the asked
    ones.

    codes   [n, length] into tags, -1 beyond the end of a sentence
    places  [n, slots]
    """

    codes: Ints
    tags: tuple[str, ...]
    places: Ints

    @classmethod
    def of(cls, sentences: Sequence[Tags], places: Sequence[Sequence[int]]) -> Seen:
        """The same of tags and places one by one."""
        numbers: dict[str, int] = {}
        codes = np.full((len(sentences), max(map(len, sentences), default=0)), -1, np.int64)
        for row, tags in zip(codes, sentences, strict=True):
            row[: len(tags)] = [numbers.setdefault(tag, len(numbers)) for tag in tags]
        return cls(
            codes,
            tuple(numbers),
            np.array(places, np.int64).reshape(len(sentences), -1 if len(places) else 0),
        )

    def take(self, rows: Ints) -> Seen:
        """Some of the examples."""
        return self._replace(codes=self.codes[rows], places=self.places[rows])

    def are(self, some: Tags) -> Flags:
        """Which words have one of some tags [n, length]."""
        return np.append(np.isin(self.tags, some), False)[self.codes]

    def at(self, places: Ints) -> NDArray[np.str_]:
        """The tags at some places [n]; beyond a sentence there is its end."""
        inside = (places >= 0) & (places < (self.codes >= 0).sum(1))
        codes = self.codes[np.arange(len(self.codes)), np.where(inside, places, 0)]
        tags: NDArray[np.str_] = np.where(inside, np.array([*self.tags, END])[codes], END)
        return tags


class Features(NamedTuple):
    """What holds of each example [n, features], by name."""

    holds: Flags
    names: tuple[str, ...]

    @property
    def apart(self) -> Flags:
        """Which features say nothing of what stands between two asked words [features]."""
        return np.array([not name.startswith(BETWEEN) for name in self.names], bool)


def features(seen: Seen) -> Features:
    """All that rules may use and that tells some examples from others; of two that always agree, or
    never, the first.
    """
    by_name = {name: holds for name, holds in _all(seen) if holds.any() and not holds.all()}
    if not by_name:
        return Features(np.zeros((len(seen.codes), 0), bool), ())
    holds = np.stack(list(by_name.values()), 1)
    _, first = np.unique(np.packbits(holds ^ holds[:1], axis=0), axis=1, return_index=True)
    columns = np.sort(first)
    return Features(holds[:, columns], tuple(np.array(list(by_name))[columns].tolist()))


def same_features(seen: Seen, names: Sequence[str]) -> Features:
    """Those of some names, of other examples; one of a tag that they lack holds nowhere."""
    by_name = dict(_all(seen))
    nowhere = np.zeros(len(seen.codes), bool)
    return Features(
        (
            np.stack([by_name.get(name, nowhere) for name in names], 1)
            if names
            else nowhere[:, None][:, :0]
        ),
        tuple(names),
    )


def _all(seen: Seen) -> Iterator[tuple[str, Flags]]:
    index, of = (
        np.arange(seen.codes.shape[1]),
        {name: seen.are(some) for name, some in {**NEAREST, **COUNTED}.items()},
    )
    several = seen.places.shape[1] > 1
    for k, place in enumerate(seen.places.T):
        what = f"asked word {k + 1}" if several else "the asked word"
        yield from _around(seen, of, place, what)
    for side in ("first", "last"):
        tag = seen.at(_first(of["noun"], last=side == "last"))
        yield f"the {side} noun is plural", np.isin(tag, PLURAL)
    if several:
        yield "asked word 1 is before asked word 2", seen.places[:, 0] < seen.places[:, 1]
        low, high = seen.places.min(1)[:, None], seen.places.max(1)[:, None]
        for name in COUNTED:
            yield from _at_least(
                (of[name] & (index > low) & (index < high)).sum(1), f"{BETWEEN}: {name}", MOST
            )
        yield from _at_least((high - low).ravel() - 1, f"{BETWEEN}: words", FAR)


def _around(
    seen: Seen, of: Mapping[str, Flags], place: Ints, what: str
) -> Iterator[tuple[str, Flags]]:
    index = np.arange(seen.codes.shape[1])
    for away in AROUND:
        tag = seen.at(place + away)
        yield from ((f"{away:+d} of {what} is {name!r}", tag == name) for name in (*seen.tags, END))
    for side, where in (("before", index < place[:, None]), ("after", index > place[:, None])):
        for name, some in NEAREST.items():
            tag = seen.at(_first(of[name] & where, last=side == "before"))
            yield from (
                (f"nearest {name} {side} {what} is {one!r}", tag == one)
                for one in (*(one for one in some if one in seen.tags), END)
            )
        for name in COUNTED:
            yield from _at_least((of[name] & where).sum(1), f"{name} {side} {what}", MOST)
    yield from _at_least(place, f"words before {what}", FAR)


def _first(where: Flags, *, last: bool) -> Ints:
    """The first place (or the last) at which something holds [n]; -1 where it holds nowhere."""
    at = where.shape[1] - 1 - where[:, ::-1].argmax(1) if last else where.argmax(1)
    return np.where(where.any(1), at, -1)


def _at_least(counts: Ints, name: str, most: int) -> Iterator[tuple[str, Flags]]:
    yield from ((f"{name}: {least} or more", counts >= least) for least in range(1, most + 1))


@lru_cache(maxsize=8)
def tags_of(lexicon: Lexicon) -> Mapping[str, str]:
    """The tag of each form of a lexicon; a form that is a noun's and a verb's counts as the
    noun's.
    """
    tags: dict[str, str] = {}
    for kind in ("noun", "verb", "adverb", "adjective", "preposition"):
        for entry in lexicon.entries[kind]:
            n = len(entry.forms)
            for form, tag in zip(entry.forms, FORMS.get((kind, n), (kind,) * n), strict=True):
                tags.setdefault(form, tag)
    return tags


DEPTH = 3
RIDGE = 1e-3  # of the linear rule, relative to the examples' weight


class Tree(NamedTuple):
    """A question, and what is asked (or answered) where it holds and where not."""

    question: int
    holds: Tree | bool
    fails: Tree | bool

    def leaves(self, holds: Flags) -> Ints:
        """The leaf that each example comes to [n]."""
        leaves = np.zeros(len(holds), np.int64)
        for side, (rows, then) in enumerate(
            ((holds[:, self.question], self.holds), (~holds[:, self.question], self.fails))
        ):
            leaves[rows] = 2 * (then.leaves(holds[rows]) if isinstance(then, Tree) else 0) + side
        return np.unique(leaves, return_inverse=True)[1].ravel().astype(np.int64)

    def says(self, holds: Flags) -> Flags:
        """What it answers [n]."""
        answers = np.zeros(len(holds), bool)
        for rows, then in (
            (holds[:, self.question], self.holds),
            (~holds[:, self.question], self.fails),
        ):
            answers[rows] = then.says(holds[rows]) if isinstance(then, Tree) else then
        return answers

    def text(self, names: Sequence[str]) -> str:
        """The tree in words, as 'x ? (y ? yes : no) : no'."""
        sides = (
            then.text(names) if isinstance(then, Tree) else ("yes" if then else "no")
            for then in (self.holds, self.fails)
        )
        first, second = (f"({side})" if "?" in side else side for side in sides)
        return f"{names[self.question]} ? {first} : {second}"


def tree(table: Features, weights: Floats, depth: int = DEPTH) -> Tree | bool:
    """A tree of so many questions at most, or the answer itself where none is left to ask."""
    return _grown(table.holds.astype(np.float32), np.asarray(weights, np.float32), depth)


def _grown(holds: Floats, weights: Floats, depth: int) -> Tree | bool:
    every = weights.sum(0)
    answer = bool(every[1] >= every[0])
    if not depth or not every.min() or not holds.shape[1]:
        return answer
    inside = weights.T @ holds
    best = int((_purity(inside) + _purity(every[:, None] - inside)).argmax())
    rows = holds[:, best] > 0
    if rows.all() or not rows.any():
        return answer
    return _pruned(
        Tree(best, *(_grown(holds[part], weights[part], depth - 1) for part in (rows, ~rows)))
    )


def _purity(weights: Floats) -> Floats:
    """How pure parts with such weights [2, parts] are, as Gini's index has it; larger is purer."""
    purity: Floats = (weights**2).sum(0) / np.maximum(weights.sum(0), 1e-12)
    return purity


def _pruned(grown: Tree) -> Tree | bool:
    return grown.holds if isinstance(grown.holds, bool) and grown.holds == grown.fails else grown


def two_questions(table: Features, weights: Floats) -> Tree | bool:
    """The best tree of two questions in a row: all first ones with all second ones are tried."""
    holds, total = (
        table.holds.astype(np.float32),
        np.asarray(weights[:, 1] - weights[:, 0], np.float32),
    )
    if not holds.shape[1]:
        return bool(total.sum() >= 0)
    both = holds.T @ (holds * total[:, None])
    alone, everything = np.diag(both), total.sum()
    only = alone[None, :] - both  # where the second holds and the first does not
    holding = np.abs(both) + np.abs(alone[:, None] - both)
    failing = np.abs(only) + np.abs(everything - alone[:, None] - only)
    best = int((holding.max(1) + failing.max(1)).argmax())
    sides = [
        (int(rest[best].argmax()), inside) for rest, inside in ((holding, True), (failing, False))
    ]
    then = []
    for question, inside in sides:
        rows = (holds[:, best] > 0) == inside
        there = holds[rows, question] > 0
        then.append(
            _pruned(
                Tree(question, *(bool(total[rows][part].sum() >= 0) for part in (there, ~there)))
            )
        )
    return Tree(best, *then)


@dataclass(frozen=True)
class Linear:
    """A weight for each question; yes where their sum is positive."""

    weights: Floats
    constant: float

    def says(self, holds: Flags) -> Flags:
        """What it answers [n]."""
        return holds.astype(np.float32) @ self.weights + self.constant > 0


def linear(table: Features, weights: Floats) -> Linear:
    """The linear rule of least squares, with a small ridge."""
    holds = np.column_stack([table.holds, np.ones(len(table.holds))]).astype(np.float64)
    size = weights.sum(1)
    bend = (holds * size[:, None]).T @ holds + RIDGE * size.sum() * np.eye(holds.shape[1])
    solved = np.linalg.solve(bend, holds.T @ (weights[:, 1] - weights[:, 0]))
    return Linear(solved[:-1].astype(np.float32), float(solved[-1]))


class LearntRule(NamedTuple):
    """A learnt rule: its name, what it says of examples by their features [n, features], and how it
    goes in words, '' for linear ones.
    """

    name: str
    says: Callable[[Flags], Flags]
    text: str


def learnt_rules(table: Features, yes: Flags) -> list[LearntRule]:
    """The rules that are learnt from some examples, each as heavy as any other; the first two do
    not see what stands between.
    """
    weights: Floats = np.stack([~yes, yes], 1).astype(np.float32) / np.float32(max(1, len(yes)))
    apart = np.flatnonzero(table.apart)
    shallow = Features(table.holds[:, apart], tuple(table.names[i] for i in apart))
    rules = [
        _of("linear rule", linear(shallow, weights), shallow.names, apart),
        _of("tree of three questions", tree(shallow, weights), shallow.names, apart),
    ]
    every = np.arange(len(table.names))
    if len(apart) < len(every):
        rules.append(
            _of(
                "tree of three questions, also about what is between",
                tree(table, weights),
                table.names,
                every,
            )
        )
    return [
        *rules,
        _of("the best two questions", two_questions(table, weights), table.names, every),
    ]


def _of(name: str, rule: Linear | Tree | bool, names: Sequence[str], columns: Ints) -> LearntRule:
    if isinstance(rule, bool):
        return LearntRule(name, lambda holds: np.full(len(holds), rule), "yes" if rule else "no")
    says = rule.says
    return LearntRule(
        name,
        lambda holds: says(holds[:, columns]),
        rule.text(names) if isinstance(rule, Tree) else "",
    )
