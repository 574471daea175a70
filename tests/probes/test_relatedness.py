"""SentEval's regression of scores: against a plain loop of torch's own modules, and what it refuses."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
import torch
from scipy.stats import pearsonr

from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES
from lingprobe.probes.relatedness.loss import ExpectationLoss
from lingprobe.probes.relatedness.scale import ScoreScale
from probes.pairs import scored_pairs

SENTEVAL = "relatedness,protocol=senteval"


def fit(given, probe, *seeds):
    cells = tuple(Cell("-", seed) for seed in seeds)
    return PROBES.make(probe).fit(given.split("train"), given.split("dev"), cells=cells)


def encoded(scores, many=5):
    """Soft labels as Tai et al. 2015 define them, number by number."""
    y = np.zeros((len(scores), many), np.float32)
    for j, score in enumerate(scores):
        for k in range(1, many + 1):
            if k == math.floor(score) + 1:
                y[j, k - 1] = score - math.floor(score)
            if k == math.floor(score):
                y[j, k - 1] = math.floor(score) - score + 1
    return y


def plain_loop(given, seed):
    """One regression as SentEval fits it, with autograd; the draws are those of a probe's seed."""
    parts = {s: given.split(s) for s in ("train", "dev", "test")}
    x = {s: torch.from_numpy(part.features("-")) for s, part in parts.items()}
    y = torch.from_numpy(encoded(parts["train"].labels.numbers))
    bound = x["train"].shape[1] ** -0.5
    net = torch.nn.Sequential(torch.nn.Linear(x["train"].shape[1], 5), torch.nn.Softmax(dim=1))
    start, order = (torch.Generator().manual_seed(seed) for _ in range(2))
    with torch.no_grad():
        net[0].weight.uniform_(-bound, bound, generator=start)
        net[0].bias.uniform_(-bound, bound, generator=start)
    optimiser, values = torch.optim.Adam(net.parameters()), torch.arange(1.0, 6.0)
    best, misses, passes = -1.0, 0, 0
    while passes <= 1000:
        for _ in range(50):
            for rows in torch.randperm(len(y), generator=order).split(64):
                optimiser.zero_grad()
                torch.nn.functional.mse_loss(net(x["train"][rows]), y[rows]).backward()
                optimiser.step()
        passes += 50
        r = pearsonr((net(x["dev"]) @ values).detach(), parts["dev"].labels.numbers)[0]
        if r > best:
            best, kept, when = r, copy.deepcopy(net), passes
        else:
            if misses >= 3:
                break
            misses += 1
    return best, when, (kept(x["test"]) @ values).detach().numpy()


@pytest.mark.parametrize("scale", [(1.0, 5.0), (0.0, 5.0)])
def test_every_seed_of_a_joint_training_is_what_a_plain_loop_makes_of_it(scale):
    given = scored_pairs(scale=scale)
    for seed, fitted in zip((3, 4), fit(given, SENTEVAL, 3, 4), strict=True):
        best, when, said = plain_loop(given, seed)
        assert fitted.choice["dev"] == pytest.approx(best, abs=1e-4)
        assert fitted.choice["passes"] == when
        np.testing.assert_allclose(
            fitted.predict(given.split("test")).scores[:, 0], said, atol=2e-3
        )


def test_the_fourth_look_that_is_no_better_ends_the_training():
    given = scored_pairs(sizes=(60, 30, 20))
    first, second = fit(given, SENTEVAL, 0), fit(given, "relatedness,protocol=krasnowska", 0)
    assert first[0].choice == second[0].choice, "neither units nor batches are read"
    assert first[0].choice["passes"] % 50 == 0


@pytest.mark.parametrize(
    ("score", "shares"),
    [(3.6, [0, 0, 0.4, 0.6, 0]), (5.0, [0, 0, 0, 0, 1]), (0.4, [0.4, 0, 0, 0, 0]), (0.0, [0] * 5)],
)
def test_five_classes_whatever_the_scores_as_in_senteval(score, shares):
    np.testing.assert_allclose(ScoreScale(1, 5).shares(np.array([score]))[0], shares, atol=1e-6)


