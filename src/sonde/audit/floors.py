"""What is scored without an encoder: the best constant, length or source alone, words, bigrams,
characters.

Everything is fitted on train and scored on test; where a file lacks one of them, on dev, which
`about` says. Examples are put in an order of their own first, so that a data set in another order
has the same floors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from sonde.audit.characters import characters
from sonde.audit.findings import Floor
from sonde.audit.lengths import words_read
from sonde.core import SPLITS, Cell, Dataset
from sonde.experiment.onesource import by_group, by_source, several
from sonde.experiment.oneword import OneWord, best_word
from sonde.labels import Column
from sonde.metrics import METRICS, best_constant, constants, interval_of, repeated
from sonde.probes.bayes import NaiveBayes, bi, uni
from sonde.reading import Readings
from sonde.vectors import Ints, Vectors

BINS = 20  # of length
TUNED = 2000  # examples of dev that the smoothing of Naive Bayes is chosen on, at most


class Halves(NamedTuple):
    """What floors are fitted on and scored on; `dev` is for choosing between settings, `about` says
    what is out of the ordinary.
    """

    train: Dataset
    dev: Dataset
    test: Dataset
    about: str


Predicted = tuple[Column, Column, str]
"""Gold and predicted labels of the same examples, and what was done."""


def floors(dataset: Dataset, metric: str) -> Mapping[str, Floor]:
    """Floors by name; {} where the data have but one split."""
    halves = halved(dataset)
    if halves is None:
        return {}
    found = dict(_constants(halves, metric))
    for key, (name, read) in _readers(dataset, halves).items():
        gold, said, about = read(halves)
        found[key] = floor_of(name, metric, (gold, said), halves.about, about)
    rule = best_word(dataset)
    if rule is not None:
        found["word"] = floor_of(f"one word: {rule}", metric, _of_rule(dataset, rule))
    return {key: found[key] for key in ORDER if key in found}


ORDER = ("constant", "set", "length", "source", "word", "words", "bigrams", "characters")


def floor_of(name: str, metric: str, labels: tuple[Column, Column], *about: str) -> Floor:
    """The floor of predicted labels beside the gold ones, which stand first."""
    gold, said = labels
    score = METRICS.make(metric)(gold, said)
    return Floor(name, score, *interval_of(metric, gold, [said]), "; ".join(filter(None, about)))


def _constants(halves: Halves, metric: str) -> Iterator[tuple[str, Floor]]:
    """What answers all examples alike."""
    labels, gold = halves.train.labels, halves.test.labels
    score = best_constant(labels, gold, metric)
    yield "constant", Floor("best constant", score, score, score, halves.about)
    together = constants(labels, metric).get("set", ())
    # which a sigmoid for each label may answer
    if labels.classes is not None and len(together) > 1:
        score = METRICS.make(metric)(gold, repeated(together, labels.names, len(gold), "set"))
        name = f"best constant set, {len(together)} labels"
        yield "set", Floor(name, score, score, score, halves.about)


def _readers(
    dataset: Dataset, halves: Halves
) -> dict[str, tuple[str, Callable[[Halves], Predicted]]]:
    """What is fitted on one half and scored on the other, and what it is called, by key."""
    found: dict[str, tuple[str, Callable[[Halves], Predicted]]] = {
        "length": ("length alone", _by_length)
    }
    if any(sentence.words for sentence in dataset.sentences):
        found |= {
            "words": ("words (Naive Bayes)", lambda h: _by_words(h, uni())),
            "bigrams": ("words and bigrams (Naive Bayes)", lambda h: _by_words(h, bi())),
            "characters": (
                "characters, 1 to 5 in a row (linear)",
                lambda h: characters(h.train, h.test),
            ),
        }
    if several(halves.train):
        found["source"] = (
            "the source alone",
            lambda h: (h.test.labels, by_source(h.train, h.test), ""),
        )
    return found


def _of_rule(dataset: Dataset, rule: OneWord) -> tuple[Column, Column]:
    """Labels of the test examples, and what the rule of one word says of them."""
    rows, labels = dataset.rows("test"), dataset.labels
    return labels.take(rows), rule.said(rows, labels.names)


def used(dataset: Dataset) -> str:
    """The split that floors are fitted on and the one that they are scored on, as 'train/test'; ''
    where there is but one.
    """
    some = [name for name in SPLITS if len(dataset.rows(name))]
    return f"{some[0]}/{some[-1]}" if len(some) > 1 else ""


def halved(dataset: Dataset) -> Halves | None:
    """Examples to fit on and to score on, in an order of their own; None where there is but one
    split.
    """
    if not (pair := used(dataset)):
        return None
    ordered = dataset.take(canonical(dataset))
    train, test = pair.split("/")
    dev = ordered.rows("dev") if pair == "train/test" else np.empty(0, np.int64)
    thinned = dev[np.random.default_rng(0).permutation(len(dev))[:TUNED]]
    about = "" if pair == "train/test" else f"fitted on {train}, scored on {test}"
    return Halves(
        ordered.take(ordered.rows(train)),
        ordered.take(thinned),
        ordered.take(ordered.rows(test)),
        about,
    )


def canonical(dataset: Dataset) -> Ints:
    """The examples by their first sentence, the rest of their sites, what they ask and their label
    [n].
    """
    texts = [s.text for s in dataset.sentences]
    rank = np.empty(len(texts), np.int64)
    rank[np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)] = np.arange(
        len(texts)
    )
    sites = dataset.sites.copy()
    sites[:, :, 0] = rank[sites[:, :, 0]]
    labels = np.nan_to_num(dataset.labels.matrix().reshape(len(dataset), -1), nan=-1)
    return np.lexsort(
        (*labels.T[::-1], *dataset.asked.T[::-1], *sites.reshape(len(dataset), -1).T[::-1])
    )


def _by_words(halves: Halves, probe: NaiveBayes) -> Predicted:
    train, dev, test = (_read(part) for part in halves[:3])
    [bayes] = probe.fit(train, dev, cells=(Cell("-", 0),))
    return halves.test.labels, bayes.predict(test).decoded, ""


def _read(dataset: Dataset) -> Readings:
    return Readings(dataset, Vectors((np.zeros((len(dataset.sentences), 0), np.float32),)))


def _by_length(halves: Halves) -> Predicted:
    """The best constant of each of some twenty ranges of length."""
    labels, train, test = halves.train.labels, words_read(halves.train), words_read(halves.test)
    edges = np.unique(np.quantile(train, np.linspace(0, 1, BINS + 1)[1:-1]))
    bins, wanted = np.searchsorted(edges, train, "right"), np.searchsorted(edges, test, "right")
    gold = halves.test.labels
    return gold, gold.decode(by_group(labels, bins, wanted)), ""
