"""Naive Bayes over tf-idf of words, in plain loops."""

from __future__ import annotations

from math import log, sqrt


def tfidf(texts, train):
    """How often each word of train is in each text, times the logarithm of one over the share of
    texts of train that have it, as if one more had every word, and one; each text of length one
    (scikit-learn's, with its own settings).
    """
    words = sorted({word for text in train for word in text})
    idf = {
        word: log((1 + len(train)) / (1 + sum(word in text for text in train))) + 1
        for word in words
    }
    rows = []
    for text in texts:
        row = [text.count(word) * idf[word] for word in words]
        length = sqrt(sum(x * x for x in row))
        rows.append([x / length if length else 0.0 for x in row])
    return rows


def log_chances(rows, weights, alpha, new):
    """Of a new row: the logarithm of the share of rows that are of a class, and of the smoothed
    share of each word in them, as often as it stands (Manning et al. 2008, section 13.2).

    weights  how much each row is of the class
    """
    counts = [
        sum(w * row[k] for w, row in zip(weights, rows, strict=True)) for k in range(len(new))
    ]
    total = sum(counts) + alpha * len(counts)
    prior = log(max(sum(weights) / len(rows), 1e-9))
    return prior + sum(x * log((n + alpha) / total) for x, n in zip(new, counts, strict=True))


def of_class(rows, labels, label, alpha, new):
    """The score of a class."""
    return log_chances(rows, [float(mine == label) for mine in labels], alpha, new)


def of_label(rows, held, alpha, new):
    """The score of one label of a set: how much likelier it holds than not, among rows that are
    annotated (None where they are not).
    """
    inside = [0.0 if h is None else h for h in held]
    outside = [0.0 if h is None else 1 - h for h in held]
    return log_chances(rows, inside, alpha, new) - log_chances(rows, outside, alpha, new)
