"""The best trees of heads and of phrases by going through all of them, and how sure they are."""

from __future__ import annotations

from itertools import product
from math import exp, log


def spanning(scores):
    """The heads (-1 at the root) with the greatest sum of scores [word][0 or head + 1] of all that
    make a tree with one root.
    """
    n, best, greatest = len(scores), None, float("-inf")
    for heads in product(range(-1, n), repeat=n):
        if heads.count(-1) == 1 and all(_reaches_root(heads, word) for word in range(n)):
            total = sum(scores[word][head + 1] for word, head in enumerate(heads))
            if total > greatest:
                best, greatest = heads, total
    return best


def _reaches_root(heads, word):
    for _ in heads:
        if word == -1:
            return True
        word = heads[word]
    return word == -1


def tagged(words, pairs):
    """The sides of words and of the pairs between them, 'l' or 'r', with the greatest sum of scores
    [place][side] of all that make a binary tree (Kitaev & Klein 2020, section 3.2): a word on the
    left waits, one on the right closes; a pair on the left begins to wait, one on the right takes
    the place of what waits.
    """
    n, best, greatest = len(words), None, float("-inf")
    for sides in product("lr", repeat=2 * n - 1):
        if _makes_tree(sides):
            order = [words[i // 2] if i % 2 == 0 else pairs[i // 2] for i in range(2 * n - 1)]
            total = sum(scores[side] for scores, side in zip(order, sides, strict=True))
            if total > greatest:
                best, greatest = sides, total
    return best[::2], best[1::2]


def _makes_tree(sides):
    """Whether words and pairs, in turn from left to right, end as one phrase."""
    stack = []  # True is a whole phrase, False one that waits for its right side
    for i, side in enumerate(sides):
        if i % 2 == 0:  # a word
            if side == "l":
                stack.append(True)
            elif stack and stack[-1] is False:
                stack[-1] = True
            else:
                return False
        else:  # a pair, whose left side is the whole phrase on top
            if not stack or stack[-1] is not True:
                return False
            stack[-1] = False
            if side == "r":
                stack.pop()
                if not stack or stack[-1] is not False:
                    return False
    return stack == [True]


def confidence(words):
    """How sure a sentence is: the geometric mean over words of probabilities, each a list: of its
    head with its label, or of its own tag and that of the pair behind it.
    """
    return exp(sum(log(chance) for chances in words for chance in chances) / len(words))
