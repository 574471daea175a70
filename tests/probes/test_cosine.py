"""Cosines as scores: what numpy makes of them, without anything to learn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES
from probes.pairs import scored_pairs


def said(given, read="-"):
    [fitted] = PROBES.make("cosine").fit(
        given.split("train"), given.split("dev"), cells=(Cell(read, 0),)
    )
    return fitted.predict(given.split("test"))


@pytest.mark.parametrize("view", ["mean", "mean+contrast", "mean+infersent"])
def test_it_is_the_cosine_of_the_two_vectors_whatever_the_view(view):
    given = scored_pairs(view=view)
    pairs = given.vectors.layers[0].reshape(-1, 2, 6)[-80:]
    expected = [u @ v / np.sqrt((u @ u) * (v @ v)) for u, v in pairs]
    predictions = said(given)
    np.testing.assert_allclose(predictions.scores[:, 0], expected, atol=1e-6)
    np.testing.assert_allclose(predictions.decoded.numbers, expected, atol=1e-6)


def test_a_vector_without_direction_or_with_nan_is_like_no_other():
    given = scored_pairs(sizes=(2, 2, 3))
    vectors = given.vectors.layers[0].copy()
    vectors[-6], vectors[-3] = 0, np.nan
    given = replace(given, vectors=Vectors((vectors,), ("-",)))
    assert said(given).scores[:2, 0].tolist() == [0, 0]
    assert said(given).scores[2, 0] != 0


def test_of_layers_side_by_side_each_vector_is_one():
    given = scored_pairs()
    one = given.vectors.layers[0]
    given = replace(given, vectors=Vectors((one, 2 * one[:, ::-1].copy()), ("0", "1")))
    both = np.concatenate([one, 2 * one[:, ::-1]], 1).reshape(-1, 2, 12)[-80:]
    expected = [u @ v / np.sqrt((u @ u) * (v @ v)) for u, v in both]
    np.testing.assert_allclose(said(given, "cat").scores[:, 0], expected, atol=1e-6)


def test_single_sentences_and_classes_are_refused_in_a_sentence():
    x = Vectors((np.eye(3, dtype=np.float32),), ("-",))
    for labels, told in (
        ((0.0, 1.0, 2.0), "examples have 1"),
        (("a", "b", "a"), "labels are not numbers"),
    ):
        examples = [
            Example.about(Sentence.of((f"s{i}",)), y, s)
            for i, (y, s) in enumerate(zip(labels, ("train", "dev", "test"), strict=True))
        ]
        with pytest.raises(ReadingProblem, match=told):
            said(Readings(Dataset.of(examples), x))
