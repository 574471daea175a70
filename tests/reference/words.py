"""How well words are predicted, in plain loops."""

from __future__ import annotations

from math import exp, log, sqrt


def sampling_perplexity(rows, targets, counts, predicted, words):
    """The perplexity of words that were learnt by negative sampling: scores go towards
    log P(word | context) - log P(word is drawn as a negative) + log of the share in which the word
    is predicted (Levy & Goldberg 2014, equation 7), so that P is in proportion to what undoes that.

    rows     [n][dim]     the context of each word
    targets  [words][dim] what a word is predicted by
    counts   of words; negatives are drawn by the root of it (Pagliardini et al. 2018)
    """
    roots = [sqrt(count) for count in counts]
    nats = 0.0
    for row, word in zip(rows, words, strict=True):
        odds = [
            exp(sum(a * b for a, b in zip(row, target, strict=True))) * root / sum(roots) / share
            for target, root, share in zip(targets, roots, predicted, strict=True)
        ]
        nats -= log(odds[word] / sum(odds))
    return exp(nats / len(words))


def unigram_perplexity(counts, words):
    """That of words by their frequency alone."""
    return exp(-sum(log(counts[word] / sum(counts)) for word in words) / len(words))


def wins(own, other, words, negatives):
    """In percent how often a word scores above the one drawn against it, a tie counting half, where
    that is another word.
    """
    points = [
        100.0 if a > b else 50.0 if a == b else 0.0
        for a, b, word, negative in zip(own, other, words, negatives, strict=True)
        if word != negative
    ]
    return sum(points) / len(points) if points else 50.0
