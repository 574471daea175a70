"""What is scored without an encoder: the best constant, length or source alone, words, bigrams,
characters. And how long examples are, and what that says about their labels.

Everything is fitted on train and scored on test; where a file lacks one of them, on dev, which
`about` says. Examples are put in an order of their own first, so that a data set in another order
has the same baselines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.audit.findings import AuditBaseline
from lingprobe.corpora.text import hash_ngrams
from lingprobe.data.core import DATA_SPLITS, Cell, Dataset
from lingprobe.data.labels import Column
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Floats, Ints, Vectors
from lingprobe.experiment.rules import OneWord, best_word, by_group, by_source, have_several_sources
from lingprobe.metrics import METRICS, best_constant, choose_constants, constant_column
from lingprobe.probes.bayes import NaiveBayes, bi, make_naive_bayes, uni
from lingprobe.probes.grams import compute_tfidf, weigh_counts


def count_words_read(dataset: Dataset) -> Ints:
    """How many words each example reads [examples]: those of its spans, or of its whole
    sentences.
    """
    sizes = np.array([len(s.words) for s in dataset.sentences], np.int64)
    sentence, start, stop = np.moveaxis(dataset.sites, 2, 0)
    return np.asarray(np.where(start < 0, sizes[sentence], stop - start).sum(1))


def correlate_length_with_labels(lengths: Ints, labels: Column) -> float:
    """Pearson's r where labels are numbers, or names of numbers; otherwise the multiple correlation
    of length and labels.
    """
    values = _convert_to_numbers(labels)
    if values is not None:
        return _pearson(lengths, values)
    if np.ptp(lengths) == 0:
        return 0.0
    if (ids := labels.classes) is not None:
        fitted = (np.bincount(ids, lengths) / np.maximum(np.bincount(ids), 1))[ids]
    else:
        design = np.column_stack([np.nan_to_num(labels.matrix()), np.ones(len(labels))]).astype(
            np.float64
        )
        fitted = design @ np.linalg.lstsq(design, lengths.astype(np.float64), rcond=None)[0]
    return float(np.sqrt(np.clip(fitted.var() / lengths.var(), 0, 1)))


def _convert_to_numbers(labels: Column) -> NDArray[np.float64] | None:
    if labels.numbers is not None:
        return np.asarray(labels.matrix()[:, 0], np.float64)
    if labels.classes is None:
        return None
    try:
        values = np.array([float(name) for name in labels.names])
    except ValueError:
        return None
    return np.asarray(values[labels.classes]) if np.isfinite(values).all() else None


def _pearson(a: NDArray[Any], b: NDArray[Any]) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a.astype(np.float64), b.astype(np.float64))[0, 1])


def by_label(dataset: Dataset, lengths: Ints) -> dict[str, float]:
    """Mean length in train of the examples that have each label."""
    rows = dataset.rows("train")
    groups, lengths = dataset.labels.take(rows).groups(), lengths[rows]
    return {name: float(lengths[group].mean()) for name, group in groups.items() if group.any()}


_FEW = 50  # classes that logistic regression is fitted to
_TRAIN, _TEST, _TEST_OF_MANY = 20_000, 5_000, 2_000  # examples at most
_LONGEST = 5  # characters in a run
_BITS = 18  # of the columns that runs are hashed into, a site
_PIECE = 2_000  # texts counted at once
_FIRST, _LAST = "\x02", "\x03"  # so that what a text begins and ends with is seen


def predict_from_characters(train: Dataset, test: Dataset) -> tuple[Column, Column, str]:
    """A linear model of characters, 1 to 5 in a row: gold and predicted labels of examples of test,
    and how many examples were read.
    """
    few = train.labels.classes is not None and len(train.labels.names) <= _FEW
    many = (
        _draw_rows(len(train), _TRAIN, 0),
        _draw_rows(len(test), _TEST if few else _TEST_OF_MANY, 1),
    )
    fitted, scored = train.take(many[0]), test.take(many[1])
    read = _count_ngrams(fitted)
    idf, weights = weigh_counts(read)
    scores = (_logistic_scores if few else _estimator_scores)(
        weights, fitted.labels, compute_tfidf(_count_ngrams(scored), idf)
    )
    about = " and ".join(
        f"{len(part):,} of {len(whole):,} examples of {name}"
        for name, part, whole in (("train", fitted, train), ("test", scored, test))
        if len(part) < len(whole)
    )
    return scored.labels, scored.labels.decode(scores), f"on {about}" if about else ""


def _draw_rows(n: int, most: int, k: int) -> Ints:
    return np.sort(np.random.default_rng([0, k]).permutation(n)[:most])


def _count_ngrams(dataset: Dataset) -> Any:
    """How often runs of characters occur in each example, a sparse array [examples, columns]; sites
    have columns of their own.
    """
    from scipy.sparse import csr_array, hstack

    sites = [_hash_ngrams(_list_site_texts(dataset, k)) for k in range(dataset.sites.shape[1])]
    asked = [_hash_ngrams([dataset.vocabulary[w] for w in slot]) for slot in dataset.asked.T]
    return csr_array(hstack([*sites, *asked], "csr")) if len(sites) + len(asked) > 1 else sites[0]


def _hash_ngrams(texts: list[str]) -> Any:
    """The same of texts, every run hashed; thirty thousand sentences take scikit-learn's
    HashingVectorizer ten times as long.
    """
    from scipy.sparse import csr_array, vstack

    pieces = [_piece(texts[first : first + _PIECE]) for first in range(0, len(texts), _PIECE)]
    return csr_array(vstack(pieces, "csr"))  # with 32-bit indices, which scikit-learn asks for


def _piece(texts: list[str]) -> Any:
    from scipy.sparse import csr_array

    of = np.repeat(np.arange(len(texts), dtype=np.int32), [len(text) for text in texts])
    rows, columns = [], []
    for n, hashes in enumerate(hash_ngrams("".join(texts), _LONGEST)):
        whole = of[: len(of) - n] == of[n:]
        rows.append(of[n:][whole])
        columns.append((hashes[whole] >> np.uint64(64 - _BITS)).astype(np.int32))
    where = (np.concatenate(rows), np.concatenate(columns))
    return csr_array((np.ones(len(where[0])), where), (len(texts), 1 << _BITS))


def _list_site_texts(dataset: Dataset, site: int) -> list[str]:
    """What each example reads at a site: the raw string of a sentence, or the words of a span."""
    texts = []
    for s, start, stop in dataset.sites[:, site].tolist():
        sentence = dataset.sentences[s]
        texts.append(
            _FIRST + (sentence.text if start < 0 else " ".join(sentence.words[start:stop])) + _LAST
        )
    return texts


def _logistic_scores(read: Any, labels: Column, features: Any) -> Floats:
    """Scores [examples, classes] of logistic regression; classes that training lacks come last."""
    from sklearn.linear_model import SGDClassifier

    ids = labels.matrix()
    scores = np.full((features.shape[0], len(labels.names)), -np.inf, np.float32)
    known = np.unique(ids)
    if len(known) == 1:
        scores[:, known] = 0
        return scores
    model = SGDClassifier(
        loss="log_loss", alpha=1e-6, max_iter=5, tol=None, average=True, random_state=0
    ).fit(read, ids)
    decisions = model.decision_function(features)
    scores[:, known] = np.column_stack([-decisions, decisions]) if len(known) == 2 else decisions
    return scores


def _estimator_scores(read: Any, labels: Column, features: Any) -> Floats:
    return make_naive_bayes(read, labels)(1.0).scores(features)


_BINS = 20  # of length
_TUNED = 2000  # examples of dev that the smoothing of Naive Bayes is chosen on, at most


class SplitHalves(NamedTuple):
    """What baselines are fitted on and scored on; `dev` is for choosing between settings, `about`
    says what is out of the ordinary.
    """

    train: Dataset
    dev: Dataset
    test: Dataset
    about: str

    @classmethod
    def of(cls, dataset: Dataset) -> SplitHalves | None:
        """Examples to fit on and to score on, in an order of their own; None where there is but one
        split.
        """
        if not (pair := floor_splits(dataset)):
            return None
        ordered = dataset.take(number_examples(dataset))
        train, test = pair.split("/")
        dev = ordered.rows("dev") if pair == "train/test" else np.empty(0, np.int64)
        thinned = dev[np.random.default_rng(0).permutation(len(dev))[:_TUNED]]
        about = "" if pair == "train/test" else f"fitted on {train}, scored on {test}"
        return cls(
            ordered.take(ordered.rows(train)),
            ordered.take(thinned),
            ordered.take(ordered.rows(test)),
            about,
        )

    def answer_by_group(self, groups: Ints, tested: Ints) -> Column:
        """The best constant of each of the groups [train] of training examples for examples of the
        groups tested [n]; that of all training examples for a group that these lack.
        """
        return self.train.labels.decode(by_group(self.train.labels, groups, tested))


Predicted = tuple[Column, Column, str]
"""Gold and predicted labels of the same examples, and what was done."""


def score_simple_baselines(dataset: Dataset, metric: str) -> Mapping[str, AuditBaseline]:
    """Baselines by name; {} where the data have but one split."""
    halves = SplitHalves.of(dataset)
    if halves is None:
        return {}
    floors = dict(_constants(halves, metric))
    for key, (name, read) in _readers(dataset, halves).items():
        gold, said, about = read(halves)
        floors[key] = AuditBaseline.of(name, metric, (gold, said), halves.about, about)
    rule = best_word(dataset)
    if rule is not None:
        floors["word"] = AuditBaseline.of(f"one word: {rule}", metric, _of_rule(dataset, rule))
    return {key: floors[key] for key in _ORDER if key in floors}


_ORDER = ("constant", "set", "length", "source", "word", "words", "bigrams", "characters")


def _constants(halves: SplitHalves, metric: str) -> Iterator[tuple[str, AuditBaseline]]:
    """What answers all examples alike."""
    labels, gold = halves.train.labels, halves.test.labels
    score = best_constant(labels, gold, metric)
    yield "constant", AuditBaseline("best constant", score, score, score, halves.about)
    together = choose_constants(labels, metric).get("set", ())
    # which a sigmoid for each label may answer
    if labels.classes is not None and len(together) > 1:
        score = METRICS.make(metric)(
            gold, constant_column(together, labels.names, len(gold), "set")
        )
        name = f"best constant set, {len(together)} labels"
        yield "set", AuditBaseline(name, score, score, score, halves.about)


def _readers(
    dataset: Dataset, halves: SplitHalves
) -> dict[str, tuple[str, Callable[[SplitHalves], Predicted]]]:
    """What is fitted on one half and scored on the other, and what it is called, by key."""
    readers: dict[str, tuple[str, Callable[[SplitHalves], Predicted]]] = {
        "length": ("length alone", _by_length)
    }
    if any(sentence.words for sentence in dataset.sentences):
        readers |= {
            "words": ("words (Naive Bayes)", lambda h: _by_words(h, uni())),
            "bigrams": ("words and bigrams (Naive Bayes)", lambda h: _by_words(h, bi())),
            "characters": (
                "characters, 1 to 5 in a row (linear)",
                lambda h: predict_from_characters(h.train, h.test),
            ),
        }
    if have_several_sources(halves.train):
        readers["source"] = (
            "the source alone",
            lambda h: (h.test.labels, by_source(h.train, h.test), ""),
        )
    return readers


def _of_rule(dataset: Dataset, rule: OneWord) -> tuple[Column, Column]:
    """Labels of the test examples, and what the rule of one word says of them."""
    rows, labels = dataset.rows("test"), dataset.labels
    return labels.take(rows), rule.predict(rows, labels.names)


def floor_splits(dataset: Dataset) -> str:
    """The split that baselines are fitted on and the one that they are scored on, as 'train/test';
    '' where there is but one.
    """
    some = [name for name in DATA_SPLITS if len(dataset.rows(name))]
    return f"{some[0]}/{some[-1]}" if len(some) > 1 else ""


def number_examples(dataset: Dataset) -> Ints:
    """The examples by their first sentence, the rest of their sites, what they ask and their label
    [n].
    """
    sites, asked = dataset.sites.copy(), _ranks(dataset.vocabulary)[dataset.asked]
    sites[:, :, 0] = _ranks([s.text for s in dataset.sentences])[sites[:, :, 0]]
    labels = np.nan_to_num(dataset.labels.matrix().reshape(len(dataset), -1), nan=-1)
    return np.lexsort((*labels.T[::-1], *asked.T[::-1], *sites.reshape(len(dataset), -1).T[::-1]))


def _ranks(texts: Sequence[str]) -> Ints:
    """The place of each of some texts in their alphabetical order."""
    ranks = np.empty(len(texts), np.int64)
    ranks[np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)] = np.arange(
        len(texts)
    )
    return ranks


def _by_words(halves: SplitHalves, probe: NaiveBayes) -> Predicted:
    train, dev, test = (_make_empty_readings(part) for part in halves[:3])
    [bayes] = probe.fit(train, dev, cells=(Cell("-", 0),))
    return halves.test.labels, bayes.predict(test).decoded, ""


def _make_empty_readings(dataset: Dataset) -> Readings:
    return Readings(dataset, Vectors((np.zeros((len(dataset.sentences), 0), np.float32),)))


def _by_length(halves: SplitHalves) -> Predicted:
    """The best constant of each of some twenty ranges of length."""
    train, test = count_words_read(halves.train), count_words_read(halves.test)
    edges = np.unique(np.quantile(train, np.linspace(0, 1, _BINS + 1)[1:-1]))
    bins, tested = np.searchsorted(edges, train, "right"), np.searchsorted(edges, test, "right")
    return halves.test.labels, halves.answer_by_group(bins, tested), ""
