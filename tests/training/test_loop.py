"""The loop of training: batches and gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sonde.nets.trainable import Shape
from sonde.training.data import Example
from sonde.training.loop import Learner, Schedule, batches
from sonde.training.objectives import OBJECTIVES, Kit

WORDS = "the a dog cat sees hears barks often".split()


def learner(objective: str, architecture: str) -> Learner:
    draws = np.random.default_rng(0)

    def text() -> tuple[str, ...]:
        return tuple(draws.choice(WORDS, draws.integers(1, 9)).tolist())

    examples = [
        Example(text(), " ".join(text()), text() if objective == "infer" else (), label)
        for label in ("yes", "no") * 8
    ]
    shape = Shape(architecture, 6, 5, 2)
    words: dict[str, int] = {}
    chosen = OBJECTIVES[objective]
    lesson = chosen.lesson(chosen, examples, words, Kit(shape, 270, 7, 0))
    table = draws.normal(size=(len(words), 6)).astype(np.float32)
    return Learner(shape.network(), lesson, table, Schedule("adam", 0.01, 0.0, 64))


def gradients(one: Learner, parts: list[np.ndarray]) -> list[torch.Tensor]:
    """Those of the loss over some batches, added up."""
    one.optimizer.zero_grad()
    for rows in parts:
        torch.autograd.backward(one.lesson.loss(rows, one.encode).total)
    return [parameter.grad.clone() for parameter in one.parameters]


@pytest.mark.parametrize("objective", ["next", "infer"])
@pytest.mark.parametrize(
    "architecture", ["bilstm-max", "bilstm-last", "lstm-last", "gated-convnet"]
)
def test_a_batch_learns_what_its_sentences_teach_one_by_one(objective, architecture):
    one = learner(objective, architecture)
    rows = np.arange(16)
    together = gradients(one, [rows])
    alone = gradients(one, [np.array([i]) for i in rows])
    turned = gradients(one, [rows[::-1].copy()])
    for whole, parts, others in zip(together, alone, turned, strict=True):
        torch.testing.assert_close(whole, parts, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(whole, others, rtol=1e-4, atol=1e-5)
    assert any(bool(gradient.abs().max() > 1e-3) for gradient in together)


def test_batches_have_every_row_once_and_hardly_any_padding():
    draws = np.random.default_rng(1)
    lengths = draws.integers(1, 60, 5000)
    rows = np.flatnonzero(lengths > 3)
    made = batches(lengths, rows, 1000, (0, 1))
    assert np.array_equal(np.sort(np.concatenate(made)), rows)
    widths = [int(lengths[batch].max()) * len(batch) for batch in made]
    assert max(widths) <= 1000
    assert lengths[rows].sum() / sum(widths) > 0.95
    assert all(np.all(np.diff(lengths[batch]) <= 0) for batch in made)
    again, other = batches(lengths, rows, 1000, (0, 1)), batches(lengths, rows, 1000, (0, 2))
    assert all(np.array_equal(a, b) for a, b in zip(made, again, strict=True))
    assert not np.array_equal(np.concatenate(made), np.concatenate(other))


def test_a_sentence_longer_than_a_batch_is_a_batch():
    assert [b.tolist() for b in batches(np.array([50]), np.array([0]), 10, (0, 1))] == [[0]]


def test_writing_stops_at_the_end_and_at_the_limit():
    one = learner("next", "bilstm-max")
    written = one.lesson.head.write(one.encode(one.lesson.words, np.arange(4)), 6)
    assert len(written) == 4
    assert all(len(row) <= 6 and 1 not in row for row in written)
