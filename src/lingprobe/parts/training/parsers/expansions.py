"""Which tokens are multiword ones, as *du* (de le) and *dámelo* (dá me lo), and what their words
are: those that a token had in training, and for others what became of such beginnings and ends.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

Words = tuple[str, ...]

HEAD, TAIL = 3, 5  # letters of a token's beginning and of its end that decide at most
MOST = 50_000  # tokens and affixes that are kept of each
SURE = 2  # times that a token was always, or never, a multiword one, so that others are as well


class Change(NamedTuple):
    """How words come of a token: what is cut off it at either end leaves the stem, which is in the
    word `at`; the words before and after that one are always the same.
    """

    head: str
    tail: str
    words: Words
    at: int

    @classmethod
    def of(cls, token: str, words: Words) -> Change:
        """That with the longest stem, in lower case."""
        low = token.lower()
        matched = [_common(low, word.lower()) for word in words]
        at = max(range(len(words)), key=lambda i: matched[i][2])
        start, inside, size = matched[at]
        word = words[at].lower()
        made = f"{word[:inside]}\0{word[inside + size :]}"
        others = tuple(made if i == at else each.lower() for i, each in enumerate(words))
        return cls(low[:start], low[start + size :], others, at)

    def fits(self, token: str) -> bool:
        """Whether a token has both ends, with something between them."""
        inner = len(self.head) + len(self.tail)
        return len(token) > inner and token.startswith(self.head) and token.endswith(self.tail)

    def expand_token(self, token: str) -> Words:
        """The words of a token in lower case that it fits."""
        stem = token[len(self.head) : len(token) - len(self.tail)]
        return tuple(word.replace("\0", stem) for word in self.words)


def _common(one: str, other: str) -> tuple[int, int, int]:
    """Where the longest part that both have begins in each, and its length."""
    found = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return found.a, found.b, found.size


class Expansions(NamedTuple):
    """What was learnt of multiword tokens, in lower case.

    known    the words that a multiword token mostly had
    affixes  how those with a beginning and an end (`head|tail`) mostly change
    sure     tokens that were always multiword ones (1), or never (0)
    """

    known: Mapping[str, Words]
    affixes: Mapping[str, Change]
    sure: Mapping[str, int]

    @classmethod
    def learnt(cls, tokens: Iterable[tuple[str, Words]]) -> Expansions:
        """From all tokens and their words; nothing, where each has one."""
        every = Counter((token.lower(), tuple(map(str.lower, words))) for token, words in tokens)
        counts = Counter({key: n for key, n in every.items() if len(key[1]) > 1})
        if not counts:
            return cls({}, {}, {})
        ends: dict[str, Counter[Change]] = defaultdict(Counter)
        for token, words in counts:  # a rule is as sure as it has different tokens
            change = Change.of(token, words)
            for key in _ends(token):
                ends[key][change] += 1
        known = {token: words for (token, words), _ in reversed(counts.most_common(MOST))}
        often = sorted(ends.items(), key=lambda item: -item[1].total())[:MOST]
        changes = {key: found.most_common(1)[0][0] for key, found in often}
        return cls(known, changes, _sure(every))

    def several(self, token: str, said: bool) -> bool:
        """Whether a token is a multiword one, where a net says so, or not."""
        return bool(self.sure.get(token.lower(), said))

    def words(self, token: str) -> Words:
        """The words of a multiword token; itself, where nothing is known of such."""
        low = token.lower()
        if low in self.known:
            return _match_case(token, self.known[low])
        for key in _ends(low):
            change = self.affixes.get(key)
            if change is not None and change.fits(low):
                return _match_case(token, change.expand_token(low))
        return (token,)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        changes = {key: list(change) for key, change in self.affixes.items()}
        return {"known": dict(self.known), "affixes": changes, "sure": dict(self.sure)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Expansions:
        """From what JSON has."""
        known = {token: tuple(words) for token, words in fields["known"].items()}
        rows = fields["affixes"].items()
        changes = {key: Change(h, t, tuple(words), at) for key, (h, t, words, at) in rows}
        return cls(known, changes, fields["sure"])


def _sure(tokens: Counter[tuple[str, Words]]) -> dict[str, int]:
    """The commonest of the tokens that were always multiword ones, or never."""
    counts, several = Counter[str](), Counter[str]()
    for (token, words), n in tokens.items():
        counts[token] += n
        several[token] += n * (len(words) > 1)
    return {
        token: several[token] // n
        for token, n in counts.most_common(MOST)
        if n >= SURE and several[token] in (0, n)
    }


def _ends(token: str) -> Iterator[str]:
    """Its beginnings and ends, the most letters first."""
    heads, tails = range(min(HEAD, len(token)) + 1), range(min(TAIL, len(token)) + 1)
    sizes = sorted(((h, t) for h in heads for t in tails), key=lambda size: (-sum(size), -size[1]))
    for h, t in sizes:
        yield f"{token[:h]}|{token[len(token) - t :]}"


def _match_case(token: str, words: Words) -> Words:
    """Words with capitals as a token has them: all, or the first."""
    if token.isupper() and len(token) > 1:
        return tuple(map(str.upper, words))
    if "".join(words) == token.lower():  # the token cut in pieces
        starts = [sum(map(len, words[:i])) for i in range(len(words))]
        return tuple(token[at : at + len(w)] for at, w in zip(starts, words, strict=True))
    return (words[0][:1].upper() + words[0][1:], *words[1:]) if token[:1].isupper() else words
