"""Latent semantic analysis with scikit-learn, fitted to the texts of a task: svd.py@Svd,dim=20."""

from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline


@dataclass(frozen=True)
class Svd:
    """The first components of tf-idf, as many as `dim` and the texts have."""

    dim: int = 100
    fitted: Pipeline | None = field(default=None, compare=False)

    def prepare(self, texts: list[str]) -> "Svd":
        steps = TfidfVectorizer(), TruncatedSVD(self.dim, random_state=0)
        return replace(self, fitted=make_pipeline(*steps).fit(texts))

    def encode(self, texts: list[str]) -> np.ndarray:
        return self.fitted.transform(texts)
