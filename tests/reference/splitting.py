"""Agreement of two splits of one text as the shared task describes it (Zeman et al. 2018, and the
comments of its script): sets of characters and plain loops, all stretches tried.

A split is a list of sentences, a sentence a list of tokens, a token its form and its words.
"""

from __future__ import annotations


def spans(split):
    """Each token as (the characters that it has, words), and each sentence as its characters."""
    at, tokens, sentences = 0, [], []
    for sentence in split:
        first = at
        for form, words in sentence:
            size = len(form.replace(" ", ""))
            tokens.append((frozenset(range(at, at + size)), [word.lower() for word in words]))
            at += size
        sentences.append(frozenset(range(first, at)))
    return tokens, sentences


def f1(right, one, other):
    """Twice the right over what both have, in percent."""
    return 200 * right / (one + other)


def agreement(mine, true):
    """F1 of tokens, sentences and words."""
    (one, first), (other, second) = spans(mine), spans(true)
    tokens = sum(a == b for a, _ in one for b, _ in other)
    sentences = sum(a == b for a in first for b in second)
    sizes = [sum(len(words) for _, words in side) for side in (one, other)]
    return {
        "Tokens": f1(tokens, len(one), len(other)),
        "Sentences": f1(sentences, len(first), len(second)),
        "Words": f1(same_words(one, other), *sizes),
    }


def same_words(one, other):
    """Words that are the same: by the longest common sequence in each multiword span, and elsewhere
    by their characters.
    """
    found = multiword(one, other)
    right = 0
    for span in found:
        sides = [[w for at, words in side if at <= span for w in words] for side in (one, other)]
        right += longest(*sides)
    plain = [[at for at, _ in side if not any(at <= s for s in found)] for side in (one, other)]
    return right + sum(a == b for a in plain[0] for b in plain[1])


def multiword(one, other):
    """The smallest spans that hold a multiword token and that no multiword token sticks out of."""
    every = [at for at, words in (*one, *other) if len(words) > 1]
    while True:
        pair = next(((a, b) for a in every for b in every if a is not b and a & b), None)
        if pair is None:
            return every
        every = [at for at in every if at is not pair[0] and at is not pair[1]]
        every.append(pair[0] | pair[1])


def longest(one, other):
    """The length of the longest common sequence, by trying."""
    if not (one and other):
        return 0
    if one[0] == other[0]:
        return 1 + longest(one[1:], other[1:])
    return max(longest(one[1:], other), longest(one, other[1:]))
