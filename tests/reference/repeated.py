"""What stands in a data set more than once, in plain loops over (sites, asked, label, split,
target), where a site is (words, span or None).
"""

from __future__ import annotations

from collections import Counter

SPLITS = ("train", "dev", "test")
PAIRS = (("train", "dev"), ("train", "test"), ("dev", "test"))


def folded(words):
    return tuple(word.casefold() for word in words)


def question(row):
    """What an example asks."""
    return tuple((folded(words), span) for words, span in row[0]), row[1]


def bag(row):
    return tuple(sorted(folded(row[0][0][0])))


def of(rows, split):
    return [row for row in rows if row[3] == split]


def duplicates(rows):
    return {s: len(of(rows, s)) - len({question(row) for row in of(rows, s)}) for s in SPLITS}


def disputed(rows, key):
    """Which examples have an example of the same key with another label."""
    return [any(key(a) == key(b) and a[2] != b[2] for b in rows) for a in rows]


def contradictions(rows):
    return sum(disputed(rows, question))


def versions(rows):
    pairs = zip(disputed(rows, bag), disputed(rows, question), strict=True)
    return sum(words and not same for words, same in pairs)


def same(rows):
    found = {}
    for a, b in PAIRS:
        one, other = ([(question(row), row[2]) for row in of(rows, s)] for s in (a, b))
        if one and one == other:
            found[f"{a}/{b}"] = "rows"
        elif one and Counter(one) == Counter(other):
            found[f"{a}/{b}"] = "set"
    return found


def shared(rows, things):
    """Pair of splits -> distinct things of the second that the first has, and its examples with
    one.
    """
    found = {}
    for a, b in PAIRS:
        there = {thing for row in of(rows, a) for thing in things(row)}
        both = [there & set(things(row)) for row in of(rows, b)]
        found[f"{a}/{b}"] = (len(set().union(*both)), sum(map(bool, both)))
    return found


def sentences(row):
    return [folded(words) for words, _ in row[0]]


def form(row):
    return [row[4].casefold()] if row[4] else []


def known_words(rows):
    """Split -> the share of its distinct words that train has."""
    used = {
        s: {word for row in of(rows, s) for words, _ in row[0] for word in folded(words)}
        for s in SPLITS
    }
    return {s: len(used[s] & used["train"]) / max(len(used[s]), 1) for s in ("dev", "test")}


def most_repeated(rows, shown=10):
    """The questions of several examples: text -> where, those in several splits weigh more."""
    groups = {}
    for row in rows:
        groups.setdefault(question(row), []).append(row)
    found = []
    for group in groups.values():
        if len(group) > 1:
            worth = len(group) + len({row[3] for row in group})
            text = min(" | ".join(" ".join(words) for words, _ in row[0]) for row in group)
            ordered = sorted(group, key=lambda row: (SPLITS.index(row[3]), row[2]))
            found.append((-worth, text, dict(Counter(f"{row[3]}: {row[2]}" for row in ordered))))
    found.sort(key=lambda each: (*each[:2], [*each[2].items()]))
    return found[:shown]
