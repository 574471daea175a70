"""What trainings select, count and compare with, in plain loops."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp, log


def clearly_better(figure, value, baseline):
    """A perplexity by a twentieth, any other figure by a point of a hundred."""
    return value < 0.95 * baseline if figure == "perplexity" else value > baseline + 1


def selected(epochs, figure, baselines):
    """Which figure tells the best of some epochs (figures by name), and the number of that epoch:
    the figure itself where one epoch is clearly better by it than every baseline, else perplexity;
    of equal ones the one of the lowest perplexity, then the first.

    baselines  pairs of a figure and a value that needs no encoder
    """
    mine = [value for name, value in baselines if name == figure]
    left = any(all(clearly_better(figure, e[figure], each) for each in mine) for e in epochs)
    by = figure if left or "perplexity" not in epochs[0] else "perplexity"
    best = 0
    for i, epoch in enumerate(epochs):
        ours, theirs = (
            (-each[by] if by == "perplexity" else each[by], -each.get("perplexity", 0))
            for each in (epoch, epochs[best])
        )
        if ours > theirs:
            best = i
    return by, best + 1


def perplexities(train, dev, many, start, pad):
    """Of pieces of dev: by how often each is in train, one more for all that can be written, and by
    what stands before: half by that, half by how often it follows there, as if it had done once
    more in that proportion.
    """
    counts = [1 + sum(row.count(piece) for row in train) for piece in range(many)]
    counts[start] = counts[pad] = 0
    single = [count / sum(counts) for count in counts]
    pairs = [(a, b) for row in train for a, b in pairwise(row)]
    alone, after, n = 0.0, 0.0, 0
    for row in dev:
        for a, b in pairwise(row):
            follows = (pairs.count((a, b)) + single[b]) / (sum(x == a for x, _ in pairs) + 1)
            alone += log(single[b])
            after += log((single[b] + follows) / 2)
            n += 1
    return exp(-alone / n), exp(-after / n)


def naive_bayes(train, dev, words, labels):
    """The most probable labels, more than one where they tie, of each sentence of dev by
    multinomial naive Bayes with add-one (Manning et al. 2008, section 13.2); `train` are pairs of
    a sentence and its label.
    """
    said = []
    for sentence in dev:
        scores = []
        for label in range(labels):
            own = [text for text, mine in train if mine == label]
            total = sum(map(len, own)) + words
            score = Fraction(max(len(own), 1), len(train))
            for word in sentence:
                score *= Fraction(1 + sum(text.count(word) for text in own), total)
            scores.append(score)
        said.append({label for label in range(labels) if scores[label] == max(scores)})
    return said


def vocabulary(forms, sentences, least, most):
    """Forms that occur so often in some sentences, the most frequent first; of equal ones those
    that come first.
    """
    counts = {form: sum(sentence.count(form) for sentence in sentences) for form in forms}
    ordered = sorted(forms, key=lambda form: -counts[form])
    return [form for form in ordered if counts[form] >= least][:most]


def denoised(word_kept, swapped, first):
    """The order of words of which some are left out and then neighbours change places, in pairs
    from `first` on (Hill et al. 2016, section 2.2).
    """
    left = [i for i, kept in enumerate(word_kept) if kept] or [0]
    for pair, at in enumerate(range(first, len(left) - 1, 2)):
        if swapped[pair]:
            left[at], left[at + 1] = left[at + 1], left[at]
    return left
