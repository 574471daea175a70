"""Learning rates of each step, as training sets them, against tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.nets.trainable import NetworkShape
from lingprobe.probes.schedules import AnnealingSchedule
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.data import TrainingExample
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.loop import EncoderLearner, OptimizerSettings
from lingprobe_extensions.train.nets.heads import WordEmbedding
from lingprobe_extensions.train.objectives import LessonKit
from reference import rates


def learner(schedule: OptimizerSettings) -> EncoderLearner:
    """One that learns from eight sentences, in batches of one or two."""
    import torch

    words = "the a dog cat sees hears".split()
    some = [
        TrainingExample(tuple(words[i % 4 :]), (" ".join(words[: 2 + i % 3]),)) for i in range(8)
    ]
    read, _ = TrainingExamples.of(some)
    shape, chosen = NetworkShape("bilstm-max", 4, 3, 1), OBJECTIVES.make("next")
    lesson = chosen.lesson(chosen, read, LessonKit(shape, 270, 3, 0, False))
    table = np.random.default_rng(0).normal(size=(len(read.forms), 4)).astype(np.float32)
    return EncoderLearner(shape.network(), lesson, WordEmbedding(torch.from_numpy(table)), schedule)


def rates_of(one: EncoderLearner, epochs: int, slower: bool = False) -> list[list[float]]:
    """The rate of each step of some epochs, as the optimiser has it."""
    seen: list[list[float]] = []
    step = one.optimizer.step
    one.optimizer.step = lambda: (seen[-1].append(one.optimizer.param_groups[0]["lr"]), step())[1]
    for _ in range(epochs):
        seen.append([])
        one.epoch(np.arange(8), np.arange(2), lambda *_: None)
        if slower:
            one.slower()
    return seen


@pytest.mark.parametrize("epochs", [1, 3])
def test_a_falling_rate_is_whole_at_the_first_step_and_not_nothing_at_the_last(epochs):
    schedule = OptimizerSettings("adam", 0.01, 0.0, 16, falls=epochs)
    found = rates_of(learner(schedule), epochs, slower=True)
    steps = len(found[0])
    assert steps > 2
    np.testing.assert_allclose(found, rates.falling(0.01, epochs, steps))
    assert found[-1][-1] == pytest.approx(0.01 / (epochs * steps))


def test_a_rate_that_does_not_fall_is_halved_when_asked_for():
    found = rates_of(learner(OptimizerSettings("sgd", 0.01, 0.0, 16)), 3, slower=True)
    assert [set(each) for each in found] == [{0.01}, {0.005}, {0.0025}]


@given(st.integers(1, 300), st.integers(1, 10), st.floats(1e-5, 1))
def test_the_annealed_rate_is_a_line_up_and_half_a_cosine_down(steps, tenths, rate):
    plan = replace(AnnealingSchedule(), rate=rate, warm=tenths / 10)
    steps *= 10
    found = [plan.rate_at(step, steps) for step in range(steps)]
    if tenths < 10:
        np.testing.assert_allclose(found, rates.annealed(rate, steps, steps * tenths // 10))
    else:
        np.testing.assert_allclose(found, [rate * (step + 1) / steps for step in range(steps)])
