"""Word baselines of Conneau et al. 2018, section 4: Naive Bayes over tf-idf of words, and of words and bigrams.

The paper gives neither smoothing nor case. Here the smoothing is the one that does best on dev (1 without a dev split) and
words are lower-cased. Label sets are one-against-rest over the annotated examples; scores are ridge regression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sonde.core import Cell, Dataset, Predictions
from sonde.reading import Predictor, ReadingProblem, Readings
from sonde.targets import Column
from sonde.vectors import Floats

SMOOTHINGS = (1.0, 0.1, 10.0, 0.3, 3.0, 0.03, 0.01)  # in the order in which ties are settled
PENALTIES = (1.0, 0.1, 10.0, 100.0)


@dataclass(frozen=True, slots=True)
class NaiveBayes:
    """Multinomial Naive Bayes over tf-idf of n-grams of up to `longest` words."""

    longest: int
    _: KW_ONLY
    alpha: float | None = None
    lower: bool = True
    random: ClassVar[bool] = False
    reads: ClassVar[str] = "words"

    @property
    def name(self) -> str:
        return {1: "nb-uni-tfidf", 2: "nb-bi-tfidf"}.get(self.longest, f"nb-{self.longest}-tfidf")

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        fitted = self._fitted(train, dev)
        return [fitted for _ in cells]

    def _fitted(self, train: Readings, dev: Readings) -> Weighted:
        from sklearn.feature_extraction.text import TfidfVectorizer

        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        tfidf = TfidfVectorizer(analyzer=tuple)  # tuple() leaves the tokens as they are
        found = tokens(train.dataset, self.longest, self.lower)
        if not any(found):
            raise ReadingProblem(f"{self.name} reads words, but there are no words in the training examples; leave it out")
        read = tfidf.fit_transform(found)
        estimate = _regressed if train.labels.loss == "squared" else _counted
        grid = (self.alpha,) if self.alpha is not None else PENALTIES if train.labels.loss == "squared" else SMOOTHINGS
        if not len(dev) or len(grid) == 1:
            return Weighted(self, tfidf, estimate(read, train.labels, grid[0]), {"alpha": grid[0]})
        read_dev = tfidf.transform(tokens(dev.dataset, self.longest, self.lower))
        tried = [estimate(read, train.labels, alpha) for alpha in grid]
        best = int(np.argmax([_quality(dev.labels, linear.scores(read_dev)) for linear in tried]))
        return Weighted(self, tfidf, tried[best], {"alpha": grid[best]})


@dataclass(frozen=True, slots=True)
class Linear:
    """Scores = rows @ weights [tokens, outputs] + what a row sums up to * slope [outputs] + bias [outputs]."""

    weights: Any
    slope: NDArray[np.float64]
    bias: NDArray[np.float64]

    def scores(self, read: Any) -> Floats:
        """Scores [examples, outputs] of tf-idf rows."""
        sums = np.asarray(read.sum(1)).reshape(-1, 1)
        return np.asarray((read @ self.weights).toarray() + sums * self.slope + self.bias, np.float32)


@dataclass(frozen=True, slots=True)
class Weighted:
    """A fitted word baseline; `choice` is the smoothing (or penalty) that it was fitted with."""

    settings: NaiveBayes
    tfidf: Any
    linear: Linear
    choice: Mapping[str, float]

    def predict(self, readings: Readings) -> Predictions:
        scores = self.linear.scores(self.tfidf.transform(tokens(readings.dataset, self.settings.longest, self.settings.lower)))
        return Predictions(scores, readings.labels.names, readings.labels.decode(scores))


def uni(*, alpha: float | None = None, lower: bool = True) -> NaiveBayes:
    """NB-uni-tfidf: Naive Bayes over tf-idf of words; `alpha=none` tunes the smoothing on dev."""
    return NaiveBayes(1, alpha=alpha, lower=lower)


def bi(*, alpha: float | None = None, lower: bool = True) -> NaiveBayes:
    """NB-bi-tfidf: Naive Bayes over tf-idf of words and bigrams; `alpha=none` tunes the smoothing on dev."""
    return NaiveBayes(2, alpha=alpha, lower=lower)


def tokens(dataset: Dataset, longest: int = 1, lower: bool = True) -> list[list[str]]:
    """What a word baseline sees of each example: n-grams of every site, marked by site; words that sites share; asked words."""
    words = [[w.lower() for w in s.words] if lower else list(s.words) for s in dataset.sentences]
    asked = [w.lower() if lower else w for w in dataset.vocabulary]
    several = dataset.sites.shape[1] > 1
    rows = []
    for sites, slots in zip(dataset.sites.tolist(), dataset.asked.tolist(), strict=True):
        parts = [words[s] if start < 0 else words[s][start:stop] for s, start, stop in sites]
        row = [f"{k}:{gram}" if several else gram for k, part in enumerate(parts) for gram in _grams(part, longest)]
        if several:
            row += ["\tshared"] * len(set(parts[0]).intersection(*parts[1:]))
        rows.append(row + [f"\tasked {slot} {asked[w]}" for slot, w in enumerate(slots)])
    return rows


def _grams(words: Sequence[str], longest: int) -> list[str]:
    return [" ".join(words[i : i + n]) for n in range(1, longest + 1) for i in range(len(words) - n + 1)]


def _counted(read: Any, labels: Column, alpha: float) -> Linear:
    """Naive Bayes: log probabilities for classes, log odds against the rest for label sets."""
    from scipy.sparse import csr_array

    if labels.loss == "softmax":
        ids = labels.matrix()
        return _logs(read, csr_array((np.ones(len(ids)), (np.arange(len(ids)), ids)), (len(ids), len(labels.names))), alpha)
    wanted = labels.matrix().astype(np.float64)
    inside, outside = (_logs(read, csr_array(np.nan_to_num(w)), alpha) for w in (wanted, 1 - wanted))
    return Linear(inside.weights - outside.weights, inside.slope - outside.slope, inside.bias - outside.bias)


def _logs(read: Any, present: Any, alpha: float) -> Linear:
    """log((count + alpha) / total) as log1p(count / alpha), which stays sparse, and a rest that is the same for every token."""
    weights = (read.T @ present).tocsr()
    totals = np.asarray(weights.sum(0)).ravel() + alpha * weights.shape[0]
    weights.data = np.log1p(weights.data / alpha)
    shares = np.asarray(present.sum(0)).ravel() / max(present.shape[0], 1)
    return Linear(weights, np.log(alpha) - np.log(totals), np.log(np.maximum(shares, 1e-9)))


def _regressed(read: Any, labels: Column, alpha: float) -> Linear:
    """Ridge regression."""
    from scipy.sparse import csr_array
    from sklearn.linear_model import Ridge

    model = Ridge(alpha=alpha).fit(read, labels.matrix()[:, 0].astype(np.float64))
    return Linear(csr_array(np.reshape(model.coef_, (-1, 1))), np.zeros(1), np.reshape(model.intercept_, (1,)))


def _quality(gold: Column, scores: Floats) -> float:
    """How well scores do on dev, more is better: accuracy, micro F1 or minus the squared error."""
    wanted = gold.matrix()
    if gold.loss == "softmax":
        return float((scores.argmax(1) == wanted).mean())
    if gold.loss == "squared":
        return -float(((scores - wanted) ** 2).mean())
    said, annotated = scores >= 0, ~np.isnan(wanted)
    right = float(wanted[said & annotated].sum())
    return 2 * right / max(float(said[annotated].sum() + wanted[annotated].sum()), 1e-9)
