"""Word baselines of Conneau et al. 2018, section 4: Naive Bayes over tf-idf of words, and of words
and bigrams.

The paper gives neither smoothing nor case. Here the smoothing is the one that does best on dev (1
without a dev split) and words are lower-cased. Label sets are one-against-rest over the annotated
examples; scores are ridge regression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._logits import code_length
from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.labels import Column
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Floats
from lingprobe.probes.grams import NGramVocabulary, compute_tfidf, weigh_counts

_SMOOTHINGS = (1.0, 0.1, 10.0, 0.3, 3.0, 0.03, 0.01)  # in the order in which ties are settled
_PENALTIES = (1.0, 0.1, 10.0, 100.0)


@dataclass(frozen=True, slots=True)
class NaiveBayes:
    """Multinomial Naive Bayes over tf-idf of n-grams of up to `longest` words."""

    longest: int
    _: KW_ONLY
    alpha: float | None = None
    lower: bool = True
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False, words=True)

    def __post_init__(self) -> None:
        check_number(f"{self.name},alpha", self.alpha, ">0", "a smoothing or penalty")

    @property
    def name(self) -> str:
        return {1: "nb-uni-tfidf", 2: "nb-bi-tfidf"}.get(self.longest, f"nb-{self.longest}-tfidf")

    @property
    def settings(self) -> Sequence[Mapping[str, Any]]:
        """Every smoothing, and every penalty where labels are scores."""
        tried = dict.fromkeys((*_SMOOTHINGS, *_PENALTIES)) if self.alpha is None else [self.alpha]
        return [{"alpha": alpha} for alpha in tried]

    def with_settings(self, settings: Mapping[str, Any]) -> NaiveBayes:
        """The same with one of them."""
        return replace(self, alpha=settings["alpha"])

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        fitted = {
            by: self._fit_best(train, dev, by) for by in dict.fromkeys(cell.by for cell in cells)
        }
        return [fitted[cell.by] for cell in cells]

    def _fit_best(self, train: Readings, dev: Readings, by: str) -> WordBaselinePredictor:
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        grams = NGramVocabulary.of(train.dataset, self.longest, self.lower)
        counts = grams.counts(train.dataset)
        if not counts.nnz:
            raise ReadingProblem(
                f"{self.name} reads words, but there are no words in the training examples; leave"
                " it out"
            )
        idf, read = weigh_counts(counts)
        estimate = make_naive_bayes(read, train.labels)
        tried = _SMOOTHINGS if train.labels.numbers is None else _PENALTIES
        alpha = tried[0] if self.alpha is None else self.alpha
        if len(dev) and self.alpha is None:
            read_dev = compute_tfidf(grams.counts(dev.dataset), idf)
            quality = _likelihood if by == "loss" and train.labels.link else _rightness
            alpha = max(tried, key=lambda a: quality(dev.labels, estimate(a).scores(read_dev)))
        return WordBaselinePredictor(grams, idf, estimate(alpha), {"alpha": alpha})


@dataclass(frozen=True, slots=True)
class LinearScorer:
    """Scores = rows @ weights [tokens, outputs] + what a row sums up to * slope [outputs] + bias
    [outputs].
    """

    weights: Any
    slope: NDArray[np.float64]
    bias: NDArray[np.float64]

    def scores(self, read: Any) -> Floats:
        """Scores [examples, outputs] of tf-idf rows."""
        sums = np.asarray(read.sum(1)).reshape(-1, 1)
        scores = (read @ self.weights).toarray()
        scores += sums * self.slope + self.bias
        return np.asarray(scores, np.float32)

    def __sub__(self, other: LinearScorer) -> LinearScorer:
        return LinearScorer(
            self.weights - other.weights, self.slope - other.slope, self.bias - other.bias
        )


def _likelihood(labels: Column, scores: Floats) -> float:
    return -float(code_length(labels, scores).mean())


def _rightness(labels: Column, scores: Floats) -> float:
    return labels.quality(scores)


@dataclass(frozen=True, slots=True)
class WordBaselinePredictor:
    """A fitted word baseline; `choice` is the smoothing (or penalty) that it was fitted with."""

    grams: NGramVocabulary
    idf: NDArray[np.float64]
    linear: LinearScorer
    choice: Mapping[str, float]

    def predict(self, readings: Readings) -> Predictions:
        scores = self.linear.scores(compute_tfidf(self.grams.counts(readings.dataset), self.idf))
        return Predictions(
            scores, readings.labels.names, readings.labels.decode(scores), readings.labels.link
        )


def uni(*, alpha: float | None = None, lower: bool = True) -> NaiveBayes:
    """NB-uni-tfidf: Naive Bayes over tf-idf of words; `alpha=none` tunes the smoothing on dev."""
    return NaiveBayes(1, alpha=alpha, lower=lower)


def bi(*, alpha: float | None = None, lower: bool = True) -> NaiveBayes:
    """NB-bi-tfidf: Naive Bayes over tf-idf of words and bigrams; `alpha=none` tunes the smoothing
    on dev.
    """
    return NaiveBayes(2, alpha=alpha, lower=lower)


def make_naive_bayes(read: Any, labels: Column) -> Callable[[float], LinearScorer]:
    """What fits weighted counts [examples, columns] to labels: Naive Bayes by smoothing, or for
    scores ridge regression by penalty.
    """
    return _naive_bayes(read, labels) if labels.numbers is None else _ridge_regression(read, labels)


def _naive_bayes(read: Any, labels: Column) -> Callable[[float], LinearScorer]:
    """Naive Bayes by smoothing: log probabilities for classes, log odds against the rest for label
    sets.
    """
    from scipy.sparse import csr_array

    if (ids := labels.classes) is not None:
        return _logs(
            read,
            csr_array(
                (np.ones(len(ids)), (np.arange(len(ids)), ids)), (len(ids), len(labels.names))
            ),
        )
    wanted = labels.matrix().astype(np.float64)
    inside, outside = (_logs(read, csr_array(np.nan_to_num(w))) for w in (wanted, 1 - wanted))
    return lambda alpha: inside(alpha) - outside(alpha)


def _logs(read: Any, present: Any) -> Callable[[float], LinearScorer]:
    """log((count + alpha) / total) as log1p(count / alpha), which stays sparse, and a rest that is
    the same for every token.
    """
    sums = (read.T @ present).tocsr()
    counted = np.asarray(sums.sum(0)).ravel()
    shares = np.asarray(present.sum(0)).ravel() / max(present.shape[0], 1)

    def smooth_weights(alpha: float) -> LinearScorer:
        weights = sums.copy()
        weights.data = np.log1p(weights.data / alpha)
        totals = counted + alpha * weights.shape[0]
        return LinearScorer(
            weights, np.log(alpha) - np.log(totals), np.log(np.maximum(shares, 1e-9))
        )

    return smooth_weights


def _ridge_regression(read: Any, labels: Column) -> Callable[[float], LinearScorer]:
    """Ridge regression by penalty."""
    from scipy.sparse import csr_array
    from sklearn.linear_model import Ridge

    def fit_ridge(alpha: float) -> LinearScorer:
        model = Ridge(alpha=alpha).fit(read, labels.matrix()[:, 0].astype(np.float64))
        return LinearScorer(
            csr_array(np.reshape(model.coef_, (-1, 1))),
            np.zeros(1),
            np.reshape(model.intercept_, (1,)),
        )

    return fit_ridge
