"""What a trained probe answers from vectors that know no language: random ones for each sentence,
or for each of its words.

The probe is that of Ettinger et al. 2018, and so are the three readings (section 7): random asked
words, random sentence vectors, and a bag of random word vectors. At most 5,000 training examples
are read, drawn with a fixed seed; the paper has 4,000.
"""

from __future__ import annotations

import numpy as np

from sonde.audit.findings import Floor
from sonde.audit.floors import Halves, floor_of
from sonde.core import Cell, Dataset
from sonde.datasets.controls import CONTROLS
from sonde.encoders import ENCODERS
from sonde.probes import PROBES
from sonde.reading import Readings
from sonde.vectors import Ints

PROBE = "mlp,protocol=ettinger"
TRAIN = 5_000  # examples at most
DIM = 100  # of the vectors: enough to tell some hundred forms apart, and quickly read
READINGS = {
    "random asked words, bag of random word vectors": ("bow:random", "random-asked"),
    "asked words, random sentence vectors": ("random", "none"),
    "asked words, bag of random word vectors": ("bow:random", "none"),
}
"""Name -> encoder and control."""


def untaught(halves: Halves, metric: str) -> dict[str, Floor]:
    """What the probe scores on each reading, by name."""
    train = halves.train.take(drawn(halves.train))
    fewer = (
        f"on {len(train):,} of {len(halves.train):,} examples of train"
        if len(train) < len(halves.train)
        else ""
    )
    told = {}
    for name, (encoder, control) in READINGS.items():
        vectors = ENCODERS.make(f"{encoder},dim={DIM}").encode(train.sentences)
        fitted_on, test = (
            Readings(CONTROLS.make(control)(part), vectors, "mean+asked")
            for part in (train, halves.test)
        )
        dev = fitted_on.take(np.empty(0, np.int64))
        [fitted] = PROBES.make(PROBE).fit(fitted_on, dev, cells=(Cell("-", 0),))
        labels = test.labels, fitted.predict(test).decoded
        told[name] = floor_of(name, metric, labels, fewer, halves.about)
    return told


def drawn(train: Dataset) -> Ints:
    """Rows of the examples that are read, minimal pairs whole."""
    pairs = train.strata.get("pair")
    groups = (
        np.arange(len(train))
        if pairs is None
        else np.where(pairs.codes < 0, len(pairs.names) + np.arange(len(train)), pairs.codes)
    )
    order = np.random.default_rng([0, 2]).permutation(int(groups.max(initial=0)) + 1)
    place = np.argsort(order)[groups]
    return np.sort(np.argsort(place, kind="stable")[:TRAIN])
