"""Estimators and pipelines of scikit-learn, as they were made, in the place of a probe:
`lingprobe.run(..., probes=LogisticRegression(C=0.1))`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lingprobe.data.core import Predictor, Probe
from lingprobe.data.digests import digest_texts
from lingprobe.data.errors import UsageProblem
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.probes.plain import EstimatorProbe, OneByOne

_SEEDS = re.compile(r"(?:^|__)random_state$")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


_METHODS = ("fit", "predict", "get_params")
"""What scikit-learn asks of an estimator."""


@dataclass(frozen=True)
class OwnEstimator:
    """An estimator of the user's as a plain probe: each fit has a clone of it, and vectors come as
    they are. Where its `random_state` is None, that is the seed of the fit.
    """

    estimator: Any

    @property
    def name(self) -> str:
        """Its class with what was set, and of a pipeline those of its steps."""
        steps = getattr(self.estimator, "steps", None)
        return "+".join(map(_describe, (step for _, step in steps) if steps else [self.estimator]))

    @property
    def fingerprint(self) -> str:
        """Its parameters, all of them."""
        said = sorted(self.estimator.get_params(deep=True).items())
        return digest_texts(*(_ADDRESS.sub("", f"{key}={value!r}") for key, value in said))

    @property
    def random(self) -> bool:
        """Whether its fit depends on the seed."""
        return bool(self._seeds)

    @property
    def _seeds(self) -> list[str]:
        """The parameters that are set to the seed."""
        said = self.estimator.get_params(deep=True)
        return [key for key, value in said.items() if _SEEDS.search(key) and value is None]

    def fit_one(self, train: Readings, dev: Readings, read: str, seed: int) -> Predictor:
        from sklearn.base import is_classifier, is_regressor

        are_scores = train.labels.numbers is not None
        if (is_classifier if are_scores else is_regressor)(self.estimator):
            kind, labels = ("classifier", "scores") if are_scores else ("regressor", "classes")
            raise ReadingProblem(f"{self.name} is a {kind}, and the labels are {labels}")

        def make(random_state: int) -> Any:
            from sklearn.base import clone

            return clone(self.estimator).set_params(**dict.fromkeys(self._seeds, random_state))

        return EstimatorProbe(self.name, make, scaled=False).fit_one(train, dev, read, seed)


def as_probe(estimator: Any) -> Probe:
    """An object in the place of a probe: a probe, or an estimator of scikit-learn. UsageProblem
    for any other.
    """
    if not isinstance(estimator, type):
        if all(callable(getattr(estimator, name, None)) for name in _METHODS):
            return OneByOne(OwnEstimator(estimator))
        if callable(getattr(estimator, "fit", None)) and isinstance(
            getattr(estimator, "name", None), str
        ):
            probe: Probe = estimator
            return probe
    hint = f", as {estimator.__name__}()" if isinstance(estimator, type) else ""
    raise UsageProblem(
        f"{estimator!r} is no probe: name one (`lingprobe list probes` lists them), or give an"
        f" estimator of scikit-learn{hint}"
    )


def _describe(estimator: Any) -> str:
    """An estimator in a line, as scikit-learn prints it: with the parameters that were set."""
    return " ".join(_ADDRESS.sub("", repr(estimator)).split()).removesuffix("()")