def test_shares_are_those_of_tai_number_by_number():
    scores = np.linspace(1, 5, 41)
    np.testing.assert_allclose(ScoreScale(1, 5).shares(scores), encoded(scores), atol=1e-6)


@pytest.mark.parametrize(
    ("scores", "scale"),
    [([1.2, 4.9], (1, 5)), ([0.0, 5.0], (0, 6)), ([0.2, 0.9], (0, 2)), ([2.0, 2.0], (2, 2))],
)
def test_a_class_for_each_whole_number_that_scores_lie_between(scores, scale):
    found = ScoreScale.of(np.array(scores))
    assert (found.lowest, found.many) == scale
    assert found.shares(np.array(scores)).sum(1) == pytest.approx(1)


def test_scores_from_0_are_told_by_six_classes_and_by_senteval_not_below_1():
    given = scored_pairs()
    test = given.split("test")
    [ours], [theirs] = fit(given, "relatedness", 0), fit(given, SENTEVAL, 0)
    assert (ours.choice["classes"], theirs.choice["classes"]) == (6, 5)
    assert ours.predict(test).scores.min() < 1 <= theirs.predict(test).scores.min()
    assert pearsonr(ours.predict(test).scores[:, 0], test.labels.numbers)[0] > 0.8


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_the_default_reads_vectors_of_any_norm_alike(factor):
    given = scored_pairs()
    grown = Readings(
        given.dataset, Vectors((given.vectors.layers[0] * np.float32(factor),), ("-",)), "mean"
    )
    plain = Readings(given.dataset, given.vectors, "mean")
    [one], [other] = (fit(each, "relatedness", 0) for each in (plain, grown))
    said = (f.predict(g.split("test")).scores for f, g in ((one, plain), (other, grown)))
    np.testing.assert_allclose(*said, atol=1e-2)


def test_the_gradient_written_by_hand_is_that_of_autograd():
    loss, scores = ExpectationLoss(), torch.randn(2, 1, 5, 11, requires_grad=True)
    wanted = torch.rand(2, 6, 11)
    total = loss.judge(scores, wanted)[0].sum()
    total.backward()
    found = loss.gradient(scores.detach().clone(), wanted)
    torch.testing.assert_close(found, scores.grad, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(
        total.detach() / 11,
        (torch.softmax(scores.detach(), 2) - wanted[:, None, :5])
        .double()
        .square()
        .mean((2, 3))
        .sum(),
    )


def test_a_constant_prediction_is_the_worst_there_is():
    loss = ExpectationLoss()
    sums = torch.stack(loss.judge(torch.zeros(1, 1, 5, 9), torch.rand(1, 6, 9)))[:, :, 0]
    assert loss.verdict(sums, torch.tensor([9]))[0, 0] == -1


def readings(labels, splits):
    examples = [
        Example.about(Sentence.of((f"s{i}",)), y, s)
        for i, (y, s) in enumerate(zip(labels, splits, strict=True))
    ]
    return Readings(Dataset.of(examples), Vectors((np.eye(len(labels), dtype=np.float32),), ("-",)))


@pytest.mark.parametrize(
    ("labels", "splits", "told"),
    [
        (["a", "b", "a"], ["train", "dev", "test"], "labels are not numbers"),
        ([0.0, 99.0, 3.0, 4.0], ["train", "train", "dev", "test"], "scores go from 0 to 99"),
        ([0.0, 1.0, 4.0], ["train", "train", "test"], "there are no dev examples"),
        ([0.0, 1.0], ["dev", "test"], "has no training examples"),
    ],
)
def test_what_it_cannot_learn_is_said_in_a_sentence(labels, splits, told):
    with pytest.raises(ReadingProblem, match=told):
        fit(readings(labels, splits), "relatedness", 0)
