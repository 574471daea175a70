"""The probe of Ettinger et al. 2018 (section 7): ReLU, one hidden layer as wide as the input,
scikit-learn's own settings.

It is the class that the authors' released code calls, as it calls it:
MLPClassifier(hidden_layer_sizes=features, max_iter=700). That is Adam at 1e-3, batches of 200, an
L2 penalty of 1e-4, until the training loss has not fallen by 1e-4 for ten passes. Nothing is tuned,
so dev is not read.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from lingprobe.data.core import Predictor
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.probes.plain import EstimatorProbe, FittedEstimators

_PASSES = 700  # over the training examples, at most


@dataclass(frozen=True, slots=True)
class EttingerProbe:
    """Settings of the paper's probe, one cell at a time; it has none to choose."""

    name: ClassVar[str] = "mlp-ettinger"
    random: ClassVar[bool] = True

    def fit_one(self, train: Readings, dev: Readings, read: str, seed: int) -> Predictor:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier, MLPRegressor

        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        width = train.take(np.arange(1)).features(read).shape[1]
        kind = MLPClassifier if train.labels.numbers is None else MLPRegressor
        make = partial(kind, hidden_layer_sizes=(width,), max_iter=_PASSES)
        with warnings.catch_warnings(), _tiny_is_zero():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the passes are in the result
            fitted = EstimatorProbe(self.name, make, scaled=False).fit_one(train, dev, read, seed)
        assert isinstance(fitted, FittedEstimators)
        return replace(
            fitted, choice={"hidden": width, "passes": [_passes(e) for e in fitted.estimators]}
        )


@contextmanager
def _tiny_is_zero() -> Iterator[None]:
    """Numbers too small for float32's usual form count as zero: dead units leave Adam nothing else,
    and a pass takes six times as long.
    """
    import torch

    torch.set_flush_denormal(True)  # of the processor, so scikit-learn's products heed it
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def _passes(estimator: Any) -> int:
    return int(getattr(estimator, "n_iter_", 0))  # a number stands where there was nothing to learn
