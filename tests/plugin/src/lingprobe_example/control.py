"""A control: a data set goes in, and comes out without what it is a control for."""

from dataclasses import dataclass, replace

import numpy as np

from lingprobe.data.core import Dataset, Sentence


@dataclass(frozen=True)
class AnyOrder:
    """Words in a random order: what is decodable without the order of words."""

    def __call__(self, dataset: Dataset) -> Dataset:
        rng = np.random.default_rng(0)
        mixed = (Sentence.of(rng.permutation(s.words).tolist()) for s in dataset.sentences)
        return replace(dataset, sentences=tuple(mixed))
