"""Stored scores of a probe for test examples, for bits, calibration and probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.labels import MIN_LABEL_WEIGHT, Column, Link
from lingprobe.data.vectors import Floats, Ints

Doubles = NDArray[np.float64]
MAX_HALF_PRECISION_LOGIT = 6e4  # that half precision holds


@dataclass(frozen=True, slots=True)
class ProbeLogits:
    """Scores of test examples in the state of a fit that is best on dev by loss, beside what is
    known without vectors.

    values  [n, outputs] float16; log probabilities where they are a softmax's
    null    [outputs] float32: the same for one who knows but how frequent labels are in train
    rows    [n] which examples of the data set they are of
    link    how values become probabilities: a softmax over the outputs, or a sigmoid of each
    """

    values: NDArray[np.float16]
    null: Floats
    rows: Ints
    link: Link

    @classmethod
    def of(cls, scores: Floats, link: Link, train: Column, rows: Ints) -> ProbeLogits:
        """What is kept of scores [n, outputs] of a probe that was fitted to the labels of train."""
        z = scores.astype(np.float64)
        values = z - np.logaddexp.reduce(z, 1, keepdims=True) if link == "softmax" else z
        return cls(
            np.clip(values, -MAX_HALF_PRECISION_LOGIT, MAX_HALF_PRECISION_LOGIT).astype(np.float16),
            null_scores(train),
            rows,
            link,
        )

    def bits(self, gold: Column) -> Doubles:
        """How many bits each example's labels take under the scores, [n]: -log2 p."""
        return code_length(gold, self.values.astype(np.float32))

    def null_bits(self, gold: Column) -> Doubles:
        """How many bits they take under label frequencies, [n]."""
        return code_length(gold, np.tile(self.null, (len(gold), 1)))

    def probabilities(self, link: Link | None = None) -> Doubles:
        """The probability of each label, [n, outputs], under the link that they were trained with
        or another.
        """
        z = self.values.astype(np.float64)
        return (
            np.exp(z - np.logaddexp.reduce(z, 1, keepdims=True))
            if (link or self.link) == "softmax"
            else 1 / (1 + np.exp(-z))
        )


def null_scores(train: Column) -> Floats:
    """The scores [outputs] under which labels are as likely as in train, half an example added to
    each count.

    Of classes these are log probabilities, of label sets the log odds of each label where it was
    annotated.
    """
    if train.classes is not None:
        counts = np.bincount(train.classes, minlength=len(train.names)) + 0.5
        return np.asarray(np.log(counts / counts.sum()), np.float32)
    matrix: NDArray[Any] = train.sets().matrix()
    held, known = (matrix >= MIN_LABEL_WEIGHT).sum(0), (~np.isnan(matrix)).sum(0)
    return np.asarray(np.log((held + 0.5) / (known - held + 0.5)), np.float32)


def code_length(labels: Column, scores: Floats) -> Doubles:
    """Bits that each example's labels take under a probe's scores (logits), [n]: -log2 p;
    ValueError for numbers.

    Classes are coded by softmax, even where a sigmoid each was trained: that is their distribution
    given that one label holds.
    """
    if labels.link is None:
        raise ValueError("code length is not defined for numbers: use classes or label sets")
    z = scores.astype(np.float64)
    if labels.classes is not None:
        nats = np.logaddexp.reduce(z, 1) - z[np.arange(len(labels)), labels.classes]
    else:
        holds = labels.matrix()
        nats = np.where(
            np.isnan(holds), 0, np.logaddexp(0, z) - (holds >= MIN_LABEL_WEIGHT) * z
        ).sum(1)
    return np.asarray(nats / np.log(2))
