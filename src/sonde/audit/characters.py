"""What runs of one to five characters of the raw text tell: spelling, capitals, spaces and marks,
which words do not show.

Where labels are at most fifty classes, logistic regression; otherwise what the word baselines do.
At most 20,000 training examples are read, and 5,000 to score on, drawn with a fixed seed: more of
them hardly change what a leak looks like.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonde.core import Dataset
from sonde.labels import Column
from sonde.probes.bayes import estimator
from sonde.probes.grams import tfidf, weighted
from sonde.vectors import Floats, Ints

FEW = 50  # classes that logistic regression is fitted to
TRAIN, TEST, TEST_OF_MANY = 20_000, 5_000, 2_000  # examples at most
LONGEST = 5  # characters in a run
BITS = 18  # of the columns that runs are hashed into, a site
# 2^64 over the golden ratio, odd: multiplying by it spreads low bits over the high ones
MIXER = np.uint64(0x9E3779B97F4A7C15)
PIECE = 2_000  # texts counted at once
FIRST, LAST = "\x02", "\x03"  # so that what a text begins and ends with is seen


def characters(train: Dataset, test: Dataset) -> tuple[Column, Column, str]:
    """Gold and predicted labels of examples of test, and how many examples were read."""
    few = train.labels.classes is not None and len(train.labels.names) <= FEW
    many = (_drawn(len(train), TRAIN, 0), _drawn(len(test), TEST if few else TEST_OF_MANY, 1))
    fitted, scored = train.take(many[0]), test.take(many[1])
    read = _counted(fitted)
    idf, weights = weighted(read)
    scores = (_regressed if few else _estimated)(
        weights, fitted.labels, tfidf(_counted(scored), idf)
    )
    about = " and ".join(
        f"{len(part):,} of {len(whole):,} examples of {name}"
        for name, part, whole in (("train", fitted, train), ("test", scored, test))
        if len(part) < len(whole)
    )
    return scored.labels, scored.labels.decode(scores), f"on {about}" if about else ""


def _drawn(n: int, most: int, k: int) -> Ints:
    return np.sort(np.random.default_rng([0, k]).permutation(n)[:most])


def _counted(dataset: Dataset) -> Any:
    """How often runs of characters occur in each example, a sparse array [examples, columns]; sites
    have columns of their own.
    """
    from scipy.sparse import csr_array, hstack

    sites = [_hashed(_texts(dataset, k)) for k in range(dataset.sites.shape[1])]
    asked = [_hashed([dataset.vocabulary[w] for w in slot]) for slot in dataset.asked.T]
    return csr_array(hstack([*sites, *asked], "csr")) if len(sites) + len(asked) > 1 else sites[0]


def _hashed(texts: list[str]) -> Any:
    """The same of texts, every run hashed; thirty thousand sentences take scikit-learn's
    HashingVectorizer ten times as long.
    """
    from scipy.sparse import csr_array, vstack

    pieces = [_piece(texts[first : first + PIECE]) for first in range(0, len(texts), PIECE)]
    return csr_array(vstack(pieces, "csr"))  # with 32-bit indices, which scikit-learn asks for


def _piece(texts: list[str]) -> Any:
    from scipy.sparse import csr_array

    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    letters = codes.astype(np.uint64)
    of = np.repeat(np.arange(len(texts), dtype=np.int32), [len(text) for text in texts])
    rows, columns, run = [], [], np.zeros(len(letters), np.uint64)
    for n in range(min(LONGEST, len(letters))):
        run = run[: len(letters) - n] * MIXER + letters[n:] + np.uint64(1)
        whole = of[: len(letters) - n] == of[n:]
        rows.append(of[n:][whole])
        columns.append((run[whole] * MIXER >> np.uint64(64 - BITS)).astype(np.int32))
    where = (np.concatenate(rows), np.concatenate(columns))
    return csr_array((np.ones(len(where[0])), where), (len(texts), 1 << BITS))


def _texts(dataset: Dataset, site: int) -> list[str]:
    """What each example reads at a site: the raw string of a sentence, or the words of a span."""
    found = []
    for s, start, stop in dataset.sites[:, site].tolist():
        sentence = dataset.sentences[s]
        found.append(
            FIRST + (sentence.text if start < 0 else " ".join(sentence.words[start:stop])) + LAST
        )
    return found


def _regressed(read: Any, labels: Column, wanted: Any) -> Floats:
    """Scores [examples, classes] of logistic regression; classes that training lacks come last."""
    from sklearn.linear_model import SGDClassifier

    ids = labels.matrix()
    scores = np.full((wanted.shape[0], len(labels.names)), -np.inf, np.float32)
    known = np.unique(ids)
    if len(known) == 1:
        scores[:, known] = 0
        return scores
    model = SGDClassifier(
        loss="log_loss", alpha=1e-6, max_iter=5, tol=None, average=True, random_state=0
    ).fit(read, ids)
    found = model.decision_function(wanted)
    scores[:, known] = np.column_stack([-found, found]) if len(known) == 2 else found
    return scores


def _estimated(read: Any, labels: Column, wanted: Any) -> Floats:
    return estimator(read, labels)(1.0).scores(wanted)
